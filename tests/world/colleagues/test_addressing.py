"""What of a message somebody reads: not the names at its start."""

from __future__ import annotations

import pytest

from tests.world.office import COMPANY
from trainee_bench.world.colleagues.addressing import strip_address

MARA, TOM, ADA = COMPANY.staff("HR")[0], COMPANY.staff("Finance")[0], COMPANY.staff("HR")[1]
GROUP = (MARA, TOM, ADA)


@pytest.mark.parametrize(
    "address",
    [
        f"{MARA.name}: ",
        f"@{MARA.id}, ",
        f"{MARA.first_name} ",
        f"{MARA.name}, {TOM.name}, {ADA.name}: ",
        f"@{ADA.id} @{TOM.id} @{MARA.id}: ",
        f"{TOM.name} and {MARA.first_name}, ",
        f"{TOM.first_name}, {ADA.first_name} & {MARA.name} – ",
    ],
)
def test_names_of_the_group_before_a_message_are_no_part_of_it(address: str) -> None:
    assert strip_address(f"{address}whom do I invite?", MARA, GROUP) == "whom do I invite?"


@pytest.mark.parametrize(
    "text",
    [
        f"{TOM.name}'s room, is it free?",
        f"{TOM.name} asked you for the figures.",
        f"{TOM.name}, {ADA.name} or somebody else: who is responsible?",
        f"Is {MARA.name}, {TOM.name}: a list?",
    ],
)
def test_names_that_a_sentence_needs_stay(text: str) -> None:
    assert strip_address(text, MARA, GROUP) == text


def test_a_message_of_a_name_alone_stays() -> None:
    assert strip_address(MARA.name, MARA, GROUP) == MARA.name
