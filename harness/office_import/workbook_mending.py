"""Mends workbooks in forms that the standard allows, and that the office's reader misreads."""

from __future__ import annotations

import io
import zipfile
from datetime import datetime, time
from xml.etree import ElementTree as ET

from trainee_bench.harness.office_import.workbook_parts import SHARED_TEXTS
from trainee_bench.world.workbook.formats import DAYS_TO_1904, SECONDS_OF_DAY, date_to_serial

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_STRICT = (
    (b"http://purl.oclc.org/ooxml/spreadsheetml/main", _MAIN.encode()),
    (
        b"http://purl.oclc.org/ooxml/officeDocument/relationships",
        b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    ),
    (
        b"http://purl.oclc.org/ooxml/drawingml/main",
        b"http://schemas.openxmlformats.org/drawingml/2006/main",
    ),
)
_STYLE = (
    f'<cellStyles xmlns="{_MAIN}" count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/>'
    "</cellStyles>"
)


def mended_workbook(data: bytes, since_1904: bool) -> tuple[bytes, tuple[str, ...]]:
    """Return the workbook *data* in the usual form, and a note for each kind of change.

    A workbook that needs no change is returned as it is. Its XML must have been checked.
    """
    notes: dict[str, None] = {}
    written = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as source,
        zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for part in source.infolist():
            content = source.read(part)
            if part.filename.endswith((".xml", ".rels")):
                content = _mended(part.filename, content, since_1904, notes)
            name = part.filename
            if name.lower() == SHARED_TEXTS.lower() and name != SHARED_TEXTS:
                notes["Its texts were in a part with an unusual name."] = None
                name = SHARED_TEXTS
            target.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return (written.getvalue(), tuple(notes)) if notes else (data, ())


def _mended(name: str, content: bytes, since_1904: bool, notes: dict[str, None]) -> bytes:
    if b"purl.oclc.org/ooxml" in content:
        notes["It was in the strict form of the standard, and now is in the usual one."] = None
        for strict, usual in _STRICT:
            content = content.replace(strict, usual)
    if name == "xl/styles.xml" and b"cellStyle " not in content:
        root = ET.fromstring(content)  # noqa: S314 -- the archive was checked for entities
        old = root.find(f"{{{_MAIN}}}cellStyles")
        if old is not None:
            root.remove(old)
        after = (
            [child.tag for child in root].index(f"{{{_MAIN}}}cellXfs")
            if (root.find(f"{{{_MAIN}}}cellXfs") is not None)
            else -1
        )
        if after >= 0:
            root.insert(after + 1, ET.fromstring(_STYLE))  # noqa: S314 -- our own text
            notes["It named no cell style, and got the usual one."] = None
            content = _text_of(root)
    if name.startswith("xl/worksheets/") and (b't="d"' in content or b"t='d'" in content):
        root = ET.fromstring(content)  # noqa: S314 -- as above
        if _dates_as_numbers(root, since_1904):
            notes["Its dates were stored as texts (ISO 8601), and now are as usual."] = None
            content = _text_of(root)
    return content


def _dates_as_numbers(root: ET.Element, since_1904: bool) -> bool:
    changed = False
    for cell in root.iter(f"{{{_MAIN}}}c"):
        value = cell.find(f"{{{_MAIN}}}v")
        if cell.get("t") != "d" or value is None:
            continue
        number = _serial(value.text or "", since_1904)
        if number is None:
            cell.set("t", "str")
        else:
            del cell.attrib["t"]
            value.text = repr(number).removesuffix(".0")
        changed = True
    return changed


def _serial(text: str, since_1904: bool) -> float | None:
    """Return the number of a date or time of day, None for another text."""
    try:
        if "-" not in text:
            clock = time.fromisoformat(text)
            return _seconds(clock) / SECONDS_OF_DAY
        moment = datetime.fromisoformat(text.removesuffix("Z"))
    except ValueError:
        return None
    days = date_to_serial(moment.date()) - (DAYS_TO_1904 if since_1904 else 0)
    return days + _seconds(moment.time()) / SECONDS_OF_DAY


def _seconds(clock: time) -> float:
    return clock.hour * 3_600 + clock.minute * 60 + clock.second + clock.microsecond / 1e6


def _text_of(root: ET.Element) -> bytes:
    ET.register_namespace("", _MAIN)
    written: bytes = ET.tostring(root, encoding="UTF-8", xml_declaration=True)
    return written
