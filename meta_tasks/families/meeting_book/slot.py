"""When the meeting is, how it is called, and how it is shifted during the day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import NamedTuple

from meta_tasks.stage import CompositionError, Stage
from world.meetings.rooms import CLOSES, LAST_START, OPENS

STARTS = (time(13), time(14, 30), time(15))
LATER = tuple(time(hour, minute) for hour in range(11, 17) for minute in (0, 30))
"""Where a meeting goes if other tasks of the day have taken the usual hours."""
HOURS = (0.5, 1.0, 1.5, 2.0)
KNOWN_BEFORE = timedelta(hours=2)
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
MOVING_LATER = (time(15), time(15, 30), time(16))
MOVING_HOURS = (0.5, 1.0)
OTHER_STARTS = (20, 30, 40, 50, 60)
"""By how many minutes later somebody indispensable can begin only."""
SHIFTS = (10, 15, 20, 25)
LAST_SHIFT = time(12, 45)
"""By when the start is shifted for the last time."""
_ROUNDS = ((time(10, 45), time(11, 30)), (time(11, 50), time(12, 35)))
"""Between which times the first and the second shift are told."""


class _Choice(NamedTuple):
    """Starts to draw from, starts to fall back on, and lengths."""

    starts: Sequence[time]
    later: Sequence[time]
    hours: Sequence[float]
    first: time = OPENS
    """Before which none may begin, not even a fixed one."""


@dataclass(frozen=True)
class Slot:
    """The meeting as it is told: its code and subject, start and end. ``window`` is all the
    time that it may come to take, and that no other task of the day uses."""

    code: str
    subject: str
    starts: datetime
    ends: datetime
    window: tuple[datetime, datetime]


@dataclass(frozen=True)
class Shift:
    """During the day, at a time, the start is put off by so many minutes."""

    at: datetime
    minutes: int


def draw_slot(
    stage: Stage, start: time | None, hours: float | None, shifts: int | None = None
) -> Slot:
    """Code, subject and hours; *start* and *hours* if they are fixed. With *shifts* the meeting
    moves, that often during the day.

    Raises CompositionError if other tasks have left no such hour before the deadline.
    """
    draws = stage.stream("hours")
    usual = _Choice(STARTS, LATER, HOURS)
    if shifts is not None:
        usual = _Choice(MOVING_STARTS, MOVING_LATER, MOVING_HOURS, MOVING_STARTS[0])
    slack = 0 if shifts is None else OTHER_STARTS[-1] + shifts * SHIFTS[-1]
    drawn = draws.sample(usual.starts, len(usual.starts))
    starts = [start] if start else [*drawn, *usual.later]
    starts = [moment for moment in starts if moment >= usual.first]
    lengths = [hours] if hours else draws.sample(usual.hours, len(usual.hours))
    for minutes in (round(length * 60) for length in lengths):
        moments = _moments(stage, starts, minutes, slack)
        try:
            _, begins, ends = stage.meeting(moments, minutes + slack)
        except CompositionError:
            continue
        subject = stage.stream("subject").choice(_SUBJECTS)
        finish = begins + timedelta(minutes=minutes)
        return Slot(_code(stage), subject, begins, finish, (begins, ends))
    raise CompositionError(
        f"{stage.task} finds no hour for its meeting before {stage.deadline:%H:%M} that other "
        "tasks have left; fix other times or put them on different days"
    )


def draw_shifts(stage: Stage, count: int) -> tuple[Shift, ...]:
    """*count* shifts in the course of the morning, each early enough to book anew."""
    draws = stage.stream("shifts")
    found = []
    for first, last in _ROUNDS[:count]:
        earliest, latest = (datetime.combine(stage.day.starts, clock) for clock in (first, last))
        minutes = draws.randrange(0, (latest - earliest) // timedelta(minutes=1))
        found.append(Shift(earliest + timedelta(minutes=minutes), draws.choice(SHIFTS)))
    return tuple(found)


def _moments(stage: Stage, starts: Sequence[time], minutes: int, slack: int) -> list[datetime]:
    """Those of *starts* at which there is time to ask before, and so much later to meet."""
    first = stage.day.starts + KNOWN_BEFORE
    closes, opens = (datetime.combine(stage.day.starts, clock) for clock in (CLOSES, LAST_START))
    ends = min(closes, stage.deadline - timedelta(minutes=_MINUTES_AFTER))
    last = min(ends - timedelta(minutes=minutes), opens) - timedelta(minutes=slack)
    moments = [datetime.combine(stage.day.starts, clock) for clock in starts]
    return [moment for moment in moments if first <= moment <= last]


def _code(stage: Stage) -> str:
    """A code that nobody takes for that of another meeting of the day: no letter twice."""
    draws = stage.stream("code")
    letters = draws.sample("BDFHJKMPRTVW", 12)
    claims = stage.commons.claims
    letter = next(
        one for one in letters if claims.setdefault(f"meetings {one}", stage.task) == stage.task
    )
    return f"{letter}-{draws.randrange(200, 1_000)}"
