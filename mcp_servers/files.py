"""The files server: list, read, view, write, edit, copy, move, delete, search, info."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field, WithJsonSchema

from trainee_bench.mcp_servers.serving.arguments import GREATEST_LENGTH
from trainee_bench.mcp_servers.serving.result_text import estimate_tokens
from trainee_bench.mcp_servers.serving.toolbox import FileUse, Toolbox
from trainee_bench.world.apps.files import (
    MAX_HITS,
    Files,
    Replacement,
    SearchHit,
)
from trainee_bench.world.errors import Invalid
from trainee_bench.world.filesystem.content import FileKind
from trainee_bench.world.transaction import Picture, Result, Transaction

TOOLS = Toolbox(
    "files",
    "The company's shared drive (drive:/) and your own workspace (workspace:/).",
    opt_in=False,
    examples=(
        ("files_write", {"path": "workspace:/notes.txt", "text": "one\ntwo\n" * 300}),
        ("files_write", {"path": "workspace:/a.csv", "text": "name,amount\nx,1\ny,2\n"}),
        ("files_edit", {"path": "workspace:/a.csv", "edits": [{"old": "x,1", "new": "x,3"}]}),
        ("files_read", {"path": "workspace:/a.csv"}),
    ),
)

PAGE_TOKENS = 3_000
PAGE_ENTRIES = 60
PAGE_HITS = 40

FilePath = Annotated[str, Field(description="e.g. drive:/handbook/intern_handbook.md")]
PicturePath = Annotated[str, Field(description="Path of the picture")]
TextPath = Annotated[str, Field(description="e.g. workspace:/report.json")]
FileOrFolder = Annotated[str, Field(description="File or folder")]
Target = Annotated[str, Field(description="New path; if it ends in /, the folder to put it in")]
Replacements = Annotated[
    list[Replacement],
    WithJsonSchema(
        {
            "type": "array",
            "description": "Applied in this order",
            "items": {
                "type": "object",
                "properties": {
                    "old": {"type": "string", "description": "Text that occurs exactly once"},
                    "new": {"type": "string", "description": "Its replacement"},
                },
                "required": ["old", "new"],
                "additionalProperties": False,
            },
        }
    ),
]
Cursor = Annotated[int, Field(ge=0, description="next_cursor of the previous page")]


class FolderLine(BaseModel, frozen=True):
    """A line of a folder's listing; ``size`` in bytes, None for folders and pictures."""

    path: str
    kind: str
    """A file's kind, or "folder"."""
    size: int | None


class FolderPage(BaseModel, frozen=True):
    """One page of a folder; ``next_cursor`` is None on the last."""

    entries: tuple[FolderLine, ...]
    total: int
    next_cursor: int | None


class TextPage(BaseModel, frozen=True):
    """Some lines of a text. The rest begins at line ``next_offset``, at character ``next_column``
    of that line; both are None at the end."""

    path: str
    text: str
    offset: int
    total_lines: int
    next_offset: int | None
    next_column: int | None


class FileDetails(BaseModel, frozen=True):
    """A file without its content; ``size`` in bytes, None for pictures; ``lines`` only for
    texts."""

    path: str
    kind: FileKind
    size: int | None
    lines: int | None
    changed: datetime
    changed_by: str


class FileSize(BaseModel, frozen=True):
    """A file and its size in bytes."""

    path: str
    size: int


class ShownPicture(BaseModel, frozen=True):
    """A picture that was shown."""

    path: str


class FilePaths(BaseModel, frozen=True):
    """Files that were created or deleted."""

    paths: tuple[str, ...]


class SearchPage(BaseModel, frozen=True):
    """One page of search hits; ``line`` 0 means the file's name.

    A search stops at 1,000 hits, so ``total`` is never larger.
    """

    hits: tuple[SearchHit, ...]
    total: int
    next_cursor: int | None


