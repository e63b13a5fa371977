"""All that an import brings can be read by the office, or is refused by name."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from tests.harness.office_import.exports import (
    BERLIN,
    ORGANIZER,
    calendar,
    imported,
    mail,
    refusal,
    row,
)
from trainee_bench.harness.office_import import import_session
from trainee_bench.harness.office_import.decimal_columns import with_plain_numbers
from trainee_bench.harness.office_import.file_names import drive_name
from trainee_bench.harness.office_import.import_files import import_files
from trainee_bench.harness.office_import.office_folder import OfficeFolder
from trainee_bench.harness.office_import.report import ImportOutcome
from trainee_bench.harness.pseudonyms.picture_metadata import without_metadata
from trainee_bench.harness.scaffolding.office_folder import write_office
from trainee_bench.meta_tasks.offices.office import read_office
from trainee_bench.world.workbook.model import Sheet, Workbook
from trainee_bench.world.workbook.xlsx import from_xlsx, to_xlsx


def opened_with(folder: Path, files: dict[str, bytes | str]) -> tuple[int, int]:
    """The numbers of mails and drive files that an office gets by importing *files*."""
    write_office(folder / "office")
    before = read_office(folder / "office")
    imported(folder, files)
    after = read_office(folder / "office")
    return len(after.mails) - len(before.mails), len(after.drive) - len(before.drive)


def many_attachments(count: int) -> bytes:
    message = mail()
    for number in range(count):
        message.add_attachment(b"text", maintype="text", subtype="plain", filename=f"{number}.txt")
    return message.as_bytes()


@pytest.mark.parametrize(
    "data",
    [
        mail(subject="").as_bytes(),
        mail(subject="x" * 5_000).as_bytes(),
        mail().as_bytes().replace(b"\nTo: ", b"\nBcc: "),
        mail().as_bytes().replace(b"\nTo: ", b"\nCc: "),
        many_attachments(12),
    ],
)
def test_a_mail_of_any_shape_can_be_opened(data: bytes, tmp_path: Path) -> None:
    assert opened_with(tmp_path, {"a.eml": data}) == (1, 0)


def test_attachments_past_the_tenth_are_refused_by_name(tmp_path: Path) -> None:
    report = imported(tmp_path, {"a.eml": many_attachments(12)})
    refused = [found.item for found in report.rows if found.outcome is ImportOutcome.REFUSED]
    assert refused == ["attachment 10.txt", "attachment 11.txt"]


def test_a_mail_with_too_long_a_text_is_refused(tmp_path: Path) -> None:
    assert "100,000" in refusal(tmp_path, "a.eml", mail("word " * 30_000).as_bytes())


def test_a_flood_of_recipients_is_noted(tmp_path: Path) -> None:
    everybody = ", ".join(f"p{n}@x.example" for n in range(20_000)).encode()
    data = mail().as_bytes().replace(b"\nTo: ", b"\nTo: " + everybody + b", ", 1)
    found = row(tmp_path, "a.eml", data)
    assert "Its To is too long" in " ".join(found.notes)


@pytest.mark.parametrize("sign", [b"(", b'"\\', b"<"])
def test_nested_signs_in_a_header_end_no_import(sign: bytes, tmp_path: Path) -> None:
    hostile = mail(id="<2@x.example>").as_bytes().replace(b"\nTo: ", b"\nTo: " + sign * 50_000, 1)
    report = imported(tmp_path, {"a.eml": hostile, "b.eml": mail().as_bytes()})
    assert report.rows[-1].outcome is ImportOutcome.IMPORTED


@pytest.mark.parametrize(
    ("name", "becomes"),
    [
        (".htaccess", "htaccess"),
        ("CON.txt", "_CON.txt"),
        ("nul", "_nul"),
        ("what?*.txt", "what--.txt"),
        ("end. ", "end"),
        ("__pycache__", "___pycache__"),
        ("..", "file"),
    ],
)
def test_names_that_some_system_cannot_have_are_changed(name: str, becomes: str) -> None:
    assert drive_name(name) == becomes


def test_a_hidden_file_is_seen_by_the_office(tmp_path: Path) -> None:
    assert opened_with(tmp_path, {".notes": "hello\n"}) == (0, 1)


def test_a_path_too_deep_for_the_drive_is_refused(tmp_path: Path) -> None:
    deep = tmp_path.joinpath("top", *"abcdefghijklmnopqrstuvw")
    deep.mkdir(parents=True)
    (deep / "a.txt").write_text("a")
    (found,) = import_files([tmp_path / "top"], tmp_path / "office", BERLIN).rows
    assert found.outcome is ImportOutcome.REFUSED and "20 deep" in found.notes[0]


def test_a_part_of_a_workbook_with_a_false_ending_is_checked_for_entities(tmp_path: Path) -> None:
    hostile = b'<!DOCTYPE a [<!ENTITY a "aaaa">]><worksheet>&a;</worksheet>'
    data = with_parts({"xl/worksheets/sheet1.png": hostile})
    assert "declares a document type" in refusal(tmp_path, "a.xlsx", data)


def with_parts(parts: dict[str, bytes]) -> bytes:
    """A workbook with more parts."""
    workbook = to_xlsx(Workbook(sheets=(Sheet(name="A", cells={"A1": "x"}),)))
    written = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(workbook)) as source,
        zipfile.ZipFile(written, "w") as target,
    ):
        for name in source.namelist():
            if name not in parts:
                target.writestr(name, source.read(name))
        for name, content in parts.items():
            target.writestr(name, content)
    return written.getvalue()


def test_authors_of_a_workbook_are_left_out(tmp_path: Path) -> None:
    core = (
        b'<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/'
        b'core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>Ada Berg'
        b"</dc:creator></cp:coreProperties>"
    )
    found = row(tmp_path, "a.xlsx", with_parts({"docProps/core.xml": core}))
    written = (tmp_path / "office" / "drive" / "a.xlsx").read_bytes()
    with zipfile.ZipFile(io.BytesIO(written)) as archive:
        assert not any(b"Ada" in archive.read(name) for name in archive.namelist())
    assert found.outcome is ImportOutcome.CONVERTED and "authors" in found.notes[0]
    assert from_xlsx(written).sheets[0].cells == {"A1": "x"}


def event(uid: str, *lines: str) -> str:
    """The lines of an event on the first day."""
    times = "DTSTART:20261130T090000\nDTEND:20261130T100000"
    return "\n".join(
        [f"UID:{uid}", f"SUMMARY:{uid}", times, *lines, ORGANIZER,
         "ATTENDEE;CN=Ben Kern:mailto:ben@x.example"]
    )  # fmt: skip


def picture(form: str, **options: object) -> bytes:
    written = io.BytesIO()
    noise = Image.effect_noise((40, 30), 80).convert("RGB")
    noise.save(written, form, **options)  # type: ignore[arg-type]
    return written.getvalue()


def exif() -> Image.Exif:
    found = Image.Exif()
    found[0x013B], found[0x0112] = "Ada Berg", 6
    return found


def png_text() -> PngInfo:
    text = PngInfo()
    text.add_text("Author", "Ada Berg")
    text.add_itxt("XML:com.adobe.xmp", "<x>Ada Berg</x>")
    return text


@pytest.mark.parametrize(
    "data",
    [
        picture("JPEG", exif=exif(), comment=b"by Ada Berg"),
        picture("JPEG", exif=exif(), progressive=True),
        picture("PNG", exif=exif(), pnginfo=png_text()),
        picture("PNG") + b"Ada Berg behind the end",
        picture("JPEG") + b"Ada Berg behind the end",
    ],
)
def test_metadata_of_pictures_is_left_out_and_pixels_stay(data: bytes, tmp_path: Path) -> None:
    name = "a.png" if data.startswith(b"\x89") else "a.jpg"
    found = row(tmp_path, name, data)
    written = (tmp_path / "office" / "drive" / name).read_bytes()
    assert b"Ada" not in written and "metadata" in found.notes[0]
    before, after = (Image.open(io.BytesIO(content)) for content in (data, written))
    assert after.tobytes() == before.tobytes()
    if name == "a.jpg":
        assert after.getexif().get(0x0112) == before.getexif().get(0x0112)
    assert without_metadata(written) == written


@pytest.mark.parametrize("form", ["JPEG", "PNG"])
def test_a_picture_without_metadata_keeps_its_bytes(form: str) -> None:
    data = picture(form)
    assert without_metadata(data) == data


@pytest.mark.parametrize("rule", ["FREQ=SECONDLY", "FREQ=MINUTELY"])
def test_an_event_that_repeats_within_a_day_spoils_no_other(rule: str, tmp_path: Path) -> None:
    text = calendar(event("hostile", f"RRULE:{rule}"), event("good"))
    outcomes = [found.outcome for found in imported(tmp_path, {"a.ics": text}).rows]
    assert outcomes == [ImportOutcome.REFUSED, ImportOutcome.CONVERTED]


def test_a_calendar_is_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writes: list[str] = []
    replace = OfficeFolder.replace

    def counting(folder: OfficeFolder, relative: str, data: bytes) -> None:
        writes.append(relative)
        replace(folder, relative, data)

    monkeypatch.setattr(import_session.OfficeFolder, "replace", counting)
    imported(tmp_path, {f"{n}.ics": calendar(event(f"e{n}")) for n in range(5)})
    assert writes == ["calendar.ics"]
    assert (tmp_path / "office" / "calendar.ics").read_text().count("BEGIN:VEVENT") == 5


def test_a_currency_goes_from_the_cells_to_the_header() -> None:
    rows, notes = with_plain_numbers([["Betrag"], ["€ 1.234,50"], ["-€ 5,10"], [""]])
    assert rows == [["Betrag (€)"], ["1234.50"], ["-5.10"], [""]] and "€" in notes[0]


@pytest.mark.parametrize("cells", [("$5", "€5"), ("$1,234", "$2,345"), ("€ 5", "free")])
def test_a_column_of_several_currencies_or_doubtful_numbers_stays(cells: tuple[str, str]) -> None:
    rows = [["amount"], *([cell] for cell in cells)]
    assert with_plain_numbers(rows) == (rows, [])


def test_signs_that_nobody_sees_divide_no_word(tmp_path: Path) -> None:
    imported(tmp_path, {"a.eml": mail("Mül\u00adler and Sch\u200bmidt\n").as_bytes()})
    written = (tmp_path / "office" / "mail" / "001-budget.eml").read_text(encoding="utf-8")
    assert "Müller and Schmidt" in written
