"""Rows selected from tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.world.errors import Invalid, NotFound
from trainee_bench.world.workbook.addresses import parse_cell_range
from trainee_bench.world.workbook.csv_text import from_csv
from trainee_bench.world.workbook.model import Sheet, Workbook
from trainee_bench.world.workbook.query import (
    Condition,
    Operator,
    Selection,
    read_table,
    select_rows,
)
from trainee_bench.world.workbook.values import SheetValues, calculate

STAFF = calculate(
    from_csv(
        "Name,Team,Hours,Since,In,Rate\n"
        "Ada,Sales,38.50,2020-03-01,08:55,12%\n"
        "bob,Sales,40,2021-06-15,09:05,10%\n"
        ",,,,,\n"
        "Cy,Support,,2019-01-02,08:30,\n"
        "Dee,support,n/a,2022-12-24,10:00,12.0%\n"
        "Eve,Sales,9,2020-03-01,09:00,3%\n"
    )
)[0]


def names(*where: Condition, sort_by: tuple[str, ...] = ()) -> list[str]:
    found = select_rows(read_table(STAFF), where, sort_by, ["Name"])
    return [value.text for _, (value,) in found.rows if value]


@pytest.mark.parametrize(
    "condition, expected",
    [
        (Condition("Team", Operator.EQUAL, "sales"), "Ada bob Eve"),
        (Condition("team", Operator.UNEQUAL, "Sales"), "Cy Dee"),
        (Condition("Hours", Operator.GREATER, 9), "Ada bob"),
        (Condition("Hours", Operator.AT_LEAST, "9"), "Ada bob Eve"),
        (Condition("Hours", Operator.LESS, 40), "Ada Eve"),
        (Condition("Hours", Operator.AT_MOST, 40.0), "Ada bob Eve"),
        (Condition("Hours", Operator.EQUAL, "38.5"), "Ada"),
        (Condition("Hours", Operator.EQUAL, ""), "Cy"),
        (Condition("Hours", Operator.UNEQUAL, ""), "Ada bob Dee Eve"),
        (Condition("Hours", Operator.EQUAL, "N/A"), "Dee"),
        (Condition("Since", Operator.LESS, "2020-03-02"), "Ada Cy Eve"),
        (Condition("In", Operator.GREATER, "09:00"), "bob Dee"),
        (Condition("Rate", Operator.EQUAL, "12%"), "Ada Dee"),
        (Condition("Rate", Operator.EQUAL, 0.12), "Ada Dee"),
        (Condition("Name", Operator.GREATER, "c"), "Cy Dee Eve"),
        (Condition("Team", Operator.CONTAINS, "PORT"), "Cy Dee"),
        (Condition("Since", Operator.CONTAINS, "2020-"), "Ada Eve"),
        (Condition("Name", Operator.EQUAL, 5), ""),
        (Condition("Name", Operator.LESS, 5), ""),
    ],
)
def test_rows_are_selected_by_one_condition(condition: Condition, expected: str) -> None:
    assert names(condition) == expected.split()


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (Condition("At", Operator.AT_LEAST, "2025-05-12"), "b c"),
        (Condition("At", Operator.LESS, "2025-05-12"), "a"),
        (Condition("At", Operator.GREATER, "2025-05-12T09:03"), "c"),
        (Condition("At", Operator.EQUAL, "2025-05-12T09:03"), "b"),
        (Condition("At", Operator.UNEQUAL, "2025-05-12"), "a b c"),
        (Condition("At", Operator.GREATER, 45000), ""),
    ],
)
def test_timestamps_have_an_order_with_dates(condition: Condition, expected: str) -> None:
    text = "Id,At\na,2025-05-11T23:59\nb,2025-05-12T09:03\nc,2025-05-12T09:04\n"
    table = read_table(calculate(from_csv(text))[0])
    found = select_rows(table, [condition], columns=["Id"])
    assert " ".join(value.text for _, (value,) in found.rows if value) == expected


def test_all_conditions_must_hold() -> None:
    sales = Condition("Team", Operator.EQUAL, "Sales")
    assert names(sales, Condition("Hours", Operator.LESS, 20)) == ["Eve"]


def test_rows_are_sorted_by_several_columns_with_empty_cells_last() -> None:
    assert names(sort_by=("Hours",)) == ["Eve", "Ada", "bob", "Dee", "Cy"]
    assert names(sort_by=("-Hours",)) == ["Dee", "bob", "Ada", "Eve", "Cy"]
    assert names(sort_by=("Since", "-Name")) == ["Cy", "Eve", "Ada", "bob", "Dee"]


def test_rows_keep_their_number_in_the_sheet_and_columns_their_order() -> None:
    found = select_rows(
        read_table(STAFF), [Condition("Name", Operator.EQUAL, "cy")], (), ["In", "Name"]
    )
    assert found.columns == ("In", "Name")
    ((number, row),) = found.rows
    assert number == 5
    assert [value.text for value in row if value] == ["08:30", "Cy"]


def test_a_table_may_stand_anywhere_in_a_sheet() -> None:
    cells = {"A1": "Report", "B3": "Item", "C3": "Cost", "B4": "Pen", "C4": "=2*3", "B5": "Ink"}
    (sheet,) = calculate(Workbook(sheets=(Sheet(name="S", cells=cells),)))
    found = select_rows(
        read_table(sheet, parse_cell_range("B3:C99")), [Condition("Cost", Operator.EQUAL, 6)]
    )
    assert [(number, [value.text for value in row if value]) for number, row in found.rows] == [
        (4, ["Pen", "6"])
    ]


def test_calculated_fractions_equal_what_is_typed() -> None:
    cells = {"A1": "Sum", "A2": "=0.1+0.2"}
    (sheet,) = calculate(Workbook(sheets=(Sheet(name="S", cells=cells),)))
    assert select_rows(read_table(sheet), [Condition("Sum", Operator.EQUAL, 0.3)]).rows


@pytest.mark.parametrize("column", ["Wage", "", "-Name"])
def test_an_unknown_column_is_not_found_and_the_known_ones_are_named(column: str) -> None:
    with pytest.raises(NotFound, match="Name, Team, Hours, Since, In, Rate"):
        select_rows(read_table(STAFF), [Condition(column, Operator.EQUAL, 1)])
    with pytest.raises(NotFound, match="Name, Team"):
        select_rows(read_table(STAFF), columns=[column])
    with pytest.raises(NotFound, match="Name, Team"):
        select_rows(read_table(STAFF), sort_by=[f"-{column}"] if column != "-Name" else ["--Name"])


def test_a_column_whose_name_begins_with_a_minus_can_be_sorted() -> None:
    (sheet,) = calculate(from_csv("-x,y\n2,a\n1,b\n"))
    assert [number for number, _ in select_rows(read_table(sheet), sort_by=["-x"]).rows] == [3, 2]
    assert [number for number, _ in select_rows(read_table(sheet), sort_by=["--x"]).rows] == [2, 3]


def test_an_empty_sheet_or_range_has_no_table() -> None:
    with pytest.raises(NotFound, match="no table.*give another"):
        read_table(SheetValues("S", {}))
    with pytest.raises(NotFound, match="no table.*give another"):
        read_table(STAFF, parse_cell_range("Z1:Z9"))


def test_two_columns_of_one_name_are_refused() -> None:
    (sheet,) = calculate(from_csv("a,b,A\n1,2,3\n"))
    with pytest.raises(Invalid, match="'a'.*row 1"):
        read_table(sheet)


@given(
    st.lists(st.sampled_from(["1", "2.50", "x", "X", "", "TRUE", "2026-01-01", "1e5", "-3"])),
    st.sampled_from(list(Operator)),
    st.sampled_from(["1", "x", "", "TRUE", "2026-01-01", "5%"]),
)
def test_a_condition_and_its_opposite_share_no_row_and_equal_is_both_bounds(
    fields: list[str], operator: Operator, value: str
) -> None:
    text = "v,w\n" + "".join(f"{field},w\n" for field in fields)
    source = read_table(calculate(from_csv(text))[0])

    def rows(asked: Operator) -> set[int]:
        found: Selection = select_rows(source, [Condition("v", asked, value)])
        return {number for number, _ in found.rows}

    everything = {number for number, _ in select_rows(source).rows}
    assert rows(operator) <= everything
    assert rows(Operator.EQUAL) | rows(Operator.UNEQUAL) == everything
    assert not rows(Operator.EQUAL) & rows(Operator.UNEQUAL)
    assert not rows(Operator.LESS) & rows(Operator.AT_LEAST)
    if value:
        assert rows(Operator.AT_LEAST) & rows(Operator.AT_MOST) == rows(Operator.EQUAL)
