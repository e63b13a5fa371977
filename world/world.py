"""One world in one SQLite file: create, open, execute, read, digest, fork.

    verb(tx) ──► World.execute ──► one transaction on the connection's thread:
                 run the verb · charge time · fire due events · log · commit

An action is one synchronous function, so it happens completely or not at all, even if its
caller is cancelled or killed. Several processes may open one file; their actions are serialised.
"""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, ParamSpec, TypeVar

import aiosqlite
import anyio
from pydantic import BaseModel, JsonValue

from trainee_bench.world.action_log import LogEntry, read_log, write_log_entry
from trainee_bench.world.digest import digest
from trainee_bench.world.errors import DayOver, WorldError, WorldFileError
from trainee_bench.world.layout import complete_tables, create_tables
from trainee_bench.world.transaction import Notice, Result, Transaction, add_minutes

__all__ = ["ActionResult", "World", "WorldConfig"]

WORLD_FORMAT = 3
"""The format version of world files, apart from their tables, which follow from the apps (see
`layout`). A file with another version is refused."""
_APPLICATION_ID = 0x5442574C
_ERROR_MINUTES = 1
_BUSY_SECONDS = 30.0
_UNWRITABLE = "must be readable and writable, and so must its folder; copy it to where both are."

P = ParamSpec("P")
T = TypeVar("T")
Data = TypeVar("Data", bound=BaseModel)


@dataclass(frozen=True)
class WorldConfig:
    """The configuration of a new world: whose day it is, its start and end, and its origin."""

    employee: str
    starts: datetime
    ends: datetime
    scenario: str = "{}"
    """The resolved scenario, JSON; no tool reads it."""
    identity: str = "{}"
    """Versions of what made this world, JSON."""
    verbosity: str = "all"
    minutes_by_tool: Mapping[str, int] | None = None
    """Minutes of each tool whose cost the scenario changes."""
    offered_apps: Sequence[str] | None = None
    """The apps that this day offers the employee; None means all except opt-in apps."""
    tasks_until: datetime | None = None
    """Until when further tasks may come; None means that all are there from the start."""


@dataclass(frozen=True)
class ActionResult(Generic[Data]):
    """A completed action: its result, or the error for the agent.

    ``at`` is its start, ``now`` the time after it, ``seq`` its number in the log.
    """

    seq: int
    at: datetime
    now: datetime
    result: Result[Data] | None
    error: WorldError | None
    notices: tuple[Notice, ...]


class _Connection(aiosqlite.Connection):
    """An aiosqlite connection that can run a whole function on its thread."""

    def __init__(self, connector: Callable[[], sqlite3.Connection]):
        super().__init__(connector, iter_chunk_size=64)
        # Otherwise a program that fails before closing its world would hang.
        self._thread.daemon = True

    async def on_thread(self, call: Callable[[sqlite3.Connection], T]) -> T:
        """Run *call* on the connection's thread, to its end even if the caller is cancelled."""
        with anyio.CancelScope(shield=True):
            done: T = await self._execute(call, self._conn)  # type: ignore[no-untyped-call]
        return done


