"""What the desk shows its employee: tasks, notes, times, and what the day's tasks are worth."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from trainee_bench.world.transaction import Transaction


class DeskTask(BaseModel):
    """A published task as its employee sees it; ``submitted`` is the latest submission."""

    model_config = ConfigDict(frozen=True)

    id: str
    title: str
    objective: str
    deadline: datetime
    by: str
    assignments: tuple[str, ...] = ()
    submitted: datetime | None = None
    worth: int = 0
    """What counts for it where there is more work than hours; 0 elsewhere."""


class Note(BaseModel):
    """An entry in an employee's notebook."""

    model_config = ConfigDict(frozen=True)

    id: int
    at: datetime
    text: str


def worth_sentence(tx: Transaction) -> str:
    """Two sentences where there is more work than hours; "" elsewhere."""
    if not tx.worth_counts:
        return ""
    return (
        "There is more work today than can be done. What counts is the worth of the tasks that are "
        "handed in right and in time: choose."
    )


def format_clock(tx: Transaction, time: datetime) -> str:
    """*time* as "17:00", with the date if it is on another day."""
    return f"{time:%H:%M}" if time.date() == tx.now.date() else f"{time:%Y-%m-%d %H:%M}"
