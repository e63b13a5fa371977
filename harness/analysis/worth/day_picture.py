"""A picture of one worked day: what was still possible, the tasks as worked, the optimal schedule.

A report has it within its page; `picture_file` makes a separate file of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from trainee_bench.harness.analysis.charts.hour_scale import PAGE, Frame, HourScale, draw_hours
from trainee_bench.harness.analysis.charts.svg import (
    element,
    escape_xml,
    pixels,
    text_label,
    text_width,
)
from trainee_bench.harness.analysis.scheduling.schedule_picture import (
    SchedulePanel,
    draw_panels,
    outcome_class,
    panel_height,
)
from trainee_bench.harness.analysis.scheduling.schedule_summary import OPTIMAL
from trainee_bench.harness.analysis.worth.value_line import (
    TOLD,
    ValueScale,
    draw_value_line,
    drop_in_words,
)
from trainee_bench.harness.documents.formatting import format_number
from trainee_bench.harness.records.worth import EpisodeWorth
from trainee_bench.harness.worth.loss_words import costliest_losses

_LINE, _SIZE = 18.0, 10.5
_MARK, _GAP = 24.0, 16.0
_AS_DRAWN = 0.86
"""Ratio of a text's usual width to the largest width from `text_width`."""
_LINE_MARKS = (
    (element("path", d="M0 6h18", class_="value"), "best score that was still possible"),
    (element("g", element("path", d="M9 -2v10"), element("circle", cx=9, cy=9, r=3),
             class_="drop"), "step that cost points"),
    (element("rect", x=0, y=0, width=18, height=12, class_="spent"), "how long it took"),
    (element("path", d="M0 6h18", class_="plan-line"), OPTIMAL),
)  # fmt: skip
_LANE_MARKS = (
    (element("rect", x=0, y=1, width=18, height=10, rx=2, class_="open")
     + element("path", d="M18 -1v14", class_="due"), "task open until its deadline"),
    (element("path", d="M0 6h18", class_="work"), "worked on"),
    (element("path", d="M5 13v-14h6.5l-2 3.2 2 3.2h-6.5", class_="flag"), "handed in"),
    (element("path", d="M5 2l8 8m0-8l-8 8", class_="late"), "too late"),
    (element("g", element("path", d="M2 6h15"), element("circle", cx=2, cy=6, r=1.7),
             class_="ask"), "asked, until answered"),
    (element("path", d="M0 6h18", class_="wait-time"), "waited"),
    (element("path", d="M0 6h18", class_="idle-time"),
     "idle: waited although a task could be worked on"),
)  # fmt: skip
_OUTCOMES = {"done": "full score", "part": "part of its score", "none": "no points"}


def draw_key(y: float, frame: Frame, scores: Iterable[float]) -> tuple[str, float]:
    """Draw the legend below a picture from *y* on; return where it ends.

    It explains the colours of the *scores* of its tasks.
    """
    shown = {outcome_class(score) for score in scores}
    outcomes = [
        (element("rect", x=0, y=1, width=18, height=10, rx=2, class_=f"open {kind}"), meaning)
        for kind, meaning in _OUTCOMES.items()
        if kind in shown
    ]
    line, y = _row(_LINE_MARKS, y, frame)
    lanes, y = _row([*_LANE_MARKS[:1], *outcomes, *_LANE_MARKS[1:]], y, frame)
    return element("g", line, class_="worth") + element("g", lanes, class_="own"), y


def _row(marks: Iterable[tuple[str, str]], y: float, frame: Frame) -> tuple[str, float]:
    """Draw marks with their meanings in as many lines as needed; return where the next line
    begins."""
    parts, x = list[str](), 0.0
    for mark, meaning in marks:
        wide = _MARK + _AS_DRAWN * text_width(meaning, _SIZE)
        if x and x + wide > frame.width:
            x, y = 0.0, y + _LINE
        parts.append(element("g", mark, transform=f"translate({pixels(x)} {pixels(y)})"))
        parts.append(text_label(x + _MARK, y + 10, meaning, "m"))
        x += wide + _GAP
    return "".join(parts), y + _LINE


HEIGHT = 170
"""Height of the value line's range, in pixels."""
_TOP, _HOURS = 14.0, 18.0
_HOUR = timedelta(hours=1)


def draw_day(
    worth: EpisodeWorth,
    own: SchedulePanel,
    optimal: SchedulePanel | None = None,
    *,
    frame: Frame = PAGE,
    until: datetime | None = None,
    key: bool = False,
) -> str:
    """Draw the picture as an inline ``<svg>``, of the day or of one day of a week.

    It shows the hours up to *until*, by default to the end of the day. With *key* it includes a
    legend.
    """
    window = own.day.window
    hours = HourScale(window.starts, until or window.ends, frame)
    scores = ValueScale(_TOP, _TOP + HEIGHT)
    panels = [own, *([optimal] if optimal is not None else [])]
    begin = scores.bottom + _HOURS + 4
    lanes, end = draw_panels(panels, hours, begin)
    line = draw_value_line(worth, own.day, hours, scores, begin + panel_height(own))
    parts = [line, _heading(hours, scores), draw_hours(hours, scores.bottom + _HOURS - 3), lanes]
    if key:
        drawn, end = draw_key(end + 8, frame, own.scores.values())
        parts.append(drawn)
    height, width = round(end + 4), pixels(frame.width)
    return (
        f'<svg class="day plan" role="img" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" aria-label="{escape_xml(describe_day(worth))}">{"".join(parts)}</svg>'
    )


def next_full_hour(time: datetime) -> datetime:
    """Return the full hour that comes after *time*."""
    return time.replace(minute=0, second=0, microsecond=0) + _HOUR


def describe_day(worth: EpisodeWorth) -> str:
    """Describe the picture: "Still possible: 1.00 in the morning, 0.20 at the end. 09:14 waited 299
    min: −0.60."."""
    first, last = format_number(worth.points[0].value), format_number(worth.end.value)
    steps = "".join(f" {drop_in_words(worth, loss)}." for loss in costliest_losses(worth, TOLD))
    return (
        f"{worth.agent}, {worth.scenario}, {worth.day}. Still possible: {first} in the morning, "
        f"{last} at the end.{steps}"
    )


def _heading(hours: HourScale, scores: ValueScale) -> str:
    """Draw on the left of the line what it shows."""
    y = (scores.top + scores.bottom) / 2
    return element(
        "g",
        text_label(0, y - 14, "Score that was", "axis"),
        text_label(0, y + 2, "still possible", "axis"),
        text_label(0, y + 20, "falls when a step costs", "m"),
        text_label(0, y + 34, "points for good", "m"),
        class_="worth",
    )
