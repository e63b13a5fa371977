"""Facts that colleagues know, values that they expect to hear, and a record of what was told.

`world/colleagues/understanding/` interprets questions; `world/apps/chat/` delivers replies.
Checkpoints read the rows of ``release`` and ``heard``.
"""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from pydantic import BaseModel, ConfigDict, Field

from trainee_bench.world.transaction import Event, Transaction
from trainee_bench.world.triggers import fire_triggers, heard_trigger, told_trigger

_OUTDATED = " (outdated)"
"""The suffix of ``how`` for a clue that has changed since it was told."""

SCHEMA = """
CREATE TABLE clue (id TEXT PRIMARY KEY, holder TEXT NOT NULL, body TEXT NOT NULL)
    STRICT, WITHOUT ROWID;
CREATE INDEX clue_holder ON clue (holder, id);
CREATE TABLE release (
    clue TEXT NOT NULL, person TEXT NOT NULL, at TEXT NOT NULL, how TEXT NOT NULL,
    PRIMARY KEY (clue, person)
) STRICT, WITHOUT ROWID;
CREATE TABLE expectation (id TEXT PRIMARY KEY, holder TEXT NOT NULL, body TEXT NOT NULL)
    STRICT, WITHOUT ROWID;
CREATE INDEX expectation_holder ON expectation (holder, id);
CREATE TABLE heard (
    expectation TEXT NOT NULL, person TEXT NOT NULL, at TEXT NOT NULL,
    PRIMARY KEY (expectation, person)
) STRICT, WITHOUT ROWID;
"""


class Clue(BaseModel):
    """Hidden fact that the agent has to ask for.

    ``id`` is "task/name", unique on a day. ``holder`` is the colleague who tells the fact when
    asked, or "" if it is told elsewhere (in a meeting). ``asks`` are five or more ways to ask for
    it. ``keys`` are the ids that it is about: a number, a code such as INV-482913 or web-03, a file
    name, a name. A question that quotes an id of the same shape must quote one of them exactly.
    ``payload`` is told word for word.

    ``after`` names clues that must be told first, and expectations that must be met first. Until
    then the holder answers ``not_yet``. If that is empty, they answer as if they did not know.
    ``not_yet_from`` names members of ``after`` that must be met before ``not_yet`` is said. Until
    then, and before the time ``since``, no reply reveals that there is a fact or who holds it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    holder: str
    payload: str
    asks: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    not_yet: str = ""
    not_yet_from: tuple[str, ...] = ()
    since: datetime | None = Field(default=None, exclude_if=lambda since: since is None)


def task_of(id: str) -> str:
    """Return the id of the task of a clue or an expectation, whose *id* is "task/name"."""
    return id.partition("/")[0]


def is_told_apart(clue: Clue) -> bool:
    """Return whether the id of its task is among the keys of *clue*: tasks may be alike."""
    return task_of(clue.id) in clue.keys


class Shortfall(BaseModel):
    """Missing records: only ``there`` of the ``whole`` number exist. Only counting shows this."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    there: int
    whole: int


class Expectation(BaseModel):
    """Exact value that a colleague waits to hear, such as a code or a diagnosis.

    A message meets the expectation if it contains, as whole words in any case, at least one phrase
    of every group in ``values`` and none of ``rivals``, so that listing every candidate fails. The
    holder then says ``reply``. ``after`` is as in Clue.

    A message sent before ``since``, the time of the cause, does not meet the expectation. ``alike``
    are other values of the same kind. A message may contain a few of them, but no list. With a
    ``shortfall``, a number in the message must state its size. ``asks_back`` is the reply to a
    message that has a phrase of the first group and lacks the rest.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    holder: str
    values: tuple[tuple[str, ...], ...]
    rivals: tuple[str, ...] = ()
    reply: str
    after: tuple[str, ...] = ()
    since: datetime | None = Field(default=None, exclude_if=lambda since: since is None)
    alike: tuple[str, ...] = Field(default=(), exclude_if=lambda alike: not alike)
    shortfall: Shortfall | None = Field(default=None, exclude_if=lambda missing: missing is None)
    asks_back: str = Field(default="", exclude_if=lambda asks_back: not asks_back)


class Disclosure(BaseModel):
    """Told clue: its holder ("" if none), when and how ("chat", "meeting") it was told."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    clue: str
    holder: str
    at: datetime
    how: str


_clue = lru_cache(maxsize=8_192)(Clue.model_validate_json)
_expectation = lru_cache(maxsize=8_192)(Expectation.model_validate_json)
"""Parse stored facts. Cached, because each message to a colleague reads all of them."""