class World:
    """A handle on one world. Use as ``async with await World.open(path) as world``."""

    def __init__(self, connection: _Connection, path: Path | None):
        self._connection = connection
        self.path = path

    # opening and closing ---------------------------------------------------------------

    @classmethod
    async def create(
        cls, path: Path | None, config: WorldConfig, stage: Callable[[Transaction], None]
    ) -> World:
        """Make a new world at *path*, or in memory if None, and open it.

        *stage* sets it up at the start of the day; then events that are due fire. The file
        appears complete or not at all. Raises WorldFileError if *path* exists.
        """
        if path is None:
            connection = await _connect(":memory:")
            try:
                await connection.on_thread(lambda db: _initialize(db, config, stage))
            except BaseException:
                await connection.close()
                raise
            return cls(connection, None)
        with _draft(path) as draft:
            connection = await _connect(draft)
            try:
                await connection.on_thread(lambda db: _initialize(db, config, stage))
            finally:
                await connection.close()
        return await cls.open(path)

    @classmethod
    async def open(cls, path: Path) -> World:
        """Open an existing world. Raises WorldFileError if *path* is not one."""
        if not path.is_file():
            raise WorldFileError(f"There is no world file {path.name}.")
        if not os.access(path, os.R_OK | os.W_OK):  # SQLite would notice at the first action
            raise WorldFileError(f"{path.name} {_UNWRITABLE}")
        connection = await _connect(path)
        try:
            await connection.on_thread(lambda db: _check(db, path))
        except BaseException:
            await connection.close()
            raise
        return cls(connection, path)

    async def close(self) -> None:
        """Close the world. Once all processes have closed it, it is a single file."""
        with anyio.CancelScope(shield=True):
            await self._connection.close()

    async def __aenter__(self) -> World:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    # executing and reading ---------------------------------------------------------------

    async def execute(
        self,
        actor: str,
        tool: str,
        arguments: Mapping[str, JsonValue],
        verb: Callable[[Transaction], Result[Data]],
        *,
        minutes: int = 1,
        effects: Mapping[str, JsonValue] | None = None,
        after_hours: bool = False,
    ) -> ActionResult[Data]:
        """Run *verb* as a call of *tool* by *actor*: one transaction and one log entry.

        When the day is over, only an *after_hours* verb runs. A WorldError from *verb* rolls its
        changes back and costs one minute. Any other exception rolls the whole action back and is
        raised.
        """
        action = _Action(actor, tool, arguments, minutes, effects or {}, after_hours)
        return await self._connection.on_thread(lambda db: _execute(db, action, verb))

    async def read(self, query: Callable[[Transaction], T]) -> T:
        """The result of *query*, which changes, logs and charges nothing."""
        return await self._connection.on_thread(lambda db: _read(db, query))

    async def now(self) -> datetime:
        """The simulated time."""
        return await self.read(lambda tx: tx.now)

    async def log(self) -> list[LogEntry]:
        """All actions so far, in order."""
        return await self._connection.on_thread(lambda db: read_log(db))

    async def digest(self, *, present_only: bool = False) -> str:
        """A hash of this world's state, without the log; with *present_only* also without what
        is still to come."""
        return await self._connection.on_thread(lambda db: digest(db, present_only=present_only))

    async def fork(self, path: Path | None = None) -> World:
        """A copy of this world in its current state, with its log, at *path* or in memory.

        Raises WorldFileError if *path* exists.
        """
        if path is None:
            copy = await self._connection.on_thread(lambda db: _copy(db, ":memory:"))
            return World(await _wrap_connection(copy), None)
        with _draft(path) as draft:
            await self._connection.on_thread(lambda db: _copy(db, str(draft)).close())
        return await World.open(path)


@contextmanager
def _draft(path: Path) -> Iterator[Path]:
    """A temporary path for a world that is moved to *path* when the block ends.

    Raises WorldFileError if *path* exists or its folder does not.
    """
    if not path.parent.is_dir():
        raise WorldFileError(f"There is no folder {path.parent}; make it or choose another.")
    if path.exists():
        raise WorldFileError(f"{path.name} exists already; open it or choose another name.")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise WorldFileError(f"You may not write in the folder {path.parent}; choose another.")
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".world-") as folder:
        draft = Path(folder) / "world"
        yield draft
        try:
            os.link(draft, path)
        except FileExistsError:
            raise WorldFileError(f"{path.name} was created by another process meanwhile.") from None


# what runs on the connection's thread -----------------------------------------------------


@dataclass(frozen=True)
class _Action:
    actor: str
    tool: str
    arguments: Mapping[str, JsonValue]
    minutes: int
    effects: Mapping[str, JsonValue]
    after_hours: bool


async def _connect(database: Path | str) -> _Connection:
    def connector() -> sqlite3.Connection:
        db = sqlite3.connect(database, timeout=_BUSY_SECONDS, isolation_level=None)
        db.row_factory = sqlite3.Row
        return db

    connection = _Connection(connector)
    await connection
    return connection


async def _wrap_connection(db: sqlite3.Connection) -> _Connection:
    connection = _Connection(lambda: db)
    await connection
    return connection


