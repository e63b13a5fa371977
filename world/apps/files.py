"""Files: the company's drive, shared by all, and everybody's own workspace.

A file is text, a workbook (canonical JSON, written by the sheets app), a picture or other
bytes. Folders exist while files are in them. As on a real drive, everybody may change
everything; a changed or missing staged file counts as damage.
"""

from __future__ import annotations

import base64
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator

from trainee_bench.world.errors import Invalid, NotFound, Refused
from trainee_bench.world.filesystem import store
from trainee_bench.world.filesystem.content import (
    READ_HINTS,
    FileContent,
    FileKind,
    content_from_bytes,
    drawing_content,
    picture_media_type,
)
from trainee_bench.world.filesystem.paths import VirtualPath, parse_file_path, parse_folder_path
from trainee_bench.world.filesystem.store import FileInfo, FileStore
from trainee_bench.world.pictures.drawing_types import AnyDrawing
from trainee_bench.world.transaction import Event, Transaction

SCHEMA = store.SCHEMA
MAX_FILES_AT_ONCE = 500
Paths = list[str]


class FolderEntry(BaseModel, frozen=True):
    """A line of a folder's listing: a file, or a folder with the bytes within it."""

    path: str
    kind: str
    """A file's kind, or "folder"."""
    size: int


class SearchHit(BaseModel, frozen=True):
    """Where a search found something: a file, and the line of its text (0: its name)."""

    path: str
    line: int
    text: str


