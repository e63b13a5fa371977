"""The functions that office work needs, each against a result worked out by hand.

They hold the engine to its promises when its version changes.
"""

from __future__ import annotations

import pytest

from trainee_bench.world.errors import Invalid, NotFound
from trainee_bench.world.workbook.addresses import CellAddress
from trainee_bench.world.workbook.edits import write
from trainee_bench.world.workbook.grouping import group_rows, parse_aggregate
from trainee_bench.world.workbook.model import Sheet, Workbook, check_workbook, empty_workbook
from trainee_bench.world.workbook.query import Condition, Operator, SheetTable, read_table
from trainee_bench.world.workbook.values import calculate, calculate_expression, calculate_within

STAFF, _ = write(
    empty_workbook("Staff"),
    "",
    CellAddress(1, 1),
    [
        ["Name", "Team", "Hours", "Since", "In"],
        ["Ada", "Sales", 38.5, "2020-03-01", "08:55"],
        ["Bob", "Ops", 40, "2021-06-15", "09:05"],
        ["Cy", "Sales", 9, "2019-01-02", "08:30"],
        ["Dee", "Ops", "", "2022-12-24", "10:00"],
    ],
)


@pytest.mark.parametrize(
    "expression, text",
    [
        ("SUM(C2:C5)", "87.5"),
        ("AVERAGE(C2:C5)", "29.1666666666667"),  # 87.5 / 3: an empty cell does not count
        ("MEDIAN(C2:C5)", "38.5"),
        ("MAX(C:C)-MIN(C:C)", "31"),
        ("COUNT(C2:C5)", "3"),
        ("COUNTA(A:A)", "5"),
        ("COUNTBLANK(C2:C5)", "1"),
        ('SUMIF(B:B,"Sales",C:C)', "47.5"),
        ('SUMIFS(C2:C5,B2:B5,"Sales",C2:C5,">10")', "38.5"),
        ('COUNTIF(B2:B5,"o*")', "2"),
        ('COUNTIFS(B2:B5,"Ops",D2:D5,">="&DATE(2022,1,1))', "1"),
        ('AVERAGEIFS(C2:C5,B2:B5,"Sales")', "23.75"),
        ('MAXIFS(C2:C5,B2:B5,"Sales")', "38.5"),
        ('VLOOKUP("Bob",A2:E5,3,FALSE)', "40"),
        ('XLOOKUP("cy",A2:A5,B2:B5)', "Sales"),
        ('XLOOKUP("Eve",A2:A5,B2:B5,"nobody")', "nobody"),
        ("INDEX(A2:A5,MATCH(40,C2:C5,0))", "Bob"),
        ("LARGE(C2:C5,2)", "38.5"),
        ("SMALL(C2:C5,1)", "9"),
        ("RANK(38.5,C2:C5)", "2"),
        ('SUMPRODUCT((B2:B5="Sales")*C2:C5)', "47.5"),
        ("SUMPRODUCT(--(E2:E5>TIME(9,0,0)))", "2"),
        ("PERCENTILE.INC(C2:C4,0.5)", "38.5"),
        ("STDEV.P(C2:C3)", "0.75"),
        ("DAYS(D3,D2)", "471"),  # 2020-03-01 to 2021-03-01: 365, to 06-15: 106
        ("D2+30", "2020-03-31"),
        ('TEXT(D2,"yyyy-mm-dd")', "2020-03-01"),
        ("YEAR(D2)&MONTH(D2)&DAY(D2)", "202031"),
        ("WEEKDAY(D2,2)", "7"),  # a Sunday
        ("NETWORKDAYS(D2,D2+7)", "5"),
        ("EDATE(D2,1)", "43922"),
        ("EOMONTH(D2,0)", "43921"),
        ("HOUR(E3)*60+MINUTE(E3)", "545"),
        ("ROUND((E3-E2)*1440,0)", "10"),
        ('TEXTJOIN(", ",TRUE,A2:A5)', "Ada, Bob, Cy, Dee"),
        ("ROUND(AVERAGE(C2:C4),1)", "29.2"),
        ('IF(AND(C2>30,B2="Sales"),"yes","no")', "yes"),
        ('IFERROR(1/0,"none")', "none"),
        ("IFS(C4>20,1,C4>5,2)", "2"),
        ("SUBTOTAL(9,C2:C5)", "87.5"),
        ("ROWS(A2:A5)*COLUMNS(A2:E2)", "20"),
    ],
)
def test_functions_over_a_table(expression: str, text: str) -> None:
    assert [[value.text for value in row] for row in calculate_within(STAFF, "", expression)] == [
        [text]
    ]