@TOOLS.tool(read_only=True)
def files_list(
    tx: Transaction,
    folder: Annotated[str, Field(description="drive:/, workspace:/ or a folder there")] = "drive:/",
    cursor: Cursor = 0,
) -> Result[FolderPage]:
    """List the folders and files in a folder, with their kind, and the size of files that are not
    pictures. Long lists come in pages; the last line of the result says how to continue."""
    entries = Files(tx).list(folder)
    _check_cursor(cursor, len(entries))
    page = tuple(
        FolderLine(path=entry.path, kind=entry.kind, size=shown_size(entry.kind, entry.size))
        for entry in entries[cursor : cursor + PAGE_ENTRIES]
    )
    more = _next(cursor, len(page), len(entries))
    lines = [f"{entry.path} ({entry.kind}{_in_bytes(entry.size)})" for entry in page]
    text = "\n".join([*lines, *_more_line(more, len(entries))]) or f"{folder} is empty."
    return Result(text, FolderPage(entries=page, total=len(entries), next_cursor=more))


@TOOLS.tool(read_only=True, effort=1)
def files_read(
    tx: Transaction,
    path: FilePath,
    offset: Annotated[int, Field(ge=0, description="Lines to skip")] = 0,
    limit: Annotated[int, Field(ge=1, description="Maximum lines")] = 500,
    column: Annotated[int, Field(ge=0, description="Characters of the first line to skip")] = 0,
) -> Result[TextPage]:
    """Read a text file. Long files come in pages; the first line of the result says how to
    continue."""
    lines = _lines(Files(tx).text(path))
    if offset > 0 and offset >= len(lines):
        raise Invalid(f"{path} has {len(lines)} lines; give a smaller offset.")
    page = _page(path, lines, offset, limit, column)
    if not lines:
        return Result(f"{path} is empty.", page)
    shown_to = len(lines) if page.next_offset is None else page.next_offset + bool(page.next_column)
    head = f"{path}, lines {offset + 1}-{shown_to} of {len(lines)}"
    if page.next_offset is not None:
        head += f"; continue with offset={page.next_offset}"
        head += f", column={page.next_column}" if page.next_column else ""
    return Result(f"{head}:\n{page.text}", page)


@TOOLS.tool(read_only=True, pictures=True, effort=1)
def files_view_image(tx: Transaction, path: PicturePath) -> Result[ShownPicture]:
    """Look at a picture (.png, .jpg)."""
    data, media_type = Files(tx).picture(path)
    shown = ShownPicture(path=Files(tx).info(path).path)
    return Result(f"This is {shown.path}.", shown, Picture(data, media_type))


@TOOLS.tool(
    destructive=True, longest=GREATEST_LENGTH, files=FileUse.WRITES, content="text", effort=10
)
def files_write(
    tx: Transaction, path: TextPath, text: Annotated[str, Field(description="The whole text")]
) -> Result[FileSize]:
    """Write a text file (JSON, CSV, Markdown …), replacing an existing one. Missing folders are
    created. The drive is shared: change only what you are asked to change there."""
    info = Files(tx).write_text(path, text)
    return Result(f"Wrote {info.path}, {info.size:,} B.", FileSize(path=info.path, size=info.size))


@TOOLS.tool(destructive=True, longest=GREATEST_LENGTH, files=FileUse.CHANGES, effort=10)
def files_edit(tx: Transaction, path: TextPath, edits: Replacements) -> Result[FileSize]:
    """Replace passages of a text file. Each old text must occur exactly once. If one edit fails,
    none is made."""
    info = Files(tx).edit(path, edits)
    return Result(f"Edited {info.path}, {info.size:,} B.", FileSize(path=info.path, size=info.size))


@TOOLS.tool(files=FileUse.MAKES, copies=True)
def files_copy(tx: Transaction, source: FileOrFolder, target: Target) -> Result[FilePaths]:
    """Copy a file or folder to a path that does not exist yet, e.g. from the drive to the
    workspace. Missing folders are created.

    You can read files without copying them.
    """
    made = tuple(info.path for info in Files(tx).copy(source, target))
    return Result(f"Copied to {_in_words(made)}.", FilePaths(paths=made))


@TOOLS.tool(destructive=True, files=FileUse.CHANGES, copies=True)
def files_move(tx: Transaction, source: FileOrFolder, target: Target) -> Result[FilePaths]:
    """Move or rename a file or folder. Missing folders are created."""
    made = tuple(info.path for info in Files(tx).move(source, target))
    return Result(f"Moved to {_in_words(made)}.", FilePaths(paths=made))


@TOOLS.tool(destructive=True, files=FileUse.DELETES)
def files_delete(tx: Transaction, path: FileOrFolder) -> Result[FilePaths]:
    """Permanently delete a file, or a folder of your workspace with everything in it."""
    gone = Files(tx).delete(path)
    return Result(f"Deleted {_in_words(gone)}.", FilePaths(paths=gone))


