"""A day's schedule as a picture: the agent's lanes, task by task, above those of the optimal day.

The hours lie where the timeline of the day has them, so that the two can be read together. The
page has the colours (``templates/schedule.css``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

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
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.records.schedule_figures import ScheduleFigures, TaskTiming
from trainee_bench.harness.scheduling.measure import MeasuredDay, TaskLane
from trainee_bench.harness.scheduling.spans import Span, total_minutes

WIDTH = 1000
_LEFT, _RIGHT = 212, 876
_HEAD, _LANE, _REST, _GAP = 24, 21, 15, 14
_SIZE, _SMALL = 12.0, 10.5
_HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class SchedulePanel:
    """One day as it is drawn: whose it is, what is drawn, and its figures."""

    name: str
    day: MeasuredDay
    figures: ScheduleFigures


@dataclass(frozen=True)
class _HourScale:
    """Where times lie across the picture."""

    starts: datetime
    ends: datetime

    def holds(self, time: datetime) -> bool:
        """Whether *time* lies in the picture."""
        return self.starts <= time <= self.ends

    def clock(self, time: datetime) -> str:
        """*time* as "17:00", with its weekday if that is another one."""
        today = time.date() == self.starts.date()
        return f"{time:%H:%M}" if today else f"{time:%a} {time:%H:%M}"

    def x(self, time: datetime) -> float:
        share = (time - self.starts) / (self.ends - self.starts)
        return _LEFT + min(max(share, 0.0), 1.0) * (_RIGHT - _LEFT)

    def hours(self) -> Iterator[datetime]:
        """All full hours from start to end."""
        hour = self.starts.replace(minute=0)
        hour += _HOUR * (hour < self.starts)
        while hour <= self.ends:
            yield hour
            hour += _HOUR


def draw_schedule(own: SchedulePanel, optimal: SchedulePanel | None) -> str:
    """The picture as an inline ``<svg>``; without the optimal day where it could not be worked."""
    window = own.day.window
    scale = _HourScale(window.starts, window.ends)
    panels = [own, *([optimal] if optimal is not None else [])]
    y, parts = 18.0, list[str]()
    for number, panel in enumerate(panels):
        height = _panel_height(panel)
        parts.append(_grid(scale, y + _HEAD - 4, y + height))
        parts.append(_panel(panel, scale, y, "own" if number == 0 else "best"))
        y += height + _GAP
    height = round(y - _GAP + 4)
    described = escape_xml("; ".join(map(_described, panels)))
    return (
        f'<svg class="day plan" role="img" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" aria-label="{described}">{_figures(scale)}{"".join(parts)}</svg>'
    )


def _panel_height(panel: SchedulePanel) -> float:
    return _HEAD + _LANE * len(panel.day.lanes) + _REST


def _figures(scale: _HourScale) -> str:
    """The hours above the first panel."""
    return "".join(text_label(scale.x(hour), 12, f"{hour:%H}", "m c") for hour in scale.hours())


def _grid(scale: _HourScale, above: float, below: float) -> str:
    lines = "".join(f"M{pixels(scale.x(hour))} {pixels(above)}V{pixels(below)}"
                    for hour in scale.hours())  # fmt: skip
    return element("path", d=lines, class_="grid")


def _panel(panel: SchedulePanel, scale: _HourScale, y: float, kind: str) -> str:
    """A heading, a lane for each task, and one for waiting."""
    name = shortened(panel.name, _LEFT - 12, _SIZE)
    summary = shortened(schedule_line(panel.figures), WIDTH - _LEFT, _SMALL)
    head = [text_label(0, y + 13, name, "b"), text_label(_LEFT, y + 13, summary, "m")]
    lanes = []
    top = y + _HEAD
    for lane in panel.day.lanes:
        lanes.append(_lane(lane, scale, top))
        top += _LANE
    stop = scale.x(panel.day.stopped)
    shade = element(
        "rect", x=stop, y=y + _HEAD - 4, width=max(_RIGHT - stop, 0),
        height=_panel_height(panel) - _HEAD + 4, class_="rest",
    )  # fmt: skip
    return element("g", shade, *head, *lanes, _rest(panel.day, scale, top), class_=kind)


def _lane(lane: TaskLane, scale: _HourScale, y: float) -> str:
    """A task: open from publication to deadline, worked, waiting for answers, handed in."""
    timing = lane.timing
    title = shortened(lane.title, _LEFT - 48, _SIZE)
    full = tooltip(f"{timing.task} {lane.title}")
    parts = [
        element("g", full, text_label(0, y + 12, timing.task, "b"), text_label(34, y + 12, title))
    ]
    if timing.published is None:
        parts.append(text_label(_LEFT + 4, y + 12, "never came", "m"))
    else:
        begin, end = scale.x(timing.published), scale.x(timing.deadline)
        given, due = scale.clock(timing.published), scale.clock(timing.deadline)
        what, width = tooltip(f"{timing.task}: given {given}, due {due}"), max(end - begin, 2)
        parts.append(element("rect", what, x=begin, y=y + 3, width=width, height=11, rx=2,
                             class_="open"))  # fmt: skip
    parts += [_worked(lane, scale, y), _asked(lane, scale, y)]
    if timing.published is not None and scale.holds(timing.deadline):
        line = f"M{pixels(scale.x(timing.deadline))} {pixels(y + 1)}v15"
        parts.append(element("path", d=line, class_="due"))
    parts += [_flag(timing.task, at, scale, y) for at in lane.submitted]
    parts += [_cross(timing.task, at, scale, y) for at in lane.too_late]
    parts.append(_outcome(timing, scale, y))
    return "".join(parts)


def _bars(spans: Iterable[Span], scale: _HourScale, y: float) -> str:
    """The data of a path that draws *spans* as bars around *y*; "" for none."""
    return "".join(
        f"M{pixels(scale.x(span.starts))} {pixels(y)}"
        f"h{pixels(max(scale.x(span.ends) - scale.x(span.starts), 1.0))}"
        for span in spans
        if span.starts < span.ends
    )


def _worked(lane: TaskLane, scale: _HourScale, y: float) -> str:
    """The calls that belong to the task, each as long as it took."""
    timing = lane.timing
    what = tooltip(f"{timing.task}: {_effort(timing)}")
    path = _bars(lane.worked, scale, y + 8.5)
    return element("path", what, d=path, class_="work") if path else ""


def _asked(lane: TaskLane, scale: _HourScale, y: float) -> str:
    """Lines below the lane while questions were unanswered, with a point where each was asked."""
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


def _flag(task: str, at: datetime, scale: _HourScale, y: float) -> str:
    what, x = tooltip(f"{task}: handed in {at:%H:%M}"), scale.x(at)
    flag = f"M{pixels(x)} {pixels(y + 16)}v-15h6.5l-2 3.2 2 3.2h-6.5"
    return element("path", what, d=flag, class_="flag")


def _cross(task: str, at: datetime, scale: _HourScale, y: float) -> str:
    what, x = tooltip(f"{task}: tried to hand in at {at:%H:%M}, too late"), scale.x(at)
    return element("path", what, d=f"M{pixels(x - 3.5)} {pixels(y + 5)}l7 7m0-7l-7 7",
                   class_="late")  # fmt: skip


def _outcome(timing: TaskTiming, scale: _HourScale, y: float) -> str:
    """Behind the lane: when it was handed in, or how late, and the minutes of its calls."""
    kind = "m"
    if timing.submitted is not None:
        text = scale.clock(timing.submitted)
    elif timing.deadline > scale.ends:
        text = f"due {scale.clock(timing.deadline)}"
    elif timing.minutes_late is not None:
        text, kind = f"{timing.minutes_late} min late", "bad"
    else:
        text = "not handed in" if timing.calls else "not begun"
    used = f"{timing.minutes} min" if timing.calls else ""
    what = tooltip(f"{timing.task}: {_effort(timing)}")
    return element(
        "g",
        what,
        text_label(_RIGHT + 10, y + 12, text, kind),
        text_label(WIDTH, y + 12, used, "m e"),
    )


def _rest(day: MeasuredDay, scale: _HourScale, y: float) -> str:
    """A lane of waiting, the idle parts of it in their own colour."""
    parts = [text_label(_LEFT - 10, y + 8.5, "waiting, idle", "m e")]
    for spans, kind in ((day.waiting, "wait-time"), (day.idle, "idle-time")):
        path = _bars(spans, scale, y + 5.5)
        if path:
            told = ", ".join(f"{one.starts:%H:%M}-{one.ends:%H:%M}" for one in spans)
            what = tooltip(f"{'idle' if spans is day.idle else 'nothing done'}: {told}")
            parts.append(element("path", what, d=path, class_=kind))
    text = f"{total_minutes(day.waiting)} min, {total_minutes(day.idle)} idle"
    return "".join(parts) + text_label(WIDTH, y + 8.5, text, "m e")


def _described(panel: SchedulePanel) -> str:
    """The panel in a sentence, for readers who do not see it."""
    due = [lane for lane in panel.day.lanes if lane.timing.deadline <= panel.day.window.ends]
    done = sum(lane.timing.submitted is not None for lane in due)
    return (
        f"{panel.name}: {done} of {pluralize(len(due), 'task')} handed in in time, "
        f"{schedule_line(panel.figures)}"
    )


def optimal_panel(day: MeasuredDay, figures: ScheduleFigures) -> SchedulePanel:
    """The oracle's day as the lower panel."""
    return SchedulePanel(OPTIMAL, day, figures)


def _effort(timing: TaskTiming) -> str:
    """What a task took: "1 call, 5 minutes"."""
    return f"{pluralize(timing.calls, 'call')}, {pluralize(timing.minutes, 'minute')}"
