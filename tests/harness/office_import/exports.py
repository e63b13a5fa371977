"""Exports for the tests of `office_import`, made in code, and their import."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from email.message import EmailMessage
from pathlib import Path

from trainee_bench.harness.office_import.import_files import import_files
from trainee_bench.harness.office_import.options import ImportOptions
from trainee_bench.harness.office_import.report import ImportOutcome, ImportReport, ImportRow

BERLIN = ImportOptions(zone="Europe/Berlin", first_day=date(2026, 11, 30))


def imported(
    folder: Path,
    files: Mapping[str, bytes | str],
    options: ImportOptions = BERLIN,
    **changes: object,
) -> ImportReport:
    """The report on *files*, which lie in ``sources`` and go to ``office`` of *folder*."""
    sources = folder / "sources"
    sources.mkdir(exist_ok=True)
    paths = []
    for name, data in files.items():
        path = sources / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        paths.append(path)
    return import_files(paths, folder / "office", replace(options, **changes))  # type: ignore[arg-type]


def row(folder: Path, name: str, data: bytes | str, **changes: object) -> ImportRow:
    """The first row of the report on one file."""
    return imported(folder, {name: data}, **changes).rows[0]


def refusal(folder: Path, name: str, data: bytes | str, **changes: object) -> str:
    """The reason why a file is refused, of which nothing is left in the office."""
    report = imported(folder, {name: data}, **changes)
    assert [found.outcome for found in report.rows] == [ImportOutcome.REFUSED], report.rows
    assert not list((folder / "office").rglob("*"))
    return report.rows[0].notes[0]


def text(folder: Path, path: str) -> str:
    """The text of a file in the office, with its own line ends."""
    return (folder / "office" / path).read_bytes().decode()


def mail(
    body: str = "Hello", *, subject: str = "Budget", id: str = "<1@x.example>", **headers: str
) -> EmailMessage:
    """A plain mail from Ada to Ben."""
    message = EmailMessage()
    message["From"] = headers.pop("sender", "Ada Berg <ada@x.example>")
    message["To"] = "Ben Kern <ben@x.example>"
    message["Subject"] = subject
    message["Date"] = "Mon, 30 Nov 2026 09:00:00 +0000"
    message["Message-ID"] = id
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    message.set_content(body)
    return message


def calendar(*events: str, head: str = "") -> str:
    """A calendar with these events, each the lines within a VEVENT."""
    inner = "".join(f"BEGIN:VEVENT\n{event.strip()}\nEND:VEVENT\n" for event in events)
    whole = f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//test//EN\n{head}{inner}END:VCALENDAR\n"
    return whole.replace("\n", "\r\n")


ORGANIZER = "ORGANIZER;CN=Ada Berg:mailto:ada@x.example"

_SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    "<sheetData>{rows}</sheetData>{more}</worksheet>"
)
_STYLES = (
    '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="1"><fill><patternFill patternType="none"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="14" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
    "</cellXfs>"
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
    "</styleSheet>"
)
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def xlsx(
    rows: str,
    *,
    more: str = "",
    state: str = "",
    properties: str = "",
    parts: Mapping[str, bytes] = {},
) -> bytes:
    """A workbook of the sheet Plan with the XML *rows*, and further XML."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    package = "http://schemas.openxmlformats.org/package/2006"
    types = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    hidden = f'<sheet name="Rates" sheetId="2" {state} r:id="rId2"/>' if state else ""
    sheets = {"xl/worksheets/sheet1.xml": _SHEET.format(rows=rows, more=more)}
    if state:
        sheets["xl/worksheets/sheet2.xml"] = _SHEET.format(rows=cells("A1", "7"), more="")
    files: dict[str, str | bytes] = {
        "[Content_Types].xml": (
            f'<Types xmlns="{package}/content-types">'
            '<Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Default Extension="xml" ContentType="application/xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{types}.sheet.main+xml"/>'
            + "".join(
                f'<Override PartName="/{name}" ContentType="{types}.worksheet+xml"/>'
                for name in sheets
            )
            + f'<Override PartName="/xl/styles.xml" ContentType="{types}.styles+xml"/></Types>'
        ),
        "_rels/.rels": (
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" '
            f'Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
        ),
        "xl/workbook.xml": (
            f'<workbook xmlns="{main}" xmlns:r="{_RELATIONS}">{properties}<sheets>'
            f'<sheet name="Plan" sheetId="1" r:id="rId1"/>{hidden}</sheets></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": (
            f'<Relationships xmlns="{package}/relationships">'
            + "".join(
                f'<Relationship Id="rId{n}" Type="{_RELATIONS}/worksheet" '
                f'Target="worksheets/sheet{n}.xml"/>'
                for n in range(1, len(sheets) + 1)
            )
            + f'<Relationship Id="rId9" Type="{_RELATIONS}/styles" Target="styles.xml"/>'
            "</Relationships>"
        ),
        "xl/styles.xml": _STYLES,
        **sheets,
        **parts,
    }
    return zipped(files)


def cells(*pairs: str) -> str:
    """The XML of one row: addresses and numbers (``=SUM(A1)|3``: a formula and its result)."""
    written = ""
    for address, value in zip(pairs[::2], pairs[1::2], strict=True):
        formula, _, result = value.removeprefix("=").partition("|")
        if not value.startswith("="):
            written += f'<c r="{address}"><v>{value}</v></c>'
        else:
            stored = f"<v>{result}</v>" if result else ""
            written += f'<c r="{address}"><f>{formula}</f>{stored}</c>'
    return f'<row r="{pairs[0][1:]}">{written}</row>'


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    """An archive of these files."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return written.getvalue()


def pdf(*pages: str | None) -> bytes:
    """A PDF with a line of text on each page; None: a page with a picture alone."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    kids = []
    for page in pages:
        number = len(objects) + 1
        kids.append(f"{number} 0 R")
        drawn = (
            "q 10 0 0 10 0 0 cm /P Do Q" if page is None else f"BT /F 12 Tf 9 9 Td ({page}) Tj ET"
        )
        if page == "":
            drawn = ""
        objects += [
            (
                f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] "
                f"/Contents {number + 1} 0 R /Resources << /Font << /F "
                f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> "
                f"/XObject << {f'/P {number + 2} 0 R' if page is None else ''} >> >> >>"
            ),
            f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream",
            (
                "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray "
                "/BitsPerComponent 8 /Length 1 >>\nstream\nA\nendstream"
            ),
        ]
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(pages)} >>"
    written, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(written))
        written += f"{number} 0 obj\n{content}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    return (
        written
        + (
            f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n"
            f"<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(written)}\n%%EOF\n"
        ).encode()
    )


def png(width: int = 2, height: int = 2, form: str = "PNG") -> bytes:
    """A small picture."""
    from PIL import Image

    written = io.BytesIO()
    Image.new("RGB", (width, height), "red").save(written, form)
    return written.getvalue()
