"""The tables of a world file: those of the world itself, and those that each app brings.

The layout follows from the ``SCHEMA`` texts, so a new app needs no new number. A file that is
older than an app gets that app's tables when it is opened; one in which a table looks
different is refused. Tables that nobody here knows are left alone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from functools import cache

from trainee_bench.world import triggers
from trainee_bench.world.action_log import SCHEMA as LOG_SCHEMA
from trainee_bench.world.apps import discover_apps
from trainee_bench.world.colleagues import knowledge
from trainee_bench.world.company import directory
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.transaction import SCHEMA as TRANSACTION_SCHEMA

CORE = "the world"
"""What the tables that every world has are called in refusals."""
_CORE_SCHEMA = (
    TRANSACTION_SCHEMA + LOG_SCHEMA + triggers.SCHEMA + directory.SCHEMA + knowledge.SCHEMA
)


def create_tables(db: sqlite3.Connection) -> None:
    """Begin a transaction and lay out all tables in it."""
    db.executescript("BEGIN IMMEDIATE;" + "".join(_schemas().values()))


def complete_tables(db: sqlite3.Connection, file: str) -> None:
    """Give *db* the tables of apps that did not exist when it was made.

    They are empty, and an empty table is no part of the digest, so the world means what it
    meant. Raises WorldFileError if a table of *file* is not what this program makes.
    """
    missing = _missing(db, file)
    while missing:
        app = missing.pop()
        try:
            db.executescript(f"BEGIN IMMEDIATE;{_schemas()[app]}COMMIT;")
        except sqlite3.OperationalError:
            if db.in_transaction:
                db.execute("ROLLBACK")
            if app in _missing(db, file):  # nobody else has made them meanwhile
                raise


def _missing(db: sqlite3.Connection, file: str) -> list[str]:
    """The apps of which *db* has no table yet. Raises WorldFileError for one that differs."""
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
                f"{file} was made by another version: {part} has other tables there "
                f"({differing}). Open it with the version that made it, or stage its day anew."
            )
    return missing


@cache
def _schemas() -> Mapping[str, str]:
    """The SQL of the world's own tables, then that of each app, by name."""
    apps = {f"the app {app.__name__.rpartition('.')[2]}": app.SCHEMA for app in discover_apps()}
    return {CORE: _CORE_SCHEMA} | apps


@cache
def _layout_of(schema: str) -> Mapping[str, str]:
    """What SQLite makes of *schema*."""
    db = sqlite3.connect(":memory:")
    try:
        db.executescript(schema)
        return _layout(db)
    finally:
        db.close()


def _layout(db: sqlite3.Connection) -> dict[str, str]:
    """The SQL of every table and index, by name, whatever its line breaks."""
    rows = db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return {name: " ".join(sql.split()) for name, sql in rows}
