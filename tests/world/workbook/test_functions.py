"""The functions that office work needs, each against a result worked out by hand.

They hold the engine to its promises when its version changes.
"""

from __future__ import annotations

import pytest

from trainee_bench.world.workbook.addresses import CellAddress
from trainee_bench.world.workbook.edits import write
from trainee_bench.world.workbook.model import empty_workbook
from trainee_bench.world.workbook.values import calculate_expression, calculate_within

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
