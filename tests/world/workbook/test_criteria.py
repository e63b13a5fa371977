"""Criteria for equal and unequal values over texts that look like numbers.

The expected values are LibreOffice's, except where a comment says that they are worked out by hand.
"""

from __future__ import annotations

import pytest

from trainee_bench.world.errors import Refused
from trainee_bench.world.workbook.model import Sheet, Workbook
from trainee_bench.world.workbook.values import calculate_within

CELLS = {
    **{f"A{row}": typed for row, typed in enumerate(
        ["2025-09-01", "'2025-09-01", "'2025-09-02", "09:30", "'09:30", "50%", "'50%", "1,000",
         "'1,000", "TRUE", "true", "NaN", "01/09/2025", "2025-09-01 09:30"], 1)},
    **{f"B{row}": str(row) for row in range(1, 15)},
    **{f"C{row}": typed for row, typed in enumerate(["apple", "pear", "3", "", "7", "'7"], 1)},
    "F1": "'2025-09-01",
    "F2": "<>pear",
    "F3": '="09:"&"30"',
    "F4": "true",
    "F5": "2025-09-01",
}  # fmt: skip


def value_of(formula: str) -> str:
    workbook = Workbook(sheets=(Sheet(name="S", cells=CELLS),))
    return calculate_within(workbook, "S", formula)[0][0].text


@pytest.mark.parametrize(
    "formula, expected",
    [
        ('COUNTIF(A1:A14,"2025-09-01")', "2"),
        ('COUNTIF(A1:A14,"=2025-09-02")', "1"),
        ("COUNTIF(A1:A14,F1)", "2"),
        ("COUNTIF(A1:A14,F5)", "1"),  # a date, not a text
        ('COUNTIF(A1:A14,"09:30")', "2"),
        ("COUNTIF(A1:A14,F3)", "2"),
        ('COUNTIF(A1:A14,"50%")', "2"),
        ('COUNTIF(A1:A14,"1,000")', "2"),
        ('COUNTIF(A1:A14,"true")', "2"),
        ("COUNTIF(A1:A14,F4)", "2"),
        ('COUNTIF(A1:A14,"nan")', "1"),
        ('COUNTIF(A1:A14,"01/09/2025")', "1"),
        ('COUNTIF(A1:A14,"2025-09-01 09:30")', "1"),
        ('SUMIF(A1:A14,"09:30",B1:B14)', "9"),
        ('SUMIF(A:A,"09:30",B1)', "9"),
        ('COUNTIF(A2,"2025-09-01")', "1"),
        ('AVERAGEIF(A1:A14,"2025-09-01",B1:B14)', "1.5"),
        ('SUMIFS(B1:B14,A1:A14,"50%",B1:B14,">6")', "7"),
        ('AVERAGEIFS(B1:B14,A1:A14,"1,000")', "8.5"),
        ('MAXIFS(B1:B14,A1:A14,"2025-09-01")', "2"),
        ('MINIFS(B1:B14,A1:A14,"2025-09-01")', "1"),
        ('MAXIFS(B1:B14,A1:A14,"2025-12-31")', "0"),
        ('COUNTIFS(A1:A14,"09:30",A1:A14,"09:30")', "2"),
    ],
)
def test_a_criterion_that_looks_like_a_number_matches_numbers_and_equal_texts(
    formula: str, expected: str
) -> None:
    assert value_of(formula) == expected


@pytest.mark.parametrize(
    "formula, expected",
    [
        ('COUNTIF(A1:A14,"<2025-09-02")', "5"),
        ('COUNTIF(A1:A14,">=2025-09-01 09:30")', "1"),
        ('COUNTIF(A1:A14,">2025-09-01")', "1"),
    ],
)
def test_comparisons_with_a_date_read_numbers_only(formula: str, expected: str) -> None:
    assert value_of(formula) == expected


@pytest.mark.parametrize(
    "formula, expected",
    [
        ('COUNTIF(C1:C6,"<>pear")', "5"),  # numbers and an empty cell are unequal
        ("COUNTIF(C1:C6,F2)", "5"),
        ('COUNTIF(C1:C6,"<>"&C2)', "5"),
        ('COUNTIF(C1:C6,"<>7")', "4"),
        ('SUMIF(C1:C6,"<>pear",B1:B6)', "19"),
        ('MAXIFS(B1:B6,C1:C6,"<>pear")', "6"),
        ('COUNTIF(A1:A14,"<>2025-09-01")', "12"),
        ('COUNTIF(A1:A14,"<>09:30")', "12"),
        ('COUNTIF(A1:A14,"<>TRUE")', "12"),
    ],
)
def test_whatever_does_not_match_is_unequal(formula: str, expected: str) -> None:
    assert value_of(formula) == expected


def test_a_comparison_with_a_truth_value_is_refused() -> None:
    with pytest.raises(Refused, match="COUNTIF cannot compare truth values"):
        value_of('COUNTIF(A1:A14,"<TRUE")')
