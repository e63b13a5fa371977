"""What a world means, as one hash.

Every table that has rows counts, with every column, in the order of its rows' values, except
those that say how the world came about rather than what is true in it (EXCLUDED_TABLES) and
the indexes of full-text search, which repeat what other tables say. An empty table says
nothing, so it counts as absent: a new app leaves the digest of a world without it as it was.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3

EXCLUDED_TABLES = frozenset({"action", "played"})
"""The log, for the same world may have been reached by other calls; how answers were drafted."""


def digest(db: sqlite3.Connection) -> str:
    """A SHA-256 in hexadecimal over the canonical form of all tables."""
    hashed = hashlib.sha256()
    for table in digested_tables(db):
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        names = ", ".join(columns)
        cursor = db.cursor()
        cursor.row_factory = None
        rows = cursor.execute(f"SELECT {names} FROM {table} ORDER BY {names}").fetchall()
        if rows:
            hashed.update(_CANONICAL.encode([table, columns, rows]).encode())
    return hashed.hexdigest()


def digested_tables(db: sqlite3.Connection) -> list[str]:
    """The names of the tables that count, sorted."""
    found = db.execute(
        "SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main'"
    )
    return sorted(
        name for (name,) in found if name not in EXCLUDED_TABLES and not name.startswith("sqlite_")
    )


def _content(value: bytes) -> dict[str, str]:
    """Contents are represented by their own hash."""
    return {"sha256": hashlib.sha256(value).hexdigest()}


_CANONICAL = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_content)
