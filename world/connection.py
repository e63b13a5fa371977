"""Connections to a world's database that run whole functions, on a separate thread or inline.

read(call) ──► the connection's thread
write(act) ──► the caller's thread if nobody else uses the database now, else the connection's
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from threading import Lock, Thread
from typing import Any, TypeVar

import aiosqlite
import anyio
import anyio.lowlevel
from aiosqlite.core import _connection_worker_thread

from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.folding import folded, unaccented

_BUSY_SECONDS = 0.1
"""How long SQLite waits for a lock before `begin_to_write` tries again. SQLite checks less and less
often while it waits, so frequent tries keep turns fair."""
_MOST_TRIES = 600
_ACTS_IN_A_ROW = 16
"""After this many actions the event loop runs other tasks once, so that a task that acts endlessly
leaves room for others."""
_CACHE_KIB = 32
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_FORMAT_VERSIONS, _WITHOUT_JOURNAL = slice(18, 20), b"\x01\x01"
"""The bytes in a database's header that say how it is written and read, and their values for a
database without a write-ahead log."""

T = TypeVar("T")


class WorldConnection(aiosqlite.Connection):
    """An aiosqlite connection that can run a whole function on its thread."""

    def __init__(self, connector: Callable[[], sqlite3.Connection], name: str):
        super().__init__(connector, iter_chunk_size=64)
        self._name = name
        self._turn = Lock()
        self._waits_for_locks = True  # set by `_open`
        self._acts = 0
        # A daemon: otherwise a program that fails before closing its world would hang.
        self._thread = Thread(target=_work, args=(self._tx,), daemon=True)

    async def on_thread(self, call: Callable[[sqlite3.Connection], T]) -> T:
        """Run *call* on the connection's thread, to its end even if the caller is cancelled.

        Raises WorldFileError if the database turns out to be damaged.
        """
        try:
            with anyio.CancelScope(shield=True):
                done = await self._execute(call, self._conn)
        except sqlite3.DatabaseError as error:
            self._name_damage(error)
            raise
        return done

    async def write(self, act: Callable[[sqlite3.Connection], T]) -> T:
        """Run *act*, which is brief, in a write transaction that it commits.

        It runs to its end even if the caller is cancelled. Handing it to the thread and back would
        take longer than most actions, so it runs at once unless somebody else reads or writes
        meanwhile. Raises as `on_thread` does.
        """
        self._acts += 1
        if self._acts % _ACTS_IN_A_ROW == 0:
            await anyio.lowlevel.cancel_shielded_checkpoint()  # lets other tasks run
        if self._turn.acquire(blocking=False):
            try:
                self._wait_for_locks(False)
                if begin_at_once(self._conn):
                    return undone_if_it_fails(self._conn, act)
            except sqlite3.DatabaseError as error:
                self._name_damage(error)
                raise
            finally:
                self._turn.release()
        return await self.on_thread(lambda db: write_transaction(db, act))

    def _wait_for_locks(self, waits: bool) -> None:
        """Set whether SQLite waits while somebody else holds a lock."""
        if waits != self._waits_for_locks:
            self._conn.execute(f"PRAGMA busy_timeout = {_BUSY_SECONDS * 1000 * waits:.0f}")
            self._waits_for_locks = waits

    def _name_damage(self, error: sqlite3.DatabaseError) -> None:
        """Raise WorldFileError if *error* means that the file is damaged."""
        if is_damage(error):
            raise damaged(self._name, str(error)) from error

    async def close(self) -> None:
        """Close the connection, to the end even if the caller is cancelled."""
        with anyio.CancelScope(shield=True):
            await super().close()

    async def _execute(self, call: Callable[..., T], *arguments: object) -> T:
        """Run *call* on the thread, in turn with what runs on other threads."""

        def in_turn() -> T:
            with self._turn:
                if self._connection is not None:
                    self._wait_for_locks(True)
                return call(*arguments)

        done: T = await super()._execute(in_turn)  # type: ignore[no-untyped-call]
        return done


class InlineConnection:
    """A connection that runs functions at once, on the caller's thread.

    It is for a world in memory that only one task uses: its event loop runs nothing else meanwhile.
    """

    def __init__(self, db: sqlite3.Connection):
        self._db = db

    async def on_thread(self, call: Callable[[sqlite3.Connection], T]) -> T:
        """Run *call*."""
        return call(self._db)

    async def write(self, act: Callable[[sqlite3.Connection], T]) -> T:
        """Run *act* in a write transaction that it commits."""
        return write_transaction(self._db, act)

    def load(self, state: bytes) -> None:
        """Replace the content of this database by a serialized one; if that fails, close it.

        Raises WorldFileError if *state* is no database.
        """
        try:
            self._db.deserialize(state)
            self._db.execute("PRAGMA schema_version")  # the first read tells
            limit_cache(self._db)
        except sqlite3.Error as error:
            self._db.close()
            raise WorldFileError(f"These bytes are not a world: {error}.") from None
        except BaseException:
            self._db.close()
            raise

    async def close(self) -> None:
        """Close the database."""
        self._db.close()


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether *error* means that the file's content is damaged."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in _DAMAGED or str(error).startswith("Could not decode to UTF-8")


def damaged(name: str, why: str) -> WorldFileError:
    """Return the error for a world file called *name* that cannot be read."""
    return WorldFileError(
        f"{name} is damaged ({' '.join(why.split())[:120]}). Its day cannot be read; stage it "
        "again and work it again."
    )


async def connect(database: Path | str) -> WorldConnection:
    """Open *database*, the path of an existing file or ":memory:", on a new thread.

    This runs to its end even if the caller is cancelled. Raises sqlite3.OperationalError if there
    is no such file.
    """
    connection = WorldConnection(lambda: _open(database), Path(database).name)
    with anyio.CancelScope(shield=True):
        await connection
    return connection


def connect_inline() -> InlineConnection:
    """Open a new database in memory; threads may use it, one after the other."""
    return InlineConnection(_open(":memory:"))


async def wrap(db: sqlite3.Connection) -> WorldConnection:
    """Open a connection over *db*, which any thread may use."""
    connection = WorldConnection(lambda: db, "the copy")
    await connection
    return connection


def limit_cache(db: sqlite3.Connection) -> None:
    """Keep *db*, deserialized in memory, from holding every page twice.

    Copying a page again takes less than a microsecond.
    """
    db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")


def copy_in_memory(db: sqlite3.Connection) -> sqlite3.Connection:
    """Copy *db* into memory, for any thread."""
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    db.backup(copy)
    copy.row_factory = sqlite3.Row
    _add_functions(copy)
    return copy


def _open(database: Path | str) -> sqlite3.Connection:
    # SQLite would create an empty file in place of a world that was just removed
    existing = f"{database.absolute().as_uri()}?mode=rw" if isinstance(database, Path) else database
    db = sqlite3.connect(
        existing,
        timeout=_BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        uri=isinstance(database, Path),
    )
    db.row_factory = sqlite3.Row
    _add_functions(db)
    return db


def _add_functions(db: sqlite3.Connection) -> None:
    """Let statements fold case as Python does: SQLite itself folds only ASCII letters.

    `indexed` and `indexed_name` fold for a text index, whose tokenizer would end at a NUL.
    `have_words` checks whole rows, since calling Python costs more than folding a text.
    """
    db.create_function("have_words", -1, _have_words, deterministic=True)
    db.create_function("indexed", 1, _indexed, deterministic=True)
    db.create_function("indexed_name", 1, _indexed_name, deterministic=True)


def _have_words(words: str, encoded: str, name: str, *texts: str | None) -> bool:
    """Whether each of the folded *words*, one a line, occurs in *texts*, in the *name* of a person
    or in the strings in *encoded*, which is JSON of names and addresses.

    In names, accents may be left out."""
    read = folded("\n".join([text for text in texts if text]))
    return all(
        word in read or word in _folded_name(name) or word in _folded_strings(encoded)
        for word in words.split("\n")
    )


@lru_cache(maxsize=1024)
def _folded_name(name: str) -> str:
    """Return a name without case and, if it has accents, once more without them on another line."""
    return folded(name) if name.isascii() else f"{folded(name)}\n{unaccented(name)}"


@lru_cache(maxsize=1024)
def _folded_strings(encoded: str) -> str:
    """Return the strings in the values of a JSON text, folded, one a line."""
    strings: list[str] = []
    pending = [json.loads(encoded)]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            strings.append(value)
        elif isinstance(value, (list, dict)):
            pending += value.values() if isinstance(value, dict) else value
    return "\n".join(map(_folded_name, strings))


def _indexed(text: str) -> str:
    return folded(text).replace("\0", " ")


def _indexed_name(name: str) -> str:
    return _folded_name(name).replace("\0", " ")


def write_transaction(db: sqlite3.Connection, act: Callable[[sqlite3.Connection], T]) -> T:
    """Return what *act* returns, in a write transaction that it commits, after other writers."""
    begin_to_write(db)
    return undone_if_it_fails(db, act)


def undone_if_it_fails(db: sqlite3.Connection, act: Callable[[sqlite3.Connection], T]) -> T:
    """Return what *act* returns, which commits the current transaction; roll back if it raises."""
    try:
        return act(db)
    except BaseException:
        if db.in_transaction:  # a full disk rolls it back by itself
            db.execute("ROLLBACK")
        raise


def begin_at_once(db: sqlite3.Connection) -> bool:
    """Begin a write transaction unless somebody else writes now, on a connection that does not wait
    for locks."""
    try:
        db.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True


def serialize(db: sqlite3.Connection) -> bytes:
    """Return the content of *db*, marked as needing no journal: a database in memory cannot have
    one."""
    content = db.serialize()
    if content[_FORMAT_VERSIONS] == _WITHOUT_JOURNAL:  # made in memory; copying takes longer
        return content
    changed = bytearray(content)
    changed[_FORMAT_VERSIONS] = _WITHOUT_JOURNAL
    return bytes(changed)


def begin_to_write(db: sqlite3.Connection) -> None:
    """Begin a write transaction, after other writers. Raises OperationalError after a minute."""
    for tries in range(1, _MOST_TRIES + 1):
        try:
            db.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if tries == _MOST_TRIES or error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
        else:
            return


def _work(calls: Any) -> None:
    """Run the thread. If an event loop was closed meanwhile, it waits for no answer."""
    while True:
        try:
            _connection_worker_thread(calls)
        except RuntimeError as error:
            if "loop is closed" not in str(error):
                raise
        else:
            return
