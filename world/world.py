"""One world in one SQLite file: open, create, act, look, digest, fork.

    verb(turn) ──► World.act ──► one transaction on the connection's thread:
                   validate and act · charge time · due events · log · commit

An action is one synchronous function, so it happens wholly or not at all, whenever its
caller is cancelled or killed. Several processes may hold one file; they take turns.
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
"""What a world file is, apart from its tables (those follow from the apps: see `layout`); a
file of another format is refused."""
_APPLICATION_ID = 0x5442574C
_ERROR_MINUTES = 1
_BUSY_SECONDS = 30.0
_UNWRITABLE = "must be readable and writable, and so must its folder; copy it to where both are."

P = ParamSpec("P")
T = TypeVar("T")
Data = TypeVar("Data", bound=BaseModel)


@dataclass(frozen=True)
class WorldConfig:
    """How a world begins: whose day it is, when it starts and ends, and what made it."""

    employee: str
    starts: datetime
    ends: datetime
    scenario: str = "{}"
    """The resolved scenario, JSON; no tool reads it."""
    identity: str = "{}"
    """Versions of what made this world, JSON."""
    verbosity: str = "all"
    minutes_by_tool: Mapping[str, int] | None = None
    """Tools whose cost differs from the listed one."""
    offered_apps: Sequence[str] | None = None
    """The apps that this day offers the employee; None: all but those that must be named."""


@dataclass(frozen=True)
class ActionResult(Generic[Data]):
    """An action that has happened: its result or the error the agent is told.

    ``at`` is when it started, ``now`` what time it is after it; ``seq`` its place in the log.
    """

    seq: int
    at: datetime
    now: datetime
    result: Result[Data] | None
    error: WorldError | None
    notices: tuple[Notice, ...]


class _Connection(aiosqlite.Connection):
    """aiosqlite's connection, with a way to run one whole function on its thread."""

    def __init__(self, connector: Callable[[], sqlite3.Connection]):
        super().__init__(connector, iter_chunk_size=64)
        # Else a program that fails before it closes its world would hang instead of ending.
        self._thread.daemon = True

    async def on_thread(self, call: Callable[[sqlite3.Connection], T]) -> T:
        """Run *call* on the connection's thread, to its end even if we are cancelled."""
        with anyio.CancelScope(shield=True):
            done: T = await self._execute(call, self._conn)  # type: ignore[no-untyped-call]
        return done


class World:
    """A handle on one world. Use as ``async with await World.open(path) as world``."""

    def __init__(self, connection: _Connection, path: Path | None):
        self._connection = connection
        self.path = path

    # coming and going ------------------------------------------------------------------

    @classmethod
    async def create(
        cls, path: Path | None, opening: WorldConfig, stage: Callable[[Transaction], None]
    ) -> World:
        """Make a new world at *path*, or in memory if None, and open it.

        *stage* furnishes it at the start of the day; then what is already due happens.
        The file appears whole or not at all. Raises WorldFileError if *path* exists.
        """
        if path is None:
            connection = await _connect(":memory:")
            try:
                await connection.on_thread(lambda db: _initialize(db, opening, stage))
            except BaseException:
                await connection.close()
                raise
            return cls(connection, None)
        with _draft(path) as draft:
            connection = await _connect(draft)
            try:
                await connection.on_thread(lambda db: _initialize(db, opening, stage))
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
        """Close it; the last one to close leaves one plain file."""
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

    # acting and looking ------------------------------------------------------------------

    async def execute(
        self,
        actor: str,
        tool: str,
        arguments: Mapping[str, JsonValue],
        verb: Callable[[Transaction], Result[Data]],
        *,
        minutes: int = 1,
        effects: Mapping[str, JsonValue] | None = None,
    ) -> ActionResult[Data]:
        """Let *actor* use *tool*: one action, one transaction, one entry in the log.

        A WorldError from *verb* undoes what it did and costs one minute; any other
        exception undoes the whole action and is raised here.
        """
        action = _Action(actor, tool, arguments, minutes, effects or {})
        return await self._connection.on_thread(lambda db: _execute(db, action, verb))

    async def read(self, see: Callable[[Transaction], T]) -> T:
        """What *see* returns, with nothing changed, logged or charged."""
        return await self._connection.on_thread(lambda db: _read(db, see))

    async def now(self) -> datetime:
        """The simulated time."""
        return await self.read(lambda tx: tx.now)

    async def log(self) -> list[LogEntry]:
        """All actions so far, in order."""
        return await self._connection.on_thread(lambda db: read_log(db))

    async def digest(self) -> str:
        """A hash of what is true in this world, the log left aside."""
        return await self._connection.on_thread(digest)

    async def fork(self, path: Path | None = None) -> World:
        """A copy of this world as it stands, at *path* or in memory, log included.

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
    """Where to write a world that shall appear at *path*, whole, once the block is left.

    Raises WorldFileError if there is something at *path*, or no folder to put it in.
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
            raise WorldFileError(f"{path.name} was made by somebody else meanwhile.") from None


# what runs on the connection's thread -----------------------------------------------------


@dataclass(frozen=True)
class _Action:
    actor: str
    tool: str
    arguments: Mapping[str, JsonValue]
    minutes: int
    effects: Mapping[str, JsonValue]


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
    db: sqlite3.Connection, opening: WorldConfig, stage: Callable[[Transaction], None]
) -> None:
    """Lay out the tables, set the clock, and let *stage* furnish the world."""
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = OFF")  # a file is a draft as yet
    db.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {WORLD_FORMAT}")
    create_tables(db)
    facts = {
        "now": opening.starts.isoformat(),
        "day_starts": opening.starts.isoformat(),
        "day_ends": opening.ends.isoformat(),
        "employee": opening.employee,
        "verbosity": opening.verbosity,
        "minutes": json.dumps(dict(opening.minutes_by_tool or {}), sort_keys=True),
        "tools": json.dumps(None if opening.offered_apps is None else sorted(opening.offered_apps)),
        "scenario": opening.scenario,
        "identity": opening.identity,
    }
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
        db.execute("PRAGMA synchronous = NORMAL")  # with WAL: survives our death, not the power's
    except sqlite3.OperationalError:  # its folder allows no journal beside it
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
        if db.in_transaction:  # a full disk has ended it already
            db.execute("ROLLBACK")
        raise
    return done


def _execute_in_transaction(
    db: sqlite3.Connection, action: _Action, verb: Callable[[Transaction], Result[Data]]
) -> ActionResult[Data]:
    """Act, charge the time, let due events happen, and log it, within a transaction."""
    result: Result[Data] | None = None
    error: WorldError | None = None
    tx = Transaction(db, action.actor, action.effects)
    at = tx.now
    if at >= tx.day.ends:
        error = DayOver(f"The working day ended at {tx.day.ends:%H:%M}; nothing more can be done.")
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


def _read(db: sqlite3.Connection, see: Callable[[Transaction], T]) -> T:
    db.execute("BEGIN")
    try:
        return see(Transaction(db, "", {}))
    finally:
        db.execute("ROLLBACK")


def _copy(db: sqlite3.Connection, database: str) -> sqlite3.Connection:
    copy: Any = sqlite3.connect(
        database, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    copy.execute("PRAGMA synchronous = OFF")  # a file is a draft as yet
    db.backup(copy)
    copy.execute("PRAGMA journal_mode = WAL")  # a copy of a world in memory has none yet
    copy.row_factory = sqlite3.Row
    connection: sqlite3.Connection = copy
    return connection
