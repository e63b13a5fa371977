"""One worked day in a picture: what was still possible hour by hour, the tasks as the agent worked
them, and the optimal schedule below.

A report has it within its page, a file of its own is made of it by `picture_file`.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from trainee_bench.harness.analysis.charts.hour_scale import PAGE, Frame, HourScale, draw_hours
from trainee_bench.harness.analysis.charts.svg import (
    element,
    escape_xml,
    pixels,
    text_label,
)
from trainee_bench.harness.analysis.scheduling.schedule_picture import (
    SchedulePanel,
    draw_panels,
    panel_height,
)
from trainee_bench.harness.analysis.worth.day_key import draw_key
from trainee_bench.harness.analysis.worth.drop_words import drop_in_words
from trainee_bench.harness.analysis.worth.value_line import TOLD, ValueScale, draw_value_line
from trainee_bench.harness.documents.formatting import format_number
from trainee_bench.harness.records.worth import EpisodeWorth
from trainee_bench.harness.worth.loss_words import costliest_losses

HEIGHT = 170
"""How high the line of values can rise, in pixels."""
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
    """The picture as an inline ``<svg>``, of the day or of one day of a week.

    It shows the hours *until* then, by default to the end of the day; with *key* it explains its
    marks itself.
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
    """The full hour that comes after *time*."""
    return time.replace(minute=0, second=0, microsecond=0) + _HOUR


def describe_day(worth: EpisodeWorth) -> str:
    """The picture in words: "Still possible: 1.00 in the morning, 0.20 at the end. 09:14 waited 299
    min: −0.60."."""
    first, last = format_number(worth.points[0].value), format_number(worth.end.value)
    steps = "".join(f" {drop_in_words(worth, loss)}." for loss in costliest_losses(worth, TOLD))
    return (
        f"{worth.agent}, {worth.scenario}, {worth.day}. Still possible: {first} in the morning, "
        f"{last} at the end.{steps}"
    )


def _heading(hours: HourScale, scores: ValueScale) -> str:
    """On the left of the line, what it shows."""
    y = (scores.top + scores.bottom) / 2
    return element(
        "g",
        text_label(0, y - 14, "Score that was", "axis"),
        text_label(0, y + 2, "still possible", "axis"),
        text_label(0, y + 20, "falls when a step costs", "m"),
        text_label(0, y + 34, "points for good", "m"),
        class_="worth",
    )
