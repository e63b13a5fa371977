"""What is typed into a cell, and how numbers are shown."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trainee_bench.world.workbook.formats import (
    format_number,
    is_date_format,
    number_text,
    result_text,
)
from trainee_bench.world.workbook.inputs import (
    CellContent,
    CellKind,
    canonical_input,
    display_text,
    interpret,
    literal_input,
    number_input,
    text_input,
)

finite = st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)


@pytest.mark.parametrize(
    "typed, value, code",
    [
        ("0", 0, ""),
        ("12", 12, ""),
        ("-0.5", -0.5, ""),
        ("12.50", 12.5, "0.00"),
        ("3.0", 3, "0.0"),
        ("1,250", 1250, "#,##0"),
        ("1,250.75", 1250.75, "#,##0.00"),
        ("50%", 0.5, "0%"),
        ("12.5%", 0.125, "0.0%"),
        ("$9.90", 9.9, "$0.00"),
        ("€1,200", 1200, "€#,##0"),
        ("-£3", -3, "£0"),
        ("1e+20", 1e20, ""),
        ("1e-07", 1e-7, ""),
        ("0.30000000000000004", 0.1 + 0.2, ""),
        ("123456789012345", 123456789012345, ""),
        ("2026-11-21", 46347, "yyyy-mm-dd"),
        ("1900-03-01", 61, "yyyy-mm-dd"),
        ("09:30", 9.5 / 24, "hh:mm"),
        ("9:30", 9.5 / 24, "h:mm"),
        ("18:00:30", 64830 / 86400, "hh:mm:ss"),
        ("2026-11-21 12:00", 46347.5, "yyyy-mm-dd hh:mm"),
    ],
)
def test_numbers_dates_and_times_are_numbers(typed: str, value: float, code: str) -> None:
    assert interpret(typed) == CellContent(CellKind.NUMBER, value, code)


@pytest.mark.parametrize(
    "typed",
    [
        "0012",  # an id
        "00",
        "-0",
        "-0.00",
        "+49",
        ".5",
        "5.",
        "1e5",
        "1E+20",
        "1e400",
        "-1e999",
        "inf",
        "nan",
        "0x10",
        "1_000",
        "12345678901234567",  # more digits than a number keeps
        "0.12345678901234567890",
        "1,00",
        "1,2345",
        "3,14",
        " 12",
        "12 ",
        "5 %",
        "$5%",
        "(5)",
        "2026-02-30",
        "1900-02-28",
        "31/12/2026",
        "2026-11-21T10:00",
        "24:00",
        "9:5",
        "2026-11-21 9:30",
        "True",
        "true",
        "-A1",
        "+1+2",
        "@SUM(1)",
        "=",
        "٣",
        "hello",
    ],
)
def test_text_that_would_lose_information_as_a_number_stays_text(typed: str) -> None:
    assert interpret(typed) == CellContent(CellKind.TEXT, typed)
    assert display_text(typed) == typed


def test_truth_values_errors_formulas_and_quoted_texts() -> None:
    assert interpret("TRUE") == CellContent(CellKind.BOOLEAN, True)
    assert interpret("FALSE") == CellContent(CellKind.BOOLEAN, False)
    assert interpret("#N/A") == CellContent(CellKind.ERROR, "#N/A")
    assert interpret("=A1") == CellContent(CellKind.FORMULA, "=A1")
    assert interpret("'0012") == CellContent(CellKind.TEXT, "0012")
    assert interpret("'=A1") == CellContent(CellKind.TEXT, "=A1")
    assert display_text("''x") == "'x"


@given(texts)
def test_any_text_can_be_typed_as_text(text: str) -> None:
    assert interpret(text_input(text)) == CellContent(CellKind.TEXT, text)


@given(texts)
def test_inputs_that_mean_the_same_are_kept_in_one_form(text: str) -> None:
    kept = canonical_input(text)
    if interpret(text).value == "":  # a lone apostrophe: nothing to keep
        assert kept == ""
    else:
        assert interpret(kept) == interpret(text)
        assert canonical_input(kept) == kept
    assert canonical_input("'hello") == "hello"
    assert canonical_input("'12") == "'12"


@given(texts | st.from_regex(r"[-=#'$]?[0-9.,:%-]{1,12}", fullmatch=True))
def test_any_csv_field_is_shown_as_it_stands_there(text: str) -> None:
    typed = literal_input(text)
    assert display_text(typed) == text
    assert interpret(typed).kind not in (CellKind.FORMULA, CellKind.ERROR)


@given(finite)
def test_any_number_can_be_typed_exactly(value: float) -> None:
    typed, code = number_input(value)
    assert interpret(typed) == CellContent(CellKind.NUMBER, value)
    assert code == ""


@given(
    finite,
    st.sampled_from(
        ["0.00", "#,##0.00", "0%", "0.0%", "$#,##0.00", "€0", "yyyy-mm-dd", "h:mm", "d mmm yy"]
    )
    | st.sampled_from(["[h]:mm", '0 "pcs"', "yyyy-mm-dd hh:mm:ss", "m/d/yyyy", "@", "General"]),
)
@example(1.880562224854683e-30, "h:mm")
def test_no_format_changes_a_number_but_for_the_dust_of_a_moment(value: float, code: str) -> None:
    typed, kept = number_input(value, code)
    dust = 0.001 / 86_400 if is_date_format(code) else 0
    assert abs(float(interpret(typed).value) - value) <= dust
    assert kept in ("", code)


@given(st.integers(0, 86_399), st.integers(61, 2_900_000))
def test_every_second_of_every_day_is_read_as_it_is_shown(second: int, day: int) -> None:
    text = format_number(day + second / 86_400, "yyyy-mm-dd hh:mm:ss")
    assert text is not None
    assert interpret(text).value == pytest.approx(day + second / 86_400, abs=1e-9)
    clock = format_number(second / 86_400, "hh:mm:ss")
    assert clock == f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"


@pytest.mark.parametrize(
    "value, code, text",
    [
        (2.675, "0.00", "2.68"),  # halves away from zero, in decimal
        (0.125, "0.00", "0.13"),
        (-0.125, "0.00", "-0.13"),
        (-0.001, "0.00", "0.00"),
        (1234.5, "#,##0", "1,235"),
        (0.123, "0.0%", "12.3%"),
        (-5.5, "$#,##0.00", "-$5.50"),
        (46347, "m/d/yyyy", "2026-11-21"),
        (46347.5, "d mmm yyyy", "2026-11-21 12:00"),
        (46347.5, "dd.mm.yy hh:mm", "2026-11-21 12:00"),
        (0.5, "h:mm AM/PM", "12:00"),
        (0.1 + 0.2, "", "0.3"),
    ],
)
def test_formats_show_numbers_as_people_expect(value: float, code: str, text: str) -> None:
    assert format_number(value, code) == text


@pytest.mark.parametrize(
    "value, code", [(1.5, "[h]:mm"), (5, '0 "pcs"'), (1.5, "hh:mm"), (60, "yyyy-mm-dd"), (-1, "d")]
)
def test_formats_that_are_unknown_here_are_left_to_the_engine(value: float, code: str) -> None:
    assert format_number(value, code) is None


@pytest.mark.parametrize("code", ["yyyy-mm-dd", "d/m/yy", "hh:mm", "mmm", "[$-407]d. mmmm yyyy;@"])
def test_dates_are_told_from_other_formats(code: str) -> None:
    assert is_date_format(code)


@pytest.mark.parametrize("code", ["", "General", "0.00", '0 "days"', "[h]:mm", "[Red]0", "$#,##0"])
def test_other_formats_are_no_dates(code: str) -> None:
    assert not is_date_format(code)


def test_exact_and_result_texts() -> None:
    assert number_text(3.0) == "3"
    assert number_text(0.1 + 0.2) == "0.30000000000000004"
    assert result_text(0.1 + 0.2) == "0.3"
    assert result_text(1 / 3) == "0.333333333333333"
    assert result_text(-0.0) == "0"
    assert math.isclose(float(number_text(1e300)), 1e300)
