"""Workbooks: plain ones stay, all others are converted by name or refused."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from tests.harness.office_import.exports import cells, refusal, row, xlsx, zipped
from trainee_bench.harness.office_import.report import ImportOutcome
from trainee_bench.world.workbook.xlsx import from_xlsx, to_xlsx


def sheets(folder: Path, name: str = "a.xlsx") -> dict[str, dict[str, str]]:
    """The cells of a workbook in the office, as agents read them."""
    workbook = from_xlsx((folder / "office" / "drive" / name).read_bytes())
    return {sheet.name: dict(sheet.cells) for sheet in workbook.sheets}


def test_a_workbook_that_an_office_wrote_stays_as_it_is(tmp_path: Path) -> None:
    data = to_xlsx(from_xlsx(xlsx(cells("A1", "2", "B1", "=A1*3|6"))))
    found = row(tmp_path, "a.xlsx", data)
    assert (found.outcome, found.notes) == (ImportOutcome.IMPORTED, ())
    assert (tmp_path / "office/drive/a.xlsx").read_bytes() == data


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (xlsx(cells("A1", "2"), more='<mergeCells count="1"><mergeCell ref="A1:C1"/></mergeCells>'),
         "Merged cells were separated (Plan!A1:C1)"),
        (xlsx(cells("A1", "2"), state='state="hidden"'), "hidden sheets are visible now: Rates"),
        (xlsx(cells("A1", "2"), more='<sheetProtection sheet="1"/>'), "protection of its"),
        (xlsx(cells("A1", "2"), parts={"xl/media/image1.png": b"x"}), "pictures were left out"),
    ],
)  # fmt: skip
def test_losses_are_named_and_the_file_is_written_as_agents_read_it(
    tmp_path: Path, data: bytes, says: str
) -> None:
    found = row(tmp_path, "a.xlsx", data)
    assert found.outcome is ImportOutcome.CONVERTED and says in " ".join(found.notes)
    assert sheets(tmp_path)["Plan"] == {"A1": "2"}


def test_a_formula_with_another_result_than_the_stored_one_is_named(tmp_path: Path) -> None:
    found = row(tmp_path, "a.xlsx", xlsx(cells("A1", "2", "B1", "=A1*3|7", "C1", "=A1+0.1|2.1")))
    assert found.outcome is ImportOutcome.CONVERTED
    assert found.notes == (
        "Some formulas give other results here than the stored ones: Plan!B1 is 6.0, not 7.",
    )


def test_a_workbook_with_macros_becomes_a_plain_one(tmp_path: Path) -> None:
    found = row(tmp_path, "a.xlsm", xlsx(cells("A1", "2"), parts={"xl/vbaProject.bin": b"x"}))
    assert found.became == ("drive/a.xlsx",)
    assert "macros were left out" in " ".join(found.notes)


def test_days_from_1904_become_the_same_days(tmp_path: Path) -> None:
    rows = '<row r="1"><c r="A1" s="1"><v>44529</v></c></row>'
    found = row(tmp_path, "a.xlsx", xlsx(rows, properties='<workbookPr date1904="1"/>'))
    assert "from 1904" in found.notes[0]
    assert sheets(tmp_path)["Plan"] == {"A1": "2025-11-30"}


def test_formulas_that_are_not_calculated_here_become_their_stored_results(tmp_path: Path) -> None:
    rows = cells("A1", "2", "B1", "=TODAY()|46000", "C1", "=A1*3|6")
    found = row(tmp_path, "a.xlsx", xlsx(rows))
    assert "All 2 formulas became their stored results" in found.notes[-1]
    assert "TODAY" in found.notes[-1]
    assert sheets(tmp_path)["Plan"] == {"A1": "2", "B1": "46000", "C1": "6"}


def test_dates_from_1904_with_formulas_keep_their_results(tmp_path: Path) -> None:
    rows = '<row r="1"><c r="A1" s="1"><v>44529</v></c><c r="B1"><f>1+1</f><v>2</v></c></row>'
    found = row(tmp_path, "a.xlsx", xlsx(rows, properties='<workbookPr date1904="1"/>'))
    assert found.outcome is ImportOutcome.CONVERTED
    assert sheets(tmp_path)["Plan"] == {"A1": "2025-11-30", "B1": "2"}


def test_a_formula_without_a_stored_result_is_calculated_or_refused(tmp_path: Path) -> None:
    found = row(tmp_path, "a.xlsx", xlsx(cells("A1", "2", "B1", "=A1*3")))
    assert "calculated here: Plan!B1" in found.notes[0]
    other = tmp_path / "other"
    other.mkdir()
    why = refusal(other, "b.xlsx", xlsx(cells("A1", "=NOW()")))
    assert "no stored result (Plan!A1)" in why and "save it" in why


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "locked with a password"),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "save it as .xlsx"),
        ("a.xlsx", b"no archive at all", "is not such a file"),
        ("a.xlsx", b"PK\x03\x04 and then nothing", "damaged"),
        ("a.xlsb", zipped({"[Content_Types].xml": "<x/>", "xl/workbook.bin": "x"}), ".xlsb"),
        ("a.ods", zipped({"mimetype": "application/vnd.oasis.opendocument.spreadsheet"}),
         "OpenDocument"),
        ("a.xlsx", xlsx("<row/>")[:-300], "damaged"),
    ],
)  # fmt: skip
def test_what_is_no_readable_workbook_is_refused_with_a_remedy(
    tmp_path: Path, name: str, data: bytes, says: str
) -> None:
    assert says in refusal(tmp_path, name, data)


@pytest.mark.parametrize(
    ("stored", "read"),
    [("2021-01-01", "2021-01-01"), ("2021-01-01T10:30:00", "2021-01-01 10:30")],
)
def test_dates_that_are_stored_as_texts_become_dates(
    tmp_path: Path, stored: str, read: str
) -> None:
    rows = f'<row r="1"><c r="A1" s="1" t="d"><v>{stored}</v></c><c r="B1"><v>2</v></c></row>'
    found = row(tmp_path, "a.xlsx", xlsx(rows))
    assert "ISO 8601" in found.notes[0]
    day = sheets(tmp_path)["Plan"]["A1"]
    assert day == read or day.startswith("44197.4375")


def test_a_workbook_in_the_strict_form_is_read(tmp_path: Path) -> None:
    parts = zipfile.ZipFile(io.BytesIO(xlsx(cells("A1", "2"))))
    strict = {
        name: parts.read(name)
        .replace(b"http://schemas.openxmlformats.org/spreadsheetml/2006/main",
                 b"http://purl.oclc.org/ooxml/spreadsheetml/main")
        .replace(b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
                 b"http://purl.oclc.org/ooxml/officeDocument/relationships")
        for name in parts.namelist()
    }  # fmt: skip
    assert "strict form" in row(tmp_path, "a.xlsx", zipped(strict)).notes[0]
    assert sheets(tmp_path)["Plan"] == {"A1": "2"}


def test_a_bomb_of_zeros_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", bytes(1_000))
        archive.infolist()[1].file_size = 200_000_000
    assert "at most 100,000,000 bytes" in refusal(tmp_path, "a.xlsx", written.getvalue())


def test_declared_entities_are_refused(tmp_path: Path) -> None:
    laughs = b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>'
    data = xlsx(cells("A1", "2"), parts={"xl/extra.xml": laughs})
    assert "declares a document type" in refusal(tmp_path, "a.xlsx", data)
