"""Colleagues whom the trainee invites accept in time, or decline for what everybody can look up."""

from __future__ import annotations

from datetime import datetime, timedelta

from tests.world.office import (
    COMPANY,
    DAY,
    MARA,
    NILS,
    OLGA,
    PAUL,
    ROBIN,
    at,
    do,
    office,
    wait_until,
)
from trainee_bench.world.apps.calendar import Calendar, MeetingBooked
from trainee_bench.world.apps.chat import Chat
from trainee_bench.world.colleagues.availability import AbsenceBegins
from trainee_bench.world.colleagues.knowledge import Clue, ClueAdded
from trainee_bench.world.meetings.invitations import LONGEST_WAIT
from trainee_bench.world.meetings.meeting import InvitationStatus, Meeting
from trainee_bench.world.transaction import Event
from trainee_bench.world.world import World

ACCEPTED, DECLINED, INVITED = (
    InvitationStatus.ACCEPTED, InvitationStatus.DECLINED, InvitationStatus.INVITED,
)  # fmt: skip
PEOPLE = tuple(person.id for person in COMPANY.people[10:30])
LATEST = timedelta(minutes=LONGEST_WAIT + max(person.delay for person in COMPANY.people) + 1)
THREE, FOUR = at(15), at(16)


async def invited(
    *people: str, events: tuple[Event, ...] = (), starts: datetime = THREE
) -> tuple[World, Meeting]:
    world = await office(*events)
    await wait_until(world, at(10))
    ends = starts + timedelta(hours=1)
    return world, await do(
        world, lambda tx: Calendar(tx).book("Sync", "Room_09", starts, ends, people)
    )


async def answers(world: World, meeting: Meeting) -> dict[str, InvitationStatus]:
    now = await world.read(lambda tx: Calendar(tx).meeting(meeting.id))
    return {one.person: one.answer for one in now.invitations[1:]}


async def test_everybody_free_accepts_within_the_hour_each_in_their_own_time_and_quietly() -> None:
    world, meeting = await invited(*PEOPLE)
    async with world:
        first = set((await answers(world, meeting)).values())
        assert first == {INVITED}
        notices = await wait_until(world, at(10, 20))
        assert set((await answers(world, meeting)).values()) == {INVITED, ACCEPTED}
        notices += await wait_until(world, meeting.booked_at + LATEST)
        assert set((await answers(world, meeting)).values()) == {ACCEPTED}
        assert notices == []


async def test_who_is_shown_to_be_away_declines_at_once_and_says_so_in_the_chat() -> None:
    away = AbsenceBegins(person=NILS, until=at(17), note="At a fair.")
    world, meeting = await invited(NILS, OLGA, events=(away,))
    async with world:
        await wait_until(world, at(10, 5))
        assert (await answers(world, meeting))[NILS] is DECLINED
        (said,) = await do(world, lambda tx: Chat(tx).history(NILS))
        assert said.sender == NILS and "away" in said.text and repr("Sync") in said.text


async def test_who_is_back_before_it_begins_accepts_when_they_are_back() -> None:
    away = AbsenceBegins(person=NILS, until=at(13))
    world, meeting = await invited(NILS, events=(away,))
    async with world:
        await wait_until(world, at(12, 59))
        assert await answers(world, meeting) == {NILS: INVITED}
        await wait_until(world, at(14, 59))
        assert await answers(world, meeting) == {NILS: ACCEPTED}


async def test_who_has_another_meeting_by_then_declines() -> None:
    world, meeting = await invited(NILS, OLGA)
    other = MeetingBooked(
        key="board", organizer=MARA, attendees=(NILS,), room="Room_01", starts=THREE, ends=FOUR,
        title="Board",
    )  # fmt: skip
    async with world:
        await do(world, lambda tx: tx.enqueue(tx.now, other))
        await wait_until(world, meeting.booked_at + LATEST)
        assert await answers(world, meeting) == {NILS: DECLINED, OLGA: ACCEPTED}
        (said,) = await do(world, lambda tx: Chat(tx).history(NILS))
        assert "Board" not in said.text, "what somebody does instead is theirs"


async def test_an_answer_does_not_depend_on_what_the_invited_person_knows() -> None:
    asks = tuple(f"Can you come to the sync at {hour}:00?" for hour in range(11, 17))
    clue = Clue(id="T1/answer", holder=NILS, payload="I cannot come at all.", asks=asks)
    seen = []
    for events in ((), (ClueAdded(clue=clue),)):
        world, meeting = await invited(NILS, OLGA, events=events)
        async with world:
            course = []
            for minute in range(12, 60, 4):
                await wait_until(world, at(10, minute))
                course.append(await answers(world, meeting))
            seen.append(course)
    assert seen[0] == seen[1]


async def test_a_cancelled_meeting_is_not_answered_and_nor_is_the_employee_answered_for() -> None:
    world, meeting = await invited(PAUL)
    async with world:
        await do(world, lambda tx: Calendar(tx).cancel(meeting.id))
        asked = await do(
            world, lambda tx: Calendar(tx).book("Talk", "Room_08", at(16), at(17), (ROBIN,)), MARA
        )
        await wait_until(world, at(12))
        assert await answers(world, meeting) == {PAUL: INVITED}
        assert await answers(world, asked) == {ROBIN: INVITED}


async def test_for_a_meeting_that_begins_soon_people_answer_before_it_begins() -> None:
    world, meeting = await invited(*PEOPLE, starts=at(10, 15))
    async with world:
        await wait_until(world, at(10, 14))
        assert ACCEPTED in (await answers(world, meeting)).values()
        await wait_until(world, at(12))
        assert DAY.date() == meeting.starts.date()
        assert DECLINED not in (await answers(world, meeting)).values()
