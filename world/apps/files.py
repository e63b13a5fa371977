"""Files: the company's shared drive, and everyone's own workspace.

A file is text, a workbook (canonical JSON, written by the sheets app), a picture or other bytes.
Folders exist while they contain files. Everyone may change everything, but a
changed or missing staged file counts as damage.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator

from trainee_bench.world.errors import Invalid, NotFound, Refused
from trainee_bench.world.filesystem import store
from trainee_bench.world.filesystem.content import (
    READ_HINTS,
    FileContent,
    FileKind,
    TextLines,
    content_from_bytes,
    drawing_content,
    picture_media_type,
)
from trainee_bench.world.filesystem.paths import VirtualPath, parse_file_path, parse_folder_path
from trainee_bench.world.filesystem.store import FileInfo, FileStore
from trainee_bench.world.folding import composed, folded
from trainee_bench.world.pictures.render import AnyDrawing
from trainee_bench.world.transaction import Event, Transaction

SCHEMA = store.SCHEMA
MAX_FILES_AT_ONCE = 500
MAX_HITS = 1_000
"""The number of hits at which a search stops; a narrower query finds the rest."""
_EXCERPT = 160
"""Maximum characters of a line that a search shows."""
Paths = list[str]


class FolderEntry(BaseModel, frozen=True):
    """A line of a folder's listing: a file, or a folder with the bytes in it."""

    path: str
    kind: str
    """A file's kind, or "folder"."""
    size: int


class SearchHit(BaseModel, frozen=True):
    """A place where a search found something: a file, and the line of its text (0: its name)."""

    path: str
    line: int
    text: str


class Replacement(BaseModel, frozen=True, extra="forbid"):
    """A passage that occurs exactly once, and its replacement."""

    old: str
    new: str


