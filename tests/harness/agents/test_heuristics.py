"""What a cheat reads from an objective: the files, the fields, and something to put in them."""

from __future__ import annotations

from pydantic import Field as Described

from trainee_bench.harness.agents.heuristics import (
    bullet_items,
    described_fields,
    guess_json,
    named_paths,
)
from trainee_bench.meta_tasks.answers import PersonRef, Text
from trainee_bench.meta_tasks.deliverable import Deliverable


class Entry(Deliverable):
    name: PersonRef = Described(description="full name of the person")
    pieces: int = Described(description="how many")


class Order(Deliverable):
    orders: list[Entry] = Described(description="one for each request")
    total: float = Described(description="the sum in EUR")
    cause: Text = Described(description='one of "fire", "full disk", "rust"')
    server: Text = Described(description='which one, such as "web-01"')
    reason: Text = Described(description="why the server became slow")


ASKED = f"""Write workspace:/order.json, from drive:/buying/rules.md (see `drive:/buying`).
It has these fields:
{Order.describe()}
The requests:
- Ada Lovelace asks for 3 x lamp
- Alan Turing asks for 12 x chair
"""


def test_paths_are_files_and_stand_once() -> None:
    assert named_paths(f"{ASKED} Again: workspace:/order.json.") == [
        "workspace:/order.json",
        "drive:/buying/rules.md",
    ]


def test_fields_are_read_as_a_deliverable_describes_them() -> None:
    found = described_fields(ASKED)
    assert [field.name for field in found] == ["orders", "total", "cause", "server", "reason"]
    assert [field.name for field in found[0].inner] == ["name", "pieces"]


def test_a_plausible_file_has_the_fields_that_were_asked_for_filled_from_what_was_said() -> None:
    said = "The total was 40.5 EUR in sum. The server became slow because db-07 has a full disk."
    order = Order.parse(guess_json(described_fields(ASKED), f"{ASKED}\n{said}"))
    assert isinstance(order, Order)
    assert [entry.pieces for entry in order.orders] == [3, 12]
    assert "has a full disk" in order.reason
    assert (order.cause, order.server) == ("full disk", "db-07")
    assert order.total > 0


def test_bullets_are_items_and_not_descriptions_of_fields() -> None:
    assert bullet_items(ASKED) == [
        "Ada Lovelace asks for 3 x lamp",
        "Alan Turing asks for 12 x chair",
    ]
