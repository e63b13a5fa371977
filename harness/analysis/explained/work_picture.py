"""A picture of one day's honest work: what each task needs, and the calls that served each need.

The tree of needs is on the left. The hours are on the right, with a bar for each call as long as it
took. A report has the picture within its page; `picture_file` makes a separate file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from trainee_bench.harness.analysis.charts.hour_scale import (
    Frame,
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
)
from trainee_bench.harness.analysis.explained.work_rows import WorkRow, work_rows
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.testbench.explained_day import ExplainedDay
from trainee_bench.meta_tasks.work.engine import Act
from trainee_bench.meta_tasks.work.explain import call_in_words

FRAME = Frame(1000, 384, 956)
"""Frame with more room for names than in other pictures of a day, and little for figures."""
_ROW, _TASK, _INDENT = 16.0, 24.0, 11.0
_SIZE, _SMALL = 12.0, 10.5
_DEEPEST = 14
"""Deepest indentation of trees, so that names have room."""
_HOURS_EVERY = 36
"""Number of rows after which the hours are repeated, before the next task."""
_APPS = ("mail", "calendar", "chat", "files", "sheets", "monitor", "desk")
_AS_DRAWN = 0.96
"""Ratio of a text's usual width to the largest width from `text_width`."""
_HOUR = timedelta(hours=1)


def draw_work(day: ExplainedDay) -> str:
    """Draw *day* as an inline ``<svg>``."""
    scale = _scale(day)
    parts, y, since = list[str](), 0.0, _HOURS_EVERY
    top = 18.0
    for rows in work_rows(day):
        if since >= _HOURS_EVERY:
            parts.append(draw_hours(scale, y + 12))
            y, since = y + top, 0
        drawn, y = _task(rows, scale, y, day.stopped)
        parts.append(drawn)
        since += len(rows)
    if day.waits:
        parts.append(_wait_lane(day.waits, scale, y + 6))
        y += 6 + _ROW
    back = draw_hour_lines(scale, top - 4, y + 2)
    parts.insert(0, _stop_line(day, scale, top - 4, y + 2))
    key, y = _key(day, y + 12)
    width, height = pixels(FRAME.width), round(y + 2)
    return (
        f'<svg class="day plan" role="img" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" aria-label="{escape_xml(describe_work(day))}">'
        f"{element('g', back, *parts, key, class_='needs')}</svg>"
    )


def describe_work(day: ExplainedDay) -> str:
    """Describe the picture in words: "3 tasks, 41 calls from 08:01 to 11:33."."""
    calls = _all_calls(day)
    tasks = pluralize(len(day.titles), "task")
    if not calls:
        return f"How the day can be worked: {tasks}, no call."
    first, last = f"{calls[0].at:%H:%M}", f"{calls[-1].until:%H:%M}"
    told = f"{tasks}, {pluralize(len(calls), 'call')} from {first} to {last}"
    missed = f", not done: {', '.join(sorted(day.failures))}" if day.failures else ""
    stopped = f", stopped at {day.stopped:%H:%M}" if day.stopped else ""
    return f"How the day can be worked: {told}{missed}{stopped}."


def _all_calls(day: ExplainedDay) -> list[Act]:
    """Return all calls that were made for tasks, each once, by time."""
    calls = {id(act): act for acts in day.acts.values() for act in acts}
    return sorted(calls.values(), key=lambda act: act.at)


def _scale(day: ExplainedDay) -> HourScale:
    """Return the hours from the morning to the full hour after the last event."""
    window, acts = day.window, [*_all_calls(day), *day.waits]
    ends = max((act.until for act in acts), default=window.starts + _HOUR)
    full = ends.replace(minute=0, second=0, microsecond=0)
    after = full + _HOUR if full < ends or full <= window.starts else full
    # The words beside the line of the stop need room.
    while day.stopped and after - ends < (after - window.starts) / 4:
        after += _HOUR
    return HourScale(window.starts, after, FRAME)


def _task(
    rows: Sequence[WorkRow], scale: HourScale, y: float, stopped: datetime | None
) -> tuple[str, float]:
    """Draw a task with its tree, from *y* on; return where it ends."""
    head, *needs = rows
    parts = [_row(head, scale, y + 4, stopped, "b")]
    below, begin = list[str](), y + _TASK
    bands = "".join(
        f"M0 {pixels(begin + place * _ROW)}h{pixels(FRAME.width)}v{pixels(_ROW)}H0z"
        for place in range(0, len(needs), 2)
    )
    if bands:
        below.append(element("path", d=bands, class_="band"))
    below.append(element("path", d=f"M0 {pixels(y + 1)}H{pixels(FRAME.width)}", class_="edge"))
    if branches := _branches(needs, begin):
        below.append(element("path", d=branches, class_="branch"))
    parts += [_row(row, scale, begin + place * _ROW, stopped) for place, row in enumerate(needs)]
    return "".join([*below, *parts]), begin + len(needs) * _ROW


def _left(row: WorkRow) -> float:
    return min(row.depth, _DEEPEST) * _INDENT


def _branches(rows: Sequence[WorkRow], begin: float) -> str:
    """Return the lines from each need to those that it is made from, as the data of a path."""
    lines, ends = list[str](), dict[int, float]()
    for place, row in enumerate(rows):
        if row.depth > _DEEPEST:
            continue
        middle = begin + place * _ROW + _ROW / 2
        above = ends.get(row.depth - 1, begin - 4)
        from_sibling = max(above, ends.get(row.depth, above))
        x = _left(row) - 7
        lines.append(f"M{pixels(x)} {pixels(from_sibling)}V{pixels(middle)}h5")
        ends = {depth: end for depth, end in ends.items() if depth < row.depth}
        ends[row.depth] = middle
    return "".join(lines)