class Files:
    """The files as the actor sees them; in events and checkpoints, as the employee does.

    Every verb raises Invalid for a malformed path.
    """

    def __init__(self, tx: Transaction):
        self._store = FileStore(tx)

    # looking --------------------------------------------------------------------------

    def exists(self, path: str) -> bool:
        """Whether there is a file at *path*."""
        return self._store.info(parse_file_path(path)) is not None

    def info(self, path: str) -> FileInfo:
        """The file at *path* without its content. Raises NotFound."""
        return self._store.require(parse_file_path(path))

    def content(self, path: str) -> FileContent:
        """What is in the file at *path*, whatever its kind. Raises NotFound."""
        at = parse_file_path(path)
        content = self._store.content(at)
        if content is None:
            self._store.require(at)
            raise AssertionError(f"{at} has a row and no content")
        return content

    def text(self, path: str) -> str:
        """The text at *path*. Raises NotFound, also if the file there is not a text."""
        return self._of_kind(path, FileKind.TEXT).data.decode()

    def workbook(self, path: str) -> str:
        """The canonical JSON of the workbook at *path*. Raises NotFound."""
        return self._of_kind(path, FileKind.WORKBOOK).data.decode()

    def picture(self, path: str) -> tuple[bytes, str]:
        """The picture at *path* and its media type. Raises NotFound."""
        data = self._of_kind(path, FileKind.PICTURE).shown
        return data, picture_media_type(data)

    def data(self, path: str) -> bytes:
        """The bytes at *path*. Raises NotFound, also for a workbook, which has none."""
        content = self.content(path)
        if content.kind is FileKind.WORKBOOK:
            raise NotFound(f"{path} has no bytes of its own: {READ_HINTS[content.kind]}.")
        return content.shown

    def list(self, folder: str) -> tuple[FolderEntry, ...]:
        """What lies directly in *folder*, folders first, by name.

        Raises NotFound if there is no such folder; a place's own folder is always there.
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
                raise NotFound(f"{at} is a file, not a folder; files_info tells more.")
            raise NotFound(f"There is no folder {at}. Begin with files_list of {at.place}:/.")
        shown = [FolderEntry(path=path, kind="folder", size=size) for path, size in folders.items()]
        return (*shown, *files.values())

    def files_within(self, folder: str) -> tuple[FileInfo, ...]:
        """Every file in *folder* and the folders in it, by path; perhaps none."""
        return self._store.within(parse_folder_path(folder))

    def search(self, query: str, folder: str = "") -> tuple[SearchHit, ...]:
        """Where *query* occurs in names and in lines of text, in any case, by path and line.

        Without *folder*: on the drive and in the workspace. Raises Invalid for an empty query.
        """
        wanted = query.strip().casefold()
        if not wanted:
            raise Invalid("Say what to search for: a word, or a part of one.")
        hits: list[SearchHit] = []
        for place in [folder] if folder else ["drive:/", "workspace:/"]:
            for info in self.files_within(place):
                name = parse_file_path(info.path).name
                if wanted in name.casefold():
                    hits.append(SearchHit(path=info.path, line=0, text=name))
                if info.kind is FileKind.TEXT:
                    hits += _hits(info.path, self.text(info.path), wanted)
        return tuple(hits)

    def changed_drive_files(self) -> Paths:
        """Staged drive files that somebody has changed, moved or deleted, by path, even if they
        are again as they were: others may have read them meanwhile."""
        return [str(at) for at in self._store.disturbed()]

    # changing -------------------------------------------------------------------------

    def write_text(self, path: str, text: str) -> FileInfo:
        """Write a text, in place of what was there. Raises Refused (see `put`)."""
        return self.put(path, FileContent(kind=FileKind.TEXT, data=text.encode()))

    def write_data(self, path: str, data: bytes) -> FileInfo:
        """Write bytes, in place of what was there: a picture, a text if they are UTF-8, or
        other. Raises Refused (see `put`)."""
        return self.put(path, content_from_bytes(data))

    def write_workbook(self, path: str, canonical: str) -> FileInfo:
        """Write a workbook's canonical JSON (the sheets app's), in place of what was there.

        Raises Refused (see `put`).
        """
        return self.put(path, FileContent(kind=FileKind.WORKBOOK, data=canonical.encode()))

    def put(self, path: str, content: FileContent) -> FileInfo:
        """Write *content*, in place of what was there.

        Raises Refused if the name's ending belongs to another kind, a file or folder is in
        the way, or there is no room.
        """
        return self._store.put(parse_file_path(path), content)

    def edit(self, path: str, old: str, new: str) -> FileInfo:
        """Replace *old*, which must occur exactly once, by *new*. Raises Refused otherwise."""
        text = self.text(path)
        if not old:
            raise Invalid("Say which text to replace; files_write writes a whole file.")
        count = text.count(old)
        if count == 0:
            raise Refused(f"That text does not occur in {path}; read it and quote it exactly.")
        if count > 1:
            raise Refused(f"That text occurs {count} times in {path}; quote more around it.")
        return self.write_text(path, text.replace(old, new))

    def copy(self, source: str, target: str) -> tuple[FileInfo, ...]:
        """Copy a file, or a folder with all in it, to a new path or into a folder.

        Returns the files made. Raises NotFound, and Refused if the target exists.
        """
        pairs = self._pairs(parse_folder_path(source), target)
        return tuple(self.put(str(new), self.content(str(old))) for old, new in pairs)

    def move(self, source: str, target: str) -> tuple[FileInfo, ...]:
        """Like copy, and the source is gone afterwards."""
        pairs = self._pairs(parse_folder_path(source), target)
        moved = tuple(self.put(str(new), self.content(str(old))) for old, new in pairs)
        for old, _ in pairs:
            self._store.remove(old)
        return moved

    def delete(self, path: str) -> tuple[str, ...]:
        """Delete a file, or a workspace's folder with all in it; the paths deleted.

        Raises NotFound, and Refused for a folder of the drive.
        """
        at = parse_folder_path(path)
        sources = self._sources(at)
        if at.place == "drive" and sources != [at]:
            raise Refused("Folders of the shared drive are not deleted; name one file in it.")
        for source in sources:
            self._store.remove(source)
        return tuple(str(source) for source in sources)

    # how ------------------------------------------------------------------------------

    def _of_kind(self, path: str, kind: FileKind) -> FileContent:
        content = self.content(path)
        if content.kind is not kind:
            raise NotFound(f"{path} is no {kind}: {READ_HINTS[content.kind]}.")
        return content

    def _sources(self, at: VirtualPath) -> Sources:
        """The file *at*, or all files in the folder *at*. Raises NotFound, Refused."""
        if not at.parts:
            raise Refused(f"{at} is a whole place; name a file or a folder in it.")
        if self._store.info(at) is not None:
            return [at]
        found = [parse_file_path(info.path) for info in self._store.within(at)]
        if not found:
            raise NotFound(f"There is no file or folder {at}. files_list shows what there is.")
        if len(found) > MAX_FILES_AT_ONCE:
            raise Refused(f"{at} holds {len(found)} files; {MAX_FILES_AT_ONCE} at once are most.")
        return found

    def _pairs(self, source: VirtualPath, target: str) -> Pairs:
        """Which file goes where. Raises NotFound, Refused."""
        sources = self._sources(source)
        to = parse_folder_path(target)
        if target.endswith("/") or self._store.within(to):
            to = VirtualPath(to.place, (*to.parts, source.name))
        if self._store.info(to) is not None or self._store.within(to):
            raise Refused(f"{to} exists already; choose another name, or delete it first.")
        if source.holds(to):
            raise Refused(f"{to} lies within {source} itself; choose another folder.")
        depth = len(source.parts)
        new = [VirtualPath(to.place, (*to.parts, *old.parts[depth:])) for old in sources]
        return list(zip(sources, new, strict=True))


Sources = list[VirtualPath]
Pairs = list[tuple[VirtualPath, VirtualPath]]


class FileAppears(Event):
    """A file is put somewhere: a text, or bytes in base64."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    text: str | None = None
    data_base64: str | None = None

    @model_validator(mode="after")
    def _has_one_content(self) -> Self:
        if (self.text is None) == (self.data_base64 is None):
            raise ValueError("a file that appears has either text or data_base64")
        return self

    def fire(self, tx: Transaction) -> None:
        """Put it there, in place of what was there."""
        if self.text is not None:
            Files(tx).write_text(self.path, self.text)
        elif self.data_base64 is not None:
            Files(tx).write_data(self.path, base64.b64decode(self.data_base64, validate=True))


class PictureAppears(Event):
    """A drawn picture is put somewhere, under a name that ends in .png."""

    path: str
    drawing: AnyDrawing

    def fire(self, tx: Transaction) -> None:
        """Put it there, in place of what was there."""
        Files(tx).put(self.path, drawing_content(self.drawing))


def _hits(path: str, text: str, wanted: str) -> list[SearchHit]:
    if wanted not in text.casefold():
        return []
    return [
        SearchHit(path=path, line=number, text=line.strip()[:160])
        for number, line in enumerate(text.split("\n"), 1)
        if wanted in line.casefold()
    ]
