"""One world in one SQLite file: create, open, execute, read, digest, fork.

    verb(tx) ──► World.execute ──► one transaction, without interruption:
                 run the verb · charge time · fire due events · log · commit

An action is one synchronous function, so it happens completely or not at all, even if its caller is
cancelled or killed. Several processes may open one file; their actions are serialised.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Generic, NamedTuple, ParamSpec, TypeVar

from pydantic import BaseModel, JsonValue

from trainee_bench.world.action_log import LogEntry, log_nothing, read_log, write_log_entry
from trainee_bench.world.connection import (
    InlineConnection,
    WorldConnection,
    connect,
    connect_inline,
    copy_in_memory,
    limit_cache,
    serialize,
    wrap,
)
from trainee_bench.world.errors import WorldError
from trainee_bench.world.layout import check_and_complete, create_tables, digest
from trainee_bench.world.opening import KeptOpening, Opening
from trainee_bench.world.recorded_reads import RecordedReads, read_recorded
from trainee_bench.world.transaction import Notice, Result, Transaction, add_minutes
from trainee_bench.world.trial import precompute, try_out
from trainee_bench.world.week import (
    END_DAY,
    NEXT_DAY,
    DayBounds,
    begin_next_day,
    check_day_follows,
    day_over,
    end_day,
)
from trainee_bench.world.world_file import (
    WorldConfig,
    check_existing,
    check_new_path,
    check_opened,
    mark_format,
    write_new_file,
)

__all__ = ["ActionResult", "World", "WorldConfig"]

_ERROR_MINUTES = 1

P = ParamSpec("P")
T = TypeVar("T")
Data = TypeVar("Data", bound=BaseModel, covariant=True)


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
    changed_tables: frozenset[str] = frozenset()
    """The tables that it has written."""


class World:
    """A handle on one world. Use as ``async with await World.open(path) as world``."""

    def __init__(self, connection: WorldConnection | InlineConnection, path: Path | None):
        self._connection = connection
        self._changed_tables = frozenset[str]()
        self._opening = KeptOpening(shared=path is not None)
        self.path = path

    # opening and closing ---------------------------------------------------------------

    @classmethod
    async def create(
        cls, path: Path | None, config: WorldConfig, stage: Callable[[Transaction], None]
    ) -> World:
        """Create a new world at *path*, or in memory if None, and open it.

        *stage* sets it up at the start of the day; then due events fire. The file appears complete
        or not at all. Raises WorldFileError if *path* exists.
        """
        if path is not None:
            check_new_path(path)
        world = await cls._initialized(await connect(":memory:"), config, stage)
        if path is None:
            return world
        async with world:
            await world._connection.on_thread(lambda db: write_new_file(path, db))
        return await cls.open(path)

    @classmethod
    async def create_inline(
        cls, config: WorldConfig, stage: Callable[[Transaction], None]
    ) -> World:
        """Create a new world in memory whose verbs run at once on the caller's thread. That is
        faster, and safe if a single task uses the world (see `InlineConnection`)."""
        return await cls._initialized(connect_inline(), config, stage)

    @classmethod
    def deserialize_inline(cls, state: bytes) -> World:
        """Create an inline world from the *state* that `serialize` returned. Raises
        WorldFileError."""
        connection = connect_inline()
        connection.load(state)
        return cls(connection, None)

    @classmethod
    async def _initialized(
        cls,
        connection: WorldConnection | InlineConnection,
        config: WorldConfig,
        stage: Callable[[Transaction], None],
    ) -> World:
        try:
            await connection.on_thread(lambda db: _initialize(db, config, stage))
        except BaseException:
            await connection.close()
            raise
        return cls(connection, None)

    @classmethod
    async def open(cls, path: Path) -> World:
        """Open an existing world. Raises WorldFileError if *path* is not one."""
        check_existing(path)
        try:
            connection = await connect(path)
        except sqlite3.OperationalError:
            check_existing(path)  # it has been removed meanwhile
            raise
        try:
            await connection.on_thread(lambda db: _check(db, path))
        except BaseException:
            await connection.close()
            raise
        return cls(connection, path)

    async def close(self) -> None:
        """Close the world. Once all processes have closed it, it is a single file."""
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
        changes back and costs one minute; any other exception rolls everything back and is raised.
        Only the employee's actions have a cost. Other people's actions take no time unless their
        verb waits.
        """
        action = _Action(actor, tool, arguments, minutes, effects or {}, after_hours)
        return await self._act(lambda db, opening: _execute(db, action, verb, opening))

    async def precompute(self, actor: str, verb: Callable[[Transaction], Result[Data]]) -> None:
        """Run *verb* up to its first write, without keeping others from writing, and discard it.

        This is for verbs that compute for long: what they compute is cached (see
        `workbook.engine`), so that `execute` holds the world only briefly. Errors are left to
        `execute`. An inline world does nothing, since nobody else uses it.
        """
        if isinstance(self._connection, InlineConnection):
            return
        await self._connection.on_thread(lambda db: precompute(db, actor, verb))

    async def try_out(
        self,
        actor: str,
        verb: Callable[[Transaction], Result[Data]],
        look: Callable[[Transaction], T],
    ) -> tuple[T, T] | None:
        """Return what *look* finds before and after *verb*, as *actor* would do it now; None if
        refused. Nothing of it is kept, and no event fires."""
        return await self._connection.on_thread(lambda db: try_out(db, actor, verb, look))

    async def end_day(self) -> ActionResult[DayBounds]:
        """Let the rest of the working day pass; the world itself acts, and logs it."""
        return await self._act(_end_day)

    async def begin_next_day(self) -> ActionResult[DayBounds]:
        """Begin the next working day, after ending the current one if necessary. The world itself
        acts, and logs it. Raises Refused if no day follows."""
        return await self._act(_begin_next_day)

    async def _act(
        self,
        action: Callable[[sqlite3.Connection, Opening], tuple[ActionResult[Data], Opening]],
    ) -> ActionResult[Data]:
        """Run *action*, which returns its result and the opening of the next action, and
        commit it."""

        def act(db: sqlite3.Connection) -> ActionResult[Data]:
            done, opening = action(db, self._opening.take(db))
            db.execute("COMMIT")
            self._opening.keep(db, opening)
            self._changed_tables |= done.changed_tables
            return done

        return await self._connection.write(act)

    def take_changed_tables(self) -> frozenset[str]:
        """Return the tables that this handle's actions have written since the last call."""
        changed, self._changed_tables = self._changed_tables, frozenset()
        return changed

    async def read(self, query: Callable[[Transaction], T], actor: str = "") -> T:
        """Return the result of *query*, as *actor* sees it; its writes are undone at the end."""
        return await self._connection.on_thread(lambda db: _read(db, query, actor))

    async def read_recorded(
        self, query: Callable[[Transaction], T], actor: str = ""
    ) -> tuple[T, RecordedReads]:
        """Return the result of *query*, as *actor* sees it, and what it read."""
        return await self._connection.on_thread(lambda db: read_recorded(db, query, actor))

    async def now(self) -> datetime:
        """Return the simulated time."""
        return await self.read(lambda tx: tx.now)

    async def log(self, after: int = 0) -> list[LogEntry]:
        """Return all actions so far, in order; with *after*, only those with higher numbers."""
        return await self._connection.on_thread(lambda db: read_log(db, after))

    async def log_nothing(self) -> None:
        """Stop logging, in a copy that repeats actions logged elsewhere."""
        await self._connection.on_thread(log_nothing)

    async def digest(self, *, present_only: bool = False) -> str:
        """Return a hash of this world's state, without the log; with *present_only*, also without
        future events and the scenario."""
        return await self._connection.on_thread(lambda db: digest(db, present_only=present_only))

    async def serialize(self) -> bytes:
        """Return the whole state of this world, with its log, as the content of a database."""
        return await self._connection.on_thread(serialize)

    async def fork(self, path: Path | None = None) -> World:
        """Copy this world in its current state, with its log, to *path* or into memory. Raises
        WorldFileError if *path* exists."""
        if path is not None:
            check_new_path(path)
        copy = await self._connection.on_thread(copy_in_memory)
        if path is None and isinstance(self._connection, InlineConnection):
            return World(InlineConnection(copy), None)
        if path is None:
            return World(await wrap(copy), None)
        try:
            await self._connection.on_thread(lambda db: write_new_file(path, copy))
        finally:
            copy.close()
        return await World.open(path)


