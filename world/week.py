"""The working days of one world that goes over several, and the night between two of them.

    day ends ──► the night's events fire ──► morning: another day's bounds, the same world

A world of one day has none of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel, ConfigDict, TypeAdapter

from trainee_bench.world.transaction import Transaction

_FACT = "later_days"


class LaterDay(BaseModel):
    """A working day after the first; further tasks may come until ``tasks_until`` (None: all are
    there when it begins)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    starts: datetime
    ends: datetime
    tasks_until: datetime | None = None


_DAYS = TypeAdapter(tuple[LaterDay, ...])


def write_later_days(days: Sequence[LaterDay]) -> str:
    """*days* as a world stores them."""
    return _DAYS.dump_json(tuple(days)).decode()


def later_days(tx: Transaction) -> tuple[LaterDay, ...]:
    """The working days after the present one, in order."""
    try:
        return _DAYS.validate_json(tx.fact(_FACT))
    except KeyError:
        return ()
