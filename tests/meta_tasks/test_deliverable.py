"""Deliverables: described and parsed by one model."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from trainee_bench.meta_tasks.answers import Text, text_key
from trainee_bench.meta_tasks.deliverable import Deliverable, InvalidDeliverable


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
        (f'{{"items": {"[" * 700}{"]" * 700}, "total": 1, "done": true}}', "lists within lists"),
        ("[]", "the whole file"),
        ("{}", "items"),
        (json.dumps({**RIGHT, "total": "many"}), "total"),
        (json.dumps({**RIGHT, "extra": 1}), "extra"),
        (json.dumps({**RIGHT, "items": [{"name": "Ada"}]}), "items.0.price"),
    ],
)
def test_what_cannot_be_read_is_a_flaw_that_names_the_place(text: str, seen: str) -> None:
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
