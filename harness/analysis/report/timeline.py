"""A picture of one worked day: hours across, tasks, meetings, calls and notices in lanes.

Every app has a lane and a hue by its place among all apps, whichever occur. The page defines the
other colours (``templates/day.css``). All times are simulated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trainee_bench.harness.analysis.charts.hour_scale import (
    PAGE,
    HourScale,
    draw_hour_lines,
    draw_hours,
)
from trainee_bench.harness.analysis.charts.svg import (
    element,
    escape_xml,
    pixels,
    shortened,
    text_label,
    text_width,
    tooltip,
    wrapped,
)
from trainee_bench.harness.analysis.report.day_record import (
    CallRecord,
    DayRecord,
    DisclosedClue,
    MeetingRecord,
    TaskRecord,
)
from trainee_bench.harness.analysis.report.usage import END_REASON_LABELS
from trainee_bench.harness.documents.formatting import format_number, pluralize
from trainee_bench.harness.records.results import DayResult, EpisodeResult, TaskResult
from trainee_bench.harness.scheduling.spans import Span, total_minutes
from trainee_bench.harness.session.limits import EndReason
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.world.notices import URGENT_NOTICES, Notice

_SMALL = 10.5
_TASK, _APP = 38, 12
_HUES = (60, 360)
"""Range of hues for lanes, in degrees: without red, which marks failed calls."""
_GOLDEN_RATIO = 0.618034
"""Its multiples modulo 1 never coincide, and are far apart for successive lanes."""
_UNKNOWN_TOOL = "no such tool"
"""The last lane: calls of tools that belong to no app."""


def draw_timeline(day: DayRecord, result: EpisodeResult, of_week: DayResult | None = None) -> str:
    """Draw the day as an inline ``<svg>`` of about ten kilobytes.

    *of_week* has the figures of the day if it is one of *result*'s week.
    """
    if of_week is not None:
        named = {"day": of_week.name, "ended": of_week.ended, "score": of_week.score}
        result = result.model_copy(update=named)
    hours = HourScale(day.day.starts, day.day.ends)
    graded = {task.task: task for task in result.tasks if task.task}
    y, lanes = 26.0, []
    for task in day.tasks:
        lanes.append(_task(task, graded.get(task.id), hours, y))
        y += _TASK
    if day.meetings:
        lanes.append(_name(y + 16, "meetings"))
        lanes += (_meeting(meeting, hours, y + 5) for meeting in day.meetings)
        y += 26
    y += 4
    for app, place, calls in _app_lanes(day.calls):
        lanes += [_name(y + 9, app), _calls(place, calls, hours, y + 2)]
        y += _APP
    if day.thinking:
        lanes += [_name(y + 9, "thinking"), _thinking(day.thinking, hours, y + 6)]
        y += _APP
    if day.notices:
        lanes += [_name(y + 9, "notices"), _notices(day.notices, hours, y + 6)]
        y += _APP
    height = round(y + 8)
    tag = _Tag.of(day, result, hours)
    back = draw_hour_lines(hours, 20, height - 4) + draw_hours(hours, 12, tag.covers)
    back += _end(day, result, hours, tag, height)
    return (
        f'<svg class="day" role="img" viewBox="0 0 {PAGE.width} {height}" width="{PAGE.width}" '
        f'height="{height}" aria-label="{escape_xml(_described(day, result))}">'
        f"{back}{''.join(lanes)}</svg>"
    )


@dataclass(frozen=True)
class _Tag:
    """A tag on the scale that says when and why the work ended."""

    text: str
    begin: float
    room: float

    @classmethod
    def of(cls, day: DayRecord, result: EpisodeResult, hours: HourScale) -> _Tag:
        label = END_REASON_LABELS[result.ended] if result.ended else "end"
        text = f"{label} {day.stopped:%H:%M}"
        room = text_width(text, _SMALL) + 10
        begin = hours.x(day.stopped) - room / 2
        return cls(text, min(max(begin, PAGE.left - 12), PAGE.width - room), room)

    def covers(self, x: float) -> bool:
        """Return whether the number of an hour at *x* would touch the tag."""
        return self.begin - 9 < x < self.begin + self.room + 9


def _end(day: DayRecord, result: EpisodeResult, hours: HourScale, tag: _Tag, height: float) -> str:
    """Draw where the work ended and why; the rest of the day is shaded."""
    x = hours.x(day.stopped)
    kind = "end" if result.ended in (EndReason.AGENT, EndReason.DAY_OVER) else "end bad"
    shade = element(
        "rect", x=x, y=20, width=max(PAGE.right - x, 0), height=height - 24, class_="rest"
    )
    line = element("path", d=f"M{pixels(x)} 17V{height - 4}", class_=kind)
    back = element(
        "rect", x=tag.begin, y=1, width=tag.room, height=15, rx=7.5, class_=f"{kind} tag"
    )  # fmt: skip
    return shade + line + back + text_label(tag.begin + tag.room / 2, 12, tag.text, "c on")


def _task(task: TaskRecord, graded: TaskResult | None, hours: HourScale, y: float) -> str:
    """Draw a lane: the bar from arrival to deadline, submissions on it, clues below, marks at the
    end."""
    title = wrapped(task.title, PAGE.left - 48, 12)
    named = [text_label(34, y + 15 + 14 * row, line) for row, line in enumerate(title)]
    head = element(
        "g", tooltip(f"{task.id} {task.title}"), text_label(0, y + 15, task.id, "b"), *named
    )
    parts = [head, _bar(task, graded, hours, y)]
    for at in task.submitted:
        x = hours.x(at)
        what = tooltip(f"{task.id} submitted at {at:%H:%M}")
        parts.append(element("path", what, d=f"M{pixels(x)} {pixels(y + 21)}v-17h8l-2.5 4 2.5 4h-8",
                          class_="flag"))  # fmt: skip
    for at in task.too_late:
        x, what = hours.x(at), tooltip(f"{task.id} submitted too late, at {at:%H:%M}")
        cross = f"M{pixels(x - 4)} {pixels(y + 8)}l8 8m0-8l-8 8"
        parts.append(element("path", what, d=cross, class_="late"))
    parts.append(_clues(task.clues, hours, y + 28))
    if graded is not None and hours.holds(task.deadline):
        parts.append(_marks(graded, y))
    return "".join(parts)


def _bar(task: TaskRecord, graded: TaskResult | None, hours: HourScale, y: float) -> str:
    """Draw the bar from arrival to deadline in the colour of its outcome; a moved deadline shows
    twice."""
    if task.given is None:
        return element(
            "g",
            tooltip(f"{task.id} never arrived"),
            text_label(PAGE.left + 4, y + 15, "never arrived", "m"),
        )
    begin, end = hours.x(task.given), hours.x(task.deadline)
    description = f"{task.id}: given {hours.clock(task.given)}, due {hours.clock(task.deadline)}"
    parts = []
    if task.moved_at is not None and hours.holds(task.moved_at):
        description += f" (until {task.moved_at:%H:%M}: {task.first_deadline:%H:%M})"
        first, moved = hours.x(task.first_deadline), hours.x(task.moved_at)
        low, high = sorted((first, end))
        parts.append(element("rect", x=low, y=y + 4, width=high - low, height=14, class_="ghost"))
        arrow = f"M{pixels(moved)} {pixels(y + 11)}H{pixels(end)}"
        parts.append(element("path", d=arrow, class_="moved"))
        parts.append(element("circle", cx=moved, cy=y + 11, r=2.4, class_="dot"))
    bar = element(
        "rect", x=begin, y=y + 4, width=max(end - begin, 2), height=14, rx=2,
        class_=f"bar {outcome_class(graded)}",
    )  # fmt: skip
    if hours.holds(task.deadline):
        parts.append(element("path", d=f"M{pixels(end)} {pixels(y + 2)}v18", class_="due"))
    return element("g", tooltip(description), bar, *parts)


def outcome_class(graded: TaskResult | None) -> str:
    """Return the class of a task's colour: done, part, none, or off if it was not graded."""
    if graded is None or graded.score is None:
        return "off"
    if graded.success:
        return "done"
    return "part" if graded.score > 0 else "none"


