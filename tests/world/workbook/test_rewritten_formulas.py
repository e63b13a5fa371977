"""Formulas that the engine alone would answer wrongly, and without a word. A fuzzer found them next
to another spreadsheet program (`benchmarks/formulas_against_libreoffice.py`)."""

from __future__ import annotations

import io
import re
import zipfile

import pytest

from trainee_bench.world.errors import Invalid, Refused
from trainee_bench.world.workbook.addresses import CellAddress
from trainee_bench.world.workbook.edits import add_sheet, write
from trainee_bench.world.workbook.model import Sheet, Workbook, check_workbook, empty_workbook
from trainee_bench.world.workbook.values import calculate, calculate_within
from trainee_bench.world.workbook.xlsx import to_xlsx

CELLS = {
    "A1": "apple",
    "A2": "b",
    "A3": "c",
    "A4": "5",
    "A6": "zz",
    "B1": "1",
    "B3": "4",
    "C1": "2",
    "C2": "3",
    "C3": "5",  # B2 is empty
    "D1": "=0.1+0.2",
    "D2": "=1/3",
    "D3": "=0*-1",
    "D4": "=D1",
    "E1": "TRUE",
    "E2": "FALSE",
    "E3": "#N/A",
    "E4": "x",
    "F1": "<=b",
    "F2": "50%",
    "F3": "09:30",
    "F4": "10:30",
    "F5": "<=50%",
    "G1": "2026-01-31",
    "G2": "2025-02-28",  # G3 is empty
    "H1": "1",
    "H2": "#N/A",
    "H3": "3",
}


