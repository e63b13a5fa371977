"""Which formulas are allowed."""

from __future__ import annotations

import contextlib
import io
import re
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.world.errors import Invalid, Refused
from trainee_bench.world.workbook.addresses import CellAddress
from trainee_bench.world.workbook.edits import add_sheet, write
from trainee_bench.world.workbook.formulas import (
    called_functions,
    mentions_sheet,
    refers_to_cells,
    refers_to_tables,
    without_added_operators,
)
from trainee_bench.world.workbook.model import (
    REFUSED_FUNCTIONS,
    Sheet,
    Workbook,
    check_formula,
    check_workbook,
    empty_workbook,
)
from trainee_bench.world.workbook.values import calculate, calculate_within
from trainee_bench.world.workbook.xlsx import to_xlsx


@pytest.mark.parametrize("name", REFUSED_FUNCTIONS)
@pytest.mark.parametrize(
    "form",
    ["={}()", "=1+{}(1,2)", "={} ()", "={}\n()", "=IF(A1,{}(),2)", "=_xlfn.{}()", "={{{}()}}"],
)
def test_functions_of_clock_chance_or_machine_are_refused(name: str, form: str) -> None:
    for written in (name, name.lower(), name.title()):
        with pytest.raises(Refused, match=f"{name} is not available .Sheet1!B2.*: ") as refused:
            check_formula(form.format(written), "Sheet1!B2")
    assert REFUSED_FUNCTIONS[name] in str(refused.value)


@pytest.mark.parametrize(
    "formula",
    [
        '="NOW()"',
        '="say ""NOW()"" "&A1',
        "='NOW('!A1",
        "='it''s NOW('!A1",
        "=NOW!A1",
        "=SUM(NOW1:NOW9)",
        "=INDIRECT(A1)",
        "=OFFSET(A1,1,1)",
    ],
)
def test_names_that_only_look_like_them_are_allowed(formula: str) -> None:
    check_formula(formula, "A1")


@pytest.mark.parametrize("name", ["RAND1", "KNOW", "RANDOM", "CELLS"])
def test_an_unknown_function_is_refused_by_its_own_name(name: str) -> None:
    with pytest.raises(Refused, match=f"^{name} is not calculated here.*A1"):
        check_formula(f"={name}(2)", "A1")


def test_functions_are_found_in_order() -> None:
    assert called_functions("=if(Sum (A1:A3)>2,_xlfn._xlws.SORT(B1:B3),'SUM('!A1)") == (
        "IF",
        "SUM",
        "SORT",
    )


def test_length_and_nesting_are_bounded() -> None:
    check_formula("=" + "(" * 64 + "1" + ")" * 64, "A1")
    with pytest.raises(Invalid, match="64"):
        check_formula("=" + "(" * 65 + "1" + ")" * 65, "A1")
    with pytest.raises(Invalid, match="8192"):
        check_formula("=" + "1+" * 5000 + "1", "A1")
    check_formula('="' + "(" * 100 + '"', "A1")
    check_formula("=LAMBDA(x,x)" + "(1)" * 64, "A1")
    with pytest.raises(Invalid, match="nests deeper than 64"):
        check_formula("=LAMBDA(x,x)" + "(1)" * 2_500, "A1")


@pytest.mark.parametrize(
    "text", ["=A1", "=$A$1*2", "=SUM(B2:B3)", "=Data!x", "='My data'!A1", "=A:A"]
)
def test_references_to_cells_are_seen(text: str) -> None:
    assert refers_to_cells(text)


@pytest.mark.parametrize("text", ["=1+2", '="A1"', "=LOG10(100)", "=PI()", "=DAYS360(1,2)", "=1E5"])
def test_numbers_texts_and_functions_are_no_references(text: str) -> None:
    assert not refers_to_cells(text)


def test_references_to_tables_and_other_files_are_seen() -> None:
    assert refers_to_tables("=SUM(T1[Qty])")
    assert refers_to_tables("=[1]Other!A1")
    assert not refers_to_tables('="[x]"&A1')


def test_the_sheets_a_formula_mentions() -> None:
    assert mentions_sheet("=Data!A1", "data")
    assert mentions_sheet("='It''s'!A1", "It's")
    assert not mentions_sheet('="Data!A1"', "Data")
    assert not mentions_sheet("=Database!A1", "Data")


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=300))
def test_any_text_is_read_to_its_end(text: str) -> None:
    called = called_functions(f"={text}")
    with contextlib.suppress(Invalid, Refused):
        check_formula(f"={text}", "A1")
        assert not set(called) & set(REFUSED_FUNCTIONS)


