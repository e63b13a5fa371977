"""Invitations: what colleagues answer, files for other calendars, and rooms."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from icalendar import Calendar as CalendarFile

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
from trainee_bench.world.errors import Invalid, NotFound, Refused
from trainee_bench.world.meetings.ics import to_ics
from trainee_bench.world.meetings.invitations import LONGEST_WAIT
from trainee_bench.world.meetings.meeting import Invitation, InvitationStatus, Meeting
from trainee_bench.world.meetings.rooms import ROOMS, check_times, fitting_rooms, room_capacity
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


async def test_a_colleague_shown_to_be_away_declines_at_once_and_says_so_in_the_chat() -> None:
    away = AbsenceBegins(person=NILS, until=at(17), note="At a fair.")
    world, meeting = await invited(NILS, OLGA, events=(away,))
    async with world:
        await wait_until(world, at(10, 5))
        assert (await answers(world, meeting))[NILS] is DECLINED
        (said,) = await do(world, lambda tx: Chat(tx).history(NILS))
        assert said.sender == NILS and "away" in said.text and repr("Sync") in said.text


async def test_a_colleague_who_is_back_before_it_begins_accepts_when_back() -> None:
    away = AbsenceBegins(person=NILS, until=at(13))
    world, meeting = await invited(NILS, events=(away,))
    async with world:
        await wait_until(world, at(12, 59))
        assert await answers(world, meeting) == {NILS: INVITED}
        await wait_until(world, at(14, 59))
        assert await answers(world, meeting) == {NILS: ACCEPTED}


async def test_a_colleague_with_another_meeting_by_then_declines() -> None:
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


# files for other calendars ----------------------------------------------------------------


ATTENDING = {person.id: person for person in (*COMPANY.people, COMPANY.trainee)}
TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=80
)


def meeting(**changes: object) -> Meeting:
    people = (
        (MARA, InvitationStatus.ORGANIZER),
        (NILS, InvitationStatus.DECLINED),
        (OLGA, InvitationStatus.TENTATIVE),
        (ROBIN, InvitationStatus.INVITED),
    )
    made = Meeting(
        id=3,
        key="T1/weekly",
        title="Weekly",
        room="Room_06",
        starts=at(9, 30),
        ends=at(10, 30),
        organizer=MARA,
        agenda="",
        booked_at=at(8),
        cancelled_at=None,
        invitations=tuple(Invitation(person=p, answer=a, arrived=None) for p, a in people),
    )
    return made.model_copy(update=changes)


def written(*meetings: Meeting) -> str:
    return to_ics(meetings, ATTENDING, at(9))


def test_a_calendar_program_reads_times_place_and_people() -> None:
    (event,) = CalendarFile.from_ical(written(meeting(agenda="1; 2, 3"))).walk("VEVENT")
    assert (event.start, event.end) == (datetime(2025, 10, 1, 9, 30), datetime(2025, 10, 1, 10, 30))
    assert event["DTSTAMP"].dt == at(9).replace(tzinfo=UTC)
    assert (event["SUMMARY"], event["LOCATION"], event["STATUS"]) == (
        "Weekly",
        "Room_06",
        "CONFIRMED",
    )
    assert event["DESCRIPTION"] == "1; 2, 3"
    assert event["ORGANIZER"] == f"MAILTO:{ATTENDING[MARA].email}"
    assert [(a.params["CN"], a.params["PARTSTAT"]) for a in event["ATTENDEE"]] == [
        (ATTENDING[MARA].name, "ACCEPTED"),
        (ATTENDING[NILS].name, "DECLINED"),
        (ATTENDING[OLGA].name, "TENTATIVE"),
        ("Robin Hale", "NEEDS-ACTION"),
    ]


@given(TEXT, TEXT)
def test_any_title_and_agenda_are_read_back(title: str, agenda: str) -> None:
    (event,) = CalendarFile.from_ical(written(meeting(title=title, agenda=agenda))).walk("VEVENT")
    assert str(event["SUMMARY"]) == title
    assert str(event.get("DESCRIPTION", "")) == agenda


def test_cancelled_meetings_say_so() -> None:
    (event,) = CalendarFile.from_ical(written(meeting(cancelled_at=at(8, 30)))).walk("VEVENT")
    assert event["STATUS"] == "CANCELLED"


def test_the_same_meetings_are_the_same_text_and_different_ones_have_different_names() -> None:
    text = written(meeting(), meeting(id=4))
    assert text == written(meeting(), meeting(id=4))
    events = CalendarFile.from_ical(text).walk("VEVENT")
    assert len({event["UID"] for event in events}) == 2


def test_the_standards_form_is_kept() -> None:
    text = written(meeting(agenda="long " * 60))
    assert text.startswith("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n") and text.endswith("\r\n")
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))


def test_no_meetings_are_a_calendar_too() -> None:
    assert CalendarFile.from_ical(written()).walk("VEVENT") == []


# rooms ------------------------------------------------------------------------------------


NOON = datetime(2025, 10, 1, 12)


def test_there_are_ten_rooms_by_size() -> None:
    assert list(ROOMS) == [f"Room_{number:02}" for number in range(1, 11)]
    assert list(ROOMS.values()) == sorted(ROOMS.values())


def test_those_that_fit_are_offered_smallest_first() -> None:
    assert fitting_rooms(1, ()) == tuple(ROOMS)
    assert fitting_rooms(11, {"Room_08"}) == ("Room_07", "Room_09", "Room_10")
    assert fitting_rooms(10, ())[0] == "Room_06"
    assert fitting_rooms(max(ROOMS.values()) + 1, ()) == ()


def test_an_unknown_room_is_answered_with_those_there_are() -> None:
    assert room_capacity("Room_06") == 10
    with pytest.raises(NotFound, match="the rooms are Room_01, .*Room_10"):
        room_capacity("room_06")


@pytest.mark.parametrize(
    ("starts", "minutes", "error"),
    [
        (NOON, 30, None),
        (NOON.replace(hour=17), 60, None),
        (NOON.replace(day=2, hour=9), 540, None),
        (NOON.replace(hour=17), 61, Invalid),
        (NOON.replace(hour=17, minute=1), 30, Invalid),
        (NOON.replace(day=2, hour=8, minute=59), 30, Invalid),
        (NOON, 0, Invalid),
        (NOON, -30, Invalid),
        (NOON.replace(hour=16), 24 * 60, Invalid),
        (NOON.replace(tzinfo=UTC), 30, Invalid),
        (NOON.replace(microsecond=1), 30, Invalid),
        (NOON - timedelta(minutes=1), 30, Refused),
    ],
)
def test_meetings_are_in_office_hours_and_to_come(
    starts: datetime, minutes: int, error: type[Exception] | None
) -> None:
    ends = starts + timedelta(minutes=minutes)
    if error is None:
        check_times(starts, ends, NOON)
    else:
        with pytest.raises(error):
            check_times(starts, ends, NOON)
