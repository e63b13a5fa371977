"""Which formulas are allowed."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.world.errors import Invalid, Refused
from trainee_bench.world.workbook.formula_checks import REFUSED_FUNCTIONS, check_formula
from trainee_bench.world.workbook.formulas import (
    called_functions,
    mentions_sheet,
    refers_to_cells,
    refers_to_tables,
    without_added_operators,
)


@pytest.mark.parametrize("name", REFUSED_FUNCTIONS)
@pytest.mark.parametrize(
    "form",
    ["={}()", "=1+{}(1,2)", "={} ()", "={}\n()", "=IF(A1,{}(),2)", "=_xlfn.{}()", "={{{}()}}"],
)
def test_what_depends_on_clock_chance_or_machine_is_refused(name: str, form: str) -> None:
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
def test_what_only_looks_like_it_is_allowed(formula: str) -> None:
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
        ("=(1", "ends too soon"),
        ("=1+", "ends too soon"),
        ("=A1&", "ends too soon"),
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
