"""The engine against another spreadsheet program: every listed function, over 600 formulas.

`recorded_formulas.json` holds what LibreOffice 7.4.7 made of them (see record_formulas.py).
What LibreOffice does not know, or takes otherwise than Excel, was worked out by hand.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.formulas_against_libreoffice import agree, value_of
from tests.world.workbook.formula_tables import formula_workbook
from trainee_bench.world.errors import Refused, WorldError
from trainee_bench.world.workbook import engine
from trainee_bench.world.workbook.addresses import CellAddress
from trainee_bench.world.workbook.array_arguments import formula_for_engine
from trainee_bench.world.workbook.edits import write
from trainee_bench.world.workbook.formula_tree import parse_formula
from trainee_bench.world.workbook.formulas import called_functions
from trainee_bench.world.workbook.functions import FUNCTIONS
from trainee_bench.world.workbook.inputs import CellKind
from trainee_bench.world.workbook.model import Sheet, Workbook, check_workbook
from trainee_bench.world.workbook.typed_cells import TypedCells
from trainee_bench.world.workbook.values import calculate, calculate_within

WORKBOOK = formula_workbook()
FORMULAS_AT_ONCE = 300
Value = float | str | bool | None
RECORDED: dict[str, list[list[Value]]] = json.loads(
    Path(__file__).with_name("recorded_formulas.json").read_text(encoding="utf-8")
)
EXACT_ERRORS = ("#N/A", "#DIV/0!")
"""The errors for which both programs have one name."""

BY_HAND: dict[str, list[list[Value]]] = {
    'FILTER(A2:A13,B2:B13="Ops")': [["Bob"], ["Dee"], ["Gus"], ["Kim"]],
    'FILTER(A2:C13,(B2:B13="Ops")*(C2:C13="Rome"))': [
        ["Bob", "Ops", "Rome"],
        ["Kim", "Ops", "Rome"],
    ],
    'FILTER(A2:A13,B2:B13="None","nobody")': [["nobody"]],
    'COUNTA(FILTER(A2:A13,B2:B13="Ops"))': [[4]],
    "SORT(UNIQUE(C2:C13))": [["Bern"], ["Oslo"], ["Rome"]],
    "SORT(A2:E4,4,-1)": [
        ["Bob", "Ops", "Rome", 40, 30],
        ["Ada", "Sales", "Oslo", 38.5, 25],
        ["Cy", "Sales", "Rome", 9, 22.5],
    ],
    "SORTBY(A2:A4,D2:D4,-1)": [["Bob"], ["Ada"], ["Cy"]],
    "UNIQUE(C2:C13)": [["Oslo"], ["Rome"], ["Bern"]],
    "ROWS(UNIQUE(A2:A13))": [[12]],
    "SEQUENCE(2,3,10,5)": [[10, 15, 20], [25, 30, 35]],
    "SUM(SEQUENCE(10))": [[55]],
    'XLOOKUP("gus",A2:A13,D2:D13)': [[40]],
    'XLOOKUP("Zed",A2:A13,D2:D13,"?")': [["?"]],
    "XLOOKUP(5.5,Nums!A1:A8,Nums!B1:B8,,-1)": [[10.1]],
    "XLOOKUP(5.5,Nums!A1:A8,Nums!B1:B8,,1)": [[12.2]],
    'XLOOKUP("G*",A2:A13,D2:D13,,2)': [[40]],
    'XLOOKUP("Sales",B2:B13,A2:A13,,0,-1)': [["Lea"]],
    'XMATCH("Cy",A2:A13)': [[3]],
    "XMATCH(5.5,Nums!A1:A8,-1)": [[5]],
    'XMATCH("Sales",B2:B13,0,-1)': [[12]],
    "LET(a,SUM(D2:D4),b,COUNT(D2:D4),a/b)": [[87.5 / 3]],
    "LET(f,LAMBDA(x,ROUND(x*2,0)),f(5.2))": [[10]],
    "LAMBDA(x,x+1)(4)": [[5]],
    "MAP(D2:D4,E2:E4,LAMBDA(a,b,a*b))": [[962.5], [1200], [202.5]],
    "MAP(D2:D4,LAMBDA(x,ROUND(x,0)))": [[39], [40], [9]],
    'SUM(MAP({"Oslo","Rome"},LAMBDA(c,COUNTIFS(C2:C13,c,B2:B13,"Ops"))))': [[3]],
    'SUM(MAP(C2:C13,LAMBDA(c,IF(ISNUMBER(SEARCH("o",c)),1,0))))': [[9]],
    "SUM(MAP(F2:F13,LAMBDA(d,NETWORKDAYS(d,d))))": [[8]],
    "SUM(MAP(UNIQUE(C2:C13),LAMBDA(c,SUMIFS(D2:D13,C2:C13,c))))": [[251]],
    "REDUCE(0,D2:D4,LAMBDA(a,x,a+x))": [[87.5]],
    "SCAN(0,D2:D4,LAMBDA(a,x,a+x))": [[38.5], [78.5], [87.5]],
    "BYROW(D2:E4,LAMBDA(r,SUM(r)))": [[63.5], [70], [31.5]],
    "BYCOL(D2:E4,LAMBDA(c,MAX(c)))": [[40, 30]],
    "MAKEARRAY(2,2,LAMBDA(r,c,r*10+c))": [[11, 12], [21, 22]],
    "TAKE(A2:A13,-2)": [["Kim"], ["Lea"]],
    "DROP(A2:A13,10)": [["Kim"], ["Lea"]],
    "CHOOSECOLS(A2:E3,1,4)": [["Ada", 38.5], ["Bob", 40]],
    "CHOOSEROWS(A2:B13,2,-1)": [["Bob", "Ops"], ["Lea", "Sales"]],
    "VSTACK(A2:A3,A5)": [["Ada"], ["Bob"], ["Dee"]],
    "HSTACK(A2:A3,D2:D3)": [["Ada", 38.5], ["Bob", 40]],
    "TOCOL(Nums!G1:H2)": [[2], [1], [3], [4]],
    "TOROW(Nums!G1:H2)": [[2, 1, 3, 4]],
    "WRAPROWS({1,2,3,4},2)": [[1, 2], [3, 4]],
    "WRAPCOLS({1,2,3,4},2)": [[1, 3], [2, 4]],
    "EXPAND({1,2},2,3,0)": [[1, 2, 0], [0, 0, 0]],
    'TEXTSPLIT("a,b;c",",",";")': [["a", "b"], ["c", "#N/A"]],
    'TEXTBEFORE("a-b-c","-")': [["a"]],
    'TEXTAFTER("a-b-c","-",2)': [["c"]],
    # functions of several values, of arrays with empty cells, texts and truth values in them
    'AVERAGE(FILTER(D2:D13,B2:B13="Ops"))': [[39.5]],
    'AVERAGE(FILTER(D2:E13,B2:B13="Ops"),FILTER(Nums!A1:A8,Nums!A1:A8>7))': [[257.75 / 8]],
    'AVERAGE(FILTER(D2:D13,B2:B13="Nobody",0))': [[0]],
    'IFERROR(AVERAGE(FILTER(D2:D13,B2:B13="Nobody")),"none")': [["none"]],
    "AVERAGE(UNIQUE(H2:H13))": [[1]],
    "AVERAGE(TAKE(SORT(D2:D13,,-1),3))": [[118.5 / 3]],
    "AVERAGE(SEQUENCE(4))": [[2.5]],
    'MEDIAN(FILTER(D2:D13,B2:B13="Ops"))': [[40]],
    "MEDIAN(SORT(D2:D13))": [[27.25]],
    'COUNT(FILTER(D2:D13,B2:B13="Ops"))': [[3]],
    'COUNT(FILTER(D2:D13,B2:B13="Nobody"))': [[0]],
    "COUNT(UNIQUE(H2:H13))": [[2]],
    "COUNT(SEQUENCE(3),UNIQUE(D2:D13),D2:D5)": [[15]],
    "COUNTA(UNIQUE(B2:B13))": [[4]],  # with the empty one; an array has no cells to leave out
    'COUNTA(UNIQUE(FILTER(B2:B13,B2:B13<>"")))': [[3]],
    'COUNTA(FILTER(A2:A13,B2:B13="Nobody"))': [[1]],  # the error
    "SUM(UNIQUE(D2:D13))": [[172.5]],
    'MAX(FILTER(D2:D13,B2:B13="Ops"))-MIN(FILTER(D2:D13,B2:B13="Ops"))': [[1.5]],
    'TEXTJOIN(", ",TRUE,SORT(UNIQUE(C2:C13)))': [["Bern, Oslo, Rome"]],
    'TEXTJOIN(", ",TRUE,UNIQUE(B2:B13))': [["Sales, Ops, Legal"]],
    'TEXTJOIN("/",FALSE,UNIQUE(B2:B13),A2:A3,"z")': [["Sales/Ops//Legal/Ada/Bob/z"]],
    'TEXTJOIN(",",TRUE,TEXTJOIN("+",TRUE,SEQUENCE(2)),SEQUENCE(2))': [["1+2,1,2"]],
    'CONCAT(FILTER(A2:A13,B2:B13="Ops"))': [["BobDeeGusKim"]],
    "BYROW(B2:C6,LAMBDA(r,COUNTA(r)))": [[2], [2], [2], [2], [1]],
    "BYROW(D4:E6,LAMBDA(r,AVERAGE(r)))": [[15.75], [30], [15]],
    'LET(c,C2:C4,TEXTJOIN("",TRUE,c&MAP(c,LAMBDA(o,COUNT(IF(C2:C13=o,D2:D13))))))': [
        ["Oslo4Rome4Rome4"]
    ],
    "LET(tb_v,UNIQUE(D2:D5),COUNT(tb_v)+COUNT(SORT(tb_v)))": [[6]],
    # arguments that are left out
    "SORT(A2:D4,,-1)": [
        ["Cy", "Sales", "Rome", 9],
        ["Bob", "Ops", "Rome", 40],
        ["Ada", "Sales", "Oslo", 38.5],
    ],
    "SORT(Nums!G1:H2,,-1,)": [[3, 4], [2, 1]],
    "SORTBY(A2:A4,D2:D4,)": [["Cy"], ["Ada"], ["Bob"]],
    "TAKE(D2:E4,,-1)": [[25], [30], [22.5]],
    # what LibreOffice takes otherwise than Excel
    "COUNTA(TRANSPOSE(B2:B13))": [[12]],
    'MEDIAN({5,"a",1,TRUE})': [[3]],
    'CONCAT({1,TRUE;"a",0.5})': [["1TRUEa0.5"]],
    "FORECAST.LINEAR(9.5,Nums!B1:B8,Nums!A1:A8)": [[19.0130952380952]],
    "COUNTIF(H2:H13,12)": [[1]],
    'COUNTIF(H2:H13,"*")': [[8]],
    'CONCATENATE("a",1,TRUE)': [["a1TRUE"]],
    '"a"="A"': [[True]],
    "TRUE>5": [[True]],
    'ADDRESS(3,2,1,TRUE,"Data")': [["Data!$B$3"]],
    "WEEKNUM(DATE(2021,1,3),21)": [[53]],
}


def values_of(formulas: list[str]) -> list[list[list[Value]]]:
    """What each formula fills, row by row.

    All of them together would need most of the processor time that one request may take.
    """
    return [
        value
        for first in range(0, len(formulas), FORMULAS_AT_ONCE)
        for value in _values_at_once(formulas[first : first + FORMULAS_AT_ONCE])
    ]


def _values_at_once(formulas: list[str]) -> list[list[list[Value]]]:
    gap, column = 20, 30
    cells = {str(CellAddress(100 + gap * at, column)): f"={f}" for at, f in enumerate(formulas)}
    workbook = WORKBOOK.with_sheet(Sheet(name="Data", cells={**WORKBOOK.sheets[0].cells, **cells}))
    found: list[dict[CellAddress, Value]] = [{} for _ in formulas]
    with engine.patient():  # the machine's speed does not matter here
        calculated = engine.calculate(workbook)[0]
    for place, result in calculated.items():
        content = result.content
        value = float(content.value) if content.kind is CellKind.NUMBER else content.value
        found[(place.row - 100) // gap][place] = value
    return [_grid(one) for one in found]


def _grid(cells: dict[CellAddress, Value]) -> list[list[Value]]:
    rows: dict[int, list[Value]] = {}
    for place in sorted(cells):
        rows.setdefault(place.row, []).append(cells[place])
    return list(rows.values())


def alike_values(ours: Value, theirs: Value) -> bool:
    """Equal to nine digits; an error that LibreOffice has no name for may be any."""
    if isinstance(ours, bool | int | float) and isinstance(theirs, bool | int | float):
        return abs(ours - theirs) <= 1e-9 * max(1, abs(theirs))
    if str(theirs).startswith("#") and theirs not in EXACT_ERRORS:
        return str(ours).startswith("#")
    return (ours or "") == (theirs or "")


def alike(ours: list[list[Value]], theirs: list[list[Value]]) -> bool:
    return [len(row) for row in ours] == [len(row) for row in theirs] and all(
        alike_values(*pair)
        for our_row, their_row in zip(ours, theirs, strict=True)
        for pair in zip(our_row, their_row, strict=True)
    )


def test_formulas_come_to_what_another_spreadsheet_program_says() -> None:
    assert len(RECORDED) > 500
    ours = values_of(list(RECORDED))
    pairs = zip(RECORDED.items(), ours, strict=True)
    assert [(f, want, got) for (f, want), got in pairs if not alike(got, want)] == []


def test_formulas_that_it_does_not_know_come_to_what_was_worked_out_by_hand() -> None:
    ours = values_of(list(BY_HAND))
    pairs = zip(BY_HAND.items(), ours, strict=True)
    assert [(f, want, got) for (f, want), got in pairs if not alike(got, want)] == []


def test_every_listed_function_was_compared_and_every_compared_formula_is_allowed() -> None:
    compared = {name for formula in (*RECORDED, *BY_HAND) for name in called_functions(formula)}
    assert compared - {"F"} == set(FUNCTIONS)  # F: a LAMBDA with a name
    for at, formula in enumerate((*RECORDED, *BY_HAND), 1):
        write(WORKBOOK, "Data", CellAddress(at, 30), [[f"={formula}"]])


@pytest.mark.parametrize(
    "formula, refused",
    [
        # the engine says 0, or something else that is wrong, without a word
        ("LET(t1,2,t1*3)", "must not look like a cell"),
        ("MAP(D2:D4,LAMBDA(x1,x1*3))", "must not look like a cell"),
        ('SUM(COUNTIFS(B2:B13,{"Ops","Sales"}))', "COUNTIFS takes a single value as its second"),
        ("SUM(COUNTIF(C2:C13,C2:C4))", "COUNTIF takes a single value as its second"),
        ("SUM(SUMIFS(D2:D13,C2:C13,UNIQUE(C2:C13)))", "SUMIFS takes a single value as its third"),
        ('SUM(COUNTIF(D2:D13,">"&{10,20}))', "COUNTIF takes a single value"),
        ('SUM(COUNTIF(D2:D13,IF(D2:D13>1,"1","2")))', "COUNTIF takes a single value"),
        ("LET(c,C2:C4,SUM(COUNTIF(C2:C13,c)))", "COUNTIF takes a single value"),
        ("SUM(MAP({1,2},LAMBDA(x,COUNTIF(D2:D13,x*D2:D3))))", "COUNTIF takes a single value"),
        ('SUMPRODUCT(--ISNUMBER(SEARCH("o",C2:C13)))', "ISNUMBER takes a single value"),
        ("SUM(ISBLANK(D2:D13)*1)", "ISBLANK takes a single value"),
        ("SUM(ROUND(D2:D13,0))", "ROUND takes a single value as its first"),
        ("ROUND(D2:D4,0)", "ROUND takes a single value"),
        ("SUM(MATCH({1,3},{1,2,3},0))", "MATCH takes a single value"),
        ("PRODUCT(SEQUENCE(4))", "PRODUCT takes cells as its first"),
        ("AVERAGEA(UNIQUE(D2:D13))", "AVERAGEA takes cells as its first"),
        ("GCD(UNIQUE(D2:D13))", "GCD takes cells or an array of numbers"),
        ("COUNT(SEQUENCE(3),)", "COUNT takes cells as its first"),
        ("EXPAND({1,2},,3,0)", "EXPAND needs all its arguments"),
        ("NPV(0.1,{110,121})", "NPV takes cells as its second"),
        ("SUBTOTAL(9,D2:D13*2)", "SUBTOTAL takes cells"),
        ("TEXTJOIN(A2:A3,TRUE,UNIQUE(C2:C13))", "TEXTJOIN takes a single value as its first"),
        ("TEXTJOIN(,TRUE,UNIQUE(C2:C13))", "TEXTJOIN takes cells as its third"),
        ("XLOOKUP(1,D2:D13*1,A2:A13)", "XLOOKUP takes cells as its second"),
        ('COUNTIF(B2:B13,"<TRUE")', "COUNTIF cannot compare truth values"),
        ("SUM(A1:INDEX(D2:D13,3))", "a calculated end"),
        # functions that it calculates wrongly, does not know, or that nobody compared
        ('CONVERT(68,"F","C")', "CONVERT is not calculated here"),
        ("AGGREGATE(9,5,D2:D13)", "AGGREGATE is not calculated here"),
        ("SUM(1,LET(x,2,BESSELI(x,1)))", "BESSELI is not calculated here"),
        ("SUM(Sales[Amount])", "refers to a table"),
    ],
)
def test_functions_that_would_be_calculated_wrongly_are_refused_by_name(
    formula: str, refused: str
) -> None:
    for refusing in (
        lambda: calculate_within(WORKBOOK, "Data", formula),
        lambda: write(WORKBOOK, "Data", CellAddress(20, 20), [[f"={formula}"]]),
    ):
        with pytest.raises(Refused) as error:
            refusing()
        assert refused in str(error.value)


# fuzzed formulas --------------------------------------------------------------------------


TABLES: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("fuzzed_formulas.json").read_text(encoding="utf-8")
)


def _sheet(cells: dict[str, str]) -> Workbook:
    return check_workbook(Workbook(sheets=(Sheet(name="S", cells=cells),)))


@pytest.mark.parametrize("table", TABLES, ids=range(len(TABLES)))
def test_random_formulas_come_to_what_another_spreadsheet_program_says(
    table: dict[str, Any],
) -> None:
    formulas = {
        CellAddress(row, 20): (formula, value)
        for row, (formula, value) in enumerate(table["values"], 1)
    }
    written = {str(at): formula for at, (formula, _) in formulas.items()}
    (sheet,) = calculate(_sheet({**table["cells"], **written}))
    ours = {at: value_of(sheet.cells.get(at)) for at in formulas}
    differing = [
        (formula, value, ours[at])
        for at, (formula, value) in formulas.items()
        if not agree(ours[at], value)
    ]
    assert differing == []


@pytest.mark.parametrize("table", TABLES, ids=range(len(TABLES)))
def test_broken_formulas_are_refused_with_their_cell(table: dict[str, Any]) -> None:
    workbook = _sheet(table["cells"])
    for formula in table["refused"]:
        with pytest.raises(WorldError, match=r"\bT3\b"):
            write(workbook, "", CellAddress(3, 20), [[formula]])


@pytest.mark.parametrize("table", TABLES, ids=range(len(TABLES)))
def test_the_engine_gets_formulas_that_can_be_read_to_their_end(table: dict[str, Any]) -> None:
    for formula, _ in table["values"]:
        parse_formula(formula_for_engine(formula, {}, 20, TypedCells({})))


def test_enough_is_recorded() -> None:
    assert sum(len(table["values"]) for table in TABLES) >= 1_500
    assert sum(len(table["refused"]) for table in TABLES) >= 100
