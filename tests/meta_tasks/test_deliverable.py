"""Deliverables: described and parsed by one model, compared row by row."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from trainee_bench.meta_tasks.answers import text_key
from trainee_bench.meta_tasks.authoring import (
    AnswerKeys,
    Deliverable,
    DifferenceWords,
    Text,
    compare_lists,
    compare_rows,
)
from trainee_bench.meta_tasks.authoring.checkpoints import RowDifference, lists_of, same_numbers
from trainee_bench.meta_tasks.deliverable import InvalidDeliverable


class Item(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Text = Field(description="of the person")
    price: float = Field(description="in EUR, two decimals")


class Order(Deliverable):
    items: list[Item] = Field(description="one per person")
    total: int = Field(description="pieces")
    done: bool = Field(description="whether all is ordered")


RIGHT = {"items": [{"name": "Ada", "price": 2.5}], "total": 1, "done": True}


def test_the_description_names_every_field_with_its_kind_and_the_fields_of_inner_objects() -> None:
    assert Order.describe().splitlines() == [
        "- `items` (list of objects, one per person)",
        "  - `name` (text, of the person)",
        "  - `price` (number, in EUR, two decimals)",
        "- `total` (integer, pieces)",
        "- `done` (true or false, whether all is ordered)",
    ]


def test_a_right_file_is_parsed() -> None:
    parsed = Order.parse(json.dumps(RIGHT))
    assert isinstance(parsed, Order)
    assert parsed.items[0].price == 2.5


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(RIGHT, indent=4).replace("\n", "\r\n"),
        "\ufeff" + json.dumps(RIGHT),
        json.dumps(dict(reversed(RIGHT.items()))),
        json.dumps(RIGHT).replace('"total": 1', '"total": 1.0'),
        json.dumps(RIGHT) + "\n\n",
    ],
)
def test_differences_of_form_do_not_matter(text: str) -> None:
    assert Order.parse(text) == Order.parse(json.dumps(RIGHT))


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        (f'{{"items": {"[" * 700}{"]" * 700}, "total": 1, "done": true}}', "too many nested lists"),
        ("[]", "the whole file"),
        ("{}", "items"),
        (json.dumps({**RIGHT, "total": "many"}), "total"),
        (json.dumps({**RIGHT, "extra": 1}), "extra"),
        (json.dumps({**RIGHT, "items": [{"name": "Ada"}]}), "items.0.price"),
    ],
)
def test_an_unreadable_deliverable_is_a_flaw_that_names_the_place(text: str, seen: str) -> None:
    flaw = Order.parse(text)
    assert isinstance(flaw, InvalidDeliverable)
    assert seen in flaw.seen


@given(st.text())
def test_any_text_is_a_deliverable_or_a_flaw(text: str) -> None:
    assert isinstance(Order.parse(text), (Order, InvalidDeliverable))


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists))
def test_any_json_is_a_deliverable_or_a_flaw(data: object) -> None:
    assert isinstance(Order.parse(json.dumps(data)), (Order, InvalidDeliverable))


@pytest.mark.parametrize("broken", ['"\\ud800"', '{"\\udfff": 1}', '[["\\ud800\\ud800"]]'])
def test_halves_of_characters_are_a_flaw_since_no_grade_could_quote_them(broken: str) -> None:
    flaw = Order.parse(json.dumps(RIGHT).replace('"Ada"', broken))
    assert isinstance(flaw, InvalidDeliverable)
    assert flaw.seen.encode()


@pytest.mark.parametrize(
    "written",
    ["  WI-FI  router", "Wi\u2011Fi router", "Wi\u2013Fi\u00a0router", "\uff37i-Fi\nrouter"],
)
def test_words_are_the_same_in_any_case_with_any_blanks_and_dashes(written: str) -> None:
    assert text_key(written) == text_key("Wi-Fi router")


@pytest.mark.parametrize("written", ["W\u0456-Fi router", "WiFi router", "Wi-Fi routers", ""])
def test_words_that_only_look_alike_are_others(written: str) -> None:
    assert text_key(written) != text_key("Wi-Fi router")


# rows -------------------------------------------------------------------------------------


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
RIGHT_ROWS = [row("Ada", 2.5), row("Ben", 3.0, 2)]


@given(order=st.permutations(RIGHT_ROWS), off=st.floats(-0.04, 0.04))
def test_order_case_and_small_differences_do_not_matter(order: list[Row], off: float) -> None:
    rows = [row(line.name.upper(), line.amount + off, line.count) for line in order]
    assert compare_rows(rows, RIGHT_ROWS, KEYS, tolerance=0.05).none


def test_each_kind_of_difference_is_counted() -> None:
    ada, ben = RIGHT_ROWS
    assert compare_rows([ada, ada, ben], RIGHT_ROWS, KEYS) == RowDifference(repeated=1)
    assert compare_rows([*RIGHT_ROWS, row("Eve"), row("Zoe")], RIGHT_ROWS, KEYS) == RowDifference(
        foreign=2
    )
    assert compare_rows([], RIGHT_ROWS, KEYS) == RowDifference(missing=2)
    assert compare_rows([row("Ada", 2.6), ben], RIGHT_ROWS, KEYS, 0.05) == RowDifference(wrong=1)


def test_numbers_that_are_none_are_never_the_same() -> None:
    assert not same_numbers(row("Ada", float("nan")), row("Ada", float("nan")), 1)
    assert not same_numbers(row("Ada", float("inf")), row("Ada", 1.0), 1)


def test_differences_are_said_by_kind_without_naming_a_row() -> None:
    found = compare_rows([row("Eve"), row("Ada", 9)], RIGHT_ROWS, KEYS)
    assert found.in_words() == [
        "some rows do not belong there",
        "something is missing",
        "some figures are not right",
    ]
    words = DifferenceWords(missing="somebody is missing")
    assert "somebody is missing" in found.in_words(words)


def test_another_field_may_tell_which_row_it_is() -> None:
    renamed = [row("Eve", 2.5), row("Ben", 3.0, 2)]
    assert compare_rows(renamed, RIGHT_ROWS, KEYS, by=["count"]).none


def test_lists_of_a_deliverable_are_compared_by_name() -> None:
    right, given_ = Sheet(rows=RIGHT_ROWS, total=5.5), Sheet(rows=RIGHT_ROWS[:1], total=9)
    assert list(lists_of(right)) == ["rows"]
    assert compare_lists(right, right, ["rows"], KEYS).passed
    verdict = compare_lists(given_, right, ["rows"], KEYS)
    assert (verdict.passed, verdict.seen) == (False, "rows has 1 rows; something is missing")
