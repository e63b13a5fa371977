"""Filling down: which references move, which stay."""

from __future__ import annotations

import pytest

from trainee_bench.world.errors import Invalid
from trainee_bench.world.workbook.addresses import CellAddress, parse_cell_range
from trainee_bench.world.workbook.edits import fill_down, moved_down
from trainee_bench.world.workbook.model import Sheet, Workbook
from trainee_bench.world.workbook.values import calculate


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


def test_what_cannot_be_filled_is_refused() -> None:
    book = Workbook(sheets=(Sheet(name="S", cells={"B1": "=A1", "B2": "=A1048576"}),))
    for source, last, why in (
        ("B1:B2", 9, "the one row"),
        ("B1", 1, "below row 1"),
        ("C1", 9, "nothing in C1"),
        ("B2", 3, "no such row"),
        ("B1", 1_048_576, "at most 100000 cells"),
    ):
        with pytest.raises(Invalid, match=why):
            fill_down(book, "", parse_cell_range(source), last)
