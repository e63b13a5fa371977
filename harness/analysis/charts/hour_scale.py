"""A scale for the hours of a day across a picture, so that pictures above each other line up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

_HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class Frame:
    """How wide a picture is, and between which pixels its hours lie."""

    width: float
    left: float
    right: float


PAGE = Frame(1000, 212, 876)
"""The pictures of a report: names on the left, figures on the right."""


@dataclass(frozen=True)
class HourScale:
    """Maps times from ``starts`` to ``ends`` onto the pixels of ``frame``."""

    starts: datetime
    ends: datetime
    frame: Frame = PAGE

    def holds(self, time: datetime) -> bool:
        """Whether *time* lies in the picture."""
        return self.starts <= time <= self.ends

    def clock(self, time: datetime) -> str:
        """Return *time* as "17:00", with its weekday if it is on another day."""
        today = time.date() == self.starts.date()
        return f"{time:%H:%M}" if today else f"{time:%a} {time:%H:%M}"

    def x(self, time: datetime) -> float:
        """Return how far right *time* lies; a time outside the day lies at the edge."""
        share = (time - self.starts) / (self.ends - self.starts)
        left, right = self.frame.left, self.frame.right
        return left + min(max(share, 0.0), 1.0) * (right - left)

    def hours(self) -> Iterator[datetime]:
        """All full hours from start to end."""
        hour = self.starts.replace(minute=0)
        hour += _HOUR * (hour < self.starts)
        while hour <= self.ends:
            yield hour
            hour += _HOUR
