"""Calculation by the engine, and the engine's misfortunes."""

from __future__ import annotations

import math
import os
import signal
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainee_bench.world.errors import Invalid, NotFound, Refused, WorldError
from trainee_bench.world.workbook import engine
from trainee_bench.world.workbook.addresses import CellAddress, CellRange, parse_cell_range
from trainee_bench.world.workbook.date_arithmetic import numbers_among_dates
from trainee_bench.world.workbook.inputs import CellKind
from trainee_bench.world.workbook.model import Sheet, Workbook
from trainee_bench.world.workbook.values import (
    CellValue,
    calculate,
    calculate_expression,
    calculate_within,
)

DAY = "2026-05-30"
decimals = st.decimals(-(10**9), 10**9, places=4, allow_nan=False, allow_infinity=False)


def book(**cells: str) -> Workbook:
    return Workbook(sheets=(Sheet(name="Sheet1", cells=cells),))


def text_at(workbook: Workbook, address: str) -> str:
    sheet = calculate(workbook)[0]
    value = sheet.grid(parse_cell_range(address))[0][0]
    return "" if value is None else value.text


def result(expression: str) -> CellValue:
    ((value,),) = calculate_expression(expression)
    return value


@settings(deadline=None)
@given(st.lists(decimals, min_size=1, max_size=20))
def test_sums_products_and_means_are_those_of_decimal_arithmetic(numbers: list[Decimal]) -> None:
    cells = {f"A{row}": format(number, "f") for row, number in enumerate(numbers, 1)}
    last = len(numbers)
    cells["C1"] = f"=SUM(A1:A{last})"
    cells["C2"] = f"=AVERAGE(A1:A{last})"
    cells["C3"] = f"=SUMPRODUCT(A1:A{last},A1:A{last})"
    cells["C4"] = f"=MAX(A1:A{last})-MIN(A1:A{last})"
    found = calculate(book(**cells))[0].cells
    expected = [
        sum(numbers),
        sum(numbers) / last,
        sum(number * number for number in numbers),
        max(numbers) - min(numbers),
    ]
    scale = float(sum(abs(number) for number in numbers)) + 1
    for row, exact in enumerate(expected, 1):
        value = found[CellAddress(row, 3)].value
        tolerance = 1e-12 * scale * (scale if row == 3 else 1)
        assert math.isclose(float(value), float(exact), rel_tol=1e-12, abs_tol=tolerance)


def test_a_sheet_of_work_by_hand() -> None:
    workbook = book(
        A1="Name", B1="Hours", C1="Rate", D1="Pay",
        A2="Ada", B2="10", C2="12.50", D2="=B2*C2",
        A3="Bob", B3="4", C3="€20", D3="=B3*C3",
        D4="=SUM(D2:D3)",
        E2='=IF(B2>5,"long","short")',
        E3='=XLOOKUP("ada",A2:A3,C2:C3)',
        E4='=COUNTIFS(B2:B3,">3",A2:A3,"B*")',
    )  # fmt: skip
    # 10 x 12.5 = 125, 4 x 20 = 80, together 205; one name begins with B.
    shown = {
        address: text_at(workbook, address) for address in ("D2", "D3", "D4", "E2", "E3", "E4")
    }
    assert shown == {"D2": "125", "D3": "80", "D4": "205", "E2": "long", "E3": "12.5", "E4": "1"}


def test_kinds_are_told_apart() -> None:
    assert result("1=1") == CellValue(CellKind.BOOLEAN, True, "TRUE", "TRUE")
    assert result('"a"&"b"') == CellValue(CellKind.TEXT, "ab", "ab", "ab")
    assert result("1/0") == CellValue(CellKind.ERROR, "#DIV/0!", "#DIV/0!", "#DIV/0!")
    assert result("NA()").kind is CellKind.ERROR
    assert result("=ROUND(12.5*3,2)") == CellValue(CellKind.NUMBER, 37.5, "37.5", "37.5")
    assert result("12.5*3").text == "37.5"
    assert result("DATE(2026,11,21)").text == "2026-11-21"
    assert result("ROUND(2.675,2)").text == "2.68"
    assert result('"#N/A"').kind is CellKind.TEXT


def test_an_array_comes_row_by_row() -> None:
    rows = calculate_expression("{1,2;3,4}*10")
    assert [[value.text for value in row] for row in rows] == [["10", "20"], ["30", "40"]]


