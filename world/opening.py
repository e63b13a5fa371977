"""The state that every action needs when it starts: read once, and again after anyone else writes.

action ──► commit ──► kept with SQLite's counts of changes ──► the same counts? still valid
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from datetime import datetime

LONG_AGO, NEVER = datetime.min, datetime.max  # noqa: DTZ901 - simulated time has no zone
LONG_FACTS = frozenset({"scenario", "identity"})
"""The facts that an opening does not contain; they are read on demand."""
_SHORT_FACTS = "SELECT name, value FROM fact WHERE name <> 'scenario' AND name <> 'identity'"


@dataclass
class Opening:
    """The short facts by name, a time before which no event is due, and people known to have no
    unread notices."""

    facts: dict[str, str]
    none_due_before: datetime = LONG_AGO
    without_notices: set[str] = field(default_factory=set)

    @classmethod
    def read(cls, db: sqlite3.Connection) -> Opening:
        """Read the opening from the database."""
        facts = db.cursor()
        facts.row_factory = None  # a dict of plain pairs is built faster
        return cls(dict(facts.execute(_SHORT_FACTS)))

    def copy(self) -> Opening:
        """Copy it for a transaction, which changes the copy along with the world."""
        return Opening(self.facts.copy(), self.none_due_before, self.without_notices.copy())


class KeptOpening:
    """The opening of the next action through one connection.

    SQLite counts the changes that the connection makes, even if they are undone, and tells whether
    another connection has committed any. Only a connection that is not *shared* can skip the latter
    check.
    """

    def __init__(self, *, shared: bool):
        self._shared = shared
        self._kept: Opening | None = None
        self._counts = (0, 0)

    def take(self, db: sqlite3.Connection) -> Opening:
        """Return the opening of an action whose transaction has begun.

        Nothing is kept until the action is committed, since it may be undone.
        """
        kept, self._kept = self._kept, None
        counts = (db.total_changes, self._changes_of_others(db))
        if kept is not None and self._counts == counts:
            return kept
        self._counts = counts
        return Opening.read(db)

    def keep(self, db: sqlite3.Connection, opening: Opening) -> None:
        """Keep *opening* for the next action, after an action was committed."""
        self._kept, self._counts = opening, (db.total_changes, self._counts[1])

    def _changes_of_others(self, db: sqlite3.Connection) -> int:
        return int(db.execute("PRAGMA data_version").fetchone()[0]) if self._shared else 0
