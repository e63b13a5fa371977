"""The tables of a world file: those of the world itself and those of each app.

The layout follows from the ``SCHEMA`` texts, so a new app needs no new format version. A file that
is older than an app gets the app's tables when it is opened. A file with a different table is
refused. So is a file with an unknown view, trigger or index: no world has them, and SQLite would
execute them. Unknown tables are left alone.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from functools import cache

from trainee_bench.world import triggers
from trainee_bench.world.action_log import SCHEMA as LOG_SCHEMA
from trainee_bench.world.apps import discover_apps
from trainee_bench.world.colleagues import knowledge
from trainee_bench.world.company import directory
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.text_index import TEXT_INDEXES
from trainee_bench.world.transaction import SCHEMA as TRANSACTION_SCHEMA
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world_file import check_intact

PAGE_BYTES = 1024
"""Many tables are empty or small, and each takes at least a page."""
_SHADOWS = ("config", "content", "data", "docsize", "idx")
"""The suffixes of the tables of a text index."""
CORE = "the world"
"""The name, in error messages, of the tables that every world has."""
_CORE_SCHEMA = (
    TRANSACTION_SCHEMA + LOG_SCHEMA + triggers.SCHEMA + directory.SCHEMA + knowledge.SCHEMA
)


def create_tables(db: sqlite3.Connection) -> None:
    """Create all tables in a new database in memory, and begin a transaction."""
    db.deserialize(_empty_database())
    db.execute("BEGIN IMMEDIATE")


@cache
def _empty_database() -> bytes:
    """Return all tables, empty: copying them takes a fiftieth of the time of creating them."""
    db = sqlite3.connect(":memory:")
    try:
        db.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        db.executescript("".join(_schemas().values()))
        return db.serialize()
    finally:
        db.close()


def check_and_complete(db: sqlite3.Connection, file: str) -> None:
    """Check the layout of *db* and add missing tables.

    Raises WorldFileError for an unknown view, trigger or index, a different table, or a damaged
    table.
    """
    _check_layout(db, file)
    check_intact(db, file, _known_tables(db))  # checking an unknown table may take for ever
    _complete_tables(db, file)


def _check_layout(db: sqlite3.Connection, file: str) -> None:
    """Raise WorldFileError if *file* has an unknown view, trigger or index, or a different table.

    This executes nothing that the file defines.
    """
    rows = db.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    for kind, name, _ in rows:
        if kind in ("view", "trigger") or (kind == "index" and name not in _known_names()):
            raise WorldFileError(f"{file} has the {kind} {name}, which no world has.")
    _missing(db, file)


def _known_tables(db: sqlite3.Connection) -> list[str]:
    """Return the names of the tables in *db* that this program creates."""
    rows = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return [name for (name,) in rows if name in _known_names()]


def unknown_tables(tx: Transaction) -> list[str]:
    """Return the names of the tables that this program does not create; text indexes are known."""
    rows = tx.rows("SELECT name, type FROM pragma_table_list WHERE schema = 'main'")
    names = {str(name) for name, _ in rows if not name.startswith("sqlite_")}
    indexes = {name for name, kind in rows if kind == "virtual" and name in TEXT_INDEXES}
    shadows = {f"{index}_{part}" for index in indexes for part in _SHADOWS}
    return sorted(names - _known_names() - indexes - shadows)


@cache
def _known_names() -> frozenset[str]:
    return frozenset(name for schema in _schemas().values() for name in _layout_of(schema))


def _complete_tables(db: sqlite3.Connection, file: str) -> None:
    """Add to *db* the tables of apps that did not exist when it was created.

    They are empty, and the digest ignores empty tables, so the digest stays the same. Raises
    WorldFileError if a table of *file* differs from the one this program creates.
    """
    missing = _missing(db, file)
    while missing:
        app = missing.pop()
        try:
            db.executescript(f"BEGIN IMMEDIATE;{_schemas()[app]}COMMIT;")
        except sqlite3.OperationalError:
            if db.in_transaction:
                db.execute("ROLLBACK")
            if app in _missing(db, file):  # unless another process has added them meanwhile
                raise


def _missing(db: sqlite3.Connection, file: str) -> list[str]:
    """Return the apps without tables in *db*. Raises WorldFileError if a table differs."""
    there, missing = _layout(db), []
    for part, schema in _schemas().items():
        wanted = _layout_of(schema)
        found = {name: there[name] for name in wanted if name in there}
        if found == wanted:
            continue
        if not found and part != CORE:
            missing.append(part)
        else:
            differing = ", ".join(name for name in wanted if found.get(name) != wanted[name])
            raise WorldFileError(
                f"{file} was made by another version: the tables of {part} differ "
                f"({differing}). Open it with the version that made it, or stage its day again."
            )
    return missing


@cache
def _schemas() -> Mapping[str, str]:
    """Return the SQL of the world's own tables, then of each app's, by name."""
    apps = {f"the app {app.__name__.rpartition('.')[2]}": app.SCHEMA for app in discover_apps()}
    return {CORE: _CORE_SCHEMA} | apps


@cache
def _layout_of(schema: str) -> Mapping[str, str]:
    """Return the SQL that SQLite stores for *schema*."""
    db = sqlite3.connect(":memory:")
    try:
        db.executescript(schema)
        return _layout(db)
    finally:
        db.close()


def _layout(db: sqlite3.Connection) -> dict[str, str]:
    """Return the SQL of every table and index, by name, with whitespace normalised."""
    rows = db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return {name: " ".join(sql.split()) for name, sql in rows}


_TO_COME = frozenset({"event", "consequence"})
"""Tables of future events."""
EXCLUDED_TABLES = frozenset({"action", "played", "file_indexed", "file_unindexed"})
"""Tables that the digest leaves out: the action log, since other calls may lead to the same state,
the record of drafts, and the full-text index of files."""


def digest(db: sqlite3.Connection, *, present_only: bool = False) -> str:
    """Return a SHA-256 in hexadecimal over the canonical form of all tables.

    *present_only* leaves out the future: events and the scenario. Before the next event, no tool
    can distinguish two worlds with the same present.
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
    """Return the names of the hashed tables, sorted."""
    found = db.execute(
        "SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main'"
    )
    return sorted(
        name for (name,) in found if name not in EXCLUDED_TABLES and not name.startswith("sqlite_")
    )


def _content(value: bytes) -> dict[str, str]:
    """Represent binary content by its hash."""
    return {"sha256": hashlib.sha256(value).hexdigest()}


_CANONICAL = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_content)
