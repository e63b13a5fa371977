"""A picture of a day's schedule: the agent's lanes, task by task, above those of the optimal day.

The hours line up with the timeline of the day, so that both can be read together. The page defines
the colours (``report/templates/schedule.css``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from trainee_bench.harness.analysis.charts.hour_scale import HourScale, draw_hour_lines, draw_hours
from trainee_bench.harness.analysis.charts.svg import (
    element,
    escape_xml,
    pixels,
    shortened,
    text_label,
    tooltip,
)
from trainee_bench.harness.analysis.scheduling.schedule_section import schedule_line
from trainee_bench.harness.analysis.scheduling.schedule_summary import OPTIMAL
from trainee_bench.harness.documents.formatting import format_number, pluralize
from trainee_bench.harness.records.schedule_figures import ScheduleFigures, TaskTiming
from trainee_bench.harness.scheduling.measure import MeasuredDay, TaskLane
from trainee_bench.harness.scheduling.spans import Span

_HEAD, _LANE, _REST, _GAP = 24, 21, 15, 14
_SIZE, _SMALL = 12.0, 10.5


@dataclass(frozen=True)
class SchedulePanel:
    """One day to be drawn: its name, its measured day, and its figures."""

    name: str
    day: MeasuredDay
    figures: ScheduleFigures
    scores: Mapping[str, float] = field(default_factory=dict)
    """The scores of its tasks, if they are shown."""


def draw_schedule(own: SchedulePanel, optimal: SchedulePanel | None) -> str:
    """Draw the picture as an inline ``<svg>``; without the optimal day if it could not be
    worked."""
    window = own.day.window
    scale = HourScale(window.starts, window.ends)
    panels = [own, *([optimal] if optimal is not None else [])]
    drawn, end = draw_panels(panels, scale, 18)
    height, width = round(end + 4), pixels(scale.frame.width)
    described = escape_xml("; ".join(map(_described, panels)))
    return (
        f'<svg class="day plan" role="img" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" aria-label="{described}">{draw_hours(scale, 12)}{drawn}</svg>'
    )


def draw_panels(panels: Sequence[SchedulePanel], scale: HourScale, y: float) -> tuple[str, float]:
    """Draw *panels* below each other from *y* on, the agent's own first; return where they end."""
    parts = list[str]()
    for number, panel in enumerate(panels):
        height = panel_height(panel)
        parts.append(draw_hour_lines(scale, y + _HEAD - 4, y + height))
        parts.append(_panel(panel, scale, y, "own" if number == 0 else "best"))
        y += height + _GAP
    return "".join(parts), y - _GAP


def panel_height(panel: SchedulePanel) -> float:
    """Return the height of a panel."""
    return _HEAD + _LANE * len(panel.day.lanes) + _REST


def _panel(panel: SchedulePanel, scale: HourScale, y: float, kind: str) -> str:
    """Draw a heading with column names, a lane for each task, and one for waiting."""
    frame = scale.frame
    name = shortened(panel.name, frame.left - 12, _SIZE)
    summary = shortened(schedule_line(panel.figures), frame.right - frame.left, _SMALL)
    head = [
        text_label(0, y + 13, name, "b"),
        text_label(frame.left, y + 13, summary, "m"),
        text_label(frame.right + 10, y + 13, "handed in", "m"),
        text_label(frame.width, y + 13, "score" if panel.scores else "work", "m e"),
    ]
    lanes = []
    top = y + _HEAD
    for lane in panel.day.lanes:
        lanes.append(_lane(lane, panel.scores.get(lane.timing.task), scale, top))
        top += _LANE
    stop = scale.x(panel.day.stopped)
    shade = element(
        "rect", x=stop, y=y + _HEAD - 4, width=max(frame.right - stop, 0),
        height=panel_height(panel) - _HEAD + 4, class_="rest",
    )  # fmt: skip
    return element("g", shade, *head, *lanes, _rest(panel.day, scale, top), class_=kind)


def _lane(lane: TaskLane, score: float | None, scale: HourScale, y: float) -> str:
    """Draw a task: open from publication to deadline, worked on, waiting for answers, submitted.

    It has the colour of its *score*, if that is given.
    """
    timing, left = lane.timing, scale.frame.left
    title = shortened(lane.title, left - 48, _SIZE)
    full = tooltip(f"{timing.task} {lane.title}")
    parts = [
        element("g", full, text_label(0, y + 12, timing.task, "b"), text_label(34, y + 12, title))
    ]
    if timing.published is None:
        parts.append(text_label(left + 4, y + 12, "never came", "m"))
    else:
        begin, end = scale.x(timing.published), scale.x(timing.deadline)
        given, due = scale.clock(timing.published), scale.clock(timing.deadline)
        coloured = "" if score is None else f" {outcome_class(score)}"
        what, width = tooltip(f"{timing.task}: given {given}, due {due}"), max(end - begin, 2)
        parts.append(element("rect", what, x=begin, y=y + 3, width=width, height=11, rx=2,
                             class_=f"open{coloured}"))  # fmt: skip
    parts += [_worked(lane, scale, y), _asked(lane, scale, y)]
    if timing.published is not None and scale.holds(timing.deadline):
        line = f"M{pixels(scale.x(timing.deadline))} {pixels(y + 1)}v15"
        parts.append(element("path", d=line, class_="due"))
    parts += [_flag(timing.task, at, scale, y) for at in lane.submitted]
    parts += [_cross(timing.task, at, scale, y) for at in lane.too_late]
    parts.append(_outcome(timing, score, scale, y))
    return "".join(parts)