def test_dates_and_times_calculate() -> None:
    workbook = book(
        A1="2026-11-21",
        A2="=A1+7",
        B1="09:30",
        B2="18:00",
        B3="=B2-B1",
        B4="=B3*24",
        B5="=(B1-B1)*24+0.5",
        C1="=B1+B2+B1",
    )
    assert text_at(workbook, "A2") == "2026-11-28"
    assert text_at(workbook, "B3") == "08:30"
    assert text_at(workbook, "B4") == "8.5"
    assert text_at(workbook, "B5") == "0.5"
    assert float(text_at(workbook, "C1")) == pytest.approx(37 / 24)


def test_texts_that_look_like_numbers_are_not_added() -> None:
    assert text_at(book(A1="0012", A2="5", A3="=SUM(A1:A2)"), "A3") == "5"
    assert text_at(book(A1="'=1+1", A2="=LEN(A1)"), "A2") == "4"


def test_spilled_cells_have_values() -> None:
    sheet = calculate(book(A1="3", A2="1", A3="2", B1="=SORT(A1:A3)"))[0]
    assert [row[1].text for row in sheet.grid(parse_cell_range("A1:B3")) if row[1]] == [
        "1",
        "2",
        "3",
    ]
    assert sheet.used == parse_cell_range("A1:B3")


def test_a_blocked_spill_is_an_error_and_harms_nothing() -> None:
    sheet = calculate(book(A1="=SEQUENCE(3)", A2="x"))[0]
    assert [value and value.text for (value,) in sheet.grid(parse_cell_range("A1:A3"))] == [
        "#SPILL!",
        "x",
        None,
    ]


def test_number_formats_round_what_is_shown_and_not_the_value() -> None:
    sheet = Sheet(
        name="S", cells={"A1": "=2/3", "A2": "0.675"}, formats={"A1": "0.0%", "A2": "0.00"}
    )
    first, second = calculate(Workbook(sheets=(sheet,)))[0].cells.values()
    assert (first.text, first.formatted) == ("0.666666666666667", "66.7%")
    assert (second.text, second.formatted) == ("0.675", "0.68")


def test_sheets_and_names_are_referred_to() -> None:
    workbook = Workbook(
        sheets=(
            Sheet(name="Sum", cells={"A1": "=SUM('My data'!A1:A2)*Rate"}),
            Sheet(name="My data", cells={"A1": "2", "A2": "3", "B1": "4"}),
        ),
        names={"Rate": "'My data'!$B$1"},
    )
    assert text_at(workbook, "A1") == "20"


def test_a_circle_is_an_error() -> None:
    assert text_at(book(A1="=B1", B1="=A1"), "A1") == "#CIRC!"


def test_an_expression_knows_no_cells() -> None:
    with pytest.raises(Invalid, match="refers to cells"):
        calculate_expression("A1+1")
    with pytest.raises(Invalid, match="nothing to calculate"):
        calculate_expression(" = ")
    with pytest.raises(Refused, match="desk_now"):
        calculate_expression("YEAR(TODAY())")


def test_an_expression_may_stand_beside_a_sheet() -> None:
    workbook = Workbook(
        sheets=(
            Sheet(name="Sales", cells={"A1": "2", "A2": "3.50", "B1": "=SEQUENCE(3)"}),
            Sheet(name="Rates", cells={"A1": "10%"}),
        )
    )

    def come_to(expression: str, sheet: str = "") -> list[list[str]]:
        rows = calculate_within(workbook, sheet, expression)
        return [[value.text for value in row] for row in rows]

    assert come_to("SUM(A:B)*Rates!A1") == [["1.15"]]
    assert come_to("=SUM(1:3)") == [["11.5"]]
    assert come_to("SORT(A1:A2,1,-1)") == [["3.5"], ["2"]]
    assert come_to("A1*2", "rates") == [["0.2"]]
    assert come_to("Sales!B3", "Rates") == [["3"]]
    with pytest.raises(NotFound, match="Sales, Rates"):
        come_to("1", "Costs")
    with pytest.raises(Refused, match="NOW"):
        come_to("NOW()")


