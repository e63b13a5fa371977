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


def forge_world(one: Forgery) -> None:
    """Change a world's log at some places, and perhaps the counts in the line."""
    changes = (_column, _column, _column, _row, _effect, _effect, _flag, _number)
    _change(one, one.random.choice(changes))
    if one.random.random() < 0.4:
        lines = one.lines("results.jsonl")
        line = one.random.choice(lines)
        line["tool_calls"] += one.random.choice((-1, 0, 1))
        line["failed_calls"] += one.random.choice((-2, -1, 0, 1))
        one.write_lines("results.jsonl", lines)
        follow_line(one)


def forge_tables(one: Forgery) -> None:
    """Change a cell of a table, or the layout."""
    _change(one, _hostile if one.random.random() < 0.3 else _cell)


def forge_scenario(one: Forgery) -> None:
    """Let the world name another scenario, perhaps a costly one."""

    def change(one: Forgery, db: sqlite3.Connection) -> None:
        (text,) = db.execute("SELECT value FROM fact WHERE name = 'scenario'").fetchone()
        told = json.loads(text)
        if one.random.random() < 0.3:
            told["scenario"]["company_size"] = 500
            told["scenario"]["days"] = [
                {"name": f"d{n}", "tasks": [{"rule": "kb_fix.easy"}] * 60} for n in range(5)
            ]
        else:
            forge(one.random, told, one.texts)
        _set_fact(db, "scenario", written(told))
        one.done.append("world scenario")

    _change(one, change)


def exchange_worlds(one: Forgery) -> None:
    """Give an episode the world or the trajectory of another, or a file that is not its own."""
    folder = one.random.choice(("worlds/", "trajectories/"))
    names = one.names(folder)
    first, second = one.random.choice(names), one.random.choice(names)
    data = one.entries[first], one.entries[second]
    one.entries[second], one.entries[first] = data
    if first == second:
        del one.entries[first]
    one.done.append(f"exchanged {folder}")


Change = Callable[[Forgery, sqlite3.Connection], None]


def _change(one: Forgery, change: Change) -> None:
    name = one.random.choice(one.names("worlds/"))
    content = bytearray(one.entries[name])
    content[_VERSIONS] = b"\x01\x01"
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        db.create_function("folded", 1, str.casefold, deterministic=True)
        db.create_function("indexed", 1, str.casefold, deterministic=True)
        db.deserialize(bytes(content))
        db.set_progress_handler(lambda: 1, 200_000_000)
        with suppress(sqlite3.Error, OverflowError, UnicodeEncodeError):  # forged too badly
            change(one, db)
        db.set_progress_handler(None, 0)
        made = bytearray(db.serialize())
    made[_VERSIONS] = one.random.choice((b"\x02\x02", b"\x02\x02", b"\x01\x01"))
    one.entries[name] = bytes(made)


def _rows(db: sqlite3.Connection) -> list[int]:
    return [seq for (seq,) in db.execute("SELECT seq FROM action")]


_COLUMNS = ("at", "until", "actor", "tool", "arguments", "ok", "text", "data", "notices", "effects")


def _column(one: Forgery, db: sqlite3.Connection) -> None:
    column, seq = one.random.choice(_COLUMNS), one.random.choice(_rows(db) or [1])
    (value,) = db.execute(f"SELECT {column} FROM action WHERE seq = ?", (seq,)).fetchone()
    one.done.append(f"log {column}")
    if column in ("arguments", "data", "notices", "effects"):
        read = json.loads(value)
        if isinstance(read, dict | list) and one.random.random() < 0.7:
            forge(one.random, read, one.texts)
        else:
            read = one.random.choice((*RAW, other_value(one.random, read, one.texts)))
        new: Any = written(read)
    elif column in ("at", "until"):
        new = one.random.choice(
            (value.replace("T", " "), value + "Z", value[:-1] + "7", "x", "9999-12-31T23:59:59")
        )
    elif column == "ok":
        new = one.random.choice((1 - value, 2, -1))
    else:
        new = other_value(one.random, value, one.texts)
        new = new.text if isinstance(new, Raw) else new
    db.execute(f"UPDATE action SET {column} = ? WHERE seq = ?", (new, seq))


