"""The world within one transaction: the handle that every verb, event and checkpoint gets.

The state is in the database; a Transaction adds the actor and the time. Verbs are synchronous and
run without interruption. So an action is atomic: it cannot be cancelled between two statements.
"""

from __future__ import annotations

import json
import re
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, lru_cache
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue

from trainee_bench.world.errors import Refused, WorldError
from trainee_bench.world.notices import URGENT_NOTICES, Notice, NoticeKind, Verbosity
from trainee_bench.world.opening import LONG_FACTS, NEVER, Opening

__all__ = [
    "Event",
    "Notice",
    "NoticeKind",
    "Picture",
    "Result",
    "Transaction",
    "Verbosity",
    "WorkingDay",
]

SCHEMA = """
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE event (
    seq INTEGER PRIMARY KEY, due TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL
) STRICT;
CREATE INDEX event_due ON event (due, seq);
CREATE TABLE notice (
    seq INTEGER PRIMARY KEY, at TEXT NOT NULL, person TEXT NOT NULL, kind TEXT NOT NULL,
    text TEXT NOT NULL, told INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX notice_untold ON notice (person, seq) WHERE told = 0;
"""

_SET_FACT = """
INSERT INTO fact VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value
"""

SqlValue = str | int | float | bytes | None


@dataclass(frozen=True)
class Picture:
    """An image to show with a result."""

    data: bytes
    mime_type: str


T = TypeVar("T")
Data = TypeVar("Data", bound=BaseModel, covariant=True)


@dataclass(frozen=True)
class Result(Generic[Data]):
    """A tool's result: short text for the model, the same as data, perhaps a picture."""

    text: str
    data: Data
    picture: Picture | None = None


@dataclass(frozen=True)
class WorkingDay:
    """One working day in simulated time; nothing can be done at or after *ends*."""

    starts: datetime
    ends: datetime


