"""Verbs that are run and undone: to fill caches, or to see what they would do."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TypeVar

from pydantic import BaseModel

from trainee_bench.world.connection import begin_to_write
from trainee_bench.world.errors import WorldError
from trainee_bench.world.transaction import Result, Transaction

T = TypeVar("T")
Data = TypeVar("Data", bound=BaseModel, covariant=True)


def precompute(
    db: sqlite3.Connection, actor: str, verb: Callable[[Transaction], Result[Data]]
) -> None:
    """See `World.precompute`."""
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
    """See `World.try_out`."""
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