@pytest.mark.parametrize(
    ("formula", "kept"),
    [
        ("=@_", "=_"),
        ("=1+@nobody*2", "=1+nobody*2"),
        ("=@known", "=@known"),
        ("=@SEQUENCE(2)", "=@SEQUENCE(2)"),
        ("=@A1", "=@A1"),
        ('="@nobody"', '="@nobody"'),
    ],
)
def test_only_an_operator_before_a_name_that_nobody_defined_is_dropped(
    formula: str, kept: str
) -> None:
    assert without_added_operators(formula, {"KNOWN"}) == kept


@pytest.mark.parametrize(
    ("formula", "place"),
    [
        ("=1,5+1", "cannot be read from “,5+1” on"),
        ("=SUM(B:B);99", "cannot be read from “;99” on"),
        ('="a" "b"', 'cannot be read from “"b"” on'),
        ("=2)", "cannot be read from “)” on"),
        ("=1 2", "cannot be read from “2” on"),
        ("=2(3)", "cannot be read from “(3)” on"),
        ("=(1)(2)", "cannot be read from “(2)” on"),
        ("={1 2}", "cannot be read from “2}” on"),
        ("={1,2%}", "cannot be read from “%}” on"),
        ("=SUM(A1:A2 B1:B2)", "cannot be read from “B1:B2)” on"),
        ("=1><2", "cannot be read from “<2” on"),
        ("=٣+1", "cannot be read from “٣+1” on"),
        ("=2026!A1+5", "cannot be read from “!A1+5” on"),
        ("=1e!#N/A", "cannot be read from “1e!#N/A” on"),
        ("=Data!A1x+5", "cannot be read from “!A1x+5” on"),
        ("='My data'!A1 B1", "cannot be read from “B1” on"),
        ("=Data!A0+1", "cannot be read from “!A0+1” on"),
        ("=(1", "ends too early"),
        ("=1+", "ends too early"),
        ("=A1&", "ends too early"),
        ("=1+" + "(" * 3 + "x" * 40 + " y", "cannot be read from “y” on"),
        ("=1 " + "x" * 40, "cannot be read from “xxxxxxxxxxxxxxxxxxxx…” on"),
    ],
)
def test_a_text_that_is_no_formula_to_its_end_is_refused_where_it_stops_being_one(
    formula: str, place: str
) -> None:
    with pytest.raises(Invalid) as refused:
        check_formula(formula, "Sheet1!B2")
    assert str(refused.value).startswith(f"The formula in Sheet1!B2 {place}. Put an operator")


@pytest.mark.parametrize(
    "formula",
    ["=-+3", "=50%%", "=2^-1", "=@A1-A2", "=A1#", "=SUM(,1)", "=IF(TRUE,,3)", "={1,-2;3,4}",
     "=LAMBDA(x,x+1)(2)", "=PI ( )", "=.5+5.",
     "='My ''own'' sheet'!A1", '="a""b"', "=#N/A", "=TRUE",
     "='2026'!A1+5", "=Q1!A1", "=Jan.2026!A:A", "=Ä!A1", "=Data!A1", "=A0+1"],
)  # fmt: skip
def test_unusual_formulas_that_mean_something_are_not_refused(formula: str) -> None:
    check_formula(formula, "Sheet1!B2")


# formulas that are rewritten --------------------------------------------------------------


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
        ('TEXT(0.5,"# ?/?")', "TEXT cannot write fractions"),
        ('TEXT(1234,"0.0E+0")', "fractions, powers of ten"),
        ('TEXT(49,".00")', "or a point without a digit"),
        ("COUNTBLANK(G2G11)", "There is no name G2G11"),
        ('SUMIFS(C1:C3,A1:A4,"x")', "SUMIFS needs ranges of equal size, not C1:C3 and A1:A4"),
        ('1+COUNTIFS(A:A,"x",B2:B9,">0")', "COUNTIFS needs ranges of equal size"),
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
    with pytest.raises(Invalid, match=r"The formula in S!B3 has an invalid cell reference\. "):
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
