"""Texts of tables, and addresses of cells."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.world.errors import Invalid
from trainee_bench.world.workbook.addresses import (
    LAST_COLUMN,
    LAST_ROW,
    CellAddress,
    CellRange,
    bounding_range,
    column_letters,
    column_number,
    parse_cell_address,
    parse_cell_range,
)
from trainee_bench.world.workbook.csv_text import RFC_4180, Dialect, from_csv, sniff_dialect, to_csv
from trainee_bench.world.workbook.model import Sheet, Workbook
from trainee_bench.world.workbook.values import calculate

fields = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=12
) | st.sampled_from(
    ["0012", "12.50", "1e5", "1e400", "=1+1", "'x", "50%", "2026-11-21", "09:30", 'a "b"', "a,b;c"]
)


def again(text: str) -> str:
    return to_csv(calculate(from_csv(text))[0], sniff_dialect(text))


def test_canonical_csv_survives_byte_for_byte() -> None:
    text = (
        "id,name,amount,rate,day,at,note\r\n"
        '0012,"Lee, Ann",12.50,5%,2026-11-21,09:30,"two\r\nlines"\r\n'
        '1e5,"the ""best""",-3,0.30000000000000004,31/12/2026,9:05,=1+1\r\n'
        "12345678901234567890,Ünal é😀,1e400,TRUE,true,,'quoted\r\n"
    )
    assert again(text) == text


@given(
    st.lists(st.lists(fields, min_size=3, max_size=3), min_size=1, max_size=6).filter(
        lambda rows: all(row[-1] for row in rows)
    ),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["\r\n", "\n"]),
    st.booleans(),
)
def test_any_table_survives_in_its_own_habits(
    rows: list[list[str]], delimiter: str, newline: str, mark: bool
) -> None:
    rows = [["first", "second", "third"], *rows]
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=delimiter, lineterminator=newline).writerows(rows)
    text = "\ufeff" * mark + written.getvalue()
    assert sniff_dialect(text) == Dialect(delimiter, newline, mark)
    assert again(text) == text


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        once = again(text)
    except Invalid:
        return
    assert again(once) == once


def test_a_byte_order_mark_belongs_to_no_field() -> None:
    book = from_csv("\ufeffname,hours\n")
    assert book.sheets[0].cells == {"A1": "name", "B1": "hours"}


def test_numbers_count_as_numbers_and_ids_do_not() -> None:
    book = from_csv("0012,12.50,$3\n0013,2.50,$4\n")
    summed = Workbook(
        sheets=(
            Sheet(
                name="Sheet1",
                cells={**book.sheets[0].cells, "D1": "=SUM(A1:A2)", "D2": "=SUM(B1:C2)"},
            ),
        )
    )
    assert to_csv(calculate(summed)[0], RFC_4180) == "0012,12.50,$3,0\r\n0013,2.50,$4,22\r\n"


def test_formulas_leave_as_exact_values_and_dates_as_iso() -> None:
    cells = {
        "A1": "=1/3",
        "B1": "=0.1+0.2",
        "C1": "=DATE(2026,11,21)+1",
        "D1": "=1/0",
        "E1": "=1=1",
        "F1": '="a"&CHAR(34)',
        "G1": "=2*3",
    }
    book = Workbook(sheets=(Sheet(name="S", cells=cells, formats={"A1": "0.00"}),))
    assert to_csv(calculate(book)[0]) == (
        '0.333333333333333,0.3,2026-11-22,#DIV/0!,TRUE,"a""",6\r\n'
    )


def test_ragged_rows_are_filled_and_places_are_kept() -> None:
    assert again("a\n\nb,c\n") == "a,\n,\nb,c\n"
    book = Workbook(sheets=(Sheet(name="S", cells={"B2": "x"}),))
    assert to_csv(calculate(book)[0]) == ",\r\n,x\r\n"


def test_quoted_delimiters_do_not_decide_the_delimiter() -> None:
    assert sniff_dialect('"a,b,c";"d"\n1;2').delimiter == ";"
    assert sniff_dialect("one column\n").delimiter == ","
    assert sniff_dialect("") == RFC_4180


