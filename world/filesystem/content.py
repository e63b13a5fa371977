"""The kinds of file content, their file extensions, and how to read each kind."""

from __future__ import annotations

import hashlib
from enum import StrEnum

from pydantic import BaseModel

from trainee_bench.world.errors import Refused
from trainee_bench.world.filesystem.paths import VirtualPath
from trainee_bench.world.pictures.drawing import Drawing
from trainee_bench.world.pictures.drawing_types import serialize_drawing
from trainee_bench.world.pictures.render import render_stored_drawing


class FileKind(StrEnum):
    """Names ending in .xlsx are workbooks, in .png, .jpg and .jpeg pictures; others are texts
    if their bytes are UTF-8, else binary."""

    TEXT = "text"
    WORKBOOK = "workbook"
    PICTURE = "picture"
    BINARY = "binary"


READ_HINTS = {
    FileKind.TEXT: "it is a text; read it with files_read",
    FileKind.WORKBOOK: "it is a workbook; read it with the sheets tools",
    FileKind.PICTURE: "it is a picture; look at it with files_view_image",
    FileKind.BINARY: "it is neither text nor picture, and can only be copied, moved or deleted",
}
_KIND_OF_ENDING = {
    "xlsx": FileKind.WORKBOOK,
    "png": FileKind.PICTURE,
    "jpg": FileKind.PICTURE,
    "jpeg": FileKind.PICTURE,
}
_SIGNATURES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}


class FileContent(BaseModel, frozen=True):
    """The content of a file, also as other apps carry it (for example as an attachment).

    A workbook's data are its canonical JSON, a text's are UTF-8, a picture's are those of a
    PNG or JPEG, or the drawing it is made from when somebody looks. Nobody reads a drawing.
    """

    kind: FileKind
    data: bytes

    @property
    def shown(self) -> bytes:
        """The data as a viewer or another program gets them; a drawing as its picture (PNG)."""
        is_drawing = self.kind is FileKind.PICTURE and not picture_media_type(self.data)
        return render_stored_drawing(self.data) if is_drawing else self.data

    @property
    def sha256(self) -> str:
        """SHA-256 of the data in hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()


def picture_media_type(data: bytes) -> str:
    """The media type of a picture's bytes, "" for other bytes."""
    types = (kind for signature, kind in _SIGNATURES.items() if data.startswith(signature))
    return next(types, "")


def content_from_bytes(data: bytes) -> FileContent:
    """Bytes with the kind recognised from them: a picture, UTF-8 text, or other."""
    if picture_media_type(data):
        return FileContent(kind=FileKind.PICTURE, data=data)
    try:
        kind = FileKind.BINARY if "\0" in data.decode() else FileKind.TEXT
    except UnicodeDecodeError:
        kind = FileKind.BINARY
    return FileContent(kind=kind, data=data)


def drawing_content(of: Drawing) -> FileContent:
    """A picture that is drawn when somebody looks at it."""
    return FileContent(kind=FileKind.PICTURE, data=serialize_drawing(of))


def check_extension(at: VirtualPath, kind: FileKind) -> None:
    """Raise Refused if the name's extension belongs to another kind of content."""
    meant = _KIND_OF_ENDING.get(at.extension)
    if meant is kind or (meant is None and kind in (FileKind.TEXT, FileKind.BINARY)):
        return
    if meant is FileKind.WORKBOOK:
        raise Refused(f"{at}: .xlsx files are workbooks; make one with the sheets tools.")
    if meant is FileKind.PICTURE:
        raise Refused(f"{at}: that is a picture's name; give this file another ending.")
    endings = " or ".join(f".{ending}" for ending, of in _KIND_OF_ENDING.items() if of is kind)
    raise Refused(f"{at}: a {kind}'s name ends in {endings}; keep its ending.")
