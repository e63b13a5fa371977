"""What a file can be, how its name says so, and how each kind is read."""

from __future__ import annotations

import hashlib
from enum import StrEnum

from pydantic import BaseModel

from world.errors import Refused
from world.paths import VirtualPath
from world.pictures.catalogue import written
from world.pictures.drawings import Drawing
from world.pictures.render import drawn


class Kind(StrEnum):
    """Names ending in .xlsx are workbooks, in .png, .jpg and .jpeg pictures; others are texts
    if their bytes are UTF-8, else binary."""

    TEXT = "text"
    WORKBOOK = "workbook"
    PICTURE = "picture"
    BINARY = "binary"


HOW_TO_READ = {
    Kind.TEXT: "it is a text; read it with files_read",
    Kind.WORKBOOK: "it is a workbook; read it with the sheets tools",
    Kind.PICTURE: "it is a picture; look at it with files_view_image",
    Kind.BINARY: "it is neither text nor picture, and can only be copied, moved or deleted",
}
_KIND_OF_ENDING = {
    "xlsx": Kind.WORKBOOK,
    "png": Kind.PICTURE,
    "jpg": Kind.PICTURE,
    "jpeg": Kind.PICTURE,
}
_SIGNATURES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}


class Content(BaseModel, frozen=True):
    """What is in a file, as other apps carry it about (an attachment).

    A workbook's data are its canonical JSON, a text's are UTF-8, a picture's are those of a
    PNG or JPEG, or the drawing it is made from when somebody looks. Nobody reads a drawing.
    """

    kind: Kind
    data: bytes

    @property
    def shown(self) -> bytes:
        """The data as an eye or another program gets them: of a drawing, the picture (PNG)."""
        is_drawing = self.kind is Kind.PICTURE and not media_type(self.data)
        return drawn(self.data) if is_drawing else self.data

    @property
    def sha256(self) -> str:
        """SHA-256 of the data in hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()


def media_type(data: bytes) -> str:
    """The media type of a picture's bytes, "" for other bytes."""
    types = (kind for signature, kind in _SIGNATURES.items() if data.startswith(signature))
    return next(types, "")


def content_of(data: bytes) -> Content:
    """Bytes with the kind they show: a picture, UTF-8 text, or other."""
    if media_type(data):
        return Content(kind=Kind.PICTURE, data=data)
    try:
        kind = Kind.BINARY if "\0" in data.decode() else Kind.TEXT
    except UnicodeDecodeError:
        kind = Kind.BINARY
    return Content(kind=kind, data=data)


def drawing(of: Drawing) -> Content:
    """A picture that is drawn when somebody looks at it."""
    return Content(kind=Kind.PICTURE, data=written(of))


def check_ending(at: VirtualPath, kind: Kind) -> None:
    """Raise Refused if the name says another kind than the content is."""
    meant = _KIND_OF_ENDING.get(at.ending)
    if meant is kind or (meant is None and kind in (Kind.TEXT, Kind.BINARY)):
        return
    if meant is Kind.WORKBOOK:
        raise Refused(f"{at}: .xlsx files are workbooks; make one with the sheets tools.")
    if meant is Kind.PICTURE:
        raise Refused(f"{at}: that is a picture's name; give this file another ending.")
    endings = " or ".join(f".{ending}" for ending, of in _KIND_OF_ENDING.items() if of is kind)
    raise Refused(f"{at}: a {kind}'s name ends in {endings}; keep its ending.")
