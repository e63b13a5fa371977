"""Exact arithmetic: as by hand where a computer rounds, as the engine everywhere else."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.world.workbook import engine, values
from trainee_bench.world.workbook.addresses import CellRange
from trainee_bench.world.workbook.exact_arithmetic import ExactValue, exact_text, exact_value
from trainee_bench.world.workbook.inputs import CellKind
from trainee_bench.world.workbook.model import Sheet, Workbook
from trainee_bench.world.workbook.values import CellValue, calculate_expression, calculate_within


def none_there(sheet: str, area: CellRange) -> list[ExactValue]:
    raise AssertionError("nothing is looked up")


def result(expression: str) -> CellValue:
    ((value,),) = calculate_expression(expression)
    return value


BY_HAND = {
    "0.1+0.2": "0.3",
    "0.1+0.2-0.3": "0",
    "56.1-56": "0.1",
    "1.1*1.1": "1.21",
    "2^53+1": "9007199254740993",
    "12345678901234567890+1": "12345678901234567891",
    "-12345678901234567890*10": "-123456789012345678900",
    "1E15+0.3": "1000000000000000.3",
    "1/8": "0.125",
    "1/3": "0.333333333333333",
    "2/3*3": "2",
    "1/3+1/3+1/3": "1",
    "1e-7": "0.0000001",
    "2^-10": "0.0009765625",
    "7.5%": "0.075",
    "200*7.5%": "15",
    "(10%+5%)*50%": "0.075",
    "-2^2": "4",
    "2^3^2": "64",
    "50%^2": "0.25",
    "- -3": "3",
    "2--3": "5",
    "ROUND(2.675,2)": "2.68",
    "ROUND(-2.5,0)": "-3",
    "ROUND(1.005*1000,0)": "1005",
    "ROUND(1250,-2)": "1300",
    "ROUNDUP(0.1+0.2,1)": "0.3",
    "ROUNDDOWN(-1.29,1)": "-1.2",
    "TRUNC(8.9)": "8",
    "INT(-1.5)": "-2",
    "MOD(-7,3)": "2",
    "MOD(1,0.1)": "0",
    "QUOTIENT(-7,2)": "-3",
    "POWER(1.1,3)": "1.331",
    "FACT(25)": "15511210043330985984000000",
    "SUM(0.1,0.2,-0.3)": "0",
    "AVERAGE(0.1,0.2,0.3)": "0.2",
    "PRODUCT(0.1,0.1,100)": "1",
    "MAX(1,2.5)-MIN(3,2)": "0.5",
    "ABS(-1.10)": "1.1",
    "SIGN(-0.5)": "-1",
    " sum( 1 , 2 ) ": "3",
}


@pytest.mark.parametrize(("expression", "text"), BY_HAND.items(), ids=BY_HAND)
def test_it_is_as_by_hand(expression: str, text: str) -> None:
    value = result(expression)
    assert (value.kind, value.text, value.formatted) == (CellKind.NUMBER, text, text)
    assert value.value == float(Fraction(text)) or math.isclose(float(value.value), float(text))


@pytest.mark.parametrize(
    ("expression", "holds"),
    [("0.1+0.2-0.3=0", True), ("0.1*3<>0.3", False), ("1/3<0.3334", True), ("2^53+1>2^53", True)],
)
def test_comparisons_are_exact_too(expression: str, holds: bool) -> None:
    assert result(expression).value is holds


numbers = st.decimals(-(10**6), 10**6, places=3, allow_nan=False).map(lambda d: format(d, "f"))
expressions = st.recursive(
    numbers.map(lambda text: text if not text.startswith("-") else f"({text})"),
    lambda inner: st.one_of(
        st.builds(lambda a, o, b: f"{a}{o}{b}", inner, st.sampled_from("+-*"), inner),
        st.builds(lambda a: f"({a})", inner),
        st.builds(lambda a: f"-{a}", inner),
        st.builds(lambda a: f"({a})%", inner),
        st.builds(lambda a, n: f"ROUND({a},{n})", inner, st.integers(-2, 3)),
        st.builds(
            lambda f, a, b: f"{f}({a},{b})",
            st.sampled_from(["SUM", "MIN", "MAX", "AVERAGE"]),
            inner,
            inner,
        ),
    ),
    max_leaves=6,
)


@given(expressions)
def test_it_agrees_with_the_engine_but_for_what_the_engine_rounds(expression: str) -> None:
    """Signs, brackets and precedence are the engine's."""
    exact = exact_value(f"={expression}", none_there)
    assert isinstance(exact, Fraction)
    workbook = Workbook(sheets=(Sheet(name="Sheet1", cells={"A1": f"={expression}"}),))
    (found,) = engine.calculate(workbook)[0].values()
    if "ROUND" in expression:  # a half may have been rounded the other way
        assert math.isclose(float(exact), float(found.content.value), rel_tol=1e-2, abs_tol=200)
    else:
        assert math.isclose(float(exact), float(found.content.value), rel_tol=1e-9, abs_tol=1e-6)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**25), max_value=10**25))
