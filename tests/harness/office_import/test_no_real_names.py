"""Names planted in every place of real exports are in no byte of the office afterwards."""

from __future__ import annotations

import email
import io
import zipfile
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage
from pathlib import Path

import docx
from PIL import Image

from tests.harness.office_import.exports import BERLIN
from trainee_bench.harness.office_import.with_pseudonyms import import_with_pseudonyms
from trainee_bench.harness.pseudonyms.folding import spelled_out, without_diacritics
from trainee_bench.harness.pseudonyms.texts import KnownNames
from trainee_bench.world.workbook.model import Sheet, Workbook
from trainee_bench.world.workbook.xlsx import to_xlsx

PLANTED = """Ottokar Wiesengrund Mirjana Petrović Sieglinde Käsbohrer Thaddäus Zwölfer Aurelia
Quittenbaum zwiebelwerk 1234567 2345678 9988776 DE89 123456789 08155 170839 104711 104712
17.08.1939 Lindenweg""".split()
BODY = """Liebe Mirjana,

https://intra.zwiebelwerk.de/users/K%C3%A4sbohrer%20Sieglinde?mail=mirjana.petrovic%40zwiebelwerk.de
\\\\server\\home\\kaesbohrer\\plan.xlsx file://C:/Users/wiesengrund/plan.xlsx
WIESENGRUND, Wiesengrunds, Wiesengrund's, Käsbohrers, Käsbohrerin, KAESBOHRER, Petrovićs, Petrovic
Wiesen-
grund schreibt, und Käs\u00adbohrer auch. W I E S E N G R U N D
Tel. +49 89 1234567, Mobil: 0171/2345678, IBAN DE89 3704 0044 0532 0130 00, USt-IdNr. DE123456789
Steuernummer 143/815/08155, SV-Nummer 65 170839 J 008, geb. 17.08.1939
Wiesengrund&Käsbohrer GbR; Käsbohrer/Petrović; Wiesengrund-Käsbohrer-Halle; OttokarWiesengrund
wiesengrund_ottokar_2025, @owiesengrund, K&auml;sbohrer, K=C3=A4sbohrer
U2llZ2xpbmRlIEvDpHNib2hyZXIgd29obnQgaGllcg==
Gruß
Ottokar
--
Ottokar Wiesengrund | Zwiebelwerk GmbH | Lindenweg 4, 80331 München
"""
CARD = """BEGIN:VCARD\nVERSION:3.0\nN:Quittenbaum;Aurelia;;Dr.;\nFN:Dr. Aurelia Quittenbaum
TEL;TYPE=CELL:+49 171 9988776\nEMAIL:aq@quittenbaum.de\nNOTE:Frau von Thaddäus Zwölfer\nEND:VCARD
"""
MEETING = """BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\nUID:wiesengrund-1@zwiebelwerk.de
SUMMARY:Jour fixe Käsbohrer\nDTSTART:20261201T090000\nDTEND:20261201T100000
ORGANIZER;CN=Ottokar Wiesengrund;SENT-BY="mailto:aq@zwiebelwerk.de"
 :mailto:o.wiesengrund@zwiebelwerk.de
ATTENDEE;CN=Mirjana Petrović:mailto:mirjana.petrovic@zwiebelwerk.de
DESCRIPTION:https://zoom.us/j/123?name=K%C3%A4sbohrer\nEND:VEVENT\nEND:VCALENDAR
"""


def exports(folder: Path) -> Path:
    """A folder of exports with names in texts, headers, names of files, metadata and formulas."""
    inner = folder / "Käsbohrer Ordner"
    inner.mkdir(parents=True)
    (inner / "petrovic_mirjana_2026.txt").write_text("Mirjana Petrović war da.\n")
    (folder / "Wiesengrund.eml").write_bytes(letter())
    (folder / "card.vcf").write_text(CARD, encoding="utf-8")
    (folder / "calendar.ics").write_text(MEETING, encoding="utf-8")
    cells = {"A1": "Name", "B1": "Kundennummer", "C1": "Umsatz",
             "A2": "Sieglinde Käsbohrer", "B2": "104711", "C2": "12.5",
             "A3": "Ottokar Wiesengrund", "B3": "104712", "C3": "7.5"}  # fmt: skip
    sums = {"A1": "=SUMIF(Käsbohrer!B2:B3,104711,Käsbohrer!C2:C3)"}
    sheets = (Sheet(name="Käsbohrer", cells=cells), Sheet(name="Summe", cells=sums))
    (folder / "list.xlsx").write_bytes(to_xlsx(Workbook(sheets=sheets)))
    exif = Image.Exif()
    exif[0x013B] = "Ottokar Wiesengrund"
    Image.new("RGB", (8, 8)).save(folder / "photo.jpg", exif=exif)
    document = docx.Document()
    document.core_properties.author = "Thaddäus Zwölfer"
    document.add_paragraph("Wiesengrund und Käsbohrer")
    document.save(str(folder / "letter.docx"))
    return folder


def letter() -> bytes:
    message = EmailMessage(policy=policy.SMTP)
    message["From"] = "Ottokar Wiesengrund <o.wiesengrund@zwiebelwerk.de>"
    message["To"] = "Mirjana Petrović <mirjana.petrovic@zwiebelwerk.de>"
    message["Cc"] = "Sieglinde Käsbohrer <s.kaesbohrer@zwiebelwerk.de>"
    message["Subject"] = "Protokoll Käsbohrer"
    message["Date"] = "Mon, 30 Nov 2026 08:00:00 +0100"
    message["Message-ID"] = "<ottokar.wiesengrund.1@zwiebelwerk.de>"
    message["Received"] = "from pc-wiesengrund.zwiebelwerk.de"
    message.set_content(BODY)
    message.add_attachment(
        "name;betrag\n\"Zwölfer, Thaddäus\";12,50\n".encode(), maintype="text", subtype="csv",
        filename="Zwölfer_Thaddäus.csv",
    )  # fmt: skip
    return message.as_bytes()


def contents(path: Path, name: str) -> Iterator[str]:
    """Every text in and of a file: its path, bytes, parts, decoded headers and attachments."""
    yield name
    data = path.read_bytes()
    yield data.decode("utf-8", "replace")
    if path.suffix == ".xlsx":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield from (
                archive.read(part).decode("utf-8", "replace") for part in archive.namelist()
            )
    if path.suffix == ".eml":
        for part in email.message_from_bytes(data, policy=policy.default).walk():
            yield from (f"{header}: {value}" for header, value in part.items())
            payload = part.get_payload(decode=True)
            yield payload.decode("utf-8", "replace") if isinstance(payload, bytes) else ""


def test_no_planted_name_or_number_is_in_any_output(tmp_path: Path) -> None:
    source, office = exports(tmp_path / "exports"), tmp_path / "office"
    report, replaced = import_with_pseudonyms([source], office, BERLIN, "a long seed", KnownNames())
    forms = {
        form(word).casefold() for word in PLANTED for form in (str, without_diacritics, spelled_out)
    }
    files = [path for path in office.rglob("*") if path.is_file()]
    found = {
        (form, path.name)
        for path in files
        for text in contents(path, path.relative_to(office).as_posix())
        for form in forms
        if form in text.casefold()
    }
    assert found == set()
    assert replaced is not None and replaced.left_over == ()
    assert len(files) == 8 and not [row for row in report.rows if not row.became]
