"""Slots of texts for amounts of money, and for what may be missing."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.meta_tasks.authoring import INTEGER, TextTemplate, ValueTemplate
from trainee_bench.meta_tasks.authoring.converters import EUROS, EUROS_IN_GROUPS, optional, to_cents


@dataclass(frozen=True)
class Order:
    item: str
    discount: int | None


ORDER = TextTemplate(
    Order,
    "Order {item}.{discount} Thank you.",
    {"discount": optional(ValueTemplate(" There are {value} % off.", INTEGER).converter())},
)


@pytest.mark.parametrize(
    ("order", "text"),
    [
        (Order("pens", None), "Order pens. Thank you."),
        (Order("pens", 5), "Order pens. There are 5 % off. Thank you."),
    ],
)
def test_what_is_missing_leaves_no_text_and_is_read_as_none(order: Order, text: str) -> None:
    assert ORDER.render(order) == text
    assert ORDER.parse(text) == order


def test_amounts_are_written_with_two_decimals_and_with_commas_if_asked_for() -> None:
    assert EUROS.render(1_000_05) == "EUR 1000.05"
    assert EUROS_IN_GROUPS.render(1_000_05) == "EUR 1,000.05"
    assert EUROS_IN_GROUPS.render(5) == "EUR 0.05"


@given(st.integers(0, 10**9))
def test_amounts_are_read_as_they_are_written(cents: int) -> None:
    for converter in (EUROS, EUROS_IN_GROUPS):
        text = converter.render(cents)
        assert re.fullmatch(converter.pattern, text)
        assert converter.parse(text) == cents


def test_a_number_is_whole_cents_or_none() -> None:
    assert to_cents(0.1 + 0.2) == 30
    assert to_cents(0.304) is None
    assert to_cents(float("nan")) is None