# transactions -------------------------------------------------------------------------------


class _Action(NamedTuple):
    actor: str
    tool: str
    arguments: Mapping[str, JsonValue]
    minutes: int
    effects: Mapping[str, JsonValue]
    after_hours: bool


def _initialize(
    db: sqlite3.Connection, config: WorldConfig, stage: Callable[[Transaction], None]
) -> None:
    """Create the tables, set the clock, and let *stage* set up the world."""
    create_tables(db)
    mark_format(db)
    db.executemany("INSERT INTO fact VALUES (?, ?)", config.facts().items())
    tx = Transaction(db, "", {})
    stage(tx)
    tx.advance(tx.now)
    db.execute("COMMIT")
    limit_cache(db)  # staging is faster with a larger cache


def _check(db: sqlite3.Connection, path: Path) -> None:
    """Make *db* ready for use. Raises WorldFileError unless it is an intact world."""
    check_opened(db, path)
    check_and_complete(db, path.name)


def _end_day(db: sqlite3.Connection, opening: Opening) -> tuple[ActionResult[DayBounds], Opening]:
    return _execute(db, _own_action(END_DAY), end_day, opening)


def _begin_next_day(
    db: sqlite3.Connection, opening: Opening
) -> tuple[ActionResult[DayBounds], Opening]:
    """Begin the next day. If the current day has not ended, this takes two actions, one for each
    day."""
    tx = Transaction(db, "", {}, opening)
    check_day_follows(tx)
    if tx.now < tx.day.ends:
        _, opening = _end_day(db, opening)
    return _execute(db, _own_action(NEXT_DAY), begin_next_day, opening)


