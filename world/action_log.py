"""The action log: who did what, when, and with which result. Replay and grading read it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import BaseModel, JsonValue
from pydantic_core import to_json

from trainee_bench.world.transaction import Notice, Transaction

SCHEMA = """
CREATE TABLE action (
    seq INTEGER PRIMARY KEY, at TEXT NOT NULL, until TEXT NOT NULL, actor TEXT NOT NULL,
    tool TEXT NOT NULL, arguments TEXT NOT NULL, ok INTEGER NOT NULL, text TEXT NOT NULL,
    data TEXT NOT NULL, notices TEXT NOT NULL, effects TEXT NOT NULL
) STRICT;
"""
_INSERT = """
INSERT INTO action (seq, at, until, actor, tool, arguments, ok, text, data, notices, effects)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_LOG_NOTHING = """
CREATE TEMP TRIGGER log_nothing BEFORE INSERT ON action BEGIN SELECT RAISE(IGNORE); END
"""


class LogEntry(BaseModel, frozen=True):
    """One action. ``text`` and ``data`` are its result; ``until`` is the time after it."""

    seq: int
    at: datetime
    until: datetime
    actor: str
    tool: str
    arguments: dict[str, JsonValue]
    ok: bool
    text: str
    data: dict[str, JsonValue] | None
    notices: tuple[Notice, ...]
    effects: dict[str, JsonValue]


def write_log_entry(
    db: sqlite3.Connection,
    *,
    at: str,
    until: str,
    actor: str,
    tool: str,
    arguments: Mapping[str, JsonValue],
    ok: bool,
    text: str,
    data: BaseModel | None,
    notices: Sequence[Notice],
    effects: Mapping[str, JsonValue],
) -> int:
    """Append an action with the fields of LogEntry, times in ISO 8601.

    Returns its number, 0 if logging is off. Every action is written here, so values known to be
    valid are not validated again.
    """
    written = db.execute(
        "INSERT INTO action (at, until, actor, tool, arguments, ok, text, data, notices, effects)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            at,
            until,
            actor,
            tool,
            to_json(arguments).decode(),
            ok,
            text,
            # called directly: model_dump_json takes a tenth longer
            "null" if data is None else data.__pydantic_serializer__.to_json(data).decode(),
            "[" + ",".join(notice.model_dump_json() for notice in notices) + "]",
            json.dumps(effects) if effects else "{}",
        ),
    )
    return (written.lastrowid or 0) if written.rowcount else 0


def count_actions(tx: Transaction) -> int:
    """Count the actions without reading them."""
    found = tx.row("SELECT count(*) FROM action")
    return int(found[0]) if found is not None else 0


def read_log(db: sqlite3.Connection, after: int = 0) -> list[LogEntry]:
    """Read every action with a higher number than *after*, in order."""
    rows = db.execute("SELECT * FROM action WHERE seq > ? ORDER BY seq", (after,))
    json_columns = ("arguments", "data", "notices", "effects")
    return [
        LogEntry.model_validate(
            {k: json.loads(row[k]) if k in json_columns else row[k] for k in row.keys()}  # noqa: SIM118 - a Row iterates over its values
        )
        for row in rows
    ]


def log_nothing(db: sqlite3.Connection) -> None:
    """Stop logging actions of this connection. No action reads the log."""
    db.execute(_LOG_NOTHING)


def with_log(content: bytes, entries: Sequence[LogEntry]) -> bytes:
    """Return the database *content*, whose log is empty, with *entries* as its log."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    try:
        db.deserialize(content)
        db.execute("BEGIN")
        db.executemany(_INSERT, map(_row, entries))
        db.execute("COMMIT")
        return db.serialize()
    finally:
        db.close()


def _row(entry: LogEntry) -> tuple[str | int, ...]:
    """Return the row that was written for *entry*."""
    return (
        entry.seq,
        entry.at.isoformat(),
        entry.until.isoformat(),
        entry.actor,
        entry.tool,
        to_json(entry.arguments).decode(),
        entry.ok,
        entry.text,
        to_json(entry.data).decode(),
        "[" + ",".join(notice.model_dump_json() for notice in entry.notices) + "]",
        json.dumps(entry.effects) if entry.effects else "{}",
    )
