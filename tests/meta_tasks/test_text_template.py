"""Texts are read as they are written, by the same definition."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, time
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from trainee_bench.meta_tasks.authoring import (
    CLOCK,
    DATE,
    FULL_NAME,
    INTEGER,
    PATH,
    TENTHS,
    WORD,
    Converter,
    Deliverable,
    FirstOf,
    Text,
    TextTemplate,
    ValueTemplate,
    english_list,
    fields_of,
    one_of,
    or_nothing,
    pairs,
    separated,
)
from trainee_bench.meta_tasks.authoring.converters import (
    EUROS,
    EUROS_IN_GROUPS,
    converter_for,
    optional,
)


class Color(StrEnum):
    RED = "red"
    DARK_RED = "dark red"


class Report(Deliverable):
    total: int = Field(description="in all")


class LongReport(Report):
    note: Text = Field(description="why")


@dataclass(frozen=True)
class Order:
    item: str
    pieces: int
    color: Color = Color.RED

    @property
    def many(self) -> str:
        return " That is a lot." if self.pieces > 9 else ""


ORDER = TextTemplate(Order, "Buy {pieces} {color} {item}.{many} All of them are {color}.")
SMALL = TextTemplate(Order, "Buy one {item}.", fixed={"pieces": 1})


@given(item=st.from_regex(r"[a-z]+( [a-z]+)?", fullmatch=True), pieces=st.integers(0, 99))
def test_a_written_text_is_read_back(item: str, pieces: int) -> None:
    for color in Color:
        order = Order(item, pieces, color)
        assert ORDER.parse(ORDER.render(order)) == order


def test_a_text_is_found_within_others_and_again() -> None:
    one, other = Order("hat", 2), Order("cap", 12, Color.DARK_RED)
    text = f"Hello! {ORDER.render(one)} And: {ORDER.render(other)} Bye."
    assert ORDER.search(text) == one
    assert list(ORDER.find_all(text)) == [one, other]
    assert ORDER.search("Hello!") is None


@pytest.mark.parametrize(
    "text",
    [
        "Buy 2 red hat. All of them are dark red.",
        "Buy 12 red hat. All of them are red.",
        "Buy 2 blue hat. All of them are blue.",
        "Buy 2 red hat. All of them are red. Thanks.",
    ],
)
def test_a_text_that_no_value_would_give_is_not_read(text: str) -> None:
    """Placeholders that contradict each other, or what a property says."""
    with pytest.raises(ValueError):
        ORDER.parse(text)


def test_a_value_without_what_is_fixed_cannot_be_written() -> None:
    assert SMALL.render(Order("hat", 1)) == "Buy one hat."
    assert SMALL.parse("Buy one hat.") == Order("hat", 1)
    with pytest.raises(ValueError):
        SMALL.render(Order("hat", 2))


def test_the_first_template_that_fits_writes_and_the_first_that_it_is_written_in_reads() -> None:
    both = FirstOf([SMALL, ORDER])
    assert both.render(Order("hat", 1)) == "Buy one hat."
    for order in (Order("hat", 1), Order("hat", 3)):
        assert both.parse(both.render(order)) == order
        assert both.search(f"Well: {both.render(order)} Bye.") == order
    with pytest.raises(ValueError):
        both.parse("Buy nothing.")
    with pytest.raises(ValueError):
        FirstOf([SMALL]).render(Order("hat", 3))


def test_a_template_is_a_slot_of_another() -> None:
    lines = separated(FirstOf([SMALL, ORDER]).converter(), "\n", before="- ")
    orders = (Order("hat", 1), Order("cap", 20))
    assert lines.render(orders).startswith("- Buy one hat.\n- Buy 20 red cap. That is a lot.")
    assert lines.parse(lines.render(orders)) == orders


def test_a_single_value_needs_no_class() -> None:
    limit = ValueTemplate("The limit is EUR {value}.", INTEGER)
    assert limit.render(500) == "The limit is EUR 500."
    assert limit.parse("The limit is EUR 500.") == 500
    assert limit.search("Sure: The limit is EUR 70. Bye") == 70
    assert limit.search("There is no limit.") is None
    assert limit.converter().parse("The limit is EUR 3.") == 3


def test_two_placeholders_for_any_words_need_words_between_them() -> None:
    with pytest.raises(ValueError, match="words must separate item from many"):
        TextTemplate(Order, "Buy {item}{many}.")


def test_braces_of_the_text_are_doubled() -> None:
    assert ValueTemplate("{{{value}}}", INTEGER).parse("{7}") == 7


# converters -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("converter", "value", "text"),
    [
        (INTEGER, -3, "-3"),
        (WORD, "Sales_1", "Sales_1"),
        (PATH, "drive:/a/b_2.csv", "drive:/a/b_2.csv"),
        (FULL_NAME, "Ada Lovelace", "Ada Lovelace"),
        (DATE, date(2025, 10, 1), "2025-10-01"),
        (CLOCK, time(9, 5), "09:05"),
        (one_of({1: "one", 2: "two"}), 2, "two"),
        (english_list(WORD), ("A",), "A"),
        (english_list(WORD), ("A", "B"), "A and B"),
        (english_list(WORD), ("A", "B", "C"), "A, B and C"),
        (separated(INTEGER, "; "), (1, 2), "1; 2"),
        (separated(WORD, "\n", before="- ", after="."), ("a", "b"), "- a.\n- b."),
        (or_nothing(english_list(INTEGER), before=" (", after=")"), (1, 2), " (1 and 2)"),
        (or_nothing(english_list(INTEGER), before=" (", after=")"), (), ""),
        (or_nothing(english_list(INTEGER), nothing="none"), (), "none"),
        (fields_of(Report, LongReport), LongReport, LongReport.describe()),
        (converter_for(Color), Color.DARK_RED, "dark red"),
        (converter_for(int | None), 4, "4"),
    ],
)
def test_each_converter_writes_and_reads_its_values(
    converter: Converter[Any], value: object, text: str
) -> None:
    assert converter.render(value) == text
    assert converter.parse(text) == value
    assert ValueTemplate("<{value}>", converter).search(f"a <{text}> b") == value


def test_a_full_stop_behind_a_path_is_no_part_of_it() -> None:
    assert ValueTemplate("See {value}.", PATH).search("See drive:/a/b.md.") == "drive:/a/b.md"


def test_of_equal_words_the_first_value_is_read() -> None:
    assert one_of({1: "it", 2: "it"}).parse("it") == 1


def test_a_type_without_a_converter_is_refused() -> None:
    with pytest.raises(TypeError, match="no default converter"):
        converter_for(float)


def test_pairs_are_written_one_after_the_other_and_read_into_a_mapping() -> None:
    fits = pairs(WORD, " ", TENTHS, ", ")
    template = ValueTemplate("The fits: {value}.", fits)
    told = {"subway": 3, "bus_stop": 70}
    assert template.render(told) == "The fits: subway 0.3, bus_stop 7."
    assert template.parse(template.render(told)) == told
    assert template.search("Hello. The fits: kiosk 4.5. Bye.") == {"kiosk": 45}
    with pytest.raises(ValueError, match="is not written as"):
        fits.parse("subway 0.3, bus_stop")


def test_keys_of_pairs_may_contain_what_stands_between_key_and_value() -> None:
    quarters = pairs(Converter(r"in Q\d \d{4}", str), " ", WORD, "; ")
    told = {"in Q1 2024": "none", "in Q2 2024": "S1-24-10000"}
    assert quarters.parse(quarters.render(told)) == told


def test_an_optional_value_is_written_or_left_out() -> None:
    less = optional(ValueTemplate(" less EUR {value}", INTEGER).converter())
    template = ValueTemplate("The budget is EUR 900{value}.", less)
    for told in (None, 250):
        assert template.parse(template.render(told)) == told
    assert template.render(None) == "The budget is EUR 900."
    assert template.render(250) == "The budget is EUR 900 less EUR 250."


# amounts of money -------------------------------------------------------------------------


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