def result(formula: str) -> str:
    """The formula's text as `sheets_calculate` tells it, which a cell shows as well."""
    workbook = check_workbook(Workbook(sheets=(Sheet(name="S", cells=CELLS),)))
    ((value, *_), *_) = calculate_within(workbook, "", formula)
    written, _ = write(workbook, "", CellAddress(20, 20), [[f"={formula}"]])
    (sheet,) = calculate(written)
    assert sheet.cells[CellAddress(20, 20)].text == value.text
    return value.text


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        # 0 is not found in an empty cell, and an empty cell that is sought is 0
        ("VLOOKUP(0,B1:C3,2,FALSE)", "#N/A"),
        ("VLOOKUP(B2,B1:C3,2,FALSE)", "#N/A"),
        ("VLOOKUP(B3-4,B1:C3,2,0)", "#N/A"),
        ("VLOOKUP(4,B1:C3,2,FALSE)", "5"),
        ("HLOOKUP(0,B2:C3,2,FALSE)", "#N/A"),
        ("XLOOKUP(0,B1:B3,C1:C3)", "#N/A"),
        ('XLOOKUP(0,B1:B3,C1:C3,"none",,-1)', "none"),
        ("XLOOKUP(B1-1,B1:B3,C1:C3,7,0)", "7"),
        ("XLOOKUP(4,B1:B3,C1:C3,,,-1)", "5"),
        ("XMATCH(0,B1:B3)", "#N/A"),
        ("XMATCH(4,B1:B3,,-1)", "3"),
        ("VLOOKUP(3,C1:D3,FALSE)", "#VALUE!"),
        # texts in criteria, and what is a number there
        ('COUNTIF(A1:A6,"<=b")', "2"),
        ('COUNTIF(A1:A6,">=b")', "3"),
        ("COUNTIF(A1:A6,F1)", "2"),
        ('COUNTIF(A1:A6,">="&A3)', "2"),
        ('COUNTIF(A1:A6,"<=5")', "1"),
        ('SUMIFS(C1:C3,A1:A3,"<=b",C1:C3,">2")', "3"),
        ('COUNTIF(B1:B3,">=100%")', "2"),
        ('COUNTIF(F2:F4,"<10:00")', "1"),
        ("COUNTIF(F2:F4,F5)", "3"),
        ('COUNTIF(G1:G3,">=2026-01-31")', "1"),
        # ranges: a single cell, and one that is shorter than what is compared
        ('COUNTIF(A1,"*pp*")', "1"),
        ('COUNTIFS(A1,"apple",S!$C$1,">2")', "0"),
        ('SUMIF(A1:A4,">=apple",C1:C2)', "10"),
        ('SUMIF(A1:A4,"c",$C$1)', "5"),
        ('AVERAGEIF(A1:A3,">apple",S!C1)', "4"),
        ('SUMIF(A1:A3,"b")', "0"),
        # halves are rounded away from zero
        ('TEXT(2.5,"0")', "3"),
        ('TEXT(0.125,"0.00")', "0.13"),
        ('TEXT(1.5%,"0%")', "2%"),
        ('TEXT(-2.5,"0;(0)")', "(3)"),
        ('TEXT(2500,"0,")', "3"),
        ('TEXT(-1,"0")', "-1"),
        ('TEXT(B2-0.1,"0.0")', "-0.1"),
        ('TEXT(-1%,"0%")', "-1%"),
        ('TEXT(-1,"$#,##0")', "-$1"),
        ('TEXT(-1,"0;(0)")', "(1)"),
        ('TEXT(-0.4,"0")', "0"),
        ('TEXT(1234.5,"#,##0 ""kg""")', "1,235 kg"),
        ('SUM(LEN(TEXT(B1:B3*25/10,"00.0")))', "12"),
        ('TEXT("12","0.0")', "12.0"),
        ('TEXT("n/a","0.0")', "n/a"),
        ('TEXT(G1,"yyyy-mm")', "2026-01"),
        ("FIXED(1.005,2)", "1.01"),
        ("FIXED(-0.4,0)", "0"),
        ("FIXED(1E22,2)", "#NUM!"),
        ("DOLLAR(1234.565)", "$1,234.57"),
        # numbers in texts have 15 digits, and zero has no sign
        ('"x"&D1', "x0.3"),
        ('D4&""', "0.3"),
        ('"x"&SUM(D1:D2)&"y"', "x0.633333333333333y"),
        ('"x"&D3', "x0"),
        ('"x"&-B2', "x0"),
        ('"x"&-0', "x0"),
        ('"x"&-(0)%', "x0"),
        ('0.1+0.2&"x"="0.3x"', "TRUE"),
        ("LEN(D2)", "17"),
        ('CONCATENATE(D1,"x",2/3)', "0.3x0.666666666666667"),
        ('TEXTJOIN("+",TRUE,B1:B3*D1)', "0.3+0+1.2"),
        ('G3&""', ""),
        ('"x"&G1', "x46053"),
        ('A1&" "&B1', "apple 1"),
        ("ODD(-B2)", "1"),
        # an error counts wherever it stands
        ("AND(E2,E3)", "#N/A"),
        ("OR(E1,1/0)", "#DIV/0!"),
        ("AND(E2:E3)", "#N/A"),
        ("OR(B1:B3>0,E3)", "#N/A"),
        ("AND(E1,E4)", "TRUE"),
        ("OR(C1:C3>4)", "TRUE"),
        ("AND(C1:C3>2)", "FALSE"),
        # a cell that CHOOSE chooses is a single value
        ("ISTEXT(CHOOSE(1,A1))", "TRUE"),
        ("MATCH(CHOOSE(2,B1,A2),A1:A3,0)", "2"),
        ("COUNTIF(A1:A3,CHOOSE(1,A2))", "1"),
        ("ISBLANK(CHOOSE(1,G3))", "TRUE"),
        ("1-CHOOSE(2,1,C2)*2", "-5"),
        ('IF(ISTEXT(CHOOSE(1,A1)),CHOOSE(1,A1)&"x",0)', "applex"),
        ("SUM(CHOOSE(1,C1:C3,B1:B3))", "10"),
        # pairs of numbers
        ("COVARIANCE.P(B1:B3,C1:C3)", "2.25"),
        ("COVARIANCE.S(B1:B3,C1:C3)", "4.5"),
        ("COVARIANCE.P(C1:C3,C1:C2)", "#N/A"),
        ("COVARIANCE.P(A1:A3,C1:C3)", "#DIV/0!"),
        ("COVARIANCE.P(H1:H3,C1:C3)", "#N/A"),
        ("SUMXMY2(B1:B3,C1:C3)", "2"),
        ("SUMX2MY2(B1:B3,C1:C3)", "-12"),
        ("SUMX2PY2(B1:B3,C1:C3)", "46"),
        # nothing but empty cells
        ("MAXA(G3:G5)", "0"),
        ("MINA(G3:G5)", "0"),
        ("MAXA(B1:B3)", "4"),
        ("YEAR(G3)", "1900"),
        ("MONTH(G3)", "1"),
        ("DAY(G3)", "0"),
        ("SUMPRODUCT((YEAR(G1:G4)=2026)*1)", "1"),
        # a number of days, though the first argument is empty
        ("G1-MAX(G3,G2)", "337"),
    ],
)
def test_formulas_that_the_engine_gets_wrong_come_to_what_excel_says(
    formula: str, value: str
) -> None:
    assert result(formula) == value