def _clues(clues: Sequence[DisclosedClue], hours: HourScale, y: float) -> str:
    """Draw diamonds where clues were told, with the teller's name if there is room."""
    parts, free = [], 0.0
    for place, clue in enumerate(clues):
        x = hours.x(clue.at)
        source = clue.source or "in a meeting"
        what = f"{clue.at:%H:%M}: {clue.name.replace('_', ' ')}, told "
        what += f"by {source}" if clue.source else source
        inner = [tooltip(what), element("path", d=f"M{pixels(x)} {pixels(y - 4)}l4 4-4 4-4-4z")]
        follower = hours.x(clues[place + 1].at) - 6 if place + 1 < len(clues) else PAGE.width
        name = clue.source.split(" ")[-1] if clue.source else "meeting"
        same = place + 1 < len(clues) and clues[place + 1].source == clue.source
        if (
            x + 6 >= free
            and x + 8 + text_width(name, _SMALL) < min(follower, PAGE.right)
            and not same
        ):
            inner.append(text_label(x + 7, y + 3.5, name))
            free = x + 12 + text_width(name, _SMALL)
        parts.append(element("g", *inner))
    return element("g", *parts, class_="clue") if parts else ""


def _marks(graded: TaskResult, y: float) -> str:
    """Draw a square for each checkpoint, filled if it passed, and the score after them."""
    parts = []
    for place, check in enumerate(graded.checkpoints):
        x, below = PAGE.right + 14 + place % 8 * 10, place // 8 * 10
        state = "yes" if check.passed else "no"
        text = f"{'passed' if check.passed else 'missed'}: {check.sentence}"
        parts.append(
            element(
                "rect", tooltip(text), x=x, y=y + 7 + below, width=7.5, height=7.5, class_=state
            )
        )
    parts.append(text_label(PAGE.width, y + 15, format_number(graded.score), "b e"))
    if graded.harm:
        parts.append(
            element("g", tooltip("harm was done"), text_label(PAGE.width, y + 29, "harm", "bad e"))
        )
    return "".join(parts)


