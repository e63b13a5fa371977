"""Waiting time, and how much of it was idle: a task was open, and something could be done for it.

A task is *open* from its publication to its deadline as long as no submission of it counts. An open
task is *blocked* while nobody can be asked for one of its facts and

- a colleague was asked for a fact and has not answered yet, or
- an appointment of the task has not begun (a meeting that announces something for it, or that was
  booked for it), or
- a fact can be told only from a later hour on, or the objective says that the request may still
  change until then.

A duty of a whole week that is due on a later day is open only until the last call for it so far.
Its scene does not show whether more of it is left to do that day.

A minute is idle if it is spent waiting and an open task is not blocked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from trainee_bench.harness.scheduling.asking import (
    Colleagues,
    OpenQuestion,
    request_change,
    waiting_calls,
)
from trainee_bench.harness.scheduling.attribution import AttributedCall, booked_meeting
from trainee_bench.harness.scheduling.day_trace import ATTEND_TOOL, DayTrace
from trainee_bench.harness.scheduling.spans import Span, cut_at, joined, overlap
from trainee_bench.meta_tasks.composed_day import ComposedTask
from trainee_bench.world.apps.calendar import MeetingBooked
from trainee_bench.world.meetings.meeting import ON_TIME_GRACE

_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True)
class OpenTask:
    """When a task was open, and when it was blocked meanwhile."""

    task: ComposedTask
    open: tuple[Span, ...]
    blocked: tuple[Span, ...]


def waiting_spans(day: DayTrace, calls: Iterable[AttributedCall]) -> tuple[Span, ...]:
    """Return when nothing was done: waiting calls, meetings of no task, and the time after the
    work."""
    foreign = (
        Span(call.entry.at, call.entry.until)
        for call in calls
        if call.entry.tool == ATTEND_TOOL and call.entry.ok and not call.task
    )
    rest = Span(day.stopped, day.window.ends)
    spans = (span.within(day.span) for span in (*waiting_calls(day.log), *foreign, rest))
    return joined(span for span in spans if span is not None)


def idle_spans(waiting: Iterable[Span], tasks: Iterable[OpenTask]) -> tuple[Span, ...]:
    """Return the parts of *waiting* in which any of *tasks* was open and not blocked."""
    known = list(tasks)
    bounds = [
        moment
        for task in known
        for span in (*task.open, *task.blocked)
        for moment in (span.starts, span.ends)
    ]
    return joined(
        part
        for span in waiting
        for part in cut_at(span, bounds)
        if any(
            _holds(task.open, part.starts) and not _holds(task.blocked, part.starts)
            for task in known
        )
    )


def open_tasks(
    day: DayTrace,
    colleagues: Colleagues,
    calls: Sequence[AttributedCall],
    questions: Sequence[OpenQuestion],
) -> tuple[OpenTask, ...]:
    """Return each published task of the window, with the times at which it was open and blocked.

    *calls* are those of the whole log.
    """
    found, booked = [], _booked_meetings(calls)
    for task in day.tasks:
        if task.id not in day.published:
            continue
        spans = overlap(_open_spans(day, task), _workable(day, task, calls))
        blocked = _Blocks(
            day,
            colleagues,
            task,
            [question for question in questions if task.id in question.tasks],
            _appointments(day, task, booked.get(task.id, {})),
        )
        parts = (part for span in spans for part in cut_at(span, blocked.bounds()))
        found.append(OpenTask(task, spans, joined(p for p in parts if blocked.at(p.starts))))
    return tuple(found)


def _open_spans(day: DayTrace, task: ComposedTask) -> tuple[Span, ...]:
    """Return the times from publication to the first submission, and again after a changed
    request."""
    accepted = [entry.at for entry in day.submissions(task.id) if entry.ok]
    change = request_change(day, task)
    starts = [day.published[task.id], *([change] if change is not None else [])]
    ends = [*starts[1:], task.deadline]
    spans = []
    for start, end in zip(starts, ends, strict=True):
        first = min((at for at in accepted if start <= at < end), default=end)
        spans.append(Span(start, min(first, end, task.deadline)))
    return joined(spans)


def _workable(day: DayTrace, task: ComposedTask, calls: Iterable[AttributedCall]) -> Span:
    """Return the part of the window in which *task* may be open.

    A duty of a whole week that is due on a later day may be open until the last call for it so far.
    """
    whole_week = task.id in day.composition.whole_week
    if not whole_week or task.deadline <= day.window.ends:
        return day.span
    own = [call.entry for call in calls if call.task == task.id and call.entry.at < day.window.ends]
    return Span(day.window.starts, own[-1].until if own else day.window.ends)


class _Blocks:
    """The times at which a task is blocked while it is open."""

    def __init__(
        self,
        day: DayTrace,
        colleagues: Colleagues,
        task: ComposedTask,
        questions: Sequence[OpenQuestion],
        appointments: Sequence[Span],
    ):
        self._day, self._colleagues, self._questions = day, colleagues, questions
        self._facts = [fact for fact in colleagues.facts if fact.task.id == task.id]
        self._appointments, self._settled = appointments, task.instance.told.settled_from

    def bounds(self) -> list[datetime]:
        """Return the times at which the task may become blocked or free: every minute of the
        window."""
        starts, ends = self._day.window.starts, self._day.window.ends
        return [starts + n * _MINUTE for n in range((ends - starts) // _MINUTE)]

    def at(self, moment: datetime) -> bool:
        """Return whether the task is blocked at *moment*."""
        missing = [
            fact.clue
            for fact in self._facts
            if fact.matters.holds(moment) and not self._told(fact.clue.id, moment)
        ]
        for clue in missing:
            asked = any(
                question.person == clue.holder and question.span.holds(moment)
                for question in self._questions
            )
            answers = self._colleagues.would_answer(clue.holder, moment)
            if not asked and answers is not None and self._colleagues.is_ready(clue, moment):
                return False
        return (
            any(question.span.holds(moment) for question in self._questions)
            or _holds(self._appointments, moment)
            or (self._settled is not None and moment < self._settled)
            or any(self._colleagues.waits_for_the_clock(clue, moment) for clue in missing)
        )

    def _told(self, clue: str, moment: datetime) -> bool:
        return clue in self._day.met and self._day.met[clue] <= moment


def _booked_meetings(calls: Iterable[AttributedCall]) -> dict[str, dict[int, datetime]]:
    """Return the meetings that calls booked for each task, and when."""
    found: dict[str, dict[int, datetime]] = {}
    for call in calls:
        number = booked_meeting(call.entry)
        if number is not None:
            found.setdefault(call.task, {})[number] = call.entry.until
    return found


def _appointments(
    day: DayTrace, task: ComposedTask, booked: Mapping[int, datetime]
) -> tuple[Span, ...]:
    """Return the times from the announcement of an appointment of *task* until one may come.

    An appointment is a meeting that announces something for the task, or one *booked* for it. For a
    duty of a whole week, only those of the window count.
    """
    announced = {
        planned.event.key
        for planned in task.instance.hidden.events
        if isinstance(planned.event, MeetingBooked) and planned.event.announcements
    }
    until = day.window.ends if task.id in day.composition.whole_week else day.composition.ends
    return joined(
        Span(max(meeting.booked_at, booked.get(meeting.id, day.window.starts)), opens)
        for meeting in day.meetings.values()
        if not meeting.cancelled and (meeting.key in announced or meeting.id in booked)
        if meeting.starts < until
        if meeting.booked_at < (opens := meeting.starts - ON_TIME_GRACE)
    )


def _holds(spans: Iterable[Span], moment: datetime) -> bool:
    return any(span.holds(moment) for span in spans)