def test_a_decimal_number_is_told_to_its_last_digit_or_not_at_all(number: Decimal) -> None:
    text = exact_text(Fraction(number))
    if text is None:
        assert -int(number.as_tuple().exponent) > 30
    else:
        assert Fraction(text) == Fraction(number)
        assert "e" not in text.lower() and not text.endswith(".")


def test_an_endless_decimal_has_no_exact_text() -> None:
    assert exact_text(Fraction(1, 3)) is None
    assert exact_text(Fraction(10**30)) is None
    assert exact_text(Fraction(1, 2**40)) is None
    assert exact_text(Fraction(-1, 1024)) == "-0.0009765625"


@pytest.mark.parametrize(
    "expression",
    [
        "1/0",
        "0^0",
        "2^0.5",
        "2^100000",
        "FACT(171)",
        "FACT(1.5)",
        "MOD(1,0)",
        '"a"&1',
        "TRUE+1",
        "1=TRUE",
        "SQRT(2)",
        "SUM()",
        "ROUND(1)",
        "ROUND(1,2,3)",
        "{1,2}",
        "1 2",
        "3*(",
        ")",
        "",
        "2025A+1",
        "1e9999",
        "$5*3",
        "-" * 5_000 + "1",
    ],
)
def test_everything_else_is_left_to_the_engine(expression: str) -> None:
    assert exact_value(f"={expression}", none_there) is None


def book() -> Workbook:
    cells = {
        "A1": "amount", "B1": "share", "C1": "day", "D1": "sum",
        "A2": "0.1", "B2": "10%", "C2": "2025-10-01", "D2": "=A2+A3",
        "A3": "0.2", "B3": "€12.50", "C3": "09:30", "D3": "=1/0",
        "A4": "-0.3", "B4": "1,234.50", "C4": "TRUE", "D4": "'12",
    }  # fmt: skip
    other = Sheet(name="Other one", cells={"A1": "9007199254740990"})
    return Workbook(sheets=(Sheet(name="Main", cells=cells), other))


FROM_CELLS = {
    "A2+A3+A4": "0",
    "SUM(A2:A4)": "0",
    "SUM(A:A)": "0",
    "SUM($A$2:$A$3, 1)": "1.3",
    "SUM(2:2)": "45931.5",
    "A2*B2": "0.01",
    "B3*2": "25",
    "B4/2": "617.25",
    "ROUND(AVERAGE(A2:A3),1)": "0.2",
    "COUNT(A1:B4)": "6",
    "MAX(A1:A4)": "0.2",
    "D2*10": "3",
    "F9+1": "1",
    "'Other one'!A1+3": "9007199254740993",
    "SUM('other one'!A1:A9)+3": "9007199254740993",
    "Main!A2-0.1": "0",
}


@pytest.mark.parametrize(("expression", "text"), FROM_CELLS.items(), ids=FROM_CELLS)
def test_cells_are_what_was_typed(expression: str, text: str) -> None:
    ((value,),) = calculate_within(book(), "", expression)
    assert (value.kind, value.text) == (CellKind.NUMBER, text)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("C2", "2025-10-01"),
        ("C2+1", "2025-10-02"),
        ("D3", "#DIV/0!"),
        ("SUM(D2:D3)", "#DIV/0!"),
        ("A1+1", "#VALUE!"),
        ("C4+1", "2"),
        ("Nowhere!A1", "#REF!"),
        ("AVERAGE(F1:F9)", "#DIV/0!"),
    ],
)
def test_dates_errors_and_texts_stay_the_engines(expression: str, text: str) -> None:
    ((value,),) = calculate_within(book(), "", expression)
    assert value.text == text


def test_a_range_where_one_value_belongs_is_an_array() -> None:
    assert [[value.text for value in row] for row in calculate_within(book(), "", "A2:A3*2")] == [
        ["0.2"],
        ["0.4"],
    ]


def test_the_engine_is_not_even_asked_for_plain_arithmetic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_ENGINE", None)
    assert values.calculate_expression("0.1+0.2")[0][0].text == "0.3"
