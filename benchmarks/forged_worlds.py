"""Forgeries of a world's file: its log, its tables, its layout, and SQLite itself."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Any

from forged_values import RAW, Raw, forge, other_value, written
from forgeries import Forgery, follow_line

_VERSIONS = slice(18, 20)
"""The bytes of the header that announce a write-ahead log. A database in memory cannot have one."""
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"
SLOW = "instr(hex(zeroblob(2000000)), hex(zeroblob(1000000)) || char(49))"
"""An expression that never ends; it is inserted afterwards, because creating it would not end."""
_PUT_IN = "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, '4321', '{}')"
_NOTHING = (
    "i AS seq, '' AS at, '' AS until, '' AS actor, '' AS tool, '' AS arguments, 1 AS ok, '' AS "
    "text, '' AS data, '' AS notices, '' AS effects"
)
_NUMBERS = f"({ENDLESS} i FROM n LIMIT 200000)"
_REST = "at, until, actor, tool, arguments, ok, text, data, notices, effects"
_CALL = "'anna', 'desk_now', '{}', 1, '', 'null', '[]', '{}'"
_NOON = "'2025-10-01T12:00:00'"
HOSTILE = (
    f"ALTER TABLE action RENAME TO action2; CREATE VIEW action AS {ENDLESS} {_NOTHING} FROM n",
    f"ALTER TABLE fact RENAME TO fact2; CREATE VIEW fact AS {ENDLESS} i AS name, i AS value FROM n",
    f"CREATE VIEW seen AS {ENDLESS} i FROM n",
    "CREATE TABLE t (x CHECK (x < 4321)); INSERT INTO t VALUES (1); " + _PUT_IN.format(SLOW),
    "CREATE INDEX slow ON action (length(text) + 4321); " + _PUT_IN.format(SLOW),
    "CREATE TABLE g (x, y AS (x + 4321) VIRTUAL NOT NULL); INSERT INTO g (x) VALUES (1); "
    + _PUT_IN.format(SLOW),
    "CREATE INDEX some ON action (length(text))",
    "CREATE TABLE big (x); INSERT INTO big VALUES (zeroblob(50000000))",
    "CREATE TRIGGER t AFTER INSERT ON action BEGIN DELETE FROM action; END",
    "CREATE TRIGGER t INSTEAD OF INSERT ON seen BEGIN SELECT 1; END",
    "CREATE VIRTUAL TABLE v USING fts5(x)",
    "CREATE TABLE added (x); INSERT INTO added VALUES ('more')",
    "CREATE TABLE empty (x)",
    "DROP TABLE action",
    "DROP TABLE fact",
    "DELETE FROM fact",
    "DELETE FROM action",
    "PRAGMA user_version = 99",
    "PRAGMA application_id = 1",
    "UPDATE fact SET value = 'x'",
    f"INSERT INTO action SELECT seq + 1000, {_REST} FROM action",
    f"INSERT INTO action SELECT i + 2000, {_NOON}, {_NOON}, {_CALL} FROM {_NUMBERS}",
)


def forge_world(forgery: Forgery) -> None:
    """Change a world's log at some places, and perhaps the counts in the line."""
    changes = (_column, _column, _column, _row, _effect, _effect, _flag, _number)
    _change(forgery, forgery.random.choice(changes))
    if forgery.random.random() < 0.4:
        lines = forgery.lines("results.jsonl")
        line = forgery.random.choice(lines)
        line["tool_calls"] += forgery.random.choice((-1, 0, 1))
        line["failed_calls"] += forgery.random.choice((-2, -1, 0, 1))
        forgery.write_lines("results.jsonl", lines)
        follow_line(forgery)


def forge_tables(forgery: Forgery) -> None:
    """Change a cell of a table, or the layout."""
    _change(forgery, _hostile if forgery.random.random() < 0.3 else _cell)


def forge_scenario(forgery: Forgery) -> None:
    """Let the world name another scenario, perhaps a costly one."""

    def change(forgery: Forgery, db: sqlite3.Connection) -> None:
        (text,) = db.execute("SELECT value FROM fact WHERE name = 'scenario'").fetchone()
        told = json.loads(text)
        if forgery.random.random() < 0.3:
            told["scenario"]["company_size"] = 500
            told["scenario"]["days"] = [
                {"name": f"d{n}", "tasks": [{"rule": "kb_fix.easy"}] * 60} for n in range(5)
            ]
        else:
            forge(forgery.random, told, forgery.texts)
        _set_fact(db, "scenario", written(told))
        forgery.done.append("world scenario")

    _change(forgery, change)


def exchange_worlds(forgery: Forgery) -> None:
    """Give an episode the world or the trajectory of another, or a file that is not its own."""
    folder = forgery.random.choice(("worlds/", "trajectories/"))
    names = forgery.names(folder)
    first, second = forgery.random.choice(names), forgery.random.choice(names)
    data = forgery.entries[first], forgery.entries[second]
    forgery.entries[second], forgery.entries[first] = data
    if first == second:
        del forgery.entries[first]
    forgery.done.append(f"exchanged {folder}")


Change = Callable[[Forgery, sqlite3.Connection], None]


def _change(forgery: Forgery, change: Change) -> None:
    name = forgery.random.choice(forgery.names("worlds/"))
    content = bytearray(forgery.entries[name])
    content[_VERSIONS] = b"\x01\x01"
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        db.create_function("folded", 1, str.casefold, deterministic=True)
        db.create_function("indexed", 1, str.casefold, deterministic=True)
        db.deserialize(bytes(content))
        db.set_progress_handler(lambda: 1, 200_000_000)
        with suppress(sqlite3.Error, OverflowError, UnicodeEncodeError):  # forged too badly
            change(forgery, db)
        db.set_progress_handler(None, 0)
        made = bytearray(db.serialize())
    made[_VERSIONS] = forgery.random.choice((b"\x02\x02", b"\x02\x02", b"\x01\x01"))
    forgery.entries[name] = bytes(made)


