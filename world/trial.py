"""Verbs that are run and undone, to fill caches or to see what they would do."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from pydantic import BaseModel

from trainee_bench.world.connection import begin_to_write
from trainee_bench.world.errors import WorldError
from trainee_bench.world.transaction import Result, Transaction

T = TypeVar("T")
Data = TypeVar("Data", bound=BaseModel, covariant=True)


def precompute(
    db: sqlite3.Connection, actor: str, verb: Callable[[Transaction], Result[Data]]
) -> None:
    """Fill the caches that *verb* uses; see `World.precompute`."""
    db.execute("BEGIN")
    db.execute("PRAGMA query_only = ON")
    try:
        verb(Transaction(db, actor, {}))
    except (WorldError, sqlite3.OperationalError):  # refused, or the first write
        pass
    finally:
        db.execute("ROLLBACK")
        db.execute("PRAGMA query_only = OFF")


def try_out(
    db: sqlite3.Connection,
    actor: str,
    verb: Callable[[Transaction], Result[Data]],
    look: Callable[[Transaction], T],
) -> tuple[T, T] | None:
    """Run *verb*, look before and after, and undo it; see `World.try_out`."""
    begin_to_write(db)
    try:
        before = look(Transaction(db, "", {}))
        try:
            verb(Transaction(db, actor, {}))
        except WorldError:
            return None
        return before, look(Transaction(db, "", {}))
    finally:
        db.execute("ROLLBACK")


def complete(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return what *coroutine* returns, or raise what it raises.

    Everything that an inline world does completes at once. Raises RuntimeError for a coroutine that
    waits for something else, such as a command in a sandbox: that needs an event loop.
    """
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    coroutine.close()
    raise RuntimeError("this waits for something outside the world, so it needs an event loop")
