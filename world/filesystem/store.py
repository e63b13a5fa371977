"""Stores files: rows by owner and path, space limits, and a record of staged files.

Roots with many files have a full-text index. A search that meets many files creates the index and
indexes some of them; triggers then note which files have changed since. The digest covers none of
its tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from pydantic import BaseModel

from trainee_bench.world.errors import NotFound, Refused
from trainee_bench.world.filesystem.content import FileContent, FileKind, check_extension
from trainee_bench.world.filesystem.paths import VirtualPath
from trainee_bench.world.folding import folded
from trainee_bench.world.text_index import FILE_TEXT, TextIndex, trigram_query, trigrams_of
from trainee_bench.world.transaction import NoticeKind, Transaction

_MANY = 300
"""The number of files from which a root gets an index."""
_INDEXED_AT_ONCE = 200
_CHARACTERS_AT_ONCE = 200_000
"""One search indexes about this many files or characters, so that none takes long."""
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
    """Return the paths of *owner*'s files that may contain *wanted* (folded) in their names or
    texts.

    They include some deleted files. None means that all files have to be read.
    """
    looked_up = trigram_query(trigrams_of([wanted]))
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
    """Whether there is an index, after creating it if there are many files.

    It is not created while nobody acts, since a reading transaction would lose it.
    """
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
    """Index some of the files that are not in the index."""
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
        indexed = folded(f"{path.rpartition('/')[2]}\n{text}").replace("\0", " ")
        index.add_selected("SELECT ?, ?", number, indexed)
        tx.run("INSERT OR REPLACE INTO file_indexed VALUES (?, ?, ?)", owner, path, number)
        characters += len(indexed)
        if characters >= _CHARACTERS_AT_ONCE:
            break
    index.make()


SCHEMA = """
CREATE TABLE file (
    owner TEXT NOT NULL, path TEXT NOT NULL, kind TEXT NOT NULL, size INTEGER NOT NULL,
    changed TEXT NOT NULL, changed_by TEXT NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY (owner, path)
) STRICT;
CREATE INDEX file_size ON file (owner, size);
CREATE TABLE staged_file (path TEXT PRIMARY KEY, kind TEXT NOT NULL, sha256 TEXT NOT NULL)
    STRICT, WITHOUT ROWID;
