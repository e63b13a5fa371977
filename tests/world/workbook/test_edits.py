"""Changes to workbooks, what a workbook can hold, and how formulas are filled down."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainee_bench.world.errors import Invalid, NotFound, Refused, WorldError
from trainee_bench.world.workbook.addresses import CellAddress, parse_cell_range
from trainee_bench.world.workbook.edits import (
    CellInput,
    add_sheet,
    append,
    delete_sheet,
    fill_down,
    moved_down,
    rename_sheet,
    write,
)
from trainee_bench.world.workbook.inputs import CellKind
from trainee_bench.world.workbook.model import (
    MAX_SHEETS,
    Sheet,
    Workbook,
    check_sheet_name,
    check_workbook,
    empty_workbook,
    parse_workbook,
)
from trainee_bench.world.workbook.values import calculate

START = CellAddress(1, 1)


def test_rows_are_read_as_if_typed_and_numbers_are_kept_exactly() -> None:
    rows: list[list[CellInput]] = [
        ["Name", 12, 0.1, True],
        ["0012", "12.50", "=B1*2", "'=B1"],
        [1e300, -0.0, False, "50%"],
    ]
    book, written = write(empty_workbook(), "", START, rows)
    assert written == parse_cell_range("A1:D3")
    assert book.sheets[0].cells == {
        "A1": "Name", "B1": "12", "C1": "0.1", "D1": "TRUE",
        "A2": "0012", "B2": "12.50", "C2": "=B1*2", "D2": "'=B1",
        "A3": "1e+300", "B3": "0", "C3": "FALSE", "D3": "50%",
    }  # fmt: skip


def test_a_whole_number_longer_than_a_number_keeps_becomes_text() -> None:
    book, _ = write(empty_workbook(), "", START, [[12345678901234567890, 9007199254740992]])
    kinds = [value.kind for value in calculate(book)[0].cells.values()]
    assert book.sheets[0].cells == {"A1": "12345678901234567890", "B1": "9007199254740992"}
    assert kinds == [CellKind.TEXT, CellKind.NUMBER]


def test_null_keeps_and_empty_text_empties_a_cell_and_its_format() -> None:
    before = Workbook(
        sheets=(Sheet(name="S", cells={"A1": "1", "B1": "2", "C1": "3"}, formats={"B1": "0.00%"}),)
    )
    book, _ = write(before, "", START, [[None, "", 4]])
    assert book.sheets[0] == Sheet(name="S", cells={"A1": "1", "C1": "4"})
    assert before.sheets[0].cells["B1"] == "2"


def test_rows_are_appended_below_the_last_used_one() -> None:
    book, _ = write(empty_workbook(), "Sheet1", CellAddress(3, 2), [["Name", "Hours"], ["Ada", 1]])
    book, written = append(book, "", [["Bob", 2], ["Cy"]])
    assert written == parse_cell_range("B5:C6")
    assert book.sheets[0].cells["B6"] == "Cy"
    _, written = append(empty_workbook(), "", [["Name"]])
    assert written == parse_cell_range("A1")


@pytest.mark.parametrize("rows", [[], [[]], [[], []]])
def test_nothing_to_write_is_refused(rows: list[list[str]]) -> None:
    with pytest.raises(Invalid, match="nothing to write"):
        write(empty_workbook(), "", START, rows)


@pytest.mark.parametrize(
    "value",
    ["a\x00b", "\x07", "\ud800", "\ufffe", "x" * 32_768, float("nan"), float("-inf"), 10**400],
)
def test_a_value_that_no_cell_can_hold_is_refused_with_its_cell(value: str | float) -> None:
    with pytest.raises(Invalid, match="Sheet1!B2"):
        write(empty_workbook(), "", CellAddress(2, 2), [[value]])


def test_a_formula_on_the_clock_is_refused_with_its_cell_and_the_way_out() -> None:
    with pytest.raises(Refused, match="TODAY.*Sheet1!B2.*desk_now"):
        write(empty_workbook(), "", CellAddress(2, 2), [["=B1-today()"]])


def test_rows_past_the_last_cell_are_refused() -> None:
    with pytest.raises(Invalid, match="XFD1048576"):
        write(empty_workbook(), "", CellAddress(1_048_576, 16_384), [[1, 2]])


def test_too_many_cells_are_refused() -> None:
    with pytest.raises(Invalid, match="at most 100000 cells"):
        write(empty_workbook(), "", START, [[1] * 1001] * 100)
    with pytest.raises(Invalid, match="at most 4000000 characters"):
        write(empty_workbook(), "", START, [["x" * 30_000]] * 140)


def test_an_unknown_sheet_is_not_found_and_the_known_ones_are_named() -> None:
    with pytest.raises(NotFound, match="sheets: Sheet1"):
        write(empty_workbook(), "Data", START, [[1]])
    assert write(empty_workbook("Data"), "data", START, [[1]])[0].sheets[0].cells


def test_sheets_are_added_renamed_and_deleted() -> None:
    book = add_sheet(empty_workbook("Data"), "Sums")
    book, _ = write(book, "Data", START, [[5]])
    book, _ = write(book, "Sums", START, [["=Data!A1*2", '="Data!A1"', "=Rate"]])
    book = book.model_copy(update={"names": {"Rate": "Data!$A$1"}})
    book = rename_sheet(book, "data", "New data")
    assert [sheet.name for sheet in book.sheets] == ["New data", "Sums"]
    assert book.sheets[1].cells == {"A1": "='New data'!A1*2", "B1": '="Data!A1"', "C1": "=Rate"}
    assert book.names == {"Rate": "'New data'!$A$1"}
    assert [value.text for value in calculate(book)[1].cells.values()] == ["10", "Data!A1", "5"]
    book = delete_sheet(book, "New data")
    assert [value.text for value in calculate(book)[0].cells.values()] == [
        "#REF!",
        "Data!A1",
        "#NAME?",
    ]
    with pytest.raises(Refused, match="only sheet"):
        delete_sheet(book, "Sums")


def test_a_sheet_may_change_the_case_of_its_name() -> None:
    book = rename_sheet(add_sheet(empty_workbook("data"), "Other"), "data", "Data")
    assert [sheet.name for sheet in book.sheets] == ["Data", "Other"]
    assert rename_sheet(book, "Data", "Data") is book


def test_names_of_sheets_are_taken_once_whatever_their_case() -> None:
    book = add_sheet(empty_workbook("Data"), "Sums")
    with pytest.raises(Refused, match="already"):
        add_sheet(book, "DATA")
    with pytest.raises(Refused, match="already"):
        rename_sheet(book, "Sums", "data")
    with pytest.raises(NotFound):
        rename_sheet(book, "Nowhere", "x")
    with pytest.raises(Invalid, match="same name"):
        check_workbook(Workbook(sheets=(Sheet(name="a"), Sheet(name="A"))))


@pytest.mark.parametrize("name", ["", " x", "x" * 32, "a/b", "[a]", "a:b", "what?", "'a'", "a\nb"])
def test_an_invalid_sheet_name_is_refused(name: str) -> None:
    with pytest.raises(Invalid, match="cannot be a sheet's name"):
        add_sheet(empty_workbook(), name)


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=35))
def test_every_allowed_name_is_one_the_engine_takes_too(name: str) -> None:
    try:
        check_sheet_name(name)
    except Invalid:
        return
    book = Workbook(sheets=(Sheet(name=name, cells={"A1": "=1+1"}), Sheet(name="Q7 other")))
    if name.casefold() != "q7 other":
        assert [value.text for value in calculate(book)[0].cells.values()] == ["2"]


def test_there_is_a_limit_to_the_number_of_sheets() -> None:
    book = Workbook(sheets=tuple(Sheet(name=f"S{n}") for n in range(MAX_SHEETS)))
    with pytest.raises(Refused, match="64 sheets"):
        add_sheet(book, "One more")
    with pytest.raises(Invalid, match="1 to 64 sheets"):
        check_workbook(Workbook(sheets=()))


def test_equal_content_is_equal_json_in_whatever_order_it_was_typed() -> None:
    one, _ = write(empty_workbook(), "", START, [["a", "b"], ["c", "'d"]])
    other = empty_workbook()
    for at, text in [
        (CellAddress(2, 2), "d"),
        (CellAddress(1, 2), "b"),
        (CellAddress(2, 1), "c"),
        (START, "a"),
    ]:
        other, _ = write(other, "", at, [[text]])
    assert one.dump() == other.dump()
    assert parse_workbook(one.dump()) == one
    assert list(one.sheets[0].places) == sorted(one.sheets[0].places)


def test_the_used_area_follows_the_cells() -> None:
    assert empty_workbook().sheets[0].used() is None
    assert Sheet(name="S", cells={"B9": "x", "D2": "y"}).used() == parse_cell_range("B2:D9")


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.just("=A1+B2")
)


@given(st.lists(st.lists(scalars, max_size=3), max_size=3), st.sampled_from(["", "Sheet1", "?"]))
def test_any_rows_are_written_and_calculated_or_refused(
    rows: list[list[str | int | float | bool | None]], sheet: str
) -> None:
    try:
        book, _ = write(empty_workbook(), sheet, START, rows)
        again = parse_workbook(check_workbook(book).dump())
        calculate(again)
    except WorldError:
        return
    assert again == book


# filling ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "formula, three_down",
    [
        ("=A1+$A1+A$1+$A$1", "=A4+$A4+A$1+$A$1"),
        ("=SUM(B2:B$9)&C3", "=SUM(B5:B$9)&C6"),
        ("=SUM(B:B)+SUM(2:3)+SUM($2:3)", "=SUM(B:B)+SUM(5:6)+SUM($2:6)"),
        ("=LOG10(A10)+ATAN2(A1,B1)", "=LOG10(A13)+ATAN2(A4,B4)"),
        ("='A1 B2'!C3&\"D4\"&Q1_total", "='A1 B2'!C6&\"D4\"&Q1_total"),
        ("=Data!A1*1.5E3", "=Data!A4*1.5E3"),
        ("12.50", "12.50"),
        ("A1", "A1"),
    ],
)
def test_relative_rows_move_and_all_else_stays(formula: str, three_down: str) -> None:
    assert moved_down(formula, 3) == three_down


def test_a_row_is_copied_down_with_its_formats() -> None:
    cells = {"A1": "1", "A2": "2", "A3": "3", "B1": "=A1*$A$3", "C1": "each"}
    book = Workbook(sheets=(Sheet(name="S", cells=cells, formats={"B1": "0.0"}),))
    filled, area = fill_down(book, "", parse_cell_range("B1:C1"), 3)
    assert str(area) == "B2:C3"
    shown = calculate(filled)[0].cells
    assert [shown[CellAddress(row, 2)].formatted for row in (1, 2, 3)] == ["3.0", "6.0", "9.0"]
    assert shown[CellAddress(3, 3)].text == "each"


def test_an_impossible_fill_is_refused() -> None:
    book = Workbook(sheets=(Sheet(name="S", cells={"B1": "=A1", "B2": "=A1048576"}),))
    for source, last, why in (
        ("B1:B2", 9, "only the row to copy"),
        ("B1", 1, "below row 1"),
        ("C1", 9, "nothing in C1"),
        ("B2", 3, "no such row"),
        ("B1", 1_048_576, "at most 100000 cells"),
    ):
        with pytest.raises(Invalid, match=why):
            fill_down(book, "", parse_cell_range(source), last)