class Files:
    """The files as the actor sees them, or as the employee does in events and checkpoints.

    Every verb raises Invalid for a malformed path.
    """

    def __init__(self, tx: Transaction):
        self._store = FileStore(tx)

    # reading --------------------------------------------------------------------------

    def exists(self, path: str) -> bool:
        """Whether there is a file at *path*."""
        return self._store.info(parse_file_path(path)) is not None

    def info(self, path: str) -> FileInfo:
        """Return the file at *path* without its content. Raises NotFound."""
        return self._store.require(parse_file_path(path))

    def content(self, path: str) -> FileContent:
        """Return the content of the file at *path*, whatever its kind. Raises NotFound."""
        at = parse_file_path(path)
        content = self._store.content(at)
        if content is None:
            self._store.require(at)
            raise AssertionError(f"{at} has a row and no content")
        return content

    def text(self, path: str) -> str:
        """Return the text at *path*. Raises NotFound, also if the file is not a text."""
        return self._of_kind(path, FileKind.TEXT).data.decode()

    def workbook(self, path: str) -> str:
        """Return the canonical JSON of the workbook at *path*. Raises NotFound."""
        return self._of_kind(path, FileKind.WORKBOOK).data.decode()

    def picture(self, path: str) -> tuple[bytes, str]:
        """Return the picture at *path* and its media type. Raises NotFound."""
        data = self._of_kind(path, FileKind.PICTURE).shown
        return data, picture_media_type(data)

    def data(self, path: str) -> bytes:
        """Return the bytes at *path*. Raises NotFound, also for a workbook, which has none."""
        content = self.content(path)
        if content.kind is FileKind.WORKBOOK:
            raise NotFound(f"{path} cannot be read as bytes: {READ_HINTS[content.kind]}.")
        return content.shown

    def list(self, folder: str) -> tuple[FolderEntry, ...]:
        """List what is directly in *folder*, folders first, by name.

        Raises NotFound if there is no such folder; drive:/ and workspace:/ always exist.
        """
        at = parse_folder_path(folder)
        files: dict[str, FolderEntry] = {}
        folders: dict[str, int] = {}
        for info in self._store.within(at):
            parts = parse_file_path(info.path).parts[: len(at.parts) + 1]
            inner = str(VirtualPath(at.place, parts))
            if inner == info.path:
                files[inner] = FolderEntry(path=inner, kind=info.kind, size=info.size)
            else:
                folders[inner] = folders.get(inner, 0) + info.size
        if at.parts and not files and not folders:
            if self._store.info(at) is not None:
                raise NotFound(f"{at} is a file, not a folder; files_info shows its details.")
            raise NotFound(f"There is no folder {at}. Begin with files_list of {at.place}:/.")
        shown = [FolderEntry(path=path, kind="folder", size=size) for path, size in folders.items()]
        return (*shown, *files.values())

    def files_within(self, folder: str) -> tuple[FileInfo, ...]:
        """Return every file in *folder* and its subfolders, by path."""
        return self._store.within(parse_folder_path(folder))

    def search(self, query: str, place: str = "") -> tuple[SearchHit, ...]:
        """Find *query* in names and in lines of text, ignoring case; hits are sorted by path and
        line.

        *place* is a file or a folder, "" for the drive and the workspace. The search stops at
        MAX_HITS. Raises Invalid for an empty query, NotFound if there is no such place.
        """
        wanted = folded(query.strip())
        if not wanted:
            raise Invalid("Give a word, or part of a word, to search for.")
        found: list[SearchHit] = []
        for root in [place] if place else ["drive:/", "workspace:/"]:
            for info in self._searched(root, wanted):
                name = parse_file_path(info.path).name
                if wanted in folded(name):
                    found.append(SearchHit(path=info.path, line=0, text=name))
                if info.kind is FileKind.TEXT:
                    hits = _hits(info.path, self.text(info.path), wanted)
                    found += islice(hits, MAX_HITS - len(found))
                if len(found) >= MAX_HITS:
                    return tuple(found)
        return tuple(found)

    def _searched(self, place: str, wanted: str) -> Iterable[FileInfo]:
        """Return the files to search for *wanted*: one file, or the files of a folder that may
        contain it.

        Raises NotFound.
        """
        at = parse_folder_path(place)
        info = self._store.info(at) if at.parts else None
        if info is not None:
            return (info,)
        if at.parts and not self._store.is_folder(at):
            raise NotFound(f"There is no file or folder {at}. Look for it with files_list.")
        return self._store.within_holding(at, wanted)

    def was_staged(self, path: str) -> bool:
        """Whether a scenario has put a file at *path* on the drive, even if it is gone."""
        return self._store.was_staged(parse_file_path(path))

    def changed_drive_files(self) -> Paths:
        """Return the paths of staged drive files that were changed, moved or deleted.

        Files that were restored count too: others may have read them meanwhile.
        """
        return [str(at) for at in self._store.disturbed()]

    def published_by(self, person: str) -> Paths:
        """Return the drive paths at which *person* has ever left a file, even if it is gone."""
        return [str(at) for at in self._store.published_by(person)]

    def published_versions(self, path: str, person: str) -> tuple[FileContent, ...]:
        """Return every content that *person* has ever left at a drive path, oldest first."""
        return self._store.published_versions(parse_file_path(path), person)

    # changing -------------------------------------------------------------------------

    def write_text(self, path: str, text: str) -> FileInfo:
        """Write a text, replacing an existing file. Raises Refused (see `put`)."""
        return self.put(path, FileContent(kind=FileKind.TEXT, data=text.encode()))

    def write_data(self, path: str, data: bytes) -> FileInfo:
        """Write bytes, replacing an existing file: a picture, a text if they are UTF-8, or other
        bytes.

        Raises Refused (see `put`).
        """
        return self.put(path, content_from_bytes(data))

    def write_workbook(self, path: str, canonical: str) -> FileInfo:
        """Write a workbook's canonical JSON (from the sheets app), replacing an existing file.

        Raises Refused (see `put`).
        """
        return self.put(path, FileContent(kind=FileKind.WORKBOOK, data=canonical.encode()))

    def put(self, path: str, content: FileContent) -> FileInfo:
        """Write *content*, replacing an existing file.

        Raises Refused if the file name's extension belongs to another kind, a file or folder is in
        the way, or there is no room.
        """
        return self._store.put(parse_file_path(path), content)

    def edit(self, path: str, replacements: Sequence[Replacement]) -> FileInfo:
        """Make all *replacements* in order, or none.

        Raises Refused if an old text does not occur exactly once in the text as the earlier
        replacements left it. Raises Invalid if there are no replacements, or one has no old text.
        Line ends match whether written as LF or as CRLF, and stay as they are in the file.
        """
        text = self.text(path)
        if not replacements:
            raise Invalid("Give the text to replace, or write a whole file with files_write.")
        for number, replacement in enumerate(replacements, 1):
            which = f"Replacement {number}: that" if len(replacements) > 1 else "That"
            if not replacement.old:
                raise Invalid(f"{which} text is empty; write a whole file with files_write.")
            places = TextLines(text)
            count = places.count(replacement.old)
            if count != 1:
                times = "does not occur" if count == 0 else f"occurs {count} times"
                step = "read it and quote it exactly" if count == 0 else "quote more around it"
                raise Refused(f"{which} text {times} in {path}; {step}. Nothing was changed.")
            text = places.replaced(replacement.old, replacement.new)
        return self.write_text(path, text)

    def copy(self, source: str, target: str) -> tuple[FileInfo, ...]:
        """Copy a file, or a folder with everything in it, to a new path or into a folder.

        Returns the new files. Raises NotFound, and Refused if the target exists.
        """
        pairs = self._pairs(parse_folder_path(source), target)
        return tuple(self.put(str(new), self.content(str(old))) for old, new in pairs)

    def move(self, source: str, target: str) -> tuple[FileInfo, ...]:
        """Move a file or folder, with the same arguments and errors as `copy`."""
        pairs = self._pairs(parse_folder_path(source), target)
        moved = tuple(self.put(str(new), self.content(str(old))) for old, new in pairs)
        for old, _ in pairs:
            self._store.remove(old)
        return moved

    def delete(self, path: str) -> tuple[str, ...]:
        """Delete a file, or a workspace folder with everything in it; returns the deleted paths.

        Raises NotFound, and Refused for a folder of the drive.
        """
        at = parse_folder_path(path)
        sources = self._sources(at)
        if at.place == "drive" and sources != [at]:
            raise Refused("Folders on the shared drive cannot be deleted; delete files one by one.")
        for source in sources:
            self._store.remove(source)
        return tuple(str(source) for source in sources)

    # helpers --------------------------------------------------------------------------

    def _of_kind(self, path: str, kind: FileKind) -> FileContent:
        content = self.content(path)
        if content.kind is not kind:
            raise NotFound(f"{path} is not a {kind}: {READ_HINTS[content.kind]}.")
        return content

    def _sources(self, at: VirtualPath) -> Sources:
        """Return the file *at*, or all files in the folder *at*. Raises NotFound, Refused."""
        if not at.parts:
            raise Refused(f"{at} is the top folder; name a file or folder in it.")
        if self._store.info(at) is not None:
            return [at]
        found = [parse_file_path(info.path) for info in self._store.within(at)]
        if not found:
            raise NotFound(f"There is no file or folder {at}. Look for it with files_list.")
        if len(found) > MAX_FILES_AT_ONCE:
            raise Refused(
                f"{at} contains {len(found)} files; the maximum at once is {MAX_FILES_AT_ONCE}."
            )
        return found

    def _pairs(self, source: VirtualPath, target: str) -> Pairs:
        """Pair each source file with its target. Raises NotFound, Refused."""
        sources = self._sources(source)
        to = parse_folder_path(target)
        if target.endswith("/") or self._store.within(to):
            to = VirtualPath(to.place, (*to.parts, source.name))
        if self._store.info(to) is not None or self._store.within(to):
            raise Refused(f"{to} already exists; choose another name, or delete it first.")
        if source.holds(to):
            raise Refused(f"{to} is inside {source} itself; choose another folder.")
        depth = len(source.parts)
        new = [VirtualPath(to.place, (*to.parts, *old.parts[depth:])) for old in sources]
        return list(zip(sources, new, strict=True))


