"""Rows are compared in any order, numbers within a tolerance, and differences named by kind."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from trainee_bench.meta_tasks.authoring import (
    AnswerKeys,
    Deliverable,
    DifferenceWords,
    Text,
    compare_lists,
    compare_rows,
)
from trainee_bench.meta_tasks.authoring.checkpoints import RowDifference, lists_of, same_numbers


class Row(Deliverable):
    name: Text = Field(description="of the person")
    amount: float = Field(description="EUR")
    count: int = Field(description="pieces")


class Sheet(Deliverable):
    rows: list[Row] = Field(description="all")
    total: float = Field(description="EUR")


def row(name: str, amount: float = 1.0, count: int = 1) -> Row:
    return Row(name=name, amount=amount, count=count)


KEYS = AnswerKeys()
RIGHT = [row("Ada", 2.5), row("Ben", 3.0, 2)]


@given(order=st.permutations(RIGHT), off=st.floats(-0.04, 0.04))
def test_order_case_and_small_differences_do_not_matter(order: list[Row], off: float) -> None:
    rows = [row(one.name.upper(), one.amount + off, one.count) for one in order]
    assert compare_rows(rows, RIGHT, KEYS, tolerance=0.05).none


def test_each_kind_of_difference_is_counted() -> None:
    ada, ben = RIGHT
    assert compare_rows([ada, ada, ben], RIGHT, KEYS) == RowDifference(repeated=1)
    assert compare_rows([*RIGHT, row("Eve"), row("Zoe")], RIGHT, KEYS) == RowDifference(foreign=2)
    assert compare_rows([], RIGHT, KEYS) == RowDifference(missing=2)
    assert compare_rows([row("Ada", 2.6), ben], RIGHT, KEYS, 0.05) == RowDifference(wrong=1)


def test_numbers_that_are_none_are_never_the_same() -> None:
    assert not same_numbers(row("Ada", float("nan")), row("Ada", float("nan")), 1)
    assert not same_numbers(row("Ada", float("inf")), row("Ada", 1.0), 1)


def test_differences_are_said_by_kind_without_naming_a_row() -> None:
    found = compare_rows([row("Eve"), row("Ada", 9)], RIGHT, KEYS)
    assert found.in_words() == [
        "some rows do not belong there",
        "something is missing",
        "some figures are not right",
    ]
    words = DifferenceWords(missing="somebody is missing")
    assert "somebody is missing" in found.in_words(words)


def test_another_field_may_tell_which_row_it_is() -> None:
    renamed = [row("Eve", 2.5), row("Ben", 3.0, 2)]
    assert compare_rows(renamed, RIGHT, KEYS, by=["count"]).none


def test_lists_of_a_deliverable_are_compared_by_name() -> None:
    right, given_ = Sheet(rows=RIGHT, total=5.5), Sheet(rows=RIGHT[:1], total=9)
    assert list(lists_of(right)) == ["rows"]
    assert compare_lists(right, right, ["rows"], KEYS).passed
    verdict = compare_lists(given_, right, ["rows"], KEYS)
    assert (verdict.passed, verdict.seen) == (False, "rows has 1 rows; something is missing")
