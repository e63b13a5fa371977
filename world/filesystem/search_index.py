"""An index of what files say, for places with many of them.

A search that meets many files makes the index and reads some of them into it; triggers then note
which files have changed since. None of its tables is part of a digest.
"""

from __future__ import annotations

from trainee_bench.world.filesystem.content import FileKind
from trainee_bench.world.text_index import FILE_TEXT, TextIndex, trigram_query
from trainee_bench.world.transaction import Transaction

_MANY = 300
"""Files from which on a place gets an index."""
_INDEXED_AT_ONCE = 200
_CHARACTERS_AT_ONCE = 200_000
"""A search adds files until it has added so many or so many characters, so that none takes long."""
_INDEXED = """
CREATE TABLE file_indexed (
    owner TEXT NOT NULL, path TEXT NOT NULL, text INTEGER NOT NULL UNIQUE, PRIMARY KEY (owner, path)
) STRICT, WITHOUT ROWID
"""
_UNINDEXED = """
CREATE TABLE file_unindexed (
    owner TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY (owner, path)
) STRICT, WITHOUT ROWID
"""
_NOTE_CHANGES = """
CREATE TRIGGER file_index_{0} AFTER {0} ON file BEGIN
    DELETE FROM file_indexed WHERE owner = new.owner AND path = new.path;
    INSERT OR IGNORE INTO file_unindexed VALUES (new.owner, new.path);
END
"""
_TABLES = (
    _INDEXED,
    _UNINDEXED,
    "INSERT INTO file_unindexed SELECT owner, path FROM file",
    _NOTE_CHANGES.format("INSERT"),
    _NOTE_CHANGES.format("UPDATE"),
)


def worth_reading(tx: Transaction, owner: str, wanted: str) -> list[str] | None:
    """The paths of *owner*'s files that may hold *wanted* (in case-folded form) in their names or
    texts, and of some that were deleted; None if all files have to be read."""
    looked_up = trigram_query([wanted])
    if not looked_up or not _has_index(tx, owner):
        return None
    _add_some(tx)
    rows = tx.rows(
        "SELECT path FROM file_text t CROSS JOIN file_indexed i ON i.text = t.rowid"
        " WHERE file_text MATCH ?1 AND owner = ?2"
        " UNION SELECT path FROM file_unindexed WHERE owner = ?2 ORDER BY path",
        looked_up,
        owner,
    )
    return [row["path"] for row in rows]


def _has_index(tx: Transaction, owner: str) -> bool:
    """Whether there is an index. It is made if there are many files and somebody acts: what a
    reading transaction made would be lost."""
    if not tx.actor:
        return False
    if tx.row("SELECT 1 FROM sqlite_master WHERE name = 'file_indexed'") is not None:
        return True
    found = tx.row("SELECT count(*) FROM file WHERE owner = ?", owner)
    if found is None or found[0] < _MANY:
        return False
    for sql in _TABLES:
        tx.run(sql)
    return True


def _add_some(tx: Transaction) -> None:
    """Read some of the files that are not in the index into it."""
    index = TextIndex(tx, FILE_TEXT, ("text",))
    number, characters = index.newest, 0
    for waiting in tx.rows("SELECT owner, path FROM file_unindexed LIMIT ?", _INDEXED_AT_ONCE):
        owner, path = waiting
        tx.run("DELETE FROM file_unindexed WHERE owner = ? AND path = ?", owner, path)
        sql = "SELECT kind, content FROM file WHERE owner = ? AND path = ?"
        file = tx.row(sql, owner, path)
        if file is None:  # deleted since
            continue
        number += 1
        text = file["content"].decode() if file["kind"] == FileKind.TEXT else ""
        said = f"{path.rpartition('/')[2]}\n{text}".casefold().replace("\0", " ")
        index.add_selected("SELECT ?, ?", number, said)
        tx.run("INSERT OR REPLACE INTO file_indexed VALUES (?, ?, ?)", owner, path, number)
        characters += len(said)
        if characters >= _CHARACTERS_AT_ONCE:
            break
    index.make()
