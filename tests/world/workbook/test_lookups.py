"""Lookups of the nearest value: blanks, titles and values of other types are passed over."""

from __future__ import annotations

import pytest

from trainee_bench.world.workbook.model import Sheet, Workbook, check_workbook
from trainee_bench.world.workbook.values import calculate

COLUMNS = {
    "A": ("Rate", "10", "", "20", "20", "x", "30"),  # a title, a blank, a text among numbers
    "B": ("", "ten", "nothing", "twenty", "twenty again", "x", "thirty"),
    "D": ("a", "b", "c", "d"),
    "E": ("1", "2", "3", "4"),
    "G": ("TRUE", "apple", "'7", "pear"),
    "H": ("-10", "x", "-3"),
    "J": ("30", "20", "20", "", "10"),
}
CELLS = {f"{c}{n}": typed for c, one in COLUMNS.items() for n, typed in enumerate(one, 1) if typed}
CELLS |= {"L1": "10", "M1": "20", "N1": "30", "L2": "low", "M2": "mid", "N2": "high"}


def result(formula: str, **more: str) -> str:
    cells = {**CELLS, **more, "Z9": formula}
    workbook = check_workbook(Workbook(sheets=(Sheet(name="S", cells=cells),)))
    (values,) = calculate(workbook)
    return next(one.text for at, one in values.cells.items() if str(at) == "Z9")


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ('=VLOOKUP("b",D:E,2)', "2"),
        ('=VLOOKUP("bb",D1:E9,2,TRUE)', "2"),
        ('=VLOOKUP("B",D:E,2,1)', "2"),
        ('=VLOOKUP("0",D:E,2)', "#N/A"),
        ("=VLOOKUP(25,A:B,2)", "twenty again"),
        ("=VLOOKUP(20,A1:B7,2)", "twenty again"),
        ("=VLOOKUP(99,A:B,2)", "thirty"),
        ("=VLOOKUP(5,A:B,2)", "#N/A"),
        ("=VLOOKUP(25,A:B,0)", "#VALUE!"),
        ("=VLOOKUP(25,A:B,3)", "#REF!"),
        ("=VLOOKUP(20,A:B,2,FALSE)", "twenty"),
        ("=VLOOKUP(20,A:B,2,1=2)", "twenty"),
        ("=VLOOKUP(25,A:B,2,1=1)", "twenty again"),
        ("=HLOOKUP(25,L1:N2,2)", "mid"),
        ("=HLOOKUP(25,1:2,2)", "mid"),
        ("=HLOOKUP(9,L1:N2,2)", "#N/A"),
        ("=LOOKUP(25,A1:A7,B1:B7)", "twenty again"),
        ("=LOOKUP(25,L1:N1,L2:N2)", "mid"),
        ("=LOOKUP(25,A:B)", "twenty again"),
        ("=LOOKUP(25,L1:N2)", "mid"),
        ('=LOOKUP("pea",G1:G4)', "apple"),
        ('=LOOKUP(2,1/(A1:A7<>""),B1:B7)', "thirty"),
        ("=MATCH(25,A:A)", "5"),
        ("=MATCH(25,A1:A7,1)", "5"),
        ("=MATCH(20,A:A,0)", "4"),
        ("=MATCH(TRUE,G1:G4)", "1"),
        ("=MATCH(7,G1:G4)", "#N/A"),
        ('=MATCH("x",A1:A7,1)', "6"),
        ("=MATCH(25,J1:J5,-1)", "1"),
        ("=MATCH(15,J:J,-1)", "3"),
        ("=MATCH(25,A1:A7,2-1)", "5"),
        ("=MATCH(15,J1:J5,0-1)", "3"),
        ("=MATCH(20,A1:A7,1-1)", "4"),
        ("=XMATCH(25,G:G,-1)", "#N/A"),
        ("=XMATCH(25,A:A,-1)", "4"),
        ("=XMATCH(20,A:A,-1)", "4"),
        ("=XMATCH(20,A:A,-1,-1)", "5"),
        ("=XMATCH(25,A:A,1)", "7"),
        ("=XMATCH(-2,H1:H3,-1)", "3"),
        ("=XMATCH(25,H1:H3,-1)", "3"),
        ("=XLOOKUP(25,H:H,H:H,,-1)", "-3"),
        ("=XLOOKUP(25,A:A,B:B,,1)", "thirty"),
        ('=XLOOKUP(99,A:A,B:B,"none",1)', "none"),
        ("=XLOOKUP(99,A:A,B:B,,1)", "#N/A"),
        ("=XLOOKUP(20,A:A,B:B,,-1,-1)", "twenty again"),
        ("=XLOOKUP(25,L1:N1,L2:N2,,-1)", "mid"),
        ("=VLOOKUP(1/0,A:B,2)", "#DIV/0!"),
        ("=IFERROR(VLOOKUP(VLOOKUP(25,A1:A7,1),A:B,2),0)", "twenty again"),
    ],
)
def test_the_nearest_value_of_the_same_type_is_found_and_the_last_of_equals(
    formula: str, value: str
) -> None:
    assert result(formula) == value


def test_whole_columns_hold_what_formulas_spill_into_them() -> None:
    more = {"Q1": "=SEQUENCE(300,1,1,2)", "R1": "=SEQUENCE(300)"}
    assert result("=VLOOKUP(600,Q:R,2)", **more) == "300"


def test_names_of_whole_columns_are_looked_up_as_columns_are() -> None:
    cells = {**CELLS, "Z9": "=VLOOKUP(25,Rates,2)"}
    workbook = Workbook(sheets=(Sheet(name="S", cells=cells),), names={"Rates": "S!$A:$B"})
    (values,) = calculate(check_workbook(workbook))
    assert [one.text for at, one in values.cells.items() if str(at) == "Z9"] == ["twenty again"]


@pytest.mark.parametrize("near", ["TRUE", "FALSE"])
def test_a_column_of_lookups_in_whole_columns_is_calculated_in_time(near: str) -> None:
    cells = {f"A{n}": str(n) for n in range(1, 301)} | {f"B{n}": f"v{n}" for n in range(1, 301)}
    cells |= {f"C{n}": f"=VLOOKUP({n},A:B,2,{near})" for n in range(1, 301)}
    workbook = check_workbook(Workbook(sheets=(Sheet(name="S", cells=cells),)))
    (values,) = calculate(workbook)
    found = [one.text for at, one in values.cells.items() if str(at).startswith("C")]
    assert found == [f"v{n}" for n in range(1, 301)]
