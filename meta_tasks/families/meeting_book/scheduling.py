"""When the meeting is, how it is called, and how it is shifted during the day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import NamedTuple

from trainee_bench.meta_tasks.task_context import CompositionError, TaskContext
from trainee_bench.world.meetings.rooms import LAST_MEETING_START, ROOMS_CLOSE, ROOMS_OPEN

STARTS = (time(13), time(14, 30), time(15))
FALLBACK_STARTS = tuple(time(hour, minute) for hour in range(11, 17) for minute in (0, 30))
"""Where a meeting goes if other tasks of the day have taken the usual hours."""
MEETING_HOURS = (0.5, 1.0, 1.5, 2.0)
NOTICE_BEFORE_START = timedelta(hours=2)
"""How long before its start one must learn of the meeting: there are ten people to ask."""
_MINUTES_AFTER = 10
_SUBJECTS = (
    "office move",
    "open day",
    "winter outlook",
    "quality round",
    "idea contest",
    "house magazine",
    "library project",
    "summer review",
)

MOVING_STARTS = (time(13), time(13, 30), time(14), time(14, 30))
MOVING_FALLBACK_STARTS = (time(15), time(15, 30), time(16))
MOVING_HOURS = (0.5, 1.0)
START_DELAYS = (20, 30, 40, 50, 60)
"""By how many minutes later somebody indispensable can begin only."""
SHIFT_MINUTES = (10, 15, 20, 25)
LAST_SHIFT = time(12, 45)
"""By when the start is shifted for the last time."""
_ROUNDS = ((time(10, 45), time(11, 30)), (time(11, 50), time(12, 35)))
"""Between which times the first and the second shift are told."""


class _Choice(NamedTuple):
    """Starts to draw from, starts to fall back on, and lengths."""

    starts: Sequence[time]
    later: Sequence[time]
    hours: Sequence[float]
    first: time = ROOMS_OPEN
    """Before which none may begin, not even a fixed one."""


@dataclass(frozen=True)
class MeetingSlot:
    """The meeting as it is told: its code and subject, start and end. ``window`` is all the
    time that it may come to take, and that no other task of the day uses."""

    code: str
    subject: str
    starts: datetime
    ends: datetime
    window: tuple[datetime, datetime]


@dataclass(frozen=True)
class StartShift:
    """During the day, at a time, the start is put off by so many minutes."""

    at: datetime
    minutes: int


def draw_meeting_slot(
    context: TaskContext, start: time | None, hours: float | None, shifts: int | None = None
) -> MeetingSlot:
    """Code, subject and hours; *start* and *hours* if they are fixed. With *shifts* the meeting
    moves, that often during the day.

    Raises CompositionError if other tasks have left no such hour before the deadline.
    """
    draws = context.stream("hours")
    usual = _Choice(STARTS, FALLBACK_STARTS, MEETING_HOURS)
    if shifts is not None:
        usual = _Choice(MOVING_STARTS, MOVING_FALLBACK_STARTS, MOVING_HOURS, MOVING_STARTS[0])
    slack = 0 if shifts is None else START_DELAYS[-1] + shifts * SHIFT_MINUTES[-1]
    drawn = draws.sample(usual.starts, len(usual.starts))
    starts = [start] if start else [*drawn, *usual.later]
    starts = [moment for moment in starts if moment >= usual.first]
    lengths = [hours] if hours else draws.sample(usual.hours, len(usual.hours))
    for minutes in (round(length * 60) for length in lengths):
        moments = _moments(context, starts, minutes, slack)
        try:
            _, begins, ends = context.reserve_meeting_slot(moments, minutes + slack)
        except CompositionError:
            continue
        subject = context.stream("subject").choice(_SUBJECTS)
        finish = begins + timedelta(minutes=minutes)
        return MeetingSlot(_code(context), subject, begins, finish, (begins, ends))
    raise CompositionError(
        f"{context.task} finds no hour for its meeting before {context.deadline:%H:%M} that other "
        "tasks have left; fix other times or put them on different days"
    )


def draw_shifts(context: TaskContext, count: int) -> tuple[StartShift, ...]:
    """*count* shifts in the course of the morning, each early enough to book anew."""
    draws = context.stream("shifts")
    found = []
    for first, last in _ROUNDS[:count]:
        earliest, latest = (datetime.combine(context.day.starts, clock) for clock in (first, last))
        minutes = draws.randrange(0, (latest - earliest) // timedelta(minutes=1))
        found.append(StartShift(earliest + timedelta(minutes=minutes), draws.choice(SHIFT_MINUTES)))
    return tuple(found)


def _moments(
    context: TaskContext, starts: Sequence[time], minutes: int, slack: int
) -> list[datetime]:
    """Those of *starts* at which there is time to ask before, and so much later to meet."""
    first = context.day.starts + NOTICE_BEFORE_START
    closes, opens = (
        datetime.combine(context.day.starts, clock) for clock in (ROOMS_CLOSE, LAST_MEETING_START)
    )
    ends = min(closes, context.deadline - timedelta(minutes=_MINUTES_AFTER))
    last = min(ends - timedelta(minutes=minutes), opens) - timedelta(minutes=slack)
    moments = [datetime.combine(context.day.starts, clock) for clock in starts]
    return [moment for moment in moments if first <= moment <= last]


def _code(context: TaskContext) -> str:
    """A code that nobody takes for that of another meeting of the day: no letter twice."""
    draws = context.stream("code")
    letters = draws.sample("BDFHJKMPRTVW", 12)
    claims = context.reservations.claims
    letter = next(
        one for one in letters if claims.setdefault(f"meetings {one}", context.task) == context.task
    )
    return f"{letter}-{draws.randrange(200, 1_000)}"