def outcome_class(score: float) -> str:
    """Return the class that colours a task with this *score*."""
    return "done" if score >= 1 else "part" if score > 0 else "none"


def _bars(spans: Iterable[Span], scale: HourScale, y: float) -> str:
    """Return the data of a path that draws *spans* as bars around *y*; "" for none."""
    return "".join(
        f"M{pixels(scale.x(span.starts))} {pixels(y)}"
        f"h{pixels(max(scale.x(span.ends) - scale.x(span.starts), 1.0))}"
        for span in spans
        if span.starts < span.ends
    )


def _worked(lane: TaskLane, scale: HourScale, y: float) -> str:
    """Draw the calls that belong to the task, each as long as it took."""
    timing = lane.timing
    what = tooltip(f"{timing.task}: {_effort(timing)}")
    path = _bars(lane.worked, scale, y + 8.5)
    return element("path", what, d=path, class_="work") if path else ""


def _asked(lane: TaskLane, scale: HourScale, y: float) -> str:
    """Draw lines below the lane while questions were unanswered, with a point where each was
    asked."""
    task, line = lane.timing.task, y + 16.5
    points = (
        element(
            "circle",
            tooltip(f"{task}: asked {span.starts:%H:%M}, answered {scale.clock(span.ends)}"),
            cx=scale.x(span.starts), cy=line, r=1.7,
        )
        for span in lane.asked
        if scale.holds(span.starts)
    )  # fmt: skip
    path = _bars(lane.asked, scale, line)
    return element("g", element("path", d=path), *points, class_="ask") if path else ""


def _flag(task: str, at: datetime, scale: HourScale, y: float) -> str:
    what, x = tooltip(f"{task}: handed in {at:%H:%M}"), scale.x(at)
    flag = f"M{pixels(x)} {pixels(y + 16)}v-15h6.5l-2 3.2 2 3.2h-6.5"
    return element("path", what, d=flag, class_="flag")


def _cross(task: str, at: datetime, scale: HourScale, y: float) -> str:
    what, x = tooltip(f"{task}: tried to hand in at {at:%H:%M}, too late"), scale.x(at)
    return element("path", what, d=f"M{pixels(x - 3.5)} {pixels(y + 5)}l7 7m0-7l-7 7",
                   class_="late")  # fmt: skip


def _outcome(timing: TaskTiming, score: float | None, scale: HourScale, y: float) -> str:
    """Draw at the lane's end when the task was submitted, or how late.

    Its *score* follows or, if that is not given, the minutes of its calls.
    """
    kind = "m"
    if timing.submitted is not None:
        text = scale.clock(timing.submitted)
    elif timing.deadline > scale.ends:
        text = f"due {scale.clock(timing.deadline)}"
    elif timing.minutes_late is not None:
        text, kind = f"{timing.minutes_late} min late", "bad"
    else:
        text = "not handed in" if timing.calls else "not begun"
    used = text_label(scale.frame.width, y + 12, f"{timing.minutes} min" if timing.calls else "",
                      "m e")  # fmt: skip
    if score is not None:
        used = text_label(scale.frame.width, y + 12, format_number(score), "b e")
    what = tooltip(f"{timing.task}: {_effort(timing)}")
    return element("g", what, text_label(scale.frame.right + 10, y + 12, text, kind), used)


def _rest(day: MeasuredDay, scale: HourScale, y: float) -> str:
    """Draw a lane of waiting time, with its idle parts and thinking in their own colours."""
    label = "waited, idle, thought" if day.thinking else "waited, idle"
    parts = [text_label(scale.frame.left - 10, y + 8.5, label, "m e")]
    lanes = (
        (day.waiting, "wait-time", "nothing done"),
        (day.idle, "idle-time", "idle"),
        (day.thinking, "think-time", "thinking"),
    )
    for spans, kind, what in lanes:
        path = _bars(spans, scale, y + 5.5)
        if path:
            told = ", ".join(f"{span.starts:%H:%M}-{span.ends:%H:%M}" for span in spans)
            parts.append(element("path", tooltip(f"{what}: {told}"), d=path, class_=kind))
    return "".join(parts)


def _described(panel: SchedulePanel) -> str:
    """Describe the panel in a sentence, for readers who do not see it."""
    due = [lane for lane in panel.day.lanes if lane.timing.deadline <= panel.day.window.ends]
    done = sum(lane.timing.submitted is not None for lane in due)
    return (
        f"{panel.name}: {done} of {pluralize(len(due), 'task')} handed in in time, "
        f"{schedule_line(panel.figures)}"
    )


def optimal_panel(day: MeasuredDay, figures: ScheduleFigures) -> SchedulePanel:
    """Return the oracle's day as the lower panel."""
    return SchedulePanel(OPTIMAL, day, figures)


def _effort(timing: TaskTiming) -> str:
    """Return the effort on a task: "1 call, 5 minutes"."""
    return f"{pluralize(timing.calls, 'call')}, {pluralize(timing.minutes, 'minute')}"