@pytest.mark.parametrize(
    ("formula", "why"),
    [
        ('TEXT(0.5,"# ?/?")', "TEXT writes no fractions"),
        ('TEXT(1234,"0.0E+0")', "no powers of ten"),
        ('TEXT(49,".00")', "nor a point without a digit"),
        ("COUNTBLANK(G2G11)", "There is no name G2G11"),
        ('SUMIFS(C1:C3,A1:A4,"x")', "SUMIFS takes ranges of equal size, not C1:C3 and A1:A4"),
        ('1+COUNTIFS(A:A,"x",B2:B9,">0")', "COUNTIFS takes ranges of equal size"),
        ("COUNT(Totals)", "There is no name TOTALS"),
    ],
)
def test_formulas_that_cannot_come_out_right_are_refused_with_the_cell(
    formula: str, why: str
) -> None:
    with pytest.raises(Refused, match=re.escape(why)) as error:
        write(empty_workbook("S"), "", CellAddress(3, 2), [[f"={formula}"]])
    assert "B3" in str(error.value)


@pytest.mark.parametrize(
    "formula", ["COUNT(A1:A9999999)", "SUM(0:2)", "COUNTA(XFE1)", "COUNTIFS(A:XFE,1)", "1+A1048577"]
)
def test_cells_that_no_sheet_has_are_refused_with_the_cell(formula: str) -> None:
    with pytest.raises(Invalid, match=r"The formula in S!B3 names no cells of a sheet\. .*; "):
        write(empty_workbook("S"), "", CellAddress(3, 2), [[f"={formula}"]])


def test_texts_of_numbers_follow_cells_of_other_sheets_and_names() -> None:
    cells = {"A1": '="x"&Data!A1', "A2": "=LEN(share)", "A3": '="x"&Data!A2&Data!B1'}
    workbook = Workbook(
        sheets=(
            Sheet(name="S", cells=cells),
            Sheet(name="Data", cells={"A1": "=1/3", "A2": "=SEQUENCE(2)/3"}),
        ),
        names={"share": "Data!$A$1"},
    )
    texts = [cell.text for cell in calculate(check_workbook(workbook))[0].cells.values()]
    assert texts == ["x0.333333333333333", "17", "x0.333333333333333"]


def test_files_hold_the_formulas_as_typed_with_the_values_that_they_come_to() -> None:
    workbook = add_sheet(empty_workbook("S"), "T")
    typed = '="Sum: "&TEXT(2.5,"0")&(0.1+0.2)'
    workbook, _ = write(workbook, "S", CellAddress(1, 1), [[typed]])
    with zipfile.ZipFile(io.BytesIO(to_xlsx(workbook))) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    assert "LET" not in sheet
    assert "Sum: 30.3" in sheet