def test_an_empty_text_is_an_empty_sheet() -> None:
    assert from_csv("").sheets[0].cells == {}
    assert again("") == ""


@pytest.mark.parametrize("text", ["a\x00b", "\x1b[31m", "x" * 40_000, 'a,"' + "x" * 200_000 + '"'])
def test_a_text_that_no_cell_can_hold_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        from_csv(text)


def test_too_many_cells_are_refused() -> None:
    with pytest.raises(Invalid, match="at most 100000 cells"):
        from_csv("1\n" * 100_001)


def test_a_sheet_too_wide_to_lay_out_is_refused() -> None:
    book = Workbook(sheets=(Sheet(name="S", cells={"XFD9999": "x"}),))
    with pytest.raises(Invalid, match="1000000"):
        to_csv(calculate(book)[0])


def test_a_file_is_read_no_further_than_its_cells_may_be() -> None:
    beyond = "x" * 200_000  # no field that the reader takes
    with pytest.raises(Invalid, match="at most 100000 cells"):
        from_csv("a\n" * 100_001 + beyond)


# addresses --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "column, letters", [(1, "A"), (26, "Z"), (27, "AA"), (702, "ZZ"), (703, "AAA"), (16384, "XFD")]
)
def test_columns_have_letters(column: int, letters: str) -> None:
    assert column_letters(column) == letters
    assert column_number(letters.lower()) == column


@given(st.integers(1, LAST_ROW), st.integers(1, LAST_COLUMN))
def test_every_place_is_read_back(row: int, column: int) -> None:
    assert parse_cell_address(str(CellAddress(row, column))) == CellAddress(row, column)


@pytest.mark.parametrize("text", ["", "A", "1", "A0", "A1048577", "XFE1", "A1B", "1A", "Ä1", "A-1"])
def test_an_invalid_cell_address_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        parse_cell_address(text)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("B3", CellRange(3, 2, 3, 2)),
        ("B3:D9", CellRange(3, 2, 9, 4)),
        ("d9:b3", CellRange(3, 2, 9, 4)),
        ("$B$3:$D$9", CellRange(3, 2, 9, 4)),
        (" B3:D9 ", CellRange(3, 2, 9, 4)),
        ("B:D", CellRange(1, 2, LAST_ROW, 4)),
        ("3:9", CellRange(3, 1, 9, LAST_COLUMN)),
    ],
)
def test_areas_are_read_in_all_their_forms(text: str, expected: CellRange) -> None:
    assert parse_cell_range(text) == expected


@pytest.mark.parametrize("text", ["", ":", "B", "3", "B3:", ":D9", "B3:D", "B:9", "B3:D9:E1", "B0"])
def test_an_invalid_range_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(Invalid, match="B3:D9|no row|not a range"):
        parse_cell_range(text)


def test_a_range_past_the_last_cell_names_the_last_one() -> None:
    with pytest.raises(Invalid, match="XFD"):
        parse_cell_range("A1:XFE2")
    with pytest.raises(Invalid, match="1048576"):
        parse_cell_range("A1:A1048577")


def test_an_area_knows_its_size_and_its_cells() -> None:
    block = parse_cell_range("B3:C4")
    assert (block.height, block.width) == (2, 2)
    assert [str(one) for one in block.places()] == ["B3", "C3", "B4", "C4"]
    assert CellAddress(4, 3) in block
    assert CellAddress(5, 3) not in block
    assert str(block) == "B3:C4"
    assert str(parse_cell_range("B3")) == "B3"


def test_areas_meet_in_what_they_share() -> None:
    assert parse_cell_range("A1:C3").within(parse_cell_range("B2:D9")) == parse_cell_range("B2:C3")
    assert parse_cell_range("B:B").within(parse_cell_range("A1:C3")) == parse_cell_range("B1:B3")
    assert parse_cell_range("A1:A2").within(parse_cell_range("C1:C2")) is None


def test_the_area_around_places_is_the_smallest() -> None:
    assert bounding_range([CellAddress(5, 2), CellAddress(3, 4)]) == parse_cell_range("B3:D5")
    assert bounding_range([]) is None