@TOOLS.tool(read_only=True, expensive=True, effort=1)
def files_search(
    tx: Transaction,
    query: Annotated[str, Field(description="Part of a name or line; case is ignored")],
    folder: Annotated[str, Field(description="Folder or file; default: everywhere")] = "",
    cursor: Cursor = 0,
) -> Result[SearchPage]:
    """Search file names and the lines of text files. Long lists come in pages; the last line of
    the result says how to continue."""
    hits = Files(tx).search(query, folder)
    _check_cursor(cursor, len(hits))
    page = hits[cursor : cursor + PAGE_HITS]
    more = _next(cursor, len(page), len(hits))
    lines = [f"{hit.path}:{hit.line}: {hit.text}" if hit.line else hit.path for hit in page]
    if len(hits) == MAX_HITS:
        lines.append(f"(stopped at {MAX_HITS:,} hits; use a longer query or search in a folder)")
    text = "\n".join([*lines, *_more_line(more, len(hits))]) or "Nothing found."
    return Result(text, SearchPage(hits=page, total=len(hits), next_cursor=more))


@TOOLS.tool(read_only=True)
def files_info(tx: Transaction, path: FilePath) -> Result[FileDetails]:
    """Show a file's kind, size, number of lines, and when it was last changed (and by whom, if
    known)."""
    info = Files(tx).info(path)
    details = FileDetails(
        path=info.path,
        kind=info.kind,
        size=shown_size(info.kind, info.size),
        lines=len(_lines(Files(tx).text(path))) if info.kind is FileKind.TEXT else None,
        changed=info.changed,
        changed_by=info.changed_by,
    )
    counted = ""
    if details.lines is not None:
        counted = ", 1 line" if details.lines == 1 else f", {details.lines:,} lines"
    who = f" by {info.changed_by}" if info.changed_by else ""
    text = f"{info.path}: {info.kind}{_in_bytes(details.size)}{counted}; last changed "
    return Result(f"{text}{info.changed:%Y-%m-%d %H:%M}{who}", details)


def shown_size(kind: str, size: int) -> int | None:
    """Return the *size* to show of a file or folder of this *kind*.

    It is None for pictures, since a stored drawing has the size of its picture only when it is
    viewed, and for folders, which may have pictures in them.
    """
    return None if kind in (FileKind.PICTURE, "folder") else size


def _in_bytes(size: int | None) -> str:
    return "" if size is None else f", {size:,} B"


def _lines(text: str) -> list[str]:
    """Split *text* into lines with their ends; only a line feed ends a line."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _page(path: str, lines: list[str], offset: int, limit: int, column: int) -> TextPage:
    """Return as many whole lines as fit into a page, or part of a line that is too long itself."""
    budget = float(PAGE_TOKENS)
    taken: list[str] = []
    ends = min(len(lines), offset + limit)
    at, start = offset, column
    while at < ends:
        line = lines[at][start:]
        cost = estimate_tokens(line)
        if cost > budget:
            break
        taken.append(line)
        budget -= cost
        at, start = at + 1, 0
    if at < ends and not taken:
        part = _beginning(lines[at][start:])
        taken.append(part)
        start += len(part)
    over = at >= len(lines)
    return TextPage(
        path=path,
        text="".join(taken),
        offset=offset,
        total_lines=len(lines),
        next_offset=None if over else at,
        next_column=None if over else start,
    )


def _beginning(line: str) -> str:
    """Return a beginning of *line* that fits into a page, found by halving."""
    part = line[: 4 * PAGE_TOKENS]
    while estimate_tokens(part) > PAGE_TOKENS:
        part = part[: len(part) // 2]
    return part


def _check_cursor(cursor: int, total: int) -> None:
    if cursor and cursor >= total:
        raise Invalid(f"There are only {total}; start without a cursor.")


def _next(cursor: int, shown: int, total: int) -> int | None:
    return cursor + shown if shown and cursor + shown < total else None


def _more_line(cursor: int | None, total: int) -> list[str]:
    return [] if cursor is None else [f"({cursor} of {total}; continue with cursor={cursor})"]


def _in_words(paths: tuple[str, ...]) -> str:
    return paths[0] if len(paths) == 1 else f"{len(paths)} files, starting with {paths[0]}"