def _meeting(meeting: MeetingRecord, hours: HourScale, y: float) -> str:
    """Draw a meeting: filled if it was attended, empty if missed, crossed out if cancelled."""
    x, end = hours.x(meeting.starts), hours.x(meeting.ends)
    state, attendance = "missed", "missed"
    if meeting.cancelled:
        state, attendance = "off", "cancelled"
    elif meeting.arrived is not None:
        state, attendance = "went", f"attended from {meeting.arrived:%H:%M}"
    span = f"{meeting.starts:%H:%M}-{meeting.ends:%H:%M}"
    what = tooltip(f"{span} {meeting.title}: {attendance}")
    box = element(
        "rect", what, x=x, y=y, width=max(end - x, 3), height=15, rx=2, class_=f"visit {state}"
    )
    text = shortened(meeting.title, end - x - 8, _SMALL)
    named = text_label(x + 4, y + 11, text, f"small {state}") if len(text) > 3 else ""
    return box + named


def _app_lanes(calls: Sequence[CallRecord]) -> Iterator[tuple[str, int, list[CallRecord]]]:
    """Yield the lanes of the called apps: name, place among all apps from 1, and calls."""
    by_app: dict[str, list[CallRecord]] = {
        app: [] for app in (*discover_toolboxes(), _UNKNOWN_TOOL)
    }
    for call in calls:
        by_app.get(call.app, by_app[_UNKNOWN_TOOL]).append(call)
    for place, (app, own) in enumerate(by_app.items(), start=1):
        if own:
            yield app, place, own


def lane_hue(place: int) -> int:
    """Return the hue, in degrees, of the lane at *place*: distinct from those of all other
    places."""
    low, high = _HUES
    return low + round(place * _GOLDEN_RATIO % 1 * (high - low))


def _calls(place: int, calls: Sequence[CallRecord], hours: HourScale, y: float) -> str:
    """Draw an app's calls in its colour, each as long as it took; waiting is faint, failures red.

    Calls that take no time coincide and are drawn once.
    """
    marks: dict[str, list[str]] = {"use": [], "use wait": [], "use fail": []}
    for call in calls:
        x, end = hours.x(call.at), hours.x(call.until)
        kind = "use fail" if not call.ok else "use wait" if call.waiting else "use"
        marks[kind].append(f"M{pixels(x)} {pixels(y + 4)}h{pixels(max(end - x - 0.3, 1.2))}")
    return "".join(
        element(
            "path",
            d="".join(dict.fromkeys(paths)),
            class_=kind,
            style=f"--lane-hue:{lane_hue(place)}",
        )
        for kind, paths in marks.items()
        if paths
    )


def _thinking(spans: Sequence[Span], hours: HourScale, y: float) -> str:
    """Draw a bar for every time of thinking."""
    told = total_minutes(spans)
    path = "".join(
        f"M{pixels(hours.x(span.starts))} {pixels(y)}"
        f"h{pixels(max(hours.x(span.ends) - hours.x(span.starts) - 0.3, 1.2))}"
        for span in spans
    )
    return element("path", tooltip(f"thought for {told} min"), d=path, class_="think")


def _notices(notices: Sequence[Notice], hours: HourScale, y: float) -> str:
    """Draw a dot for every notice, larger if it is about a task, a deadline or a meeting."""
    small, large = [], []
    for notice in notices:
        x = hours.x(notice.at)
        if notice.kind in URGENT_NOTICES:
            large.append(
                element("circle", tooltip(f"{notice.at:%H:%M} {notice.kind}"), cx=x, cy=y, r=3)
            )
        else:
            small.append(f"M{pixels(x)} {pixels(y - 2)}v4")
    path = element("path", d="".join(dict.fromkeys(small)), class_="note") if small else ""
    return path + (element("g", *large, class_="notice") if large else "")


def _name(y: float, text: str) -> str:
    return text_label(PAGE.left - 10, y, text, "m e")


def _described(day: DayRecord, result: EpisodeResult) -> str:
    """Describe the day in one sentence, for readers who do not see it."""
    submitted = sum(bool(task.submitted) for task in day.tasks)
    score = "not graded" if result.score is None else f"score {result.score:.2f}"
    attended = sum(meeting.arrived is not None for meeting in day.meetings)
    meetings = (
        f", {attended} of {pluralize(len(day.meetings), 'meeting')} attended"
        if day.meetings
        else ""
    )
    return (
        f"{result.agent}, {result.scenario}, {result.day}: {submitted} of "
        f"{pluralize(len(day.tasks), 'task')} "
        f"submitted{meetings}, {pluralize(len(day.calls), 'call')}, ended {day.stopped:%H:%M}, "
        f"{score}"
    )
