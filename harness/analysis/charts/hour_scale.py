"""The time axis of all pictures of a day, so that pictures above each other line up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from trainee_bench.harness.analysis.charts.svg import element, pixels, text_label
from trainee_bench.world.week import span_weeks

_HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class Frame:
    """The width of a picture, and the pixels between which its hours lie."""

    width: float
    left: float
    right: float


PAGE = Frame(1000, 212, 876)
"""Frame of the pictures in a report: names on the left, figures on the right."""


@dataclass(frozen=True)
class HourScale:
    """Maps times from ``starts`` to ``ends`` onto the pixels of ``frame``."""

    starts: datetime
    ends: datetime
    frame: Frame = PAGE

    def holds(self, time: datetime) -> bool:
        """Return whether *time* lies in the picture."""
        return self.starts <= time <= self.ends

    def clock(self, time: datetime) -> str:
        """Return *time* as "17:00", with its weekday if it is on another day, and with its date if
        it is in another week."""
        if time.date() == self.starts.date():
            return f"{time:%H:%M}"
        dated = span_weeks(self.starts, time)
        return f"{time:%a %d %b %H:%M}" if dated else f"{time:%a %H:%M}"

    def x(self, time: datetime) -> float:
        """Return the x coordinate of *time*; a time outside the day lies at the edge."""
        share = (time - self.starts) / (self.ends - self.starts)
        left, right = self.frame.left, self.frame.right
        return left + min(max(share, 0.0), 1.0) * (right - left)

    def hours(self) -> Iterator[datetime]:
        """Yield all full hours from start to end."""
        hour = self.starts.replace(minute=0)
        hour += _HOUR * (hour < self.starts)
        while hour <= self.ends:
            yield hour
            hour += _HOUR


def draw_hours(
    scale: HourScale, y: float, covered: Callable[[float], bool] = lambda x: False
) -> str:
    """Draw the hours as numbers at *y*, without those whose place is *covered*."""
    places = [(hour, scale.x(hour)) for hour in scale.hours()]
    return "".join(text_label(x, y, f"{hour:%H}", "m c") for hour, x in places if not covered(x))


def draw_hour_lines(scale: HourScale, above: float, below: float) -> str:
    """Draw a line for each hour, from *above* to *below*."""
    lines = "".join(
        f"M{pixels(scale.x(hour))} {pixels(above)}V{pixels(below)}" for hour in scale.hours()
    )
    return element("path", d=lines, class_="grid")