class Transaction:
    """One transaction: rows, the clock, future events, notices.

    ``actor`` is the id of the person who acts, or "" while events fire and while the world is
    staged. ``now`` is the time at which the action started or the event was due. *opening* is the
    known state of the world.
    """

    def __init__(
        self,
        db: sqlite3.Connection,
        actor: str,
        effects: Mapping[str, JsonValue],
        opening: Opening | None = None,
    ):
        self._db = db
        self.opening = opening.copy() if opening else Opening.read(db)
        self._facts = self.opening.facts
        self.actor = actor
        self._stored_at = self._facts["now"]
        self.now = self.until = self._stored_now = datetime.fromisoformat(self._stored_at)
        self._effects = effects
        self._written: set[str] = set()
        self._undoable = False
        self.waiting = False

    # rows ---------------------------------------------------------------------------

    def row(self, sql: str, *values: SqlValue) -> sqlite3.Row | None:
        """Return the first row, or None."""
        found: sqlite3.Row | None = self._db.execute(sql, values).fetchone()
        return found

    def rows(self, sql: str, *values: SqlValue) -> list[sqlite3.Row]:
        """Return all rows."""
        return self._db.execute(sql, values).fetchall()

    def run(self, sql: str, *values: SqlValue) -> int:
        """Execute one statement, and return the last inserted rowid (0 if none)."""
        self._note_write(sql)
        return self._db.execute(sql, values).lastrowid or 0

    def update(self, sql: str, *values: SqlValue) -> int:
        """Execute one UPDATE or DELETE, and return the number of affected rows."""
        self._note_write(sql)
        return self._db.execute(sql, values).rowcount

    def run_many(self, sql: str, values: Sequence[Sequence[SqlValue]]) -> None:
        """Execute one statement for each sequence of values."""
        self._note_write(sql)
        self._db.executemany(sql, values)

    def _note_write(self, sql: str) -> None:
        if self._undoable and not self._written:
            self._db.execute("SAVEPOINT act")
        self._written.add(sql)

    def attempt(self, verb: Callable[[Transaction], T]) -> T:
        """Return what *verb* returns. If it raises a WorldError, everything it has written is
        undone, and this transaction cannot be used any more."""
        self._undoable = True
        try:
            done = verb(self)
        except WorldError:
            if self._written:
                self._db.execute("ROLLBACK TO act")
                self._db.execute("RELEASE act")
            raise
        if self._written:
            self._db.execute("RELEASE act")
        self._undoable = False
        return done

    @property
    def changed_tables(self) -> frozenset[str]:
        """The tables that statements have written so far."""
        return _tables_written(frozenset(self._written))

    # facts: named values of the whole world ------------------------------------------

    def fact(self, name: str) -> str:
        """Return the value of a fact. Raises KeyError if it is not set."""
        if name not in LONG_FACTS:
            return self._facts[name]
        found = self.row("SELECT value FROM fact WHERE name = ?", name)
        if found is None:
            raise KeyError(name)
        return str(found["value"])

    def set_fact(self, name: str, value: str) -> None:
        """Set the value of a fact."""
        self._facts[name] = value
        self.run(_SET_FACT, name, value)

    def remove_fact(self, name: str) -> None:
        """Remove a fact, whether it is set or not."""
        self._facts.pop(name, None)
        self.run("DELETE FROM fact WHERE name = ?", name)

    @property
    def day(self) -> WorkingDay:
        """The current working day: the only one, unless the world spans a week."""
        return _working_day(self.fact("day_starts"), self.fact("day_ends"))

    @property
    def employee(self) -> str:
        """The id of the employee whose day this is: the agent under test."""
        return self.fact("employee")

    @property
    def minutes_by_tool(self) -> Mapping[str, int]:
        """The minutes of each tool whose cost the scenario sets, by tool."""
        return _minutes_by_tool(self.fact("minutes"))

    @property
    def offered_apps(self) -> tuple[str, ...] | None:
        """The apps that this day offers the employee; None means all except opt-in apps."""
        named: list[str] | None = json.loads(self.fact("tools"))
        return None if named is None else tuple(named)

    @property
    def tasks_until(self) -> datetime | None:
        """The time until which further tasks may come today; None if all are there from the
        start."""
        try:
            return datetime.fromisoformat(self.fact("tasks_until"))
        except KeyError:
            return None

    @property
    def worth_counts(self) -> bool:
        """Whether there is more work than hours today, so that the worth of tasks counts."""
        try:
            return bool(self.fact("worth_counts"))
        except KeyError:
            return False

    # time -----------------------------------------------------------------------------

    @property
    def timestamp(self) -> str:
        """``now`` as rows store it, in ISO 8601."""
        return self._stored_at if self.now == self._stored_now else self.now.isoformat()

    def extend_until(self, time: datetime) -> None:
        """Let this action last until *time* instead of its listed minutes (a meeting). Raises
        Refused if *time* is before the action's start."""
        if time < self.now:
            raise Refused(f"{time:%H:%M} has passed; it is {self.now:%H:%M} now.")
        self.until = time

    def wait_until(self, time: datetime) -> None:
        """Let this action last until *time*, or until the first notice to the actor."""
        self.extend_until(time)
        self.waiting = True

    def enqueue(self, due: datetime, event: Event) -> int:
        """Enqueue *event* for *due*, after all events due then, and return its number."""
        self.opening.none_due_before = min(self.opening.none_due_before, due)
        return self.run(
            "INSERT INTO event (due, kind, body) VALUES (?, ?, ?)",
            due.isoformat(),
            type(event).__name__,
            event.model_dump_json(),
        )

    def next_event(self, until: datetime) -> tuple[datetime, Event] | None:
        """Remove and return the earliest event due at or before *until*."""
        if until < self.opening.none_due_before:
            return None
        found = self.row("SELECT seq, due, kind, body FROM event ORDER BY due, seq LIMIT 1")
        due = datetime.fromisoformat(found["due"]) if found else NEVER
        self.opening.none_due_before = due
        if found is None or due > until:
            return None
        self.run("DELETE FROM event WHERE seq = ?", found["seq"])
        return due, deserialize(found["kind"], found["body"])

    def advance(self, until: datetime) -> None:
        """Fire due events, then set the clock to *until*; time never goes back.

        The clock stops at the end of the day and, if the action waits, at the first notice to its
        actor.
        """
        until = min(until, self.day.ends)
        person, told_before = self.actor, self.newest_notice() if self.waiting else 0
        self.actor = ""
        while pending := self.next_event(until):
            due, event = pending
            self.now = max(self.now, due)
            event.fire(self)
            if self.waiting and self.newest_notice(person, told_before) > told_before:
                until = self.now
        self.now = max(self.now, until)
        if self.now != self._stored_now:
            self._stored_now, self._stored_at = self.now, self.now.isoformat()
            self.set_fact("now", self._stored_at)
        self.actor = person

    # notices --------------------------------------------------------------------------

    def notify(self, person: str, kind: NoticeKind, text: str) -> None:
        """Add a notice to the next result of *person*, unless the scenario hides such notices from
        the employee."""
        verbosity = self.fact("verbosity")
        hidden = verbosity == Verbosity.OFF or (
            verbosity == Verbosity.DUE and kind not in URGENT_NOTICES
        )
        if hidden and kind is not NoticeKind.GUIDANCE:
            return
        self.opening.without_notices.discard(person)
        self.run(
            "INSERT INTO notice (at, person, kind, text) VALUES (?, ?, ?, ?)",
            self.timestamp,
            person,
            kind,
            text,
        )

    def newest_notice(self, person: str | None = None, after: int = 0) -> int:
        """Return the number of the newest notice after *after* (to *person*, if given), else
        *after*. Small talk does not count."""
        found = self.row(
            "SELECT max(seq) FROM notice WHERE seq > ? AND (?2 IS NULL OR person = ?2)"
            " AND kind <> ?3",
            after,
            person,
            NoticeKind.CHATTER,
        )
        return int(found[0]) if found is not None and found[0] is not None else after

    def take_notices(self) -> tuple[Notice, ...]:
        """Return the actor's unread notices, and mark them as read."""
        if self.actor in self.opening.without_notices:
            return ()
        self.opening.without_notices.add(self.actor)
        found = self.rows(
            "SELECT at, kind, text FROM notice WHERE person = ? AND told = 0 ORDER BY seq",
            self.actor,
        )
        if found:
            self.run("UPDATE notice SET told = 1 WHERE person = ? AND told = 0", self.actor)
        return tuple(Notice(at=row["at"], kind=row["kind"], text=row["text"]) for row in found)

    # effects that cannot be recomputed ---------------------------------------------------

    def effect(self, name: str) -> JsonValue:
        """Return the result of a side effect for this action (such as a model's reply),
        else None."""
        return self._effects.get(name)

    def minutes_of(self, tool: str, listed: int) -> int:
        """Return the cost of *tool* in minutes: as the scenario sets it, else the *listed* cost."""
        return self.minutes_by_tool.get(tool, listed)


