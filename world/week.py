"""The working days of a world that spans several, and the nights between them.

    day ends ──► the night's events fire ──► morning: another day's bounds, the same world

A world of one day has none of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel, ConfigDict, TypeAdapter

from trainee_bench.world.errors import DayOver, Refused
from trainee_bench.world.transaction import Result, Transaction

END_DAY, NEXT_DAY = "world_end_day", "world_begin_next_day"
"""The names in the log of the two actions of the world itself; no agent is offered them."""
_LATER_DAYS, _TASKS_UNTIL = "later_days", "tasks_until"
_OF_ONE_DAY = (_TASKS_UNTIL, "warned_of_more")
"""Facts that end with a day, unless the next day sets them again."""


class LaterDay(BaseModel):
    """A working day after the first. Further tasks may come until ``tasks_until``; None if all
    tasks are there when it begins."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    starts: datetime
    ends: datetime
    tasks_until: datetime | None = None


_DAYS = TypeAdapter(tuple[LaterDay, ...])


def write_later_days(days: Sequence[LaterDay]) -> str:
    """Encode *days* as a world stores them."""
    return _DAYS.dump_json(tuple(days)).decode()


def later_days(tx: Transaction) -> tuple[LaterDay, ...]:
    """Return the working days after the current one, in order."""
    try:
        return _DAYS.validate_json(tx.fact(_LATER_DAYS))
    except KeyError:
        return ()


def is_week(tx: Transaction) -> bool:
    """Whether this world spans several days."""
    try:
        tx.fact(_LATER_DAYS)
    except KeyError:
        return False
    return True


class DayBounds(BaseModel):
    """The start and end of a working day."""

    model_config = ConfigDict(frozen=True)

    starts: datetime
    ends: datetime


def check_day_follows(tx: Transaction) -> None:
    """Raise Refused unless another working day follows the current one."""
    if not later_days(tx):
        raise Refused(
            f"{tx.day.ends:%A} is the last working day of this world; it is graded as it is."
        )


def day_over(tx: Transaction) -> DayOver:
    """Return the error for acting after the end of the day, which says whether another day
    follows."""
    ended = f"The working day ended at {tx.day.ends:%H:%M}"
    following = later_days(tx)
    if not following:
        return DayOver(f"{ended} and is graded as it is; nothing more can be done.")
    return DayOver(f"{ended}; nothing more can be done before {_morning(following[0])}.")


def next_morning_sentence(tx: Transaction) -> str:
    """Say when the next working day begins, or return "" if none follows."""
    following = later_days(tx)
    return f"The next working day begins on {_morning(following[0])}." if following else ""


def end_day(tx: Transaction) -> Result[DayBounds]:
    """Let the rest of the day pass."""
    tx.extend_until(max(tx.now, tx.day.ends))
    return Result(f"{tx.day.ends:%A} is over.", DayBounds(starts=tx.day.starts, ends=tx.day.ends))


def begin_next_day(tx: Transaction) -> Result[DayBounds]:
    """Make the next working day the current one, and let the time until it begins pass."""
    today, *after = later_days(tx)
    for name in _OF_ONE_DAY:
        tx.remove_fact(name)
    tx.set_fact("day_starts", today.starts.isoformat())
    tx.set_fact("day_ends", today.ends.isoformat())
    if today.tasks_until is not None:
        tx.set_fact(_TASKS_UNTIL, today.tasks_until.isoformat())
    tx.set_fact(_LATER_DAYS, write_later_days(after))
    tx.extend_until(today.starts)
    return Result(f"It is {_morning(today)}.", DayBounds(starts=today.starts, ends=today.ends))


def _morning(day: LaterDay) -> str:
    return f"{day.starts:%A}, {day.starts:%H:%M}"
