"""What a workbook is, and what may be kept."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from trainee_bench.world.errors import Invalid, NotFound, Refused
from trainee_bench.world.workbook.addresses import CellAddress
from trainee_bench.world.workbook.model import (
    Sheet,
    Workbook,
    check_workbook,
    empty_workbook,
    parse_workbook,
)

BOOK = Workbook(
    sheets=(
        Sheet(name="Data", cells={"B2": "=A1*Rate", "A10": "x", "A1": "5"}, formats={"B2": "0.00"}),
        Sheet(name="Übersicht"),
    ),
    names={"Rate": "Data!$A$1"},
)


def one(cells: dict[str, str], **more: str) -> Workbook:
    return Workbook(sheets=(Sheet(name="S", cells=cells),), names=more)


def test_the_canonical_form_is_sorted_json_without_blanks() -> None:
    assert BOOK.dump() == (
        '{"names":{"Rate":"Data!$A$1"},"sheets":[{"cells":{"A1":"5","A10":"x","B2":"=A1*Rate"},'
        '"formats":{"B2":"0.00"},"name":"Data"},{"cells":{},"formats":{},"name":"Übersicht"}]}'
    )
    assert parse_workbook(BOOK.dump()) == BOOK
    assert json.loads(BOOK.dump())["sheets"][0]["cells"]["A1"] == "5"


def test_a_workbook_is_not_changed_in_place_and_knows_no_other_fields() -> None:
    with pytest.raises(ValidationError):
        BOOK.sheets[0].name = "x"  # type: ignore[misc]
    with pytest.raises(ValidationError):
        parse_workbook('{"sheets":[],"names":{},"macros":"no"}')


def test_sheets_are_found_by_name_in_any_case_and_the_first_without() -> None:
    assert BOOK.sheet().name == "Data"
    assert BOOK.sheet("DATA").name == "Data"
    assert BOOK.sheet("übersicht").name == "Übersicht"
    with pytest.raises(NotFound, match="there is: Data, Übersicht"):
        BOOK.sheet("Sheet1")


def test_a_sheet_is_put_in_the_place_of_its_namesake() -> None:
    changed = BOOK.with_sheet(Sheet(name="Übersicht", cells={"A1": "1"}))
    assert [sheet.name for sheet in changed.sheets] == ["Data", "Übersicht"]
    assert changed.sheets[1].cells == {"A1": "1"}
    assert changed.names == BOOK.names


def test_cells_are_known_by_row_and_column_row_by_row() -> None:
    assert list(BOOK.sheets[0].places) == [CellAddress(1, 1), CellAddress(2, 2), CellAddress(10, 1)]
    assert str(BOOK.sheets[0].used()) == "A1:B10"


def test_only_formulas_need_the_engine() -> None:
    assert BOOK.has_formulas()
    assert not one({"A1": "'=B1", "A2": "5", "A3": "="}).has_formulas()


@pytest.mark.parametrize(
    "workbook, complaint",
    [
        (one({"A1": "a\x1b"}), r"S!A1 holds the control character U\+001B;"),
        (one({"A1": "x" * 32_768}), "at most 32767"),
        (one({"A1": "=" + "1+" * 5_000 + "1"}), "8192"),
        (Workbook(sheets=(Sheet(name="a/b"),)), "cannot be a sheet's name"),
        (Workbook(sheets=()), "1 to 64 sheets"),
    ],
)
def test_what_no_workbook_can_hold_is_refused(workbook: Workbook, complaint: str) -> None:
    with pytest.raises(Invalid, match=complaint):
        check_workbook(workbook)


def test_names_may_hide_no_forbidden_function() -> None:
    assert check_workbook(one({"A1": "1"}, Rate="S!$A$1"))
    with pytest.raises(Refused, match="NOW.*the name Later"):
        check_workbook(one({"A1": "1"}, Later="NOW()+1"))


def test_texts_of_any_script_tabs_and_line_breaks_are_kept() -> None:
    book = one(
        {"A1": "日本 é😀 ‏א", "A2": "a\tb\r\nc", "A3": "x" * 32_767, "A4": "'" + "y" * 32_767}
    )
    assert check_workbook(book) is book
    assert parse_workbook(book.dump()) == book


def test_an_empty_workbook_has_one_sheet() -> None:
    assert [sheet.name for sheet in empty_workbook("Plan").sheets] == ["Plan"]
    with pytest.raises(Invalid):
        empty_workbook("a:b")