def test_an_expression_in_the_last_corner_of_a_sheet_is_calculated() -> None:
    full = book(XFD1048576="5")
    with pytest.raises(Invalid, match="last cell"):
        calculate_within(full, "", "SQRT(4)")
    assert calculate_within(full, "", "1+1")[0][0].text == "2"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ('COUNTIF(A1:Z100,">1")', "2"),
        ('SUMIF(A1:A1048576,">1")', "2"),
        ('SUMIF(A:Z,">1")', "5"),
        ('COUNTIF(A1:XFD90,">1")', "2"),
        ("COUNTA(1:3)+SQRT(4)", "5"),
        ("AVERAGE(D1:D99)", "#DIV/0!"),
        ('"A1:Z99"&"!"', "A1:Z99!"),
    ],
)
def test_an_expression_may_name_more_than_is_used(expression: str, text: str) -> None:
    ((value,),) = calculate_within(book(A1="1", A2="2", B3="3"), "", expression)
    assert value.text == text


def test_the_same_workbook_gives_the_same_values() -> None:
    workbook = book(A1="1.1", A2="=A1*3", A3="=SEQUENCE(2,2)", A5='=TEXT(A1,"0.00")')
    assert calculate(workbook) == calculate(workbook)


@pytest.mark.parametrize(
    "cells",
    [
        {"A1": "=EDATE(1,1E300)"},  # panics
        {"A1": "=DOLLAR(1,1E9)"},  # panics
        {"A1": "=LET(f,LAMBDA(g,g(g)),f(f))"},  # never returns
        {"A1": "=SUMPRODUCT(SEQUENCE(1000000)*SEQUENCE(1,10000))"},  # 80 GB
        {"A1": "=SEQUENCE(1000,1000)"},  # a million cells
        pytest.param(
            {"A1": "x" * 1000} | {f"A{row}": f"=A{row - 1}&A{row - 1}" for row in range(2, 40)},
            marks=pytest.mark.sweep,
        ),
    ],
    ids=["edate", "dollar", "recursion", "memory", "cells", "doubling"],
)
def test_a_calculation_too_heavy_is_refused_and_the_next_one_works(cells: dict[str, str]) -> None:
    with pytest.raises(Invalid, match="engine (gave up|cannot|refuses)") as refused:
        calculate(book(**cells))
    assert "/" not in str(refused.value).replace("`", "")
    assert text_at(book(A1="=1+1"), "A1") == "2"


def test_a_calculation_without_end_is_refused() -> None:
    with pytest.raises(Invalid, match="too much time"):
        calculate_expression("FACT(1E9)+FACT(2E9)+FACT(3E9)+FACT(4E9)+FACT(5E9)")


def test_a_text_too_long_for_a_cell_is_an_error() -> None:
    long = "x" * 20_000
    assert text_at(book(A1=long, A2="=A1&A1", A3="=LEN(A1&A1)"), "A2") == "#VALUE!"


def test_deep_chains_of_formulas_are_calculated() -> None:
    chain = {f"A{row}": f"=A{row + 1}+1" for row in range(1, 20_000)}
    assert text_at(book(**chain, A20000="1"), "A1") == "20000"


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["A1", "A2", "B1", "B2", "C3"]),
        st.text("=+-*/^&<>(){}[],;:!@#$%'\" .AB12ex~", min_size=1, max_size=20)
        | st.sampled_from(["=A1#", "=@A1:A2", "={1;2}", "=A1:B2 B1", "=-A1%", "=1:1", "=A:A"]),
        max_size=5,
    )
)
def test_any_input_gives_values_or_a_clear_error(cells: dict[str, str]) -> None:
    try:
        sheet = calculate(book(**cells))[0]
    except WorldError:
        return
    assert set(sheet.cells) >= {CellAddress(1, 1)} or "A1" not in cells


def test_an_engine_that_was_killed_is_started_again() -> None:
    calculate(book(A1="=1"))
    process = engine._ENGINE._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert text_at(book(A1="=1+2"), "A1") == "3"


def test_a_forked_process_has_an_engine_of_its_own() -> None:
    calculate(book(A1="=1"))
    child = os.fork()
    if child == 0:
        mine = text_at(book(A1="=40+2"), "A1") == "42"
        engine._ENGINE.close()
        os._exit(0 if mine else 1)
    assert text_at(book(A1="=1+2"), "A1") == "3"
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert text_at(book(A1="=1+3"), "A1") == "4"


@pytest.mark.parametrize("digits", ["9" * 5_000, "0" * 4_500 + "1", "1." + "3" * 5_000])
def test_a_number_of_thousands_of_digits_is_no_exact_one(digits: str) -> None:
    ((value,),) = calculate_expression(f"{digits}+1")
    assert value.kind in (CellKind.NUMBER, CellKind.ERROR)