CREATE TABLE disturbed_file (path TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE withdrawn_file (
    seq INTEGER PRIMARY KEY, path TEXT NOT NULL, changed_by TEXT NOT NULL, kind TEXT NOT NULL,
    content BLOB NOT NULL
) STRICT;
CREATE INDEX withdrawn_file_path ON withdrawn_file (path);
"""

DRIVE_OWNER = ""
MAX_TEXT_BYTES = 1_000_000
MAX_PLACE_BYTES = 50_000_000
MAX_PLACE_FILES = 5_000
_REPLACE = """
UPDATE file SET kind = ?, size = ?, changed = ?, changed_by = ?, content = ?
WHERE owner = ? AND path = ?
"""
"""Writes fewer pages than INSERT OR REPLACE, which moves the row. An UPSERT would break the search
index: its triggers could not ignore existing rows."""
_WITHDRAW = """
INSERT INTO withdrawn_file (path, changed_by, kind, content)
SELECT path, changed_by, kind, content FROM file
WHERE owner = ? AND path = ? AND changed_by <> ''
"""
"""Keeps a person's version on the drive before it disappears: others may have read it."""
_PUBLISHED = """
SELECT kind, content FROM withdrawn_file WHERE path = ?3 AND changed_by = ?2
UNION ALL SELECT kind, content FROM file WHERE owner = ?1 AND path = ?3 AND changed_by = ?2
"""
_PUBLISHED_PATHS = """
SELECT path FROM withdrawn_file WHERE changed_by = ?2
UNION SELECT path FROM file WHERE owner = ?1 AND changed_by = ?2 ORDER BY path
"""
_AFTER_SLASH = chr(ord("/") + 1)
"""Every path in a folder sorts between the folder's path plus "/" and plus this character."""


class FileInfo(BaseModel, frozen=True):
    """A stored file without its content; ``size`` in bytes."""

    path: str
    kind: FileKind
    size: int
    changed: datetime
    changed_by: str
    """A person's id, "" if the file was staged."""


class FileStore:
    """The files within one transaction: the drive and the actor's workspace.

    While nobody acts (staging, events, checkpoints), the workspace is the employee's.
    """

    def __init__(self, tx: Transaction):
        self._tx = tx

    def info(self, at: VirtualPath) -> FileInfo | None:
        """Return the file *at*, or None."""
        row = self._tx.row(
            "SELECT kind, size, changed, changed_by FROM file WHERE owner = ? AND path = ?",
            self._owner(at),
            at.path_in_root,
        )
        return FileInfo(path=str(at), **row) if row is not None else None

    def content(self, at: VirtualPath) -> FileContent | None:
        """Return the content of the file *at*, or None."""
        row = self._tx.row(
            "SELECT kind, content FROM file WHERE owner = ? AND path = ?",
            self._owner(at),
            at.path_in_root,
        )
        return FileContent(kind=row["kind"], data=row["content"]) if row is not None else None

    def require(self, at: VirtualPath) -> FileInfo:
        """Return the file *at*. Raises NotFound, which says where to look."""
        info = self.info(at)
        if info is not None:
            return info
        if self.within(at):
            raise NotFound(f"{at} is a folder; files_list shows what is in it.")
        folder = VirtualPath(at.place, at.parts[:-1])
        raise NotFound(f"There is no file {at}. files_list shows what is in {folder}.")

    def within(self, at: VirtualPath) -> tuple[FileInfo, ...]:
        """Return every file in the folder *at* and its subfolders, by path."""
        rows = self._tx.rows(
            "SELECT path, kind, size, changed, changed_by FROM file WHERE owner = ?1"
            " AND path > ?2 AND path < ?3 ORDER BY path",
            self._owner(at),
            f"{at.path_in_root}/" if at.parts else "",
            f"{at.path_in_root}{_AFTER_SLASH}" if at.parts else "\U0010ffff",
        )
        return tuple(FileInfo(**{**row, "path": f"{at.place}:/{row['path']}"}) for row in rows)

    def within_holding(self, at: VirtualPath, wanted: str) -> Iterator[FileInfo]:
        """Yield the files in the folder *at* and its subfolders, by path.

        Most files without *wanted*, folded, in their names or texts are left out.
        """
        paths = worth_reading(self._tx, self._owner(at), wanted)
        if paths is None:
            yield from self.within(at)
            return
        folder = f"{at.path_in_root}/" if at.parts else ""
        for path in paths:
            if path.startswith(folder):
                info = self.info(VirtualPath(at.place, tuple(path.split("/"))))
                if info is not None:
                    yield info

    def is_folder(self, at: VirtualPath) -> bool:
        """Whether there is any file in the folder *at*."""
        sql = "SELECT 1 FROM file WHERE owner = ? AND path > ? AND path < ? LIMIT 1"
        first, after = f"{at.path_in_root}/", f"{at.path_in_root}{_AFTER_SLASH}"
        return self._tx.row(sql, self._owner(at), first, after) is not None

    def put(self, at: VirtualPath, content: FileContent) -> FileInfo:
        """Write *content*, replacing an existing file.

        On the drive, while nobody acts, the file counts as staged, and a person's files in its way
        are renamed. Raises Refused if the extension belongs to another kind, or, for an actor, if
        something is in the way or there is no room.
        """
        check_extension(at, content.kind)
        if self._tx.actor:
            self._check_way(at)
            self._check_room(at, content)
        else:
            self._make_way(at)
        self._withdraw(at)
        where = (self._owner(at), at.path_in_root)
        what = (content.kind, len(content.data), self._tx.timestamp, self._tx.actor, content.data)
        if not self._tx.update(_REPLACE, *what, *where):
            self._tx.run("INSERT INTO file VALUES (?, ?, ?, ?, ?, ?, ?)", *where, *what)
        if at.place == "drive" and not self._tx.actor:
            self._tx.run(
                "INSERT OR REPLACE INTO staged_file VALUES (?, ?, ?)",
                at.path_in_root,
                content.kind,
                content.sha256,
            )
        self._record_disturbance(at, content)
        return FileInfo(
            path=str(at),
            kind=content.kind,
            size=len(content.data),
            changed=self._tx.now,
            changed_by=self._tx.actor,
        )

    def remove(self, at: VirtualPath) -> None:
        """Remove the file *at*, if there is one."""
        self._withdraw(at)
        self._tx.run(
            "DELETE FROM file WHERE owner = ? AND path = ?", self._owner(at), at.path_in_root
        )
        self._record_disturbance(at, None)

    def was_staged(self, at: VirtualPath) -> bool:
        """Whether a file was ever staged *at* a path of the drive."""
        sql = "SELECT 1 FROM staged_file WHERE path = ?"
        return at.place == "drive" and self._tx.row(sql, at.path_in_root) is not None

    def disturbed(self) -> tuple[VirtualPath, ...]:
        """Return the staged drive files that somebody has changed or removed, by path, even if
        restored."""
        rows = self._tx.rows("SELECT path FROM disturbed_file ORDER BY path")
        return tuple(VirtualPath("drive", tuple(row["path"].split("/"))) for row in rows)

    def published_by(self, person: str) -> tuple[VirtualPath, ...]:
        """Return the drive paths at which *person* has ever left a file, sorted."""
        rows = self._tx.rows(_PUBLISHED_PATHS, DRIVE_OWNER, person)
        return tuple(VirtualPath("drive", tuple(row["path"].split("/"))) for row in rows)

    def published_versions(self, at: VirtualPath, person: str) -> tuple[FileContent, ...]:
        """Return every content that *person* has ever left *at* a drive path, oldest first."""
        rows = self._tx.rows(_PUBLISHED, DRIVE_OWNER, person, at.path_in_root)
        return tuple(FileContent(kind=row["kind"], data=row["content"]) for row in rows)

    def _withdraw(self, at: VirtualPath) -> None:
        """Keep the version *at* a drive path that is about to disappear."""
        if at.place == "drive":
            self._tx.run(_WITHDRAW, DRIVE_OWNER, at.path_in_root)

    def _record_disturbance(self, at: VirtualPath, left: FileContent | None) -> None:
        """Record it if an actor leaves a staged file with other content than was staged."""
        if at.place != "drive" or not self._tx.actor:
            return
        staged = self._tx.row(
            "SELECT kind, sha256 FROM staged_file WHERE path = ?", at.path_in_root
        )
        if staged is None or (
            left is not None and (left.kind, left.sha256) == (staged["kind"], staged["sha256"])
        ):
            return
        self._tx.run("INSERT OR IGNORE INTO disturbed_file VALUES (?)", at.path_in_root)

    def _owner(self, at: VirtualPath) -> str:
        if at.place == "drive":
            return DRIVE_OWNER
        return self._tx.actor or self._tx.employee

    def _check_way(self, at: VirtualPath) -> None:
        for folder in at.parents:
            if self.info(folder) is not None:
                raise Refused(f"{folder} is a file, not a folder; choose another path.")
        if self.is_folder(at):
            raise Refused(f"{at} is a folder; add the file's name to it.")

    def _make_way(self, at: VirtualPath) -> None:
        """Rename people's files where a staged file has to go, so that no work is lost.

        Nobody could know that the name would be needed.
        """
        for path in (*at.parents, at):
            info = self.info(path)
            if info is not None and info.changed_by and not self.was_staged(path):
                self._rename(path, self._free_name(path), info.changed_by)
        inner = self.within(at)
        if inner:
            free = self._free_name(at)
            for info in inner:
                tail = VirtualPath(at.place, tuple(info.path.partition(":/")[2].split("/")))
                moved = VirtualPath(at.place, (*free.parts, *tail.parts[len(at.parts) :]))
                self._rename(tail, moved, info.changed_by)

    def _free_name(self, at: VirtualPath) -> VirtualPath:
        """Return the first free path of "name_2.md", "name_3.md", …."""
        stem, dot, ending = at.name.rpartition(".") if "." in at.name[1:] else (at.name, "", "")
        number = 2
        while True:
            free = VirtualPath(at.place, (*at.parts[:-1], f"{stem}_{number}{dot}{ending}"))
            if self.info(free) is None and not self.within(free):
                return free
            number += 1

    def _rename(self, old: VirtualPath, new: VirtualPath, whose: str) -> None:
        self._withdraw(old)
        self._tx.run(
            "UPDATE file SET path = ? WHERE owner = ? AND path = ?",
            new.path_in_root,
            self._owner(old),
            old.path_in_root,
        )
        if whose:
            text = f"A colleague's file needed the name {old}; yours is now {new}."
            self._tx.notify(whose, NoticeKind.NEWS, text)

    def _check_room(self, at: VirtualPath, content: FileContent) -> None:
        if content.kind is FileKind.TEXT and len(content.data) > MAX_TEXT_BYTES:
            raise Refused("A text can have at most 1 MB; split it into several files.")
        row = self._tx.row(
            "SELECT count(*), coalesce(sum(size), 0) FROM file WHERE owner = ?", self._owner(at)
        )
        files, size = row if row is not None else (0, 0)
        if files >= MAX_PLACE_FILES or size + len(content.data) > MAX_PLACE_BYTES:
            raise Refused(f"{at.place}:/ is full; delete what is no longer needed.")
