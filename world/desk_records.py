"""The records that the desk shows: tasks, notes, times, and what tasks are worth."""

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
    returned: bool = False
    """Whether the latest submission gave the task back."""
    worth: int = 0
    """How much the task counts on a day with more work than hours; 0 on other days."""


class Note(BaseModel):
    """An entry in an employee's notebook."""

    model_config = ConfigDict(frozen=True)

    id: int
    at: datetime
    text: str


def worth_sentence(tx: Transaction) -> str:
    """Explain worth in two sentences on a day with more work than hours; "" on other days."""
    if not tx.worth_counts:
        return ""
    return (
        "There is more work today than you can do. Only the worth of tasks that you submit "
        "correctly and in time counts, so choose."
    )


def format_clock(tx: Transaction, time: datetime) -> str:
    """Format *time* as "17:00", with the date if it is on another day."""
    return f"{time:%H:%M}" if time.date() == tx.now.date() else f"{time:%Y-%m-%d %H:%M}"
