"""Times of answers, and the parts of a message that each colleague reads."""

from __future__ import annotations

from datetime import datetime, time, timedelta

import pytest

from tests.world.office import COMPANY, act, at, do, office
from trainee_bench.world.colleagues.addressing import part_for, strip_address
from trainee_bench.world.colleagues.availability import (
    Absence,
    AbsenceBegins,
    Availability,
    SlowAnswersBegin,
)
from trainee_bench.world.company.people import Person

EARLY = next(p for p in COMPANY.people if p.hours.ends == time(17))
LATE = next(p for p in COMPANY.people if p.hours.starts.hour == 9)


async def asked_at(
    person: Person, now: datetime, *events: AbsenceBegins | SlowAnswersBegin
) -> tuple[datetime | None, str]:
    """Return when they answer a message of *now*, and the reply of their mailbox."""
    async with await office(*events) as world:
        await act(world, lambda tx: tx.extend_until(now))
        due = await do(world, lambda tx: Availability(tx).reply_time(person))
        said = await do(world, lambda tx: Availability(tx).automatic_reply(person))
        return due, said or ""


async def test_within_their_hours_they_take_their_usual_minutes() -> None:
    due, said = await asked_at(LATE, at(11))
    assert (due, said) == (at(11) + timedelta(minutes=LATE.delay), "")


async def test_before_their_hours_they_answer_when_they_come() -> None:
    due, said = await asked_at(LATE, at(8, 10))
    assert (due, said) == (at(9) + timedelta(minutes=LATE.delay), "")


async def test_after_their_hours_they_answer_no_more_and_the_mailbox_says_when_they_are_in() -> (
    None
):
    due, said = await asked_at(EARLY, at(17, 30))
    assert due is None
    assert said == (
        f"Automatic reply: I am at work from {EARLY.hours.starts:%H:%M} to 17:00 and "
        "will read this tomorrow."
    )


async def test_too_short_before_the_end_is_too_late() -> None:
    due, said = await asked_at(EARLY, at(17))
    assert due is None
    assert said


async def test_an_absent_colleague_names_the_deputy_and_answers_after_coming_back() -> None:
    away = AbsenceBegins(person=LATE.id, until=at(14), note="At the dentist.", deputy=EARLY.id)
    due, said = await asked_at(LATE, at(11), away)
    assert due == at(14) + timedelta(minutes=LATE.delay)
    assert said == (
        "Automatic reply: I am not available until 14:00 today. At the dentist. "
        f"Please contact {EARLY.name} ({EARLY.title}) in the meantime."
    )
    assert await asked_at(LATE, at(14), away) == (at(14) + timedelta(minutes=LATE.delay), "")


async def test_a_colleague_away_for_days_does_not_answer_today() -> None:
    back = datetime(2025, 10, 6, 9)
    due, said = await asked_at(LATE, at(11), AbsenceBegins(person=LATE.id, until=back))
    assert due is None
    assert said == "Automatic reply: I am not available until Monday, 6 October."


async def test_a_later_absence_replaces_an_earlier_one() -> None:
    events = (
        AbsenceBegins(person=LATE.id, until=at(16)),
        AbsenceBegins(person=LATE.id, until=at(12)),
    )
    async with await office(*events) as world:
        found = await do(world, lambda tx: Availability(tx).absence(LATE.id))
        assert found == Absence(person=LATE.id, until=at(12), note="", deputy="", public=True)
        assert await do(world, lambda tx: Availability(tx).absence(EARLY.id)) is None


async def test_a_slow_colleague_takes_so_long_for_each_answer_and_the_mailbox_says_so() -> None:
    slow = SlowAnswersBegin(person=LATE.id, minutes=90, note="I answer within two hours.")
    due, said = await asked_at(LATE, at(11), slow)
    assert due == at(12, 30)
    assert said == "Automatic reply: I answer within two hours."
    assert await asked_at(EARLY, at(11), slow) == (at(11) + timedelta(minutes=EARLY.delay), "")


async def test_a_colleague_too_slow_for_today_says_why_it_will_be_tomorrow() -> None:
    slow = SlowAnswersBegin(person=LATE.id, minutes=120, note="I answer within two hours.")
    due, said = await asked_at(LATE, at(16, 30), slow)
    assert due is None
    assert said.startswith("Automatic reply: I am at work from ")
    assert said.endswith(
        ". I answer within two hours. Your message came too late for today; I will read it "
        "tomorrow."
    )


async def test_a_slow_and_absent_colleague_answers_so_long_after_coming_back() -> None:
    slow = SlowAnswersBegin(person=LATE.id, minutes=90, note="I answer within two hours.")
    due, said = await asked_at(LATE, at(11), slow, AbsenceBegins(person=LATE.id, until=at(13)))
    assert due == at(14, 30)
    assert said == "Automatic reply: I am not available until 13:00 today."


async def test_nobody_answers_faster_for_being_slow() -> None:
    slow = SlowAnswersBegin(person=LATE.id, minutes=0, note="I answer at once.")
    due, _ = await asked_at(LATE, at(11), slow)
    assert due == at(11) + timedelta(minutes=LATE.delay)


@pytest.mark.parametrize("person", COMPANY.people[::7])
async def test_nobody_ever_answers_before_being_asked_or_outside_their_hours(
    person: Person,
) -> None:
    for hour in range(8, 20):
        due, said = await asked_at(person, at(hour, 17))
        assert (due is None) == bool(said)
        if due is not None:
            assert due > at(hour, 17)
            assert person.hours.starts < due.time() <= person.hours.ends


# what of a message somebody reads ---------------------------------------------------------


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
        f"Hello {ADA.name}, {TOM.name} and {MARA.name}: ",
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


@pytest.mark.parametrize("text", ["Yes", "Yes please", "the second one"])
def test_names_of_the_group_after_a_short_answer_are_no_part_of_it(text: str) -> None:
    written = f"{text}, {TOM.name}, {MARA.name} and {ADA.name}."
    assert strip_address(written, MARA, GROUP) == text
    assert strip_address(f"the days of {TOM.name}, {MARA.name}", MARA, GROUP).endswith(MARA.name)


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


def test_all_read_the_beginning_before_the_parts_except_its_questions() -> None:
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