def _rows(db: sqlite3.Connection) -> list[int]:
    return [seq for (seq,) in db.execute("SELECT seq FROM action")]


_COLUMNS = ("at", "until", "actor", "tool", "arguments", "ok", "text", "data", "notices", "effects")


def _column(forgery: Forgery, db: sqlite3.Connection) -> None:
    column, seq = forgery.random.choice(_COLUMNS), forgery.random.choice(_rows(db) or [1])
    (value,) = db.execute(f"SELECT {column} FROM action WHERE seq = ?", (seq,)).fetchone()
    forgery.done.append(f"log {column}")
    if column in ("arguments", "data", "notices", "effects"):
        read = json.loads(value)
        if isinstance(read, dict | list) and forgery.random.random() < 0.7:
            forge(forgery.random, read, forgery.texts)
        else:
            read = forgery.random.choice((*RAW, other_value(forgery.random, read, forgery.texts)))
        new: Any = written(read)
    elif column in ("at", "until"):
        new = forgery.random.choice(
            (value.replace("T", " "), value + "Z", value[:-1] + "7", "x", "9999-12-31T23:59:59")
        )
    elif column == "ok":
        new = forgery.random.choice((1 - value, 2, -1))
    else:
        new = other_value(forgery.random, value, forgery.texts)
        new = new.text if isinstance(new, Raw) else new
    db.execute(f"UPDATE action SET {column} = ? WHERE seq = ?", (new, seq))


def _row(forgery: Forgery, db: sqlite3.Connection) -> None:
    seqs = _rows(db)
    seq, other = forgery.random.choice(seqs), forgery.random.choice(seqs)
    what = forgery.random.randrange(4)
    forgery.done.append(f"log row {what}")
    if what == 0:
        db.execute("DELETE FROM action WHERE seq = ?", (seq,))
    elif what == 1:
        db.execute("UPDATE action SET seq = -1 WHERE seq = ?", (seq,))
        db.execute("UPDATE action SET seq = ? WHERE seq = ?", (seq, other))
        db.execute("UPDATE action SET seq = ? WHERE seq = -1", (other,))
    else:
        values = list(db.execute("SELECT * FROM action WHERE seq = ?", (seq,)).fetchone())
        values[0] = max(seqs) + forgery.random.choice((1, 1, 5))
        if what == 3:
            tool = ("desk_now", "verifier_grade", "guide_say", "end_day", "next_day", "x")
            actor = ("", "mentor", "somebody", values[3])
            values[3], values[4] = forgery.random.choice(actor), forgery.random.choice(tool)
        db.execute(f"INSERT INTO action VALUES ({', '.join('?' * len(values))})", values)


_EFFECTS = (
    "drafts", "spent_on_drafts", "approval", "played_by_person", "refused_outside", "unlisted",
    "ran", "x", "replies",
)  # fmt: skip


def _effect(forgery: Forgery, db: sqlite3.Connection) -> None:
    seq = forgery.random.choice(_rows(db))
    (text,) = db.execute("SELECT effects FROM action WHERE seq = ?", (seq,)).fetchone()
    effects = json.loads(text)
    name = forgery.random.choice((*_EFFECTS, *effects))
    values = (True, False, "approved", "refused", [], {}, ["anna"], {"anna": {"text": "Yes."}}, 7)
    effects[name] = forgery.random.choice((*values, other_value(forgery.random, effects.get(name))))
    forgery.done.append(f"log effect {name}")
    db.execute("UPDATE action SET effects = ? WHERE seq = ?", (written(effects), seq))


def _flag(forgery: Forgery, db: sqlite3.Connection) -> None:
    """Turn failed calls into successful ones, or the reverse."""
    forgery.done.append("log ok")
    ok, seqs = forgery.random.choice((0, 1)), _rows(db)
    for seq in forgery.random.sample(seqs, forgery.random.randrange(1, len(seqs) + 1)):
        db.execute("UPDATE action SET ok = ? WHERE seq = ?", (ok, seq))


def _number(forgery: Forgery, db: sqlite3.Connection) -> None:
    forgery.done.append("log numbers")
    by = forgery.random.choice((1, 10, -1, 2**62))
    db.execute("UPDATE action SET seq = -seq - 1000000")
    db.execute("UPDATE action SET seq = -seq - 1000000 + ?", (by,))


def _cell(forgery: Forgery, db: sqlite3.Connection) -> None:
    tables = [
        name
        for (name,) in db.execute("SELECT name FROM pragma_table_list WHERE type = 'table'")
        if not name.startswith("sqlite_") and db.execute(f"SELECT 1 FROM {name}").fetchone()
    ]
    table = forgery.random.choice(tables)
    columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
    column = forgery.random.choice(columns)
    rows = [row for (row,) in db.execute(f"SELECT rowid FROM {table} LIMIT 50")]
    row = forgery.random.choice(rows)
    (value,) = db.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", (row,)).fetchone()
    new = other_value(forgery.random, value, forgery.texts)
    new = new.text if isinstance(new, Raw) else new
    new = str(new) if isinstance(new, list | dict) else new
    forgery.done.append(f"table {table}")
    db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (new, row))


def _hostile(forgery: Forgery, db: sqlite3.Connection) -> None:
    number = forgery.random.randrange(len(HOSTILE))
    forgery.done.append(f"layout {number}")
    db.executescript(HOSTILE[number])


def _set_fact(db: sqlite3.Connection, name: str, value: str) -> None:
    db.execute("UPDATE fact SET value = ? WHERE name = ?", (value, name))