@pytest.mark.parametrize(
    "expression, rows",
    [
        ('FILTER(A2:A5,B2:B5="Ops")', [["Bob"], ["Dee"]]),
        ("SORT(UNIQUE(B2:B5))", [["Ops"], ["Sales"]]),
        ("TRANSPOSE(A2:A3)", [["Ada", "Bob"]]),
        ("SORTBY(A2:A4,C2:C4,-1)", [["Bob"], ["Ada"], ["Cy"]]),
        ("SEQUENCE(2,2,10,5)", [["10", "15"], ["20", "25"]]),
    ],
)
def test_functions_that_give_arrays(expression: str, rows: list[list[str]]) -> None:
    found = calculate_within(STAFF, "", expression)
    assert [[value.text for value in row] for row in found] == rows


@pytest.mark.parametrize(
    "expression, text",
    [
        ("2+3*4", "14"),
        ("-2^2", "4"),  # as spreadsheets have it
        ("10%*250", "25"),
        ("ROUND(-2.5,0)", "-3"),
        ("ROUNDUP(1.01,0)+ROUNDDOWN(1.99,0)", "3"),
        ("MOD(-7,3)", "2"),
        ("QUOTIENT(7,2)", "3"),
        ("INT(-1.5)", "-2"),
        ("CEILING(7.2,0.5)", "7.5"),
        ("SQRT(2)", "1.4142135623731"),
        ("EXP(LN(10))", "10"),
        ("1E+300*1E+300", "#NUM!"),
        ('LEFT("invoice",2)&RIGHT("invoice",2)', "ince"),
        ('UPPER("é")&LEN("äöü")', "É3"),
        ('SUBSTITUTE("a-b-c","-","")', "abc"),
        ('TRIM("  a   b ")', "a b"),
        ('VALUE("12.5")*2', "25"),
        ('FIND("b","abc")', "2"),
        ('MID("abcdef",3,2)', "cd"),
        ("PMT(0.01,12,-1000)", "88.848788678"),
        ("NPV(0.1,110,121)", "200"),
        ("LET(x,3,x*x)", "9"),
    ],
)
def test_expressions_without_cells(expression: str, text: str) -> None:
    ((value,),) = calculate_expression(expression)
    assert value.text.startswith(text)


# lookups ----------------------------------------------------------------------------------


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


# grouping ---------------------------------------------------------------------------------


GROUPED_CELLS = {
    "A1": "Team", "B1": "Hours", "C1": "Since", "D1": "Note",
    "A2": "Ops", "B2": "0.1", "C2": "2020-03-01", "D2": "x",
    "A3": "sales", "B3": "€1,000.50", "C3": "2019-01-02", "D3": "X",
    "A4": "ops", "B4": "0.2", "D4": "y",
    "A5": "Sales", "C5": "2021-06-15",
    "B6": "7",
}  # fmt: skip


def table(**changed: str) -> SheetTable:
    book = Workbook(sheets=(Sheet(name="S", cells={**GROUPED_CELLS, **changed}),))
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


def test_an_invalid_aggregate_is_refused() -> None:
    for text in ("", "total Hours", "sum", "sum  "):
        with pytest.raises(Invalid, match="sum Hours"):
            parse_aggregate(text)
    with pytest.raises(NotFound, match="There is no column 'Wage'; columns: Team, Hours"):
        grouped("sum Wage")
    with pytest.raises(Invalid, match="dates and times have min and max"):
        grouped("sum Since")
