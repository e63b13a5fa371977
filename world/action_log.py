"""The action log: who did what, when, with which result. Replay and grading read it."""

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
    """Append an action with the fields of LogEntry, times in ISO 8601; returns its number.

    Every action is written here, so values known to be valid are not validated again.
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
            # what model_dump_json calls, which takes a tenth longer
            "null" if data is None else data.__pydantic_serializer__.to_json(data).decode(),
            "[" + ",".join(notice.model_dump_json() for notice in notices) + "]",
            json.dumps(effects) if effects else "{}",
        ),
    )
    return written.lastrowid or 0


def count_actions(tx: Transaction) -> int:
    """How many actions there are, without reading them."""
    found = tx.row("SELECT count(*) FROM action")
    return int(found[0]) if found is not None else 0


def read_log(db: sqlite3.Connection, after: int = 0) -> list[LogEntry]:
    """Every action with a higher number than *after*, in order."""
    rows = db.execute("SELECT * FROM action WHERE seq > ? ORDER BY seq", (after,)).fetchall()
    json_columns = ("arguments", "data", "notices", "effects")
    return [
        LogEntry.model_validate(
            {k: json.loads(row[k]) if k in json_columns else row[k] for k in row.keys()}  # noqa: SIM118 - a Row iterates over its values
        )
        for row in rows
    ]