class Knowledge:
    """Clues and expectations of one transaction, and which of them were told and met."""

    def __init__(self, tx: Transaction):
        self._tx = tx

    def add_clue(self, clue: Clue) -> None:
        """Store the clue: its holder knows it from now on."""
        self._tx.run(
            "INSERT INTO clue VALUES (?, ?, ?)", clue.id, clue.holder, clue.model_dump_json()
        )

    def replace_clue(self, clue: Clue) -> None:
        """Replace the clue of the same id by *clue*; earlier disclosures become outdated.

        Raises KeyError if there is no such clue."""
        self.clue(clue.id)
        self._tx.run(
            "UPDATE release SET how = how || ? WHERE clue = ? AND instr(how, ?) = 0",
            _OUTDATED,
            clue.id,
            _OUTDATED,
        )
        self._tx.run(
            "UPDATE clue SET holder = ?, body = ? WHERE id = ?",
            clue.holder,
            clue.model_dump_json(),
            clue.id,
        )

    def add_expectation(self, expectation: Expectation) -> None:
        """Store the expectation: its holder waits for it from now on."""
        self._tx.run(
            "INSERT INTO expectation VALUES (?, ?, ?)",
            expectation.id,
            expectation.holder,
            expectation.model_dump_json(),
        )

    def clue(self, id: str) -> Clue:
        """Return the clue with this id. Raises KeyError if there is none."""
        row = self._tx.row("SELECT body FROM clue WHERE id = ?", id)
        if row is None:
            raise KeyError(id)
        return _clue(row["body"])

    def has_clue(self, id: str) -> bool:
        """Return whether a clue with this id exists."""
        return self._tx.row("SELECT 1 FROM clue WHERE id = ?", id) is not None

    def clues(self) -> tuple[Clue, ...]:
        """Return every clue of the day, sorted by id."""
        rows = self._tx.rows("SELECT body FROM clue ORDER BY id")
        return tuple(_clue(row["body"]) for row in rows)

    def expectations_of(self, holder: str) -> tuple[Expectation, ...]:
        """Return the expectations of *holder*, sorted by id."""
        rows = self._tx.rows("SELECT body FROM expectation WHERE holder = ? ORDER BY id", holder)
        return tuple(_expectation(row["body"]) for row in rows)

    def expected(self) -> tuple[str, ...]:
        """Return the ids of all expectations, met or not."""
        return tuple(row["id"] for row in self._tx.rows("SELECT id FROM expectation ORDER BY id"))

    def record_disclosure(self, clue: str, person: str, how: str) -> None:
        """Record that *person* was told *clue* in its present form; the first time is kept."""
        self._tx.run(
            "INSERT INTO release VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET how = replace(how, ?, '')",
            clue,
            person,
            self._tx.now.isoformat(),
            how,
            _OUTDATED,
        )
        if person == self._tx.employee:
            fire_triggers(self._tx, told_trigger(clue))

    def record_heard(self, expectation: str, person: str) -> None:
        """Record that *person* has told the holder what they expected."""
        self._tx.run(
            "INSERT OR IGNORE INTO heard VALUES (?, ?, ?)",
            expectation,
            person,
            self._tx.now.isoformat(),
        )
        if person == self._tx.employee:
            fire_triggers(self._tx, heard_trigger(expectation))

    def told_at(self, clue: str, person: str) -> datetime | None:
        """Return when *person* was first told *clue*, or None."""
        row = self._tx.row("SELECT at FROM release WHERE clue = ? AND person = ?", clue, person)
        return datetime.fromisoformat(row["at"]) if row is not None else None

    def knows(self, clue: str, person: str) -> bool:
        """Return whether *person* was told *clue* in its present form."""
        row = self._tx.row("SELECT how FROM release WHERE clue = ? AND person = ?", clue, person)
        return row is not None and not row["how"].endswith(_OUTDATED)

    def disclosures_to(self, person: str) -> tuple[Disclosure, ...]:
        """Return every clue that *person* has been told, the earliest first."""
        rows = self._tx.rows(
            "SELECT release.clue, coalesce(holder, '') AS holder, at, replace(how, ?, '') AS how"
            " FROM release LEFT JOIN clue ON id = release.clue WHERE person = ? ORDER BY at, clue",
            _OUTDATED,
            person,
        )
        return tuple(Disclosure(**row) for row in rows)

    def told_to(self, person: str) -> frozenset[str]:
        """Return the ids of all clues that *person* has been told."""
        rows = self._tx.rows("SELECT clue FROM release WHERE person = ?", person)
        return frozenset(row["clue"] for row in rows)

    def heard_at(self, expectation: str, person: str) -> datetime | None:
        """Return when *person* first met *expectation*, or None."""
        row = self._tx.row(
            "SELECT at FROM heard WHERE expectation = ? AND person = ?", expectation, person
        )
        return datetime.fromisoformat(row["at"]) if row is not None else None

    def preconditions_met(self, after: tuple[str, ...], person: str) -> bool:
        """Return whether *person* was told every clue and met every expectation in *after*."""
        return all(self.told_at(id, person) or self.heard_at(id, person) for id in after)


class ClueAdded(Event):
    """Arrival of a clue at its holder, at the start of the day or later."""

    clue: Clue

    def fire(self, tx: Transaction) -> None:
        """Store the clue, so that its holder can be asked for it."""
        Knowledge(tx).add_clue(self.clue)


class ConditionMet(Event):
    """Arrival of a time for which clues waited. It counts as an expectation that was met."""

    condition: str

    def fire(self, tx: Transaction) -> None:
        """Record the condition, so that the clues that wait for it can be told."""
        Knowledge(tx).record_heard(self.condition, tx.employee)


class ExpectationAdded(Event):
    """Beginning of a colleague's wait for a value."""

    expectation: Expectation

    def fire(self, tx: Transaction) -> None:
        """Store the expectation."""
        Knowledge(tx).add_expectation(self.expectation)
