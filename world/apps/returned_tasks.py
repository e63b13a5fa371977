"""Tasks that the employee gave back because something that they need does not exist.

A return counts as a submission: the task is off the desk until it is submitted or given back again.
The text of a return lies in a table of its own, so worlds without returns are as they were.
"""

from __future__ import annotations

import json
from datetime import datetime

from pydantic import BaseModel

from trainee_bench.world.transaction import Transaction

SCHEMA = """
CREATE TABLE returned (
    submission INTEGER PRIMARY KEY, missing TEXT NOT NULL, asked TEXT NOT NULL
) STRICT;
"""


class TaskReturn(BaseModel, frozen=True):
    """A task that was given back: when, what is ``missing``, and the ids of the people who were
    ``asked`` about it."""

    task: str
    at: datetime
    missing: str
    asked: tuple[str, ...]


class ReturnedTasks:
    """The returned tasks within one transaction."""

    def __init__(self, tx: Transaction):
        self._tx = tx

    def add(self, submission: int, missing: str, asked: tuple[str, ...]) -> None:
        """Record that the submission of this number gives its task back."""
        self._tx.run(
            "INSERT INTO returned VALUES (?, ?, ?)", submission, missing, json.dumps(asked)
        )

    def forget(self, task: str) -> None:
        """Remove the returns of *task*, whose submissions are about to be removed."""
        self._tx.run(
            "DELETE FROM returned WHERE submission IN (SELECT seq FROM submission WHERE task = ?)",
            task,
        )

    def all_standing(self) -> frozenset[str]:
        """Return the ids of all tasks that are given back and were not submitted since."""
        rows = self._tx.rows(
            "SELECT task FROM submission JOIN returned ON submission = seq"
            " WHERE seq IN (SELECT max(seq) FROM submission GROUP BY task)"
        )
        return frozenset(row["task"] for row in rows)

    def standing(self, task: str) -> TaskReturn | None:
        """Return the return of *task*; None if there is none, or if it was submitted since."""
        row = self._tx.row(
            "SELECT at, missing, asked FROM submission LEFT JOIN returned ON submission = seq"
            " WHERE task = ? ORDER BY seq DESC LIMIT 1",
            task,
        )
        if row is None or row["missing"] is None:
            return None
        asked = tuple(json.loads(row["asked"]))
        return TaskReturn(task=task, at=row["at"], missing=row["missing"], asked=asked)
