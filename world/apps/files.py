"""Files: the company's drive, shared by all, and everybody's own workspace.

A file is text, a workbook (canonical JSON, written by the sheets app), a picture or other
bytes. Folders exist while files are in them. Everybody may change the drive, as on a real
one; what was staged there and is no longer as it was is damage.
"""

from __future__ import annotations

import base64
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator

from world import file_store
from world.errors import Invalid, NotFound, Refused
from world.event import Event
from world.file_kinds import HOW_TO_READ, Content, Kind, content_of, drawing, media_type
from world.file_store import FileInfo, FileStore
from world.paths import VirtualPath, parse_file, parse_folder
from world.pictures.catalogue import AnyDrawing
from world.turn import Turn

SCHEMA = file_store.SCHEMA
MAX_FILES_AT_ONCE = 500
Paths = list[str]


class Entry(BaseModel, frozen=True):
    """A line of a folder's listing: a file, or a folder with the bytes within it."""

    path: str
    kind: str
    """A file's kind, or "folder"."""
    size: int


class Hit(BaseModel, frozen=True):
    """Where a search found something: a file, and the line of its text (0: its name)."""

    path: str
    line: int
    text: str


class Files:
    """The files as whoever acts sees them; in events and checkpoints, the employee.

    Every verb raises Invalid for what is no path.
    """

    def __init__(self, turn: Turn):
        self._store = FileStore(turn)

    # looking --------------------------------------------------------------------------

    def exists(self, path: str) -> bool:
        """Whether there is a file at *path*."""
        return self._store.info(parse_file(path)) is not None

    def info(self, path: str) -> FileInfo:
        """The file at *path* without its content. Raises NotFound."""
        return self._store.found(parse_file(path))

    def content(self, path: str) -> Content:
        """What is in the file at *path*, whatever its kind. Raises NotFound."""
        at = parse_file(path)
        content = self._store.content(at)
        if content is None:
            self._store.found(at)
            raise AssertionError(f"{at} has a row and no content")
        return content

    def text(self, path: str) -> str:
        """The text at *path*. Raises NotFound, also if the file there is not a text."""
        return self._of_kind(path, Kind.TEXT).data.decode()

    def workbook(self, path: str) -> str:
        """The canonical JSON of the workbook at *path*. Raises NotFound."""
        return self._of_kind(path, Kind.WORKBOOK).data.decode()

    def picture(self, path: str) -> tuple[bytes, str]:
        """The picture at *path* and its media type. Raises NotFound."""
        data = self._of_kind(path, Kind.PICTURE).shown
        return data, media_type(data)

    def data(self, path: str) -> bytes:
        """The bytes at *path*. Raises NotFound, also for a workbook, which has none."""
        content = self.content(path)
        if content.kind is Kind.WORKBOOK:
            raise NotFound(f"{path} has no bytes of its own: {HOW_TO_READ[content.kind]}.")
        return content.shown

    def list(self, folder: str) -> tuple[Entry, ...]:
        """What lies directly in *folder*, folders first, by name.

        Raises NotFound if there is no such folder; a place's own folder is always there.
        """
        at = parse_folder(folder)
        files: dict[str, Entry] = {}
        folders: dict[str, int] = {}
        for info in self._store.within(at):
            parts = parse_file(info.path).parts[: len(at.parts) + 1]
            inner = str(VirtualPath(at.place, parts))
            if inner == info.path:
                files[inner] = Entry(path=inner, kind=info.kind, size=info.size)
            else:
                folders[inner] = folders.get(inner, 0) + info.size
        if at.parts and not files and not folders:
            if self._store.info(at) is not None:
                raise NotFound(f"{at} is a file, not a folder; files_info tells more.")
            raise NotFound(f"There is no folder {at}. Begin with files_list of {at.place}:/.")
        shown = [Entry(path=path, kind="folder", size=size) for path, size in folders.items()]
        return (*shown, *files.values())

    def files_within(self, folder: str) -> tuple[FileInfo, ...]:
        """Every file in *folder* and the folders in it, by path; perhaps none."""
        return self._store.within(parse_folder(folder))

    def search(self, query: str, folder: str = "") -> tuple[Hit, ...]:
        """Where *query* occurs in names and in lines of text, in any case, by path and line.

        Without *folder*: on the drive and in the workspace. Raises Invalid for an empty query.
        """
        wanted = query.strip().casefold()
        if not wanted:
            raise Invalid("Say what to search for: a word, or a part of one.")
        hits: list[Hit] = []
        for place in [folder] if folder else ["drive:/", "workspace:/"]:
            for info in self.files_within(place):
                name = parse_file(info.path).name
                if wanted in name.casefold():
                    hits.append(Hit(path=info.path, line=0, text=name))
                if info.kind is Kind.TEXT:
                    hits += _hits(info.path, self.text(info.path), wanted)
        return tuple(hits)

    def changed_drive_files(self) -> Paths:
        """Files staged on the drive that are not there any more as they were, by path."""
        changed = []
        for at, staged in self._store.staged().items():
            content = self._store.content(at)
            if content is None or (content.kind, content.sha256) != staged:
                changed.append(str(at))
        return changed

    # changing -------------------------------------------------------------------------

    def write_text(self, path: str, text: str) -> FileInfo:
        """Write a text, in place of what was there. Raises Refused (see `put`)."""
        return self.put(path, Content(kind=Kind.TEXT, data=text.encode()))

    def write_data(self, path: str, data: bytes) -> FileInfo:
        """Write bytes, in place of what was there: a picture, a text if they are UTF-8, or
        other. Raises Refused (see `put`)."""
        return self.put(path, content_of(data))

    def write_workbook(self, path: str, canonical: str) -> FileInfo:
        """Write a workbook's canonical JSON (the sheets app's), in place of what was there.

        Raises Refused (see `put`).
        """
        return self.put(path, Content(kind=Kind.WORKBOOK, data=canonical.encode()))

    def put(self, path: str, content: Content) -> FileInfo:
        """Write *content*, in place of what was there.

        Raises Refused if the name's ending belongs to another kind, a file or folder is in
        the way, or there is no room.
        """
        return self._store.put(parse_file(path), content)

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
        pairs = self._pairs(parse_folder(source), target)
        return tuple(self.put(str(new), self.content(str(old))) for old, new in pairs)

    def move(self, source: str, target: str) -> tuple[FileInfo, ...]:
        """Like copy, and the source is gone afterwards."""
        pairs = self._pairs(parse_folder(source), target)
        moved = tuple(self.put(str(new), self.content(str(old))) for old, new in pairs)
        for old, _ in pairs:
            self._store.remove(old)
        return moved

    def delete(self, path: str) -> tuple[str, ...]:
        """Delete a file, or a workspace's folder with all in it; the paths deleted.

        Raises NotFound, and Refused for a folder of the drive.
        """
        at = parse_folder(path)
        sources = self._sources(at)
        if at.place == "drive" and sources != [at]:
            raise Refused("Folders of the shared drive are not deleted; name one file in it.")
        for source in sources:
            self._store.remove(source)
        return tuple(str(source) for source in sources)

    # how ------------------------------------------------------------------------------

    def _of_kind(self, path: str, kind: Kind) -> Content:
        content = self.content(path)
        if content.kind is not kind:
            raise NotFound(f"{path} is no {kind}: {HOW_TO_READ[content.kind]}.")
        return content

    def _sources(self, at: VirtualPath) -> Sources:
        """The file *at*, or all files in the folder *at*. Raises NotFound, Refused."""
        if not at.parts:
            raise Refused(f"{at} is a whole place; name a file or a folder in it.")
        if self._store.info(at) is not None:
            return [at]
        found = [parse_file(info.path) for info in self._store.within(at)]
        if not found:
            raise NotFound(f"There is no file or folder {at}. files_list shows what there is.")
        if len(found) > MAX_FILES_AT_ONCE:
            raise Refused(f"{at} holds {len(found)} files; {MAX_FILES_AT_ONCE} at once are most.")
        return found

    def _pairs(self, source: VirtualPath, target: str) -> Pairs:
        """Which file goes where. Raises NotFound, Refused."""
        sources = self._sources(source)
        to = parse_folder(target)
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

    def happen(self, turn: Turn) -> None:
        """Put it there, in place of what was there."""
        if self.text is not None:
            Files(turn).write_text(self.path, self.text)
        elif self.data_base64 is not None:
            Files(turn).write_data(self.path, base64.b64decode(self.data_base64, validate=True))


class PictureAppears(Event):
    """A drawn picture is put somewhere, under a name that ends in .png."""

    path: str
    drawing: AnyDrawing

    def happen(self, turn: Turn) -> None:
        """Put it there, in place of what was there."""
        Files(turn).put(self.path, drawing(self.drawing))


def _hits(path: str, text: str, wanted: str) -> list[Hit]:
    if wanted not in text.casefold():
        return []
    return [
        Hit(path=path, line=number, text=line.strip()[:160])
        for number, line in enumerate(text.split("\n"), 1)
        if wanted in line.casefold()
    ]
