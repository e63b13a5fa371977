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
_SEVERAL_WEEKS = "several_weeks"
"""A fact of worlds in which a weekday alone does not name a day."""
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


def week_facts(starts: datetime, later: Sequence[LaterDay]) -> dict[str, str]:
    """Return the facts of a new world whose first day begins at *starts* and that has these *later*
    days, by name."""
    facts = {_LATER_DAYS: _DAYS.dump_json(tuple(later)).decode()}
    if span_weeks(starts, later[-1].ends):
        facts[_SEVERAL_WEEKS] = "yes"
    return facts


def span_weeks(first: datetime, last: datetime) -> bool:
    """Return whether *first* and *last* lie in different calendar weeks, so that a weekday may not
    say which day is meant."""
    return first.isocalendar()[:2] != last.isocalendar()[:2]


def name_day(day: datetime, *, dated: bool) -> str:
    """Return "Wednesday", or "Wednesday, 15 October" if it is *dated*."""
    return f"{day:%A}, {day.day} {day:%B}" if dated else f"{day:%A}"


def day_name(tx: Transaction, day: datetime) -> str:
    """Return the name of *day* in this world: its weekday, with the date if several weeks have
    one."""
    return name_day(day, dated=several_weeks(tx))


def next_day_name(tx: Transaction) -> str:
    """Return "tomorrow", or "on Monday, 13 October" if the next working day of this world is a
    later one."""
    following = later_days(tx)
    if not following or (following[0].starts.date() - tx.day.starts.date()).days == 1:
        return "tomorrow"
    return f"on {day_name(tx, following[0].starts)}"


def later_days(tx: Transaction) -> tuple[LaterDay, ...]:
    """Return the working days after the current one, in order."""
    try:
        return _DAYS.validate_json(tx.fact(_LATER_DAYS))
    except KeyError:
        return ()


def is_week(tx: Transaction) -> bool:
    """Whether this world spans several days."""
    return _is_set(tx, _LATER_DAYS)


def several_weeks(tx: Transaction) -> bool:
    """Whether the days of this world lie in several calendar weeks."""
    return _is_set(tx, _SEVERAL_WEEKS)


def _is_set(tx: Transaction, fact: str) -> bool:
    try:
        tx.fact(fact)
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
            f"{day_name(tx, tx.day.ends)} is the last working day of this world; it is graded as "
            "it is."
        )


def day_over(tx: Transaction) -> DayOver:
    """Return the error for acting after the end of the day, which says whether another day
    follows."""
    ended = f"The working day ended at {tx.day.ends:%H:%M}"
    following = later_days(tx)
    if not following:
        return DayOver(f"{ended} and is graded as it is; nothing more can be done.")
    return DayOver(f"{ended}; nothing more can be done before {_morning(tx, following[0])}.")


def next_morning_sentence(tx: Transaction) -> str:
    """Say when the next working day begins, or return "" if none follows."""
    following = later_days(tx)
    return f"The next working day begins on {_morning(tx, following[0])}." if following else ""


def end_day(tx: Transaction) -> Result[DayBounds]:
    """Let the rest of the day pass."""
    tx.extend_until(max(tx.now, tx.day.ends))
    return Result(
        f"{day_name(tx, tx.day.ends)} is over.", DayBounds(starts=tx.day.starts, ends=tx.day.ends)
    )


def begin_next_day(tx: Transaction) -> Result[DayBounds]:
    """Make the next working day the current one, and let the time until it begins pass."""
    today, *after = later_days(tx)
    for name in _OF_ONE_DAY:
        tx.remove_fact(name)
    tx.set_fact("day_starts", today.starts.isoformat())
    tx.set_fact("day_ends", today.ends.isoformat())
    if today.tasks_until is not None:
        tx.set_fact(_TASKS_UNTIL, today.tasks_until.isoformat())
    tx.set_fact(_LATER_DAYS, _DAYS.dump_json(tuple(after)).decode())
    tx.extend_until(today.starts)
    return Result(f"It is {_morning(tx, today)}.", DayBounds(starts=today.starts, ends=today.ends))


def _morning(tx: Transaction, day: LaterDay) -> str:
    return f"{day_name(tx, day.starts)}, {day.starts:%H:%M}"
