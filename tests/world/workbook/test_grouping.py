"""Rows grouped by columns: what is counted, added up and refused."""

from __future__ import annotations

import pytest

from trainee_bench.world.errors import Invalid, NotFound
from trainee_bench.world.workbook.grouping import group_rows, parse_aggregate
from trainee_bench.world.workbook.model import Sheet, Workbook
from trainee_bench.world.workbook.query import Condition, Operator, SheetTable, read_table
from trainee_bench.world.workbook.values import calculate

CELLS = {
    "A1": "Team", "B1": "Hours", "C1": "Since", "D1": "Note",
    "A2": "Ops", "B2": "0.1", "C2": "2020-03-01", "D2": "x",
    "A3": "sales", "B3": "€1,000.50", "C3": "2019-01-02", "D3": "X",
    "A4": "ops", "B4": "0.2", "D4": "y",
    "A5": "Sales", "C5": "2021-06-15",
    "B6": "7",
}  # fmt: skip


def table(**changed: str) -> SheetTable:
    book = Workbook(sheets=(Sheet(name="S", cells={**CELLS, **changed}),))
    return read_table(calculate(book)[0])


def grouped(*aggregates: str, by: tuple[str, ...] = ("team",), **changed: str) -> list[list[str]]:
    found = group_rows(table(**changed), (), by, [parse_aggregate(one) for one in aggregates])
    return [["" if value is None else value.text for value in row] for _, row in found.rows]


def test_groups_are_in_order_of_their_first_rows_and_know_no_case() -> None:
    assert grouped("count", "count Hours", "distinct Note") == [
        ["Ops", "2", "2", "2"],
        ["sales", "2", "1", "1"],
        ["", "1", "1", "0"],
    ]


def test_sums_and_averages_are_exact_and_leave_empty_cells_out() -> None:
    assert grouped("sum Hours", "average hours", "min Since", "max Since") == [
        ["Ops", "0.3", "0.15", "2020-03-01", "2020-03-01"],
        ["sales", "1000.5", "1000.5", "2019-01-02", "2021-06-15"],
        ["", "7", "7", "", ""],
    ]


def test_without_groups_all_rows_are_one_and_none_is_one_too() -> None:
    assert grouped("count", "sum Hours", by=()) == [["5", "1007.8"]]
    nobody = [Condition("Team", Operator.EQUAL, "Legal")]
    aggregates = [parse_aggregate("count"), parse_aggregate("average Hours")]
    ((_, row),) = group_rows(table(), nobody, (), aggregates).rows
    assert [value and value.text for value in row] == ["0", None]


def test_groups_are_selected_and_sorted_by_their_aggregates() -> None:
    hired = [Condition("Since", Operator.UNEQUAL, "")]
    found = group_rows(table(), hired, ["Team"], [parse_aggregate("count")], ["-count"])
    assert found.columns == ("Team", "count")
    assert [[value and value.text for value in row] for _, row in found.rows] == [
        ["sales", "2"],
        ["Ops", "1"],
    ]


@pytest.mark.parametrize("aggregate", ["sum Hours", "average Hours", "max Hours"])
def test_a_text_among_numbers_is_named_rather_than_left_out(aggregate: str) -> None:
    with pytest.raises(Invalid, match="Row 4 has 'n/a' in Hours"):
        grouped(aggregate, B4="n/a")


def test_what_is_no_aggregate_is_refused() -> None:
    for text in ("", "total Hours", "sum", "sum  "):
        with pytest.raises(Invalid, match="sum Hours"):
            parse_aggregate(text)
    with pytest.raises(NotFound, match="There is no column 'Wage'; there is: Team, Hours"):
        grouped("sum Wage")
    with pytest.raises(Invalid, match="dates and times have min and max"):
        grouped("sum Since")
