"""The configuration and the file of a world: written complete or not at all, checked when
opened."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from trainee_bench.world.connection import damaged, is_damage
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.week import LaterDay, week_facts


@dataclass(frozen=True)
class WorldConfig:
    """The configuration of a new world: the employee whose day it is, its start and end (those of
    the first day, if there are several), and its origin."""

    employee: str
    starts: datetime
    ends: datetime
    scenario: str = "{}"
    """The resolved scenario, JSON; no tool reads it."""
    identity: str = "{}"
    """Versions of what made this world, JSON."""
    verbosity: str = "all"
    minutes_by_tool: Mapping[str, int] | None = None
    """Minutes of each tool whose cost the scenario sets."""
    offered_apps: Sequence[str] | None = None
    """The apps that this day offers the employee; None means all except opt-in apps."""
    worth_counts: bool = False
    """Whether there is more work than hours, so that the worth of tasks counts."""
    tasks_until: datetime | None = None
    """The time until which further tasks may come; None if all are there from the start."""
    later_days: Sequence[LaterDay] = ()
    """The working days after the first, which `World.begin_next_day` begins."""
    company_name: str = ""
    """The company's name; "" for the built-in company."""
    domain: str = ""
    """The domain of the company's mail addresses; "" for the built-in company's."""
    rooms: Mapping[str, int] | None = None
    """The seats of each meeting room, by name; None for the built-in rooms."""
    tool_variants: Mapping[str, str] | None = None
    """The variant in which tools are offered, by tool; others are offered as usual."""
    roles: Mapping[str, str] = field(default_factory=dict)
    """The departments that the directory also finds by another name, by that name in small
    letters."""

    def facts(self) -> dict[str, str]:
        """Return the facts that a new world stores, by name; facts that only some worlds have are
        omitted in others."""
        facts = {
            "now": self.starts.isoformat(),
            "day_starts": self.starts.isoformat(),
            "day_ends": self.ends.isoformat(),
            "employee": self.employee,
            "verbosity": self.verbosity,
            "minutes": json.dumps(dict(self.minutes_by_tool or {}), sort_keys=True),
            "tools": json.dumps(None if self.offered_apps is None else sorted(self.offered_apps)),
            "scenario": self.scenario,
            "identity": self.identity,
        }
        if self.tasks_until is not None:
            facts["tasks_until"] = self.tasks_until.isoformat()
        if self.worth_counts:
            facts["worth_counts"] = "yes"
        if self.later_days:
            facts |= week_facts(self.starts, self.later_days)
        if self.company_name:
            facts["company_name"] = self.company_name
        if self.domain:
            facts["domain"] = self.domain
        if self.rooms is not None:
            facts["rooms"] = json.dumps(dict(self.rooms))
        if self.tool_variants:
            facts["tool_variants"] = json.dumps(dict(self.tool_variants), sort_keys=True)
        if self.roles:
            facts["roles"] = json.dumps(dict(self.roles), sort_keys=True)
        return facts


WORLD_FORMAT = 3
"""The format version of world files, apart from their tables, which follow from the apps (see
`layout`). Files with another version are refused."""
_APPLICATION_ID = 0x5442574C
_UNWRITABLE = "must be readable and writable, and so must its folder; copy it to such a folder."
_WRITE_AHEAD = b"\x02\x02"
_WRITE_AHEAD_AT = slice(18, 20)
"""The place in SQLite's header that says that the file has a write-ahead log."""


def mark_format(db: sqlite3.Connection) -> None:
    """Mark a new database as a world of this format."""
    db.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {WORLD_FORMAT}")


def check_new_path(path: Path) -> None:
    """Raise WorldFileError if *path* exists, or its folder does not or cannot be written."""
    if not path.parent.is_dir():
        raise WorldFileError(f"There is no folder {path.parent}; create it or choose another.")
    if path.exists():
        raise WorldFileError(f"{path.name} already exists; open it or choose another name.")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise WorldFileError(f"You may not write in the folder {path.parent}; choose another.")


def write_new_file(path: Path, db: sqlite3.Connection) -> None:
    """Write *db* to *path*, complete or not at all, even if the process is killed.

    If the system supports it, the file has no name until it is complete, so nothing is left behind.
    Raises WorldFileError if *path* was created meanwhile.
    """
    content = bytearray(db.serialize())
    content[_WRITE_AHEAD_AT] = _WRITE_AHEAD
    try:
        if not _write_unnamed(path, content):
            _write_renamed(path, content)
    except FileExistsError:
        raise WorldFileError(f"{path.name} was created by another process meanwhile.") from None


def _write_unnamed(path: Path, content: bytearray) -> bool:
    """Write a file without a name and then name it. Return whether the system supports this."""
    if not hasattr(os, "O_TMPFILE"):
        return False
    try:
        unnamed = os.open(path.parent, os.O_TMPFILE | os.O_RDWR, 0o666)
    except OSError as error:
        if error.errno in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT):
            return False
        raise
    folder = -1
    try:
        with os.fdopen(os.dup(unnamed), "wb") as file:
            file.write(content)
        folder = os.open(path.parent, os.O_RDONLY)
        os.link(f"/proc/self/fd/{unnamed}", path.name, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        os.close(unnamed)
        if folder >= 0:
            os.close(folder)
    return True


def _write_renamed(path: Path, content: bytearray) -> None:
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".world-") as folder:
        complete = Path(folder) / "world"
        complete.write_bytes(content)
        os.link(complete, path)


def check_existing(path: Path) -> None:
    """Raise WorldFileError if *path* is not a file that can be read and written."""
    if not path.is_file():
        raise WorldFileError(f"There is no world file {path.name}.")
    if not os.access(path, os.R_OK | os.W_OK):  # SQLite would notice at the first action
        raise WorldFileError(f"{path.name} {_UNWRITABLE}")


def check_opened(db: sqlite3.Connection, path: Path) -> None:
    """Raise WorldFileError unless *db*, opened from *path*, is a world of this format."""
    try:
        kind = db.execute("PRAGMA application_id").fetchone()[0]
        version = db.execute("PRAGMA user_version").fetchone()[0]
        # With WAL this survives a killed process, but not a power failure.
        db.execute("PRAGMA synchronous = NORMAL")
    except sqlite3.OperationalError:  # its folder does not allow writing a journal
        raise WorldFileError(f"{path.name} {_UNWRITABLE}") from None
    except UnicodeDecodeError:  # in SQLite's complaint about the layout
        raise damaged(path.name, "its layout cannot be read") from None
    except sqlite3.DatabaseError:
        raise WorldFileError(f"{path.name} is not a world file.") from None
    if kind != _APPLICATION_ID:
        raise WorldFileError(f"{path.name} is a database, but not a world.")
    if version != WORLD_FORMAT:
        raise WorldFileError(
            f"{path.name} has format {version}; this program reads {WORLD_FORMAT}. Open it with "
            "the version that made it, or stage its day again."
        )


def check_intact(db: sqlite3.Connection, file: str, tables: Iterable[str]) -> None:
    """Raise WorldFileError if any of *tables* in *db* is damaged."""
    for table in tables:
        try:
            found = db.execute(f"PRAGMA integrity_check('{table}')").fetchone()[0]
        except sqlite3.DatabaseError as error:
            if is_damage(error):
                raise damaged(file, str(error)) from None
            raise
        if found != "ok":
            raise damaged(file, found)
