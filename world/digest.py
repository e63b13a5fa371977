"""Hashes the state of a world.

The hash covers all columns and rows, sorted by value, of every table with rows. It leaves out
tables that record how the state came about (EXCLUDED_TABLES) and full-text indexes, which
repeat other tables. An empty table counts as absent, so a new app does not change the digest of
a world that does not use it.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3

_TO_COME = frozenset({"event", "consequence"})
"""Tables of what is still to come."""
EXCLUDED_TABLES = frozenset({"action", "played", "file_indexed", "file_unindexed"})
"""The action log, since other calls may lead to the same state, the record of drafts, and what is
in the full-text index of files."""


def digest(db: sqlite3.Connection, *, present_only: bool = False) -> str:
    """A SHA-256 in hexadecimal over the canonical form of all tables.

    *present_only* leaves out what is still to come: events and the scenario. Two worlds
    with the same present cannot be told apart by any tool before the next event.
    """
    hashed = hashlib.sha256()
    for table in digested_tables(db):
        if present_only and table in _TO_COME:
            continue
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        names = ", ".join(columns)
        cursor = db.cursor()
        cursor.row_factory = None
        rows = cursor.execute(f"SELECT {names} FROM {table} ORDER BY {names}").fetchall()
        if present_only and table == "fact":
            rows = [row for row in rows if "scenario" not in row]
        if rows:
            hashed.update(_CANONICAL.encode([table, columns, rows]).encode())
    return hashed.hexdigest()


def digested_tables(db: sqlite3.Connection) -> list[str]:
    """The names of the hashed tables, sorted."""
    found = db.execute(
        "SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main'"
    )
    return sorted(
        name for (name,) in found if name not in EXCLUDED_TABLES and not name.startswith("sqlite_")
    )


def _content(value: bytes) -> dict[str, str]:
    """Represents binary content by its own hash."""
    return {"sha256": hashlib.sha256(value).hexdigest()}


_CANONICAL = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_content)