def _own_action(name: str) -> _Action:
    """Return an action of the world itself."""
    return _Action("", name, {}, 0, {}, after_hours=True)


def _execute(
    db: sqlite3.Connection,
    action: _Action,
    verb: Callable[[Transaction], Result[Data]],
    opening: Opening,
) -> tuple[ActionResult[Data], Opening]:
    """Run the verb, charge its time, fire due events and log it, within a transaction; return the
    result, and the opening of the next action."""
    result: Result[Data] | None = None
    error: WorldError | None = None
    tx = Transaction(db, action.actor, action.effects, opening)
    at, began = tx.now, tx.timestamp
    if at >= tx.day.ends and not action.after_hours:
        error = day_over(tx)
    else:
        charged = action.actor in ("", tx.employee)  # the clock is the employee's
        tx.until = add_minutes(at, charged * tx.minutes_of(action.tool, action.minutes))
        try:
            result = tx.attempt(verb)
        except WorldError as refused:
            error = refused
            tx = Transaction(db, action.actor, action.effects, opening)
            tx.until = add_minutes(at, charged * _ERROR_MINUTES)
        tx.advance(tx.until)
    notices = tx.take_notices()
    text = str(error) if error else result.text if result else ""
    seq = write_log_entry(
        db,
        at=began,
        until=tx.timestamp,
        actor=action.actor,
        tool=action.tool,
        arguments=action.arguments,
        ok=error is None,
        text=text,
        data=result.data if result else None,
        notices=notices,
        effects=action.effects,
    )
    done = ActionResult(seq, at, tx.now, result, error, notices, tx.changed_tables)
    return done, tx.opening


def _read(db: sqlite3.Connection, query: Callable[[Transaction], T], actor: str) -> T:
    db.execute("BEGIN")
    try:
        return query(Transaction(db, actor, {}))
    finally:
        db.execute("ROLLBACK")
