"""Recognises the kind of a file by its first bytes and its name."""

from __future__ import annotations

from enum import StrEnum

from trainee_bench.harness.office_import.limits import ARCHIVE_DAMAGES
from trainee_bench.harness.office_import.refusals import ItemRefused
from trainee_bench.harness.office_import.text_decoding import looks_like_text


class SourceKind(StrEnum):
    """The kind of a source file: each has its own conversion."""

    MAIL = "mail"
    MAILBOX = "mailbox"
    CALENDAR = "calendar"
    WORKBOOK = "workbook"
    TABLE = "table"
    WORD = "word"
    SLIDES = "slides"
    PDF = "pdf"
    PICTURE = "picture"
    TEXT = "text"


_ENDINGS = {
    "eml": SourceKind.MAIL, "mbox": SourceKind.MAILBOX, "mbx": SourceKind.MAILBOX,
    "ics": SourceKind.CALENDAR, "ical": SourceKind.CALENDAR, "ifb": SourceKind.CALENDAR,
    "csv": SourceKind.TABLE, "tsv": SourceKind.TABLE, "tab": SourceKind.TABLE,
}  # fmt: skip
_OPENED_AS = "Open it in its program and save it as {}."
_OLD = {
    "doc": _OPENED_AS.format(".docx"), "dot": _OPENED_AS.format(".docx"),
    "xls": _OPENED_AS.format(".xlsx"), "xlt": _OPENED_AS.format(".xlsx"),
    "ppt": _OPENED_AS.format(".pptx"), "pps": _OPENED_AS.format(".pptx"),
    "msg": "Open it in Outlook and save it as .eml, or export the mailbox as mbox.",
}  # fmt: skip
_SYSTEM_FILES = frozenset({"thumbs.db", "desktop.ini", ".ds_store"})
_UNPACK = "Unpack it and import the files in it."
_SIGNATURES = (
    (b"%PDF-", SourceKind.PDF, ""),
    (b"\x89PNG\r\n\x1a\n", SourceKind.PICTURE, ""),
    (b"\xff\xd8\xff", SourceKind.PICTURE, ""),
    (b"GIF87a", SourceKind.PICTURE, ""),
    (b"GIF89a", SourceKind.PICTURE, ""),
    (b"II*\0", SourceKind.PICTURE, ""),
    (b"MM\0*", SourceKind.PICTURE, ""),
    (b"{\\rtf", None, "It is rich text (.rtf). " + _OPENED_AS.format(".docx")),
    (b"!BDN", None, "It is an Outlook archive (.pst). Export its mails as .eml or mbox."),
    (b"\x78\x9f\x3e\x22", None, "It is winmail.dat of Outlook. Send the mail again as HTML."),
    (b"MZ", None, "It is a program. Leave it out; no agent could read it."),
    (b"\x7fELF", None, "It is a program. Leave it out; no agent could read it."),
    (b"\x1f\x8b", None, f"It is a packed file (gzip). {_UNPACK}"),
    (b"BZh", None, f"It is a packed file (bzip2). {_UNPACK}"),
    (b"\xfd7zXZ\0", None, f"It is a packed file (xz). {_UNPACK}"),
    (b"7z\xbc\xaf\x27\x1c", None, f"It is an archive (7z). {_UNPACK}"),
    (b"Rar!", None, f"It is an archive (rar). {_UNPACK}"),
    (b"SQLite format 3\0", None, "It is a database. Export its tables as .csv."),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MODERN = frozenset({"docx", "docm", "dotx", "xlsx", "xlsm", "xltx", "pptx", "pptm", "ppsx"})


def ending_of(name: str) -> str:
    """Return the ending of a file name in lower case, without the dot; "" without one."""
    stem, dot, ending = name.rpartition(".")
    return ending.lower() if dot and stem else ""


def kind_of_file(name: str, data: bytes) -> SourceKind:
    """Return the kind of the file *name* with the bytes *data*.

    Raises ItemRefused, with the remedy, for a kind that cannot be imported.
    """
    ending = ending_of(name)
    if name.lower() in _SYSTEM_FILES or name.startswith(("~$", "._")):
        raise ItemRefused(
            "It is a file of the system or of a program, not a document. Leave it out."
        )
    if not data:
        raise ItemRefused(
            "It is empty, or its encoding is damaged. Export it again, or leave it out."
        )
    if data.startswith(_OLE):
        raise ItemRefused(_old_office(ending))
    if data.startswith(b"PK\x03\x04"):
        return _packed(data)
    for signature, kind, why in _SIGNATURES:
        if data.startswith(signature) and not (signature == b"MZ" and looks_like_text(data)):
            if kind is None:
                raise ItemRefused(why)
            return kind
    if data[:2] == b"BM" and data[6:10] == bytes(4):
        return SourceKind.PICTURE
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return SourceKind.PICTURE
    if data[4:12] in (b"ftypheic", b"ftypheix", b"ftypmif1", b"ftypavif"):
        raise ItemRefused("It is a picture in HEIC or AVIF. Save it as .jpg or .png.")
    return _textual(ending, data)


def _textual(ending: str, data: bytes) -> SourceKind:
    beginning = data[:4_000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if beginning[:15].upper() == b"BEGIN:VCALENDAR":
        return SourceKind.CALENDAR
    if ending in _ENDINGS:
        kind = _ENDINGS[ending]
        is_box = kind is SourceKind.MAIL and data.startswith(b"From ")
        return SourceKind.MAILBOX if is_box else kind
    data = data.removeprefix(b"\xef\xbb\xbf")
    if data.startswith(b"From ") and b"\n\n" in data.replace(b"\r", b"")[:100_000]:
        first = data.split(b"\n", 2)[1][:80] if b"\n" in data else b""
        if b":" in first:
            return SourceKind.MAILBOX
    if ending in _MODERN:
        raise ItemRefused(
            f"It is called .{ending}, but is not such a file; it is damaged or was renamed. "
            "Save it again in its program."
        )
    if ending == "pdf" and b"%PDF-" in data[:2_000]:
        return SourceKind.PDF
    if looks_like_text(data):
        return SourceKind.TEXT
    raise ItemRefused(
        "It is neither text nor another kind of file that an agent can read. Export it as text, "
        "PDF, .csv or .xlsx."
    )


def _old_office(ending: str) -> str:
    if ending in _MODERN:
        return (
            "It is locked with a password or protected by rights management. Open it in its "
            "program, remove the protection and save it again."
        )
    if ending in _OLD:
        return f"It is an old binary file (.{ending}). {_OLD[ending]}"
    return "It is an old binary file of an office program. Save it as .docx, .xlsx, .pptx or .eml."


def _packed(data: bytes) -> SourceKind:
    import io
    import zipfile

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = frozenset(archive.namelist())
            opendocument = b""
            if "mimetype" in names and archive.getinfo("mimetype").file_size < 200:
                opendocument = archive.read("mimetype")
    except ARCHIVE_DAMAGES:
        raise ItemRefused(
            "The file is damaged: its archive cannot be opened. Export it again."
        ) from None
    if "[Content_Types].xml" in names:
        for prefix, kind in (
            ("word/", SourceKind.WORD),
            ("xl/", SourceKind.WORKBOOK),
            ("ppt/", SourceKind.SLIDES),
        ):
            if any(part.startswith(prefix) for part in names):
                if "xl/workbook.bin" in names:
                    raise ItemRefused(
                        "It is a binary workbook (.xlsb). " + _OPENED_AS.format(".xlsx")
                    )
                return kind
    if b"opendocument" in opendocument:
        raise ItemRefused(
            "It is an OpenDocument file. Open it in LibreOffice and save it as .docx, .xlsx or "
            ".pptx."
        )
    raise ItemRefused(f"It is an archive (zip). {_UNPACK}")
