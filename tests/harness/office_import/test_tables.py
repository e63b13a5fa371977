"""Tables: .csv in any encoding and notation becomes UTF-8 with commas and plain numbers."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.harness.office_import.exports import refusal, row, text
from trainee_bench.harness.office_import.delimited_tables import table_file
from trainee_bench.harness.office_import.report import ImportOutcome

GERMAN = "Name;Betrag;PLZ\r\nMüller;1.234,50;01067\r\nGroß;12,5;80331\r\n"


def test_a_plain_table_stays_as_it_is(tmp_path: Path) -> None:
    found = row(tmp_path, "a.csv", "name,hours\nAda,3\n")
    assert (found.outcome, found.became, found.notes) == (
        ImportOutcome.IMPORTED,
        ("drive/a.csv",),
        (),
    )
    assert text(tmp_path, "drive/a.csv") == "name,hours\nAda,3\n"


@pytest.mark.parametrize(
    ("encoding", "says"),
    [("cp1252", "detected as cp1252"), ("utf-16", "UTF-16"), ("utf-8-sig", "byte order mark"),
     ("utf-16-le", "UTF-16")],
)  # fmt: skip
def test_a_german_export_becomes_utf_8_with_commas_and_points(
    tmp_path: Path, encoding: str, says: str
) -> None:
    found = row(tmp_path, "a.csv", GERMAN.encode(encoding))
    notes = " ".join(found.notes)
    assert found.outcome is ImportOutcome.CONVERTED
    assert says in notes and "semicolons" in notes
    assert "Column 2 (Betrag): decimal commas became points and separators of thousands" in notes
    assert "PLZ" not in notes
    assert text(tmp_path, "drive/a.csv") == (
        "Name,Betrag,PLZ\nMüller,1234.50,01067\nGroß,12.5,80331\n"
    )


def test_an_explicit_encoding_is_used_and_a_wrong_one_is_refused(tmp_path: Path) -> None:
    found = row(tmp_path, "a.csv", "имя,х\nАда,1\n".encode("koi8-r"), encoding="koi8-r")
    assert "koi8-r" in found.notes[0] and text(tmp_path, "drive/a.csv") == "имя,х\nАда,1\n"
    other = tmp_path / "other"
    other.mkdir()
    why = refusal(other, "b.csv", "é,1\n".encode("cp1252"), encoding="utf-8")
    assert "byte 1 does not fit" in why and "--encoding" in why


@pytest.mark.parametrize(
    ("cells", "become"),
    [
        (["1,234", "5,678"], ["1,234", "5,678"]),  # thousands or decimals: nobody knows
        (["1,234", "0,5"], ["1.234", "0.5"]),
        (["1,5", "n/a"], ["1,5", "n/a"]),
        (["1,234.50", "7"], ["1234.50", "7"]),
        (["1'234.5", "2'000.0"], ["1234.5", "2000.0"]),
        (["007", "1,5"], ["007", "1,5"]),
        (["1.234", "5.678"], ["1.234", "5.678"]),
    ],
)
def test_numbers_are_rewritten_only_where_the_whole_column_proves_it(
    cells: list[str], become: list[str]
) -> None:
    source = "x;y\n" + "".join(f"a;{cell}\n" for cell in cells)
    written = table_file("t.csv", source.encode()).data.decode()
    assert [line[1] for line in csv.reader(io.StringIO(written))][1:] == become


@pytest.mark.parametrize(("delimiter", "named"), [("\t", "tabs"), ("|", "vertical bars")])
def test_other_separators_are_recognised_and_named(
    tmp_path: Path, delimiter: str, named: str
) -> None:
    found = row(tmp_path, "a.tsv", f"a{delimiter}b\n1{delimiter}2, 3\n")
    assert found.became == ("drive/a.csv",)
    assert named in found.notes[0]
    assert text(tmp_path, "drive/a.csv") == 'a,b\n1,"2, 3"\n'


def test_rows_of_another_length_are_named_and_kept(tmp_path: Path) -> None:
    found = row(tmp_path, "a.csv", "a,b\n1,2\n3\n4,5,6\n")
    assert "Rows 3, 4 have another number of fields than the first row (2)" in found.notes[0]
    assert text(tmp_path, "drive/a.csv") == "a,b\n1,2\n3\n4,5,6\n"


def test_the_separator_that_excel_declares_is_used_and_left_out(tmp_path: Path) -> None:
    found = row(tmp_path, "a.csv", "sep=;\r\na;b\r\n1;2\r\n")
    assert "sep=" in found.notes[0] and text(tmp_path, "drive/a.csv") == "a,b\n1,2\n"


def test_a_table_that_no_workbook_can_hold_is_refused(tmp_path: Path) -> None:
    assert "4,000,000" in refusal(tmp_path, "a.csv", "1,2\n" * 1_000_001)


def test_control_characters_become_spaces(tmp_path: Path) -> None:
    found = row(tmp_path, "a.csv", "a,b\n1,x\u0080y\n")
    assert found.notes == ("Its control characters became spaces.",)
    assert text(tmp_path, "drive/a.csv") == "a,b\n1,x y\n"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.lists(st.text("aä \"',;\n", max_size=5), min_size=2, max_size=2), min_size=1, max_size=4
    ),
    st.sampled_from(",;\t|"),
)
def test_texts_survive_any_quoting_and_separator(rows: list[list[str]], delimiter: str) -> None:
    source = io.StringIO(newline="")
    rows = [["left", "right"], ["first", "second"], ["third", "fourth"], *rows]
    csv.writer(source, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)
    written = table_file("t.csv", source.getvalue().encode()).data.decode()
    while not any(rows[-1]):
        rows.pop()
    assert list(csv.reader(io.StringIO(written, newline=""))) == rows