def _row(one: Forgery, db: sqlite3.Connection) -> None:
    seqs = _rows(db)
    seq, other = one.random.choice(seqs), one.random.choice(seqs)
    what = one.random.randrange(4)
    one.done.append(f"log row {what}")
    if what == 0:
        db.execute("DELETE FROM action WHERE seq = ?", (seq,))
    elif what == 1:
        db.execute("UPDATE action SET seq = -1 WHERE seq = ?", (seq,))
        db.execute("UPDATE action SET seq = ? WHERE seq = ?", (seq, other))
        db.execute("UPDATE action SET seq = ? WHERE seq = -1", (other,))
    else:
        values = list(db.execute("SELECT * FROM action WHERE seq = ?", (seq,)).fetchone())
        values[0] = max(seqs) + one.random.choice((1, 1, 5))
        if what == 3:
            tool = ("desk_now", "verifier_grade", "guide_say", "end_day", "next_day", "x")
            actor = ("", "mentor", "somebody", values[3])
            values[3], values[4] = one.random.choice(actor), one.random.choice(tool)
        db.execute(f"INSERT INTO action VALUES ({', '.join('?' * len(values))})", values)


_EFFECTS = (
    "drafts", "spent_on_drafts", "approval", "played_by_person", "refused_outside", "unlisted",
    "ran", "x", "replies",
)  # fmt: skip


def _effect(one: Forgery, db: sqlite3.Connection) -> None:
    seq = one.random.choice(_rows(db))
    (text,) = db.execute("SELECT effects FROM action WHERE seq = ?", (seq,)).fetchone()
    effects = json.loads(text)
    name = one.random.choice((*_EFFECTS, *effects))
    values = (True, False, "approved", "refused", [], {}, ["anna"], {"anna": {"text": "Yes."}}, 7)
    effects[name] = one.random.choice((*values, other_value(one.random, effects.get(name))))
    one.done.append(f"log effect {name}")
    db.execute("UPDATE action SET effects = ? WHERE seq = ?", (written(effects), seq))


def _flag(one: Forgery, db: sqlite3.Connection) -> None:
    """Turn failed calls into successful ones, or the reverse."""
    one.done.append("log ok")
    ok, seqs = one.random.choice((0, 1)), _rows(db)
    for seq in one.random.sample(seqs, one.random.randrange(1, len(seqs) + 1)):
        db.execute("UPDATE action SET ok = ? WHERE seq = ?", (ok, seq))


def _number(one: Forgery, db: sqlite3.Connection) -> None:
    one.done.append("log numbers")
    by = one.random.choice((1, 10, -1, 2**62))
    db.execute("UPDATE action SET seq = -seq - 1000000")
    db.execute("UPDATE action SET seq = -seq - 1000000 + ?", (by,))


def _cell(one: Forgery, db: sqlite3.Connection) -> None:
    tables = [
        name
        for (name,) in db.execute("SELECT name FROM pragma_table_list WHERE type = 'table'")
        if not name.startswith("sqlite_") and db.execute(f"SELECT 1 FROM {name}").fetchone()
    ]
    table = one.random.choice(tables)
    columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
    column = one.random.choice(columns)
    rows = [row for (row,) in db.execute(f"SELECT rowid FROM {table} LIMIT 50")]
    row = one.random.choice(rows)
    (value,) = db.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", (row,)).fetchone()
    new = other_value(one.random, value, one.texts)
    new = new.text if isinstance(new, Raw) else new
    new = str(new) if isinstance(new, list | dict) else new
    one.done.append(f"table {table}")
    db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (new, row))


def _hostile(one: Forgery, db: sqlite3.Connection) -> None:
    number = one.random.randrange(len(HOSTILE))
    one.done.append(f"layout {number}")
    db.executescript(HOSTILE[number])


def _set_fact(db: sqlite3.Connection, name: str, value: str) -> None:
    db.execute("UPDATE fact SET value = ? WHERE name = ?", (value, name))