def _initialize(
    db: sqlite3.Connection, config: WorldConfig, stage: Callable[[Transaction], None]
) -> None:
    """Create the tables, set the clock, and let *stage* set up the world."""
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = OFF")  # the file is not yet published
    db.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {WORLD_FORMAT}")
    create_tables(db)
    facts = {
        "now": config.starts.isoformat(),
        "day_starts": config.starts.isoformat(),
        "day_ends": config.ends.isoformat(),
        "employee": config.employee,
        "verbosity": config.verbosity,
        "minutes": json.dumps(dict(config.minutes_by_tool or {}), sort_keys=True),
        "tools": json.dumps(None if config.offered_apps is None else sorted(config.offered_apps)),
        "scenario": config.scenario,
        "identity": config.identity,
    }
    if config.tasks_until is not None:
        facts["tasks_until"] = config.tasks_until.isoformat()
    db.executemany("INSERT INTO fact VALUES (?, ?)", facts.items())
    tx = Transaction(db, "", {})
    stage(tx)
    tx.advance(tx.now)
    db.execute("COMMIT")


def _check(db: sqlite3.Connection, path: Path) -> None:
    """Make *db* ready for use. Raises WorldFileError unless it is a world of this format."""
    try:
        kind = db.execute("PRAGMA application_id").fetchone()[0]
        version = db.execute("PRAGMA user_version").fetchone()[0]
        # With WAL this survives a killed process, but not a power failure.
        db.execute("PRAGMA synchronous = NORMAL")
    except sqlite3.OperationalError:  # no journal can be written to its folder
        raise WorldFileError(f"{path.name} {_UNWRITABLE}") from None
    except sqlite3.DatabaseError:
        raise WorldFileError(f"{path.name} is not a world file.") from None
    if kind != _APPLICATION_ID:
        raise WorldFileError(f"{path.name} is a database, but not a world.")
    if version != WORLD_FORMAT:
        raise WorldFileError(
            f"{path.name} has format {version}; this program reads {WORLD_FORMAT}. Open it with "
            "the version that made it, or stage its day anew."
        )
    complete_tables(db, path.name)


def _execute(
    db: sqlite3.Connection, action: _Action, verb: Callable[[Transaction], Result[Data]]
) -> ActionResult[Data]:
    db.execute("BEGIN IMMEDIATE")
    try:
        done = _execute_in_transaction(db, action, verb)
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # a full disk has rolled it back already
            db.execute("ROLLBACK")
        raise
    return done


def _execute_in_transaction(
    db: sqlite3.Connection, action: _Action, verb: Callable[[Transaction], Result[Data]]
) -> ActionResult[Data]:
    """Run the verb, charge its time, fire due events and log it, within a transaction."""
    result: Result[Data] | None = None
    error: WorldError | None = None
    tx = Transaction(db, action.actor, action.effects)
    at = tx.now
    if at >= tx.day.ends and not action.after_hours:
        error = DayOver(
            f"The working day ended at {tx.day.ends:%H:%M} and is graded as it stands; nothing "
            "more can be done."
        )
    else:
        db.execute("SAVEPOINT act")
        tx.until = add_minutes(at, tx.minutes_of(action.tool, action.minutes))
        try:
            result = verb(tx)
        except WorldError as refused:
            error = refused
            db.execute("ROLLBACK TO act")
            tx = Transaction(db, action.actor, action.effects)
            tx.until = add_minutes(at, _ERROR_MINUTES)
        db.execute("RELEASE act")
        tx.advance(tx.until)
    notices = tx.take_notices()
    said = str(error) if error else result.text if result else ""
    seq = write_log_entry(
        db,
        at=at,
        until=tx.now,
        actor=action.actor,
        tool=action.tool,
        arguments=action.arguments,
        ok=error is None,
        text=said,
        data=result.data if result else None,
        notices=notices,
        effects=action.effects,
    )
    return ActionResult(seq, at, tx.now, result, error, notices)


def _read(db: sqlite3.Connection, query: Callable[[Transaction], T]) -> T:
    db.execute("BEGIN")
    try:
        return query(Transaction(db, "", {}))
    finally:
        db.execute("ROLLBACK")


def _copy(db: sqlite3.Connection, database: str) -> sqlite3.Connection:
    copy: Any = sqlite3.connect(
        database, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    copy.execute("PRAGMA synchronous = OFF")  # the file is not yet published
    db.backup(copy)
    copy.execute("PRAGMA journal_mode = WAL")  # a copy of a world in memory has none yet
    copy.row_factory = sqlite3.Row
    connection: sqlite3.Connection = copy
    return connection