def _row(
    row: WorkRow, scale: HourScale, y: float, stopped: datetime | None, weight: str | None = None
) -> str:
    """Draw a need: its name, its calls at their times, the minutes it took."""
    classes = " ".join(filter(None, (weight, "ended" if row.ended else None)))
    parts = [_name(row, y + 12, classes or None)]
    parts += [_call(act, scale, y) for act in row.acts]
    parts.append(_state(row, scale, y, stopped))
    if row.minutes:
        took = text_label(FRAME.width, y + 12, f"{row.minutes} min", "m e" if not weight else "e")
        parts.append(took)
    return "".join(parts)


def _name(row: WorkRow, y: float, classes: str | None) -> str:
    x = _left(row)
    room = (FRAME.left - x - 20) / _AS_DRAWN
    name = shortened(row.name, room, _SIZE)
    left = room - text_width(name, _SIZE) - 8
    about = shortened(row.about, left, _SMALL if row.depth else _SIZE)
    full = tooltip(" ".join(filter(None, (row.name, row.about))))
    size = None if not row.depth else "m"
    told = element("tspan", escape_xml(about), class_=size, dx=5) if row.about else ""
    return element("text", full + escape_xml(name) + told, x=x, y=y, class_=classes)


def _call(act: Act, scale: HourScale, y: float) -> str:
    """Draw a bar as long as the call took, or a tick if it took no time."""
    begin, end = scale.x(act.at), scale.x(act.until)
    what = tooltip(call_in_words(act, priority=True))
    if act.until == act.at:
        line = f"M{pixels(begin)} {pixels(y + 2)}v12"
        return element("path", what, d=line, class_=f"tick {_app(act)}")
    width = max(end - begin, 2.0)
    return element(
        "rect", what, x=begin, y=y + 3.5, width=width, height=9, rx=1, class_=f"took {_app(act)}"
    )


def _app(act: Act) -> str:
    app = act.tool.partition("_")[0]
    return f"of-{app if app in _APPS else 'other'}"


def _state(row: WorkRow, scale: HourScale, y: float, stopped: datetime | None) -> str:
    """Draw what the need waits for, or why it failed, after its last call.

    If a need further down says what is waited for, only the tooltip says so here.
    """
    if not row.waits_for and not row.error:
        return ""
    last = row.acts[-1].until if row.acts else scale.starts
    if row.error:
        told, x = f"failed: {row.error}", scale.x(last) + 8
        mark = element("path", d=f"M{pixels(x - 3)} {pixels(y + 5)}l6 6m0-6l-6 6", class_="late")
    else:
        told, x = f"waits for {row.waits_for}", scale.x(stopped or last)
        mark = element("circle", cx=x, cy=y + 8, r=2.8, class_="pending")
    if row.waits_below and not row.error:
        return element("g", tooltip(told), mark)
    room = (FRAME.right - x - 10) / _AS_DRAWN
    said = text_label(x + 9, y + 12, shortened(told, room, _SMALL), "bad" if row.error else "m")
    return element("g", tooltip(told), mark, said)


def _wait_lane(waits: Iterable[Act], scale: HourScale, y: float) -> str:
    """Draw when there was nothing to do but wait."""
    parts = [text_label(0, y + 12, "Waiting for news", "m")]
    for act in waits:
        begin, end = scale.x(act.at), scale.x(act.until)
        parts.append(
            element("rect", tooltip(call_in_words(act, priority=True)), x=begin, y=y + 3.5,
                    width=max(end - begin, 1.0), height=9, class_="waited")
        )  # fmt: skip
    return "".join(parts)


def _stop_line(day: ExplainedDay, scale: HourScale, above: float, below: float) -> str:
    """Draw where the work was stopped."""
    if day.stopped is None:
        return ""
    x = scale.x(day.stopped)
    line = f"M{pixels(x)} {pixels(above)}V{pixels(below)}"
    return element("path", tooltip(f"stopped at {day.stopped:%H:%M}"), d=line, class_="stop")


def _key(day: ExplainedDay, y: float) -> tuple[str, float]:
    """Draw the legend: the apps whose tools were called, and the other marks that occur."""
    used = {_app(act) for act in _all_calls(day)}
    marks = [
        (element("rect", x=0, y=2, width=14, height=9, rx=1, class_=f"took of-{app}"), app)
        for app in (*_APPS, "other")
        if f"of-{app}" in used
    ]
    if any(act.at == act.until for act in _all_calls(day)):
        marks.append((element("path", d="M7 0v12", class_="tick of-other"), "took no time"))
    if day.waits:
        marks.append((element("rect", x=0, y=2, width=14, height=9, class_="waited"), "waited"))
    if day.stopped:
        marks.append((element("circle", cx=7, cy=6, r=2.8, class_="pending"), "not met yet"))
    if day.explanation.has_past:
        marks.append((text_label(0, 10, "Aa", "ended"), "not needed any more, once it was done"))
    parts, x = list[str](), 0.0
    for mark, meaning in marks:
        parts.append(element("g", mark, transform=f"translate({pixels(x)} {pixels(y)})"))
        parts.append(text_label(x + 20, y + 10, meaning, "m"))
        x += 36 + _AS_DRAWN * text_width(meaning, _SMALL)
    return "".join(parts), y + 16
