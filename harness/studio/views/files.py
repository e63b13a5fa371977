"""The files as the page shows them: a list, and the opened text or picture."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from pydantic import BaseModel

from trainee_bench.harness.studio.views.app_view import AppView, Marks, ViewRequest
from trainee_bench.world.apps.files import Files
from trainee_bench.world.filesystem.content import FileKind
from trainee_bench.world.filesystem.store import FileInfo
from trainee_bench.world.transaction import Picture, Transaction

PLACES = ("workspace:/", "drive:/")
LINES = 250
_CHARACTERS = 60_000
"""The part of a text that is opened at once: an amount that browsers draw without delay."""
_MOST_COMPARED = 3_000
"""The most lines of a text that is compared with its earlier version."""


class OpenedFile(BaseModel):
    """A file. A text has its lines from *first_line* (from 1); a picture only has the flag
    *picture*."""

    info: FileInfo
    lines: tuple[str, ...] = ()
    first_line: int = 1
    total_lines: int = 0
    at_once: int = LINES
    """The most lines that are given at once."""
    picture: bool = False


class FilesView(BaseModel):
    """All files, by place and path, and the opened one."""

    files: tuple[FileInfo, ...]
    file: OpenedFile | None


def every_file(tx: Transaction) -> tuple[FileInfo, ...]:
    """Return the files of the workspace and of the drive."""
    files = Files(tx)
    return tuple(info for place in PLACES for info in files.files_within(place))


def read_picture(tx: Transaction, path: str) -> Picture:
    """Return the picture at *path*. Raises NotFound and Invalid."""
    return Picture(*Files(tx).picture(path))


def _show(tx: Transaction, request: ViewRequest) -> FilesView:
    there = every_file(tx)
    found = next((info for info in there if info.path == request.item), None)
    opened = _opened(tx, found, request.top) if found is not None else None
    return FilesView(files=there, file=opened)


def _opened(tx: Transaction, info: FileInfo, top: int) -> OpenedFile:
    if info.kind is not FileKind.TEXT:
        return OpenedFile(info=info, picture=info.kind is FileKind.PICTURE)
    lines = Files(tx).text(info.path).split("\n")
    shown: list[str] = []
    room = _CHARACTERS
    for line in lines[top - 1 : top - 1 + LINES]:
        if room <= 0:
            break
        shown.append(line[:room])
        room -= len(line) + 1
    return OpenedFile(info=info, lines=tuple(shown), first_line=top, total_lines=len(lines))


def _marks(tx: Transaction) -> Marks:
    return file_marks(every_file(tx))


def file_marks(files: Sequence[FileInfo]) -> Marks:
    """Return the marks of *files*, by path."""
    return {
        info.path: f"{info.changed.isoformat()} {info.changed_by} {info.size}" for info in files
    }


def _within(before: BaseModel, after: BaseModel) -> Sequence[str]:
    """Return the numbers of the new or changed lines; none for a new text."""
    assert isinstance(before, FilesView) and isinstance(after, FilesView)
    if before.file is None or after.file is None:
        return ()
    old, new = before.file.lines, after.file.lines
    if len(old) + len(new) > _MOST_COMPARED:
        return ()
    changed = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    first = after.file.first_line
    return [
        str(first + line)
        for kind, _, _, begins, ends in changed
        if kind != "equal"
        for line in range(begins, ends)
    ]


VIEW = AppView("files", _show, _marks, _within)