@lru_cache(maxsize=256)
def _working_day(starts: str, ends: str) -> WorkingDay:
    return WorkingDay(datetime.fromisoformat(starts), datetime.fromisoformat(ends))


@lru_cache(maxsize=256)
def _minutes_by_tool(stored: str) -> Mapping[str, int]:
    table: dict[str, int] = json.loads(stored)
    return table


def add_minutes(time: datetime, minutes: int) -> datetime:
    """Return the time *minutes* after *time*."""
    return time + timedelta(minutes=minutes)


_TABLE = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE)\s+(?:OR\s+\w+\s+)?(\w+)", re.IGNORECASE)


@cache
def tables_named(sql: str) -> frozenset[str]:
    """Return the tables that a statement names."""
    return frozenset(_TABLE.findall(sql))


@lru_cache(maxsize=1024)
def _tables_written(statements: frozenset[str]) -> frozenset[str]:
    """Return the tables that statements write: the first table that each names."""
    return frozenset(table for sql in statements for table in _TABLE.findall(sql)[:1])


class Event(BaseModel, ABC):
    """Something that happens at a future time. Subclass it, give it fields, and implement `fire`.

    An event calls no model and draws no random number. An exception that it raises fails the action
    during which it fires.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    kinds: ClassVar[dict[str, type[Event]]] = {}

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        if cls.__name__ in Event.kinds:
            raise TypeError(f"two event classes are called {cls.__name__}; names must be unique")
        Event.kinds[cls.__name__] = cls

    @abstractmethod
    def fire(self, tx: Transaction) -> None:
        """Change the world. ``tx.now`` is the time at which the event was due."""


def deserialize(kind: str, body: str) -> Event:
    """Return the event stored as *body* (JSON) under *kind*. Raises KeyError for an unknown
    kind."""
    return Event.kinds[kind].model_validate_json(body)
