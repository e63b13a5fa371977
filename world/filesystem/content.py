"""The kinds of file content, their file extensions, and how to read each kind."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from enum import StrEnum

from pydantic import BaseModel

from trainee_bench.world.errors import Refused
from trainee_bench.world.filesystem.paths import VirtualPath
from trainee_bench.world.pictures.drawing import Drawing
from trainee_bench.world.pictures.render import render_stored_drawing, serialize_drawing


class FileKind(StrEnum):
    """The kind of a file. Names in .xlsx are workbooks; names in .png, .jpg and .jpeg are pictures.
    Other files are texts if their bytes are UTF-8, else binary."""

    TEXT = "text"
    WORKBOOK = "workbook"
    PICTURE = "picture"
    BINARY = "binary"


READ_HINTS = {
    FileKind.TEXT: "it is a text; read it with files_read",
    FileKind.WORKBOOK: "it is a workbook; read it with the sheets tools",
    FileKind.PICTURE: "it is a picture; look at it with files_view_image",
    FileKind.BINARY: "it is neither text nor picture and can only be copied, moved or deleted",
}
_KIND_OF_ENDING = {
    "xlsx": FileKind.WORKBOOK,
    "png": FileKind.PICTURE,
    "jpg": FileKind.PICTURE,
    "jpeg": FileKind.PICTURE,
}
_SIGNATURES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}


class FileContent(BaseModel, frozen=True):
    """The content of a file, also when other apps carry it (for example as an attachment).

    A workbook's data are its canonical JSON, a text's are UTF-8. A picture's are the bytes of a PNG
    or JPEG, or the drawing from which it is rendered when viewed. Nobody reads a drawing.
    """

    kind: FileKind
    data: bytes

    @property
    def shown(self) -> bytes:
        """The data for a viewer or another program; a drawing becomes its picture (PNG)."""
        is_drawing = self.kind is FileKind.PICTURE and not picture_media_type(self.data)
        return render_stored_drawing(self.data) if is_drawing else self.data

    @property
    def sha256(self) -> str:
        """SHA-256 of the data in hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()


def picture_media_type(data: bytes) -> str:
    """Return the media type of a picture's bytes, "" for other bytes."""
    types = (kind for signature, kind in _SIGNATURES.items() if data.startswith(signature))
    return next(types, "")


def content_from_bytes(data: bytes) -> FileContent:
    """Return bytes with the kind recognised from them: a picture, UTF-8 text, or other."""
    if picture_media_type(data):
        return FileContent(kind=FileKind.PICTURE, data=data)
    try:
        kind = FileKind.BINARY if "\0" in data.decode() else FileKind.TEXT
    except UnicodeDecodeError:
        kind = FileKind.BINARY
    return FileContent(kind=kind, data=data)


def drawing_content(of: Drawing) -> FileContent:
    """Return a picture that is rendered when viewed."""
    return FileContent(kind=FileKind.PICTURE, data=serialize_drawing(of))


def check_extension(at: VirtualPath, kind: FileKind) -> None:
    """Raise Refused if the name's extension belongs to another kind of content."""
    meant = _KIND_OF_ENDING.get(at.extension)
    if meant is kind or (meant is None and kind in (FileKind.TEXT, FileKind.BINARY)):
        return
    if meant is FileKind.WORKBOOK:
        raise Refused(f"{at}: .xlsx files are workbooks; make one with the sheets tools.")
    if meant is FileKind.PICTURE:
        raise Refused(f"{at}: this extension is for pictures; use another extension.")
    endings = " or ".join(f".{ending}" for ending, of in _KIND_OF_ENDING.items() if of is kind)
    raise Refused(f"{at}: the name of a {kind} must end in {endings}.")


_WORD = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?!\w)|\w+")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
"""A character escaped in JSON."""
_DOMAIN = re.compile(r"(?<=\w)@(?:[\w-]+\.)+[^\W\d_]{2,}")
"""The domain of a mail address, which does not say whose it is."""


def words_and_numbers(data: bytes) -> Counter[str]:
    """Count each word of a file, in lower case without accents, and each number.

    A colleague's address counts as the words of their name.
    """
    text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), data.decode("utf-8", "replace"))
    plain = unicodedata.normalize("NFKD", _DOMAIN.sub("", text)).casefold()
    words = _WORD.findall("".join(c for c in plain if not unicodedata.combining(c)))
    return Counter(map(_normal, words))


def _normal(word: str) -> str:
    try:
        return str(float(word))
    except ValueError:
        return word


_LF, _CRLF = "\n", "\r\n"


class TextLines:
    """A text in which passages are found and replaced regardless of line ends."""

    def __init__(self, text: str):
        self._text = text
        self._plain = text.replace(_CRLF, _LF)

    def count(self, passage: str) -> int:
        """Count the occurrences of *passage*."""
        return self._plain.count(passage.replace(_CRLF, _LF))

    def replaced(self, passage: str, by: str) -> str:
        """Return the text with *passage*, which occurs once, replaced by *by*.

        All other lines keep their ends. The lines of *by* end as most lines of the text do.
        """
        wanted = passage.replace(_CRLF, _LF)
        at = self._plain.index(wanted)
        start, end = self._place(at), self._place(at + len(wanted))
        if _LF in self._text:
            by = by.replace(_CRLF, _LF).replace(_LF, self._usual_end())
        return self._text[:start] + by + self._text[end:]

    def _place(self, at: int) -> int:
        """Convert a position in the plain text to one in the original text."""
        before = self._plain.count(_LF, 0, at)
        lines = self._text.split(_LF, before)[:before]
        return at + sum(line.endswith("\r") for line in lines)

    def _usual_end(self) -> str:
        return _CRLF if 2 * self._text.count(_CRLF) > self._text.count(_LF) else _LF