Sources = list[VirtualPath]
Pairs = list[tuple[VirtualPath, VirtualPath]]


class FileAppears(Event):
    """A file appears somewhere: a text, or bytes in base64.

    With *once*, nothing happens if a file was staged there before. So several tasks can bring the
    same page, and the first task's file is used.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    text: str | None = None
    data_base64: str | None = None
    once: bool = False

    @model_validator(mode="after")
    def _has_one_content(self) -> Self:
        if (self.text is None) == (self.data_base64 is None):
            raise ValueError("a file that appears needs either text or data_base64")
        return self

    def fire(self, tx: Transaction) -> None:
        """Write the file, replacing an existing one."""
        if self.once and Files(tx).was_staged(self.path):
            return
        if self.text is not None:
            Files(tx).write_text(self.path, self.text)
        elif self.data_base64 is not None:
            Files(tx).write_data(self.path, base64.b64decode(self.data_base64, validate=True))


class PictureAppears(Event):
    """A drawn picture appears somewhere, under a name that ends in .png."""

    path: str
    drawing: AnyDrawing

    def fire(self, tx: Transaction) -> None:
        """Write the picture, replacing an existing file."""
        Files(tx).put(self.path, drawing_content(self.drawing))


def has_pictures(tx: Transaction) -> bool:
    """Whether the office has a picture, or gets one by an event that is still to come."""
    kind = PictureAppears.__name__
    return bool(
        tx.rows(
            "SELECT 1 FROM file WHERE kind = ? UNION ALL "
            "SELECT 1 FROM event WHERE kind = ? OR instr(body, ?) UNION ALL "
            "SELECT 1 FROM consequence WHERE kind = ? OR instr(body, ?) LIMIT 1",
            FileKind.PICTURE,
            *(kind, kind) * 2,
        )
    )


def _hits(path: str, text: str, wanted: str) -> Iterator[SearchHit]:
    if wanted not in folded(text):
        return
    for number, line in enumerate(text.split("\n"), 1):
        if (at := folded(line).find(wanted)) >= 0:
            yield SearchHit(path=path, line=number, text=_excerpt(composed(line), at))


def _excerpt(line: str, at: int) -> str:
    """Return at most _EXCERPT characters of the composed line around the place *at* (of the folded
    line)."""
    if len(line) <= _EXCERPT:
        return line.strip()
    place = seen = 0
    while seen < at:  # folding may turn one letter into several
        seen += len(folded(line[place]))
        place += 1
    start = min(max(0, place - _EXCERPT // 3), len(line) - _EXCERPT)
    part = line[start : start + _EXCERPT].strip()
    return ("…" if start else "") + part + ("…" if start + _EXCERPT < len(line) else "")