DATES = {
    "A1": "2026-04-01", "A2": "2026-01-01", "A3": "5", "A4": "2026-03-29 14:00", "A5": "12:00"
}  # fmt: skip


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        ("DATE(2026,4,1)-DATE(2026,1,1)", "90"),
        ("A1-A2", "90"),
        ("-(A2-A1)", "90"),
        ("-A2+A1", "90"),
        ("A1-A2+A3", "95"),
        ("(A1-A2)*2", "180"),
        ("A1*2", "92226"),
        ("SUM(A1-A2)", "90"),
        ("SUM(A1:A2)", "92136"),
        ("SUM(A1,14)", "2026-04-15"),
        ("A1-SUM(A2,14)", "76"),
        ("SUM(A1:A2)-A2", "2026-04-01"),
        ("SUM(A1:A2)+A2", "138159"),
        ("(A1+A2)/2", "2026-02-15"),
        ("A1/2*2", "2026-04-01"),
        ("A1+50%", "2026-04-01 12:00"),
        ("A1*50%", "23056.5"),
        ("A4-A2-0.5", "87.0833333333358"),
        ("MAX(A1:A2)-MIN(A1:A2)", "90"),
        ("A1-MIN(A1:A2)", "90"),
        ("A1-INDEX(A1:A2,2)", "90"),
        ("A1-VLOOKUP(A2,A1:A2,1,FALSE)", "90"),
        ("A1-A3", "2026-03-27"),
        ("A3+A1", "2026-04-06"),
        ("A1+A2-A2", "2026-04-01"),
        ("A4-A5", "2026-03-29 02:00"),
        ("A1+A5", "2026-04-01 12:00"),
        ("AVERAGE(A1:A2)", "2026-02-15"),
        ("A5-A5", "00:00"),
    ],
)
def test_a_difference_of_dates_is_a_number_of_days_and_a_moved_date_is_a_date(
    formula: str, shown: str
) -> None:
    assert text_at(book(**DATES, C9=f"={formula}"), "C9") == shown
    ((value,),) = calculate_within(book(**DATES), "", formula)
    assert value.text == shown


def test_days_between_dates_stay_a_number_where_other_formulas_use_them() -> None:
    chain = {f"B{row}": f"=B{row + 1}" for row in range(1, 3_000)}
    cells = {**DATES, **chain, "B3000": "=A1-A2", "C1": "=B1+1", "C2": "=A1-B1"}
    assert text_at(book(**cells), "C1") == "91"
    assert text_at(book(**cells), "C2") == "2026-01-01"


def test_running_totals_over_dates_take_time_in_step_with_their_number() -> None:
    rows = range(1, 8_001)
    dates = {f"A{row}": "2026-04-01" for row in rows}
    totals = {f"B{row}": f"=SUM(A$1:A{row})" for row in rows}
    rest = {f"C{row}": f"=SUM(A{row}:A9000)" for row in rows}  # the last rows are empty
    found = numbers_among_dates(book(**dates, **totals, **rest))
    assert {at for _, at in found if at.column == 2} == {CellAddress(row, 2) for row in rows[1:]}
    assert {at for _, at in found if at.column == 3} == {CellAddress(row, 3) for row in rows}


@given(
    st.dictionaries(st.tuples(st.integers(1, 6), st.integers(1, 6)), st.sampled_from(("x", DAY))),
    st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(1, 6), st.integers(1, 6)),
)
def test_the_last_cell_of_a_range_that_is_not_empty_says_whether_it_holds_dates(
    filled: dict[tuple[int, int], str], corners: tuple[int, int, int, int]
) -> None:
    (top, bottom), (left, right) = sorted(corners[:2]), sorted(corners[2:])
    area = CellRange(top, left, bottom, right)
    cells = {str(CellAddress(*place)): typed for place, typed in filled.items()}
    within = [place for place in filled if CellAddress(*place) in area]
    days = bool(within) and filled[max(within)] == DAY
    formula = f"=MAX({CellAddress(top, left)}:{CellAddress(bottom, right)})*2"
    found = numbers_among_dates(book(**cells, Z9=formula))
    assert found == (frozenset({(0, CellAddress(9, 26))} if days else ()))


def test_a_format_of_its_own_shows_a_difference_of_dates_as_asked() -> None:
    sheet = Sheet(name="Sheet1", cells={**DATES, "C9": "=A1-A2"}, formats={"C9": "yyyy-mm-dd"})
    assert text_at(Workbook(sheets=(sheet,)), "C9") == "1900-03-30"
