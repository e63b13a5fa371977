"""The bounds of an import, so that no file can hang it or fill the disk."""

from __future__ import annotations

import io
import zipfile
import zlib
from xml.parsers import expat

from trainee_bench.harness.office_import.refusals import ItemRefused

MAX_FILE_BYTES = 50_000_000
"""A file or an attachment."""
MAX_MAILBOX_BYTES = 1_000_000_000
"""A mailbox (mbox), which is read mail by mail."""
MAX_FILES = 5_000
"""Files of one import."""
MAX_MAILS = 5_000
"""Mails of one mailbox."""
MAX_MAIL_PARTS = 500
MAX_MAIL_DEPTH = 20
"""Parts within parts of a mail, attached mails included."""
MAX_EVENTS = 5_000
"""Events of one calendar, and occurrences within the window."""
MAX_PAGES = 500
"""Pages of a PDF, slides of a presentation."""
MAX_TEXT_BYTES = 1_000_000
"""A text in the office: an agent's own texts have the same bound."""
MAX_PICTURE_PIXELS = 40_000_000
MAX_UNPACKED_BYTES = 100_000_000
MAX_ARCHIVE_PARTS = 2_000
MAX_XML_DEPTH = 500
_BEFORE_XML = b"\xef\xbb\xbf\xff\xfe\0 \t\r\n"
"""Bytes that may come before the first sign of XML, in any encoding."""

ARCHIVE_DAMAGES = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError,
    OSError,
)  # fmt: skip
"""The errors that zipfile raises for damage or encryption."""


def check_size(data: bytes, what: str = "The file") -> None:
    """Raise ItemRefused if *data* is longer than `MAX_FILE_BYTES`."""
    if len(data) > MAX_FILE_BYTES:
        raise ItemRefused(
            f"{what} has {len(data):,} bytes; at most {MAX_FILE_BYTES:,} can be imported. Split it."
        )


def check_text(text: str) -> None:
    """Raise ItemRefused if *text* is longer than `MAX_TEXT_BYTES` in UTF-8."""
    size = len(text.encode())
    if size > MAX_TEXT_BYTES:
        raise ItemRefused(
            f"Its text has {size:,} bytes; a text in the office can have {MAX_TEXT_BYTES:,}. "
            "Split the file into several."
        )


def office_archive_parts(data: bytes) -> frozenset[str]:
    """Check a .docx, .xlsx or .pptx file and return the names of its parts.

    Raises ItemRefused if it is damaged, unpacks to too much, or has a part whose XML declares
    entities or nests too deeply.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
            size = sum(part.file_size for part in parts)
            if size > MAX_UNPACKED_BYTES or len(parts) > MAX_ARCHIVE_PARTS:
                raise ItemRefused(
                    f"Unpacked, it has {size:,} bytes in {len(parts):,} parts; at most "
                    f"{MAX_UNPACKED_BYTES:,} bytes in {MAX_ARCHIVE_PARTS:,} parts are read. "
                    "Save it again with only the necessary content."
                )
            for part in parts:
                content = archive.read(part)
                is_named = part.filename.lower().endswith((".xml", ".rels"))
                if is_named or content[:200].lstrip(_BEFORE_XML).startswith(b"<"):
                    _check_xml(content, part.filename)
            return frozenset(part.filename for part in parts)
    except ARCHIVE_DAMAGES as error:
        raise ItemRefused(
            f"The file is damaged ({str(error)[:100]}). Open it in its program and save it again."
        ) from None


class _Depth:
    """Counts the nesting of XML elements."""

    def __init__(self, part: str):
        self._part, self._depth = part, 0

    def enter(self, *_: object) -> None:
        """Count an element. Raises ItemRefused past `MAX_XML_DEPTH`."""
        self._depth += 1
        if self._depth > MAX_XML_DEPTH:
            raise ItemRefused(
                f"Its part {self._part} nests deeper than {MAX_XML_DEPTH} elements. Save it again "
                "with a simpler layout."
            )

    def leave(self, *_: object) -> None:
        """Count the end of an element."""
        self._depth -= 1

    def refuse(self, *_: object) -> None:
        """Refuse a declaration of a document type, which can hide any amount of text."""
        raise ItemRefused(
            f"Its part {self._part} declares a document type, which no office program writes. "
            "Save it again in an office program."
        )


def _check_xml(part: bytes, name: str) -> None:
    reader, depth = expat.ParserCreate(), _Depth(name)
    reader.StartDoctypeDeclHandler = depth.refuse
    reader.StartElementHandler, reader.EndElementHandler = depth.enter, depth.leave
    try:
        reader.Parse(part, True)
    except expat.ExpatError as error:
        raise ItemRefused(
            f"Its part {name} is damaged ({error}). Open it in its program and save it again."
        ) from None
