"""What of a message somebody reads: not the names at its start."""

from __future__ import annotations

import pytest

from tests.world.office import COMPANY
from trainee_bench.world.colleagues.addressing import part_for, strip_address

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


# parts of a message ---------------------------------------------------------------------------

ROOM, TAX = "which room is free?", "what is the tax?"


@pytest.mark.parametrize(
    "text",
    [
        f"{MARA.name}: {ROOM} {TOM.name}: {TAX}",
        f"{MARA.first_name}: {ROOM} and {TOM.first_name} and {ADA.first_name}: {TAX}",
        f"- **{MARA.name}:** {ROOM}\n- **{TOM.name} (Finance)**: {TAX}",
        f"1. @{MARA.id} {ROOM}\n2. @{TOM.id} {TAX}",
        f"{MARA.name}, {ROOM}\n{TOM.name}, {TAX}",
        f"{MARA.name}\n{ROOM}\n\n{TOM.name}\n{TAX}",
        f"For {MARA.name}: {ROOM} For {TOM.name}: {TAX}",
    ],
)
def test_each_reads_the_part_under_their_name(text: str) -> None:
    assert part_for(text, MARA, GROUP) == ROOM
    assert part_for(text, TOM, GROUP) == TAX


def test_what_stands_before_the_parts_is_read_by_all_except_its_questions() -> None:
    text = f"Hello! It is about May. How are you?\n{MARA.name}: {ROOM}\n{TOM.name}: {TAX}"
    assert part_for(text, MARA, GROUP) == f"Hello! It is about May. {ROOM}"
    assert part_for(text, ADA, GROUP) == text, "who has no part reads everything"


def test_a_heading_of_all_gives_all_the_same() -> None:
    text = f"{MARA.name}, {TOM.name}: one question each. {MARA.name}: {ROOM} {TOM.name}: {TAX}"
    assert part_for(text, TOM, GROUP) == f"one question each. {TAX}"


def test_of_two_with_the_same_first_name_the_one_named_in_full_is_meant() -> None:
    other = TOM.model_copy(update={"id": "other", "name": f"{TOM.first_name} Otherwise"})
    text = f"{TOM.name}: {TAX} {other.name}: {ROOM}"
    assert part_for(text, TOM, (TOM, other)) == TAX
    assert part_for(text, other, (TOM, other)) == ROOM


@pytest.mark.parametrize(
    "text",
    [
        f"{MARA.name}, {TOM.name} and {ADA.name}: {ROOM}",
        f"Hello {MARA.name}: {ROOM} {TAX}",
        f"What are the new ids? {MARA.name}: OLD1, OLD2. {TOM.name}: OLD3.",
        f"- {MARA.name}\n- {TOM.name}\n{ROOM}",
        f"{MARA.name} (HR), {TOM.name} (Finance), which of you knows the tax?",
        f"Is {TOM.name} the deputy ({ADA.name}) of {MARA.name}?",
    ],
)
def test_a_message_without_parts_of_their_own_is_read_whole(text: str) -> None:
    assert all(part_for(text, person, GROUP) == text for person in GROUP)


def test_names_in_brackets_that_say_whose_things_are_leave_a_list() -> None:
    text = f"What is new for OLD1 and OLD2 ({MARA.first_name}), OLD3 (for {TOM.name}) and OLD4?"
    assert part_for(text, ADA, GROUP) == "What is new for OLD1 and OLD2, OLD3 and OLD4?"
