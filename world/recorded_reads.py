"""Records what a query of the world reads, to know later whether it would read the same again.

query ──► result and its reads ──► the world changes ──► all reads the same? keep the result
"""

from __future__ import annotations

import marshal
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from trainee_bench.world.action_log import LogEntry, read_log
from trainee_bench.world.connection import damaged
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.transaction import SqlValue, Transaction, tables_named

T = TypeVar("T")
_Select = tuple[str, tuple[SqlValue, ...]]


@dataclass(frozen=True)
class RecordedReads:
    """The reads of a query: each SELECT with a hash of its rows, each fact (None if it was not
    set), and the time if the query asked for it."""

    selected: Mapping[_Select, bytes]
    facts: Mapping[str, str | None]
    now: datetime | None

    def still_hold(self, tx: Transaction, changed: frozenset[str]) -> bool:
        """Whether all reads would give the same again, if only *changed* tables were written."""
        if self.now not in (None, tx.now):
            return False
        if "fact" in changed and any(_fact(tx, name) != self.facts[name] for name in self.facts):
            return False
        if not changed & self._tables:
            return True
        return all(
            _hashed(tx.rows(sql, *values)) == there
            for (sql, values), there in self.selected.items()
            if changed & tables_named(sql)
        )

    @cached_property
    def _tables(self) -> frozenset[str]:
        return frozenset[str]().union(*(tables_named(sql) for sql, _ in self.selected))


class RecordingTransaction(Transaction):
    """A read-only transaction that records its reads."""

    def __init__(self, db: sqlite3.Connection, actor: str):
        self._selected: dict[_Select, bytes] = {}
        self._found: dict[_Select, list[sqlite3.Row]] = {}
        self._facts_read: dict[str, str | None] = {}
        self._asked_time = False
        super().__init__(db, actor, {})
        self._facts_read.clear()
        self._asked_time = False

    @property
    def reads(self) -> RecordedReads:
        """The reads so far."""
        return RecordedReads(
            self._selected, self._facts_read, self._now if self._asked_time else None
        )

    @property
    def now(self) -> datetime:
        """The simulated time."""
        self._asked_time = True
        return self._now

    @now.setter
    def now(self, time: datetime) -> None:
        self._now = time

    def row(self, sql: str, *values: SqlValue) -> sqlite3.Row | None:
        """Return the first row, or None."""
        found = self.rows(sql, *values)
        return found[0] if found else None

    def rows(self, sql: str, *values: SqlValue) -> list[sqlite3.Row]:
        """Return all rows. Asked again, they are the same, since nothing changes meanwhile."""
        if (sql, values) not in self._found:
            found = self._found[sql, values] = super().rows(sql, *values)
            self._selected[sql, values] = _hashed(found)
        return [*self._found[sql, values]]

    def fact(self, name: str) -> str:
        """Return the value of a fact. Raises KeyError if it is not set."""
        self._facts_read[name] = None
        self._facts_read[name] = value = super().fact(name)
        return value


def read_recorded(
    db: sqlite3.Connection, query: Callable[[Transaction], T], actor: str
) -> tuple[T, RecordedReads]:
    """Return the result of *query*, which changes nothing, and what it read as *actor*."""
    db.execute("BEGIN")
    try:
        tx = RecordingTransaction(db, actor)
        return query(tx), tx.reads
    finally:
        db.execute("ROLLBACK")


def _fact(tx: Transaction, name: str) -> str | None:
    try:
        return tx.fact(name)
    except KeyError:
        return None


def _hashed(rows: Sequence[sqlite3.Row]) -> bytes:
    """Hash *rows*, which would take much memory themselves."""
    return blake2b(marshal.dumps([tuple(row) for row in rows], 2), digest_size=16).digest()


_NOTHING_READ = -1


class WorldFollower:
    """Reads what others do in the world at *path*, without changing anything or blocking anyone.

    Only one thread may use it. Raises WorldFileError if there is no world, also in `news`.
    """

    def __init__(self, path: Path):
        self.path = path
        try:
            # Not "mode=ro": the last connection to close tidies up the files, and may be this one.
            self._db = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None
            )
        except sqlite3.Error:
            raise WorldFileError(f"There is no world file {path.name}.") from None
        self._db.row_factory = sqlite3.Row
        self._db.execute("PRAGMA query_only = ON")
        self._seen = _NOTHING_READ

    def news(self, after: int) -> Sequence[LogEntry]:
        """Return the actions with higher numbers than *after*, in order.

        The result is empty, without reading the log, if nobody has committed since the last call.
        """
        try:
            version: int = self._db.execute("PRAGMA data_version").fetchone()[0]
            if version == self._seen:
                return ()
            entries = read_log(self._db, after)
        except sqlite3.DatabaseError as error:
            raise damaged(self.path.name, str(error)) from error
        self._seen = version
        return entries

    def close(self) -> None:
        """Stop following."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
