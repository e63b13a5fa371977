"""The calendar: booking, answering, attending, and what colleagues do by themselves."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.world.office import DAY, MARA, NILS, OLGA, PAUL, ROBIN, act, at, do, office, wait_until
from trainee_bench.world.apps.calendar import (
    Calendar,
    MeetingBooked,
    MeetingCancelled,
    MeetingMoved,
)
from trainee_bench.world.apps.desk import Desk, TaskPublished
from trainee_bench.world.colleagues.knowledge import Clue, ClueAdded, Knowledge
from trainee_bench.world.errors import Invalid, NotFound, Refused
from trainee_bench.world.meetings.meeting import Announcement, InvitationStatus, Meeting
from trainee_bench.world.meetings.rooms import ROOMS
from trainee_bench.world.transaction import NoticeKind, Transaction
from trainee_bench.world.world import World

TODAY = DAY.date()
NINE_30, TEN_30, ONE, TWO = at(9, 30), at(10, 30), at(13), at(14)


def weekly(
    key: str = "T1/weekly",
    starts: datetime = NINE_30,
    ends: datetime = TEN_30,
    room: str = "Room_06",
    attendees: tuple[str, ...] = (NILS, ROBIN),
    minutes_text: str = "Nils wants a new chair.",
    announcements: tuple[Announcement, ...] = (),
) -> MeetingBooked:
    return MeetingBooked(
        key=key,
        organizer=MARA,
        attendees=attendees,
        room=room,
        starts=starts,
        ends=ends,
        title="Weekly",
        minutes_text=minutes_text,
        announcements=announcements,
    )


def book(
    starts: datetime = ONE,
    ends: datetime = TWO,
    room: str = "Room_05",
    attendees: tuple[str, ...] = (NILS,),
) -> Callable[[Transaction], Meeting]:
    return lambda tx: Calendar(tx).book("Sync", room, starts, ends, attendees)


async def booked(world: World, actor: str = ROBIN, **how: Any) -> Meeting:
    return await do(world, book(**how), actor)


# booking ------------------------------------------------------------------------------------


async def test_a_booked_meeting_stands_in_the_calendar_of_all_invited() -> None:
    async with await office() as world:
        meeting = await booked(world, attendees=(NILS, OLGA))
        assert (meeting.organizer, meeting.attendees) == (ROBIN, (NILS, OLGA))
        assert (meeting.starts, meeting.ends, meeting.room) == (at(13), at(14), "Room_05")
        for person in (ROBIN, NILS, OLGA):
            assert await world.read(lambda t, p=person: Calendar(t).meetings_of(p, TODAY)) == [
                meeting
            ]
        assert await world.read(lambda t: Calendar(t).meetings_of(PAUL, TODAY)) == []
        assert await world.read(lambda t: Calendar(t).booked_by(ROBIN)) == [meeting]
        assert await world.read(lambda t: Calendar(t).meeting(meeting.id)) == meeting


async def test_people_are_invited_once_however_they_are_named_and_never_by_themselves() -> None:
    async with await office() as world:
        twice = (NILS, f"{NILS}@tessel.example", ROBIN, "Robin Hale")
        meeting = await booked(world, attendees=twice)
        assert meeting.attendees == (NILS,)
        assert [one.answer for one in meeting.invitations] == [
            InvitationStatus.ORGANIZER,
            InvitationStatus.INVITED,
        ]


@pytest.mark.parametrize(
    ("how", "error", "says"),
    [
        ({"starts": at(8, 30), "ends": at(9, 30)}, Invalid, "between 09:00 and 17:00"),
        ({"starts": at(17, 30), "ends": at(18)}, Invalid, "between 09:00 and 17:00"),
        ({"starts": at(17), "ends": at(18, 1)}, Invalid, "end by 18:00"),
        ({"starts": at(14), "ends": at(13)}, Invalid, "must end after it starts"),
        ({"starts": at(14), "ends": at(14)}, Invalid, "must end after it starts"),
        ({"starts": at(14), "ends": at(15) + timedelta(days=1)}, Invalid, "on the day it starts"),
        ({"starts": at(14) + timedelta(seconds=1), "ends": at(15)}, Invalid, "whole minutes"),
        ({"starts": at(9, 59), "ends": at(11)}, Refused, "09:59 has passed"),
        (
            {"starts": at(14) - timedelta(days=1), "ends": at(15) - timedelta(days=1)},
            Refused,
            "pass",
        ),
        ({"room": "Room_11"}, NotFound, "Room_01, Room_02"),
        ({"attendees": ("Nobody Here",)}, NotFound, "Nobody here is called"),
        ({"room": "Room_01", "attendees": (MARA, NILS, OLGA, PAUL)}, Refused, "seats 4.*you are 5"),
    ],
)
async def test_an_impossible_booking_is_refused_with_the_reason(
    how: dict[str, Any], error: type[Exception], says: str
) -> None:
    async with await office() as world:
        await wait_until(world, at(10))
        with pytest.raises(error, match=says):
            await booked(world, **how)
        assert await world.read(lambda t: Calendar(t).booked_by(ROBIN)) == []


async def test_the_first_and_the_last_hour_can_be_booked_and_the_present_minute() -> None:
    async with await office() as world:
        await wait_until(world, at(9))
        await booked(world, starts=at(9), ends=at(9, 30))
        await booked(world, starts=at(17), ends=at(18))


async def test_a_meeting_needs_a_title_and_the_title_is_one_line() -> None:
    async with await office() as world:
        with pytest.raises(Invalid, match="title"):
            await do(world, lambda t: Calendar(t).book(" \n", "Room_01", at(13), at(14), ()))
        meeting = await do(
            world, lambda t: Calendar(t).book(" a\n b", "Room_01", at(13), at(14), ())
        )
        assert meeting.title == "a b"


@pytest.mark.parametrize(
    ("starts", "ends", "free"),
    [
        (at(12), at(13), True),
        (at(14), at(15), True),
        (at(12), at(13, 1), False),
        (at(13, 59), at(15), False),
        (at(13, 15), at(13, 30), False),
        (at(12), at(15), False),
        (at(13), at(14), False),
    ],
)
async def test_rooms_and_people_are_taken_from_the_start_to_the_end(
    starts: datetime, ends: datetime, free: bool
) -> None:
    async with await office() as world:
        await booked(world, attendees=(NILS,))
        rooms = await do(world, lambda t: Calendar(t).free_rooms(starts, ends))
        assert ("Room_05" in rooms) is free
        again: list[tuple[str, dict[str, Any], str]] = [
            (OLGA, {"attendees": (PAUL,)}, "Room_05 is taken"),
            (OLGA, {"attendees": (NILS,), "room": "Room_06"}, f"busy .*: {NILS}"),
            (ROBIN, {"attendees": (PAUL,), "room": "Room_06"}, "busy .*: yours"),
        ]
        for actor, how, says in again if not free else ():
            with pytest.raises(Refused, match=says):
                await booked(world, actor, starts=starts, ends=ends, **how)
        if free:
            await booked(world, starts=starts, ends=ends)


async def test_every_taken_calendar_is_named_at_once() -> None:
    async with await office(weekly(starts=at(13), ends=at(14))) as world:
        with pytest.raises(Refused) as refused:
            await booked(world, attendees=(PAUL, NILS, MARA))
        assert f": yours, {NILS}, {MARA}." in str(refused.value)
        assert PAUL not in str(refused.value)


async def test_those_who_declined_are_free_for_other_meetings() -> None:
    async with await office(weekly(starts=at(13), ends=at(14))) as world:
        await do(world, lambda t: Calendar(t).respond(1, InvitationStatus.DECLINED))
        await booked(world, attendees=(PAUL,))


async def test_rooms_are_offered_by_size_and_only_where_all_fit() -> None:
    async with await office() as world:
        for people, first in ((1, "Room_01"), (5, "Room_03"), (11, "Room_07"), (60, "Room_10")):
            rooms = await do(world, lambda t, n=people: Calendar(t).free_rooms(at(13), at(14), n))
            assert rooms[0] == first
        assert await do(world, lambda t: Calendar(t).free_rooms(at(13), at(14), 61)) == ()


@given(
    st.lists(
        st.tuples(
            st.integers(0, 31), st.integers(1, 8), st.sampled_from(["Room_08", "Room_09"]),
            st.sampled_from([MARA, NILS, OLGA]), st.sets(st.sampled_from([NILS, OLGA, PAUL])),
        ),
        max_size=12,
    )
)  # fmt: skip
async def test_whatever_is_booked_no_room_and_nobody_is_taken_twice(
    wishes: list[tuple[int, int, str, str, set[str]]],
) -> None:
    async with await office() as world:
        for quarter, length, room, actor, people in wishes:
            starts = at(9) + timedelta(minutes=15 * quarter)
            ends = min(starts + timedelta(minutes=15 * length), at(18))
            how: dict[str, Any] = {
                "starts": starts,
                "ends": ends,
                "room": room,
                "attendees": tuple(sorted(people)),
            }
            await act(world, book(**how), actor, minutes=0)
        meetings = [
            meeting
            for person in (MARA, NILS, OLGA)
            for meeting in await world.read(lambda t, p=person: Calendar(t).booked_by(p))
        ]
    for one in meetings:
        for other in meetings:
            if one.id < other.id and one.starts < other.ends and other.starts < one.ends:
                assert one.room != other.room
                assert not set(one.expected) & set(other.expected)


# busy ---------------------------------------------------------------------------------------


async def test_busy_times_tell_neither_what_nor_how_many() -> None:
    async with await office(
        weekly("a", at(9), at(10)),
        weekly("b", at(10), at(10, 30), "Room_07"),
        weekly("c", at(10, 15), at(11), "Room_08"),
        weekly("d", at(14), at(15)),
    ) as world:
        spans = await do(world, lambda t: Calendar(t).busy(NILS, TODAY), PAUL)
        assert [(s.starts, s.ends) for s in spans] == [(at(9), at(11)), (at(14), at(15))]
        assert set(type(spans[0]).model_fields) == {"starts", "ends"}
        assert await do(world, lambda t: Calendar(t).busy(PAUL, TODAY)) == ()
        tomorrow = TODAY + timedelta(days=1)
        assert await do(world, lambda t: Calendar(t).busy(NILS, tomorrow)) == ()


async def test_cancelled_meetings_and_declined_invitations_take_nobodys_time() -> None:
    async with await office(weekly("a"), weekly("b", at(14), at(15))) as world:
        await do(world, lambda t: Calendar(t).respond(1, InvitationStatus.DECLINED))
        await do(world, lambda t: Calendar(t).cancel(2), MARA)
        assert await do(world, lambda t: Calendar(t).busy(ROBIN, TODAY)) == ()
        assert len(await do(world, lambda t: Calendar(t).busy(NILS, TODAY))) == 1


async def test_busy_times_do_not_depend_on_what_will_be_said() -> None:
    told = Announcement(clue="T1/secret", task="T1", text="The code is 4711.")
    seen = []
    for event in (weekly(), weekly(minutes_text="Other.", announcements=(told,))):
        async with await office(event) as world:
            seen.append(
                await do(
                    world,
                    lambda t: (
                        Calendar(t).busy(NILS, TODAY),
                        Calendar(t).own_meeting(1),
                        Calendar(t).meeting_content(ROBIN, 1),
                    ),
                )
            )
    assert seen[0] == seen[1]


# cancelling and answering -------------------------------------------------------------------


async def test_a_cancelled_meeting_frees_room_and_people_and_its_guests_are_told() -> None:
    async with await office() as world:
        await booked(world)
        assert (await do(world, lambda t: Calendar(t).cancel(1))).cancelled
        told = await act(world, lambda t: None, NILS)
        assert [n.kind for n in told.notices] == [NoticeKind.MEETING] * 2
        assert told.notices[-1].text.startswith("Cancelled: meeting 1 'Sync'")
        await booked(world)
        assert [m.id for m in await world.read(lambda t: Calendar(t).booked_by(ROBIN))] == [2]


async def test_only_ones_own_coming_meeting_can_be_cancelled() -> None:
    async with await office(weekly()) as world:
        with pytest.raises(Refused, match=f"Only {MARA}.*calendar_respond"):
            await do(world, lambda t: Calendar(t).cancel(1))
        for number in (2, 0, -1, 10**40):
            with pytest.raises(NotFound, match="You have no meeting"):
                await do(world, lambda t, n=number: Calendar(t).cancel(n))
        await booked(world)
        await do(world, lambda t: Calendar(t).cancel(2))
        with pytest.raises(Refused, match="was cancelled"):
            await do(world, lambda t: Calendar(t).cancel(2))
        await booked(world, starts=at(11), ends=at(12))
        await wait_until(world, at(11))
        with pytest.raises(Refused, match="began at 11:00.*write to the people invited"):
            await do(world, lambda t: Calendar(t).cancel(3))


async def test_a_meeting_of_others_is_to_one_what_no_meeting_is() -> None:
    async with await office(weekly(attendees=(NILS,))) as world:
        errors = []
        for number in (1, 2):
            with pytest.raises(NotFound) as refused:
                await do(world, lambda t, n=number: Calendar(t).own_meeting(n))
            errors.append(str(refused.value).replace(str(number), "N"))
        assert errors[0] == errors[1]
        with pytest.raises(NotFound):
            await do(world, lambda t: Calendar(t).attend(1))


@pytest.mark.parametrize(
    "answer", [InvitationStatus.ACCEPTED, InvitationStatus.TENTATIVE, InvitationStatus.DECLINED]
)
async def test_an_answer_stands_until_another_and_the_organizer_is_told(
    answer: InvitationStatus,
) -> None:
    async with await office(weekly()) as world:
        await do(world, lambda t: Calendar(t).respond(1, InvitationStatus.TENTATIVE))
        meeting = await do(world, lambda t: Calendar(t).respond(1, answer))
        part = meeting.invitation(ROBIN)
        assert part is not None and part.answer is answer
        assert part == await world.read(lambda t: Calendar(t).meeting(1).invitation(ROBIN))
        told = await act(world, lambda t: None, MARA)
        assert told.notices[-1].text == f"{ROBIN} answered {answer} to meeting 1 'Weekly'."


async def test_only_an_open_invitation_can_be_answered() -> None:
    async with await office(weekly(), weekly("b", at(12), at(13))) as world:
        with pytest.raises(Invalid, match="accepted, tentative or declined"):
            await do(world, lambda t: Calendar(t).respond(1, InvitationStatus.ORGANIZER))
        with pytest.raises(Refused, match="your own"):
            await do(world, lambda t: Calendar(t).respond(1, InvitationStatus.ACCEPTED), MARA)
        await do(world, lambda t: Calendar(t).cancel(2), MARA)
        with pytest.raises(Refused, match="was cancelled"):
            await do(world, lambda t: Calendar(t).respond(2, InvitationStatus.ACCEPTED))
        await wait_until(world, at(10, 30))
        with pytest.raises(Refused, match="ended at 10:30"):
            await do(world, lambda t: Calendar(t).respond(1, InvitationStatus.ACCEPTED))


# attending ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arrival", "on_time", "missed"),
    [
        (at(9, 25), True, 0),
        (at(9, 30), True, 0),
        (at(9, 35), True, 5),
        (at(9, 36), False, 6),
        (at(10, 29), False, 59),
    ],
)
async def test_attending_lasts_until_the_end_and_records_when_one_came(
    arrival: datetime, on_time: bool, missed: int
) -> None:
    async with await office(weekly()) as world:
        await wait_until(world, arrival)
        done = await act(world, lambda t: Calendar(t).attend(1))
        assert done.now == at(10, 30)
        came = await world.read(lambda t: Calendar(t).attendance(ROBIN, 1))
        assert came is not None
        assert (came.arrived, came.on_time, came.missed_minutes) == (arrival, on_time, missed)
        heard = await world.read(lambda t: Calendar(t).meeting_content(ROBIN, 1))
        assert heard is not None and heard.minutes_text == "Nils wants a new chair."


@pytest.mark.parametrize(
    ("arrival", "says"),
    [
        (at(8, 1), "begins on 2025-10-01 at 09:30.*Come from 09:25 on"),
        (at(9, 24), "Come from 09:25"),
        (at(10, 30), f"ended at 10:30.*ask {MARA}"),
        (at(12), "ended at 10:30"),
    ],
)
async def test_too_early_and_too_late_nothing_is_heard(arrival: datetime, says: str) -> None:
    told = Announcement(clue="T1/secret", text="The code is 4711.")
    async with await office(weekly(announcements=(told,))) as world:
        await wait_until(world, arrival)
        done = await act(world, lambda t: Calendar(t).attend(1))
        assert isinstance(done.error, Refused)
        assert "4711" not in str(done.error) and "chair" not in str(done.error)
        assert done.now == arrival + timedelta(minutes=1)
        assert re.search(says, str(done.error))
        assert await world.read(lambda t: Calendar(t).attendance(ROBIN, 1)) is None
        assert await world.read(lambda t: Calendar(t).meeting_content(ROBIN, 1)) is None
        assert await world.read(lambda t: Knowledge(t).told_at("T1/secret", ROBIN)) is None


async def test_an_announcement_releases_its_clue_and_comes_to_the_desk() -> None:
    task = TaskPublished(id="T1", title="Attend", objective="Be there.", deadline=at(17))
    told = (
        Announcement(clue="T1/assignment", task="T1", text="Robin writes the list."),
        Announcement(text="There is cake."),
    )
    clue = Clue(id="T1/assignment", holder="", payload="Robin writes the list.")
    async with await office(task, ClueAdded(clue=clue), weekly(announcements=told)) as world:
        await wait_until(world, at(9, 28))
        _, heard = await do(world, lambda t: Calendar(t).attend(1))
        assert heard.announcements == told
        assert await world.read(lambda t: Knowledge(t).told_at("T1/assignment", ROBIN)) == at(9, 28)
        assert await world.read(lambda t: Knowledge(t).told_at("T1/assignment", NILS)) is None
        assert await world.read(lambda t: Desk(t).tasks()[0].assignments) == (
            "Robin writes the list.",
        )


async def test_an_announcement_of_a_clue_that_nobody_knows_is_left_out() -> None:
    told = Announcement(clue="T1/assignment", text="Robin writes the list.")
    async with await office(weekly(announcements=(told,))) as world:
        await wait_until(world, at(9, 28))
        _, heard = await do(world, lambda t: Calendar(t).attend(1))
        assert heard.announcements == ()
        assert await world.read(lambda t: Knowledge(t).told_at("T1/assignment", ROBIN)) is None


async def test_a_meeting_is_attended_once() -> None:
    async with await office(weekly(ends=at(9, 45))) as world:
        await wait_until(world, at(9, 30))
        await do(world, lambda t: Calendar(t).attend(1))
        with pytest.raises(Refused, match="calendar_read_meeting"):
            await do(world, lambda t: Calendar(t).attend(1))


async def test_a_cancelled_meeting_cannot_be_attended() -> None:
    async with await office(weekly(), later=((at(9), MeetingCancelled(key="T1/weekly")),)) as world:
        assert any(text.startswith("Cancelled:") for text in await wait_until(world, at(9, 30)))
        with pytest.raises(Refused, match="was cancelled"):
            await do(world, lambda t: Calendar(t).attend(1))


async def test_people_who_declined_may_still_come() -> None:
    async with await office(weekly()) as world:
        await do(world, lambda t: Calendar(t).respond(1, InvitationStatus.DECLINED))
        await wait_until(world, at(9, 30))
        await do(world, lambda t: Calendar(t).attend(1))


async def test_ones_own_meeting_can_be_attended() -> None:
    async with await office() as world:
        await booked(world)
        await wait_until(world, at(12, 58))
        came, heard = await do(world, lambda t: Calendar(t).attend(1))
        assert came.on_time and heard.minutes_text == "" and heard.announcements == ()


# what colleagues do by themselves -----------------------------------------------------------


async def test_one_is_told_of_an_invitation_and_reminded_a_quarter_of_an_hour_before() -> None:
    async with await office(later=((at(9), weekly()),)) as world:
        invited = await wait_until(world, at(9, 14))
        assert invited == [
            f"{MARA} invites you to meeting 1 'Weekly', 2025-10-01 09:30-10:30 in Room_06."
        ]
        assert await wait_until(world, at(9, 16)) == [
            "Meeting 1 'Weekly' begins at 09:30 in Room_06."
        ]


async def test_a_meeting_at_short_notice_is_told_once() -> None:
    async with await office(later=((at(9, 20), weekly()),)) as world:
        assert len(await wait_until(world, at(9, 35))) == 1


async def test_one_is_not_reminded_of_what_was_declined_cancelled_or_moved() -> None:
    moved = MeetingMoved(key="c", room="Room_08", starts=at(15), ends=at(16))
    async with await office(
        weekly("a"), weekly("b", at(11), at(12)), weekly("c", at(13), at(14)),
        later=((at(8, 30), MeetingCancelled(key="b")), (at(12, 30), moved)),
    ) as world:  # fmt: skip
        await do(world, lambda t: Calendar(t).respond(1, InvitationStatus.DECLINED))
        told = await wait_until(world, at(16))
        assert [text for text in told if "begins at" in text] == [
            "Meeting 3 'Weekly' begins at 15:00 in Room_08."
        ]


async def test_a_moved_meeting_is_attended_at_its_new_time() -> None:
    moved = MeetingMoved(key="T1/weekly", room="Room_07", starts=at(11), ends=at(11, 30))
    async with await office(weekly(), later=((at(9), moved),)) as world:
        assert (await wait_until(world, at(9, 30)))[-1] == (
            "Meeting 1 'Weekly' was moved to 2025-10-01 11:00-11:30 in Room_07."
        )
        with pytest.raises(Refused, match="Come from 10:55 on"):
            await do(world, lambda t: Calendar(t).attend(1))
        await wait_until(world, at(10, 55))
        done = await act(world, lambda t: Calendar(t).attend(1))
        assert done.now == at(11, 30)


async def test_a_meeting_may_be_moved_within_its_own_room_and_hours() -> None:
    moved = MeetingMoved(key="T1/weekly", room="Room_06", starts=at(10), ends=at(11))
    async with await office(weekly(), moved) as world:
        meeting = await world.read(lambda t: Calendar(t).meeting_by_key("T1/weekly"))
        assert (meeting.room, meeting.starts) == ("Room_06", at(10))


async def test_the_employees_booking_gives_way_to_a_staged_meeting_and_they_are_told() -> None:
    colleagues = weekly("late", at(13), at(14), attendees=(OLGA, PAUL))
    async with await office(later=((at(10), colleagues),)) as world:
        await booked(world, room="Room_06")
        told = await wait_until(world, at(10, 1))
        staged = await world.read(lambda t: Calendar(t).meeting_by_key("late"))
        assert staged.room == "Room_06"
        mine = await world.read(lambda t: Calendar(t).booked_by(ROBIN)[0])
        assert mine.room != "Room_06" and not mine.cancelled
        assert any(f"in {mine.room}: Room_06 is needed" in text for text in told)


async def test_a_booking_for_which_no_room_is_left_is_cancelled_by_a_staged_meeting() -> None:
    rooms = [room for room in ROOMS if room != "Room_06"]
    others = [weekly(room, at(13), at(14), room, attendees=()) for room in rooms]
    colleagues = weekly("late", at(13), at(14), attendees=(OLGA, PAUL))
    async with await office(*others, later=((at(10), colleagues),)) as world:
        await booked(world, room="Room_06")
        told = await wait_until(world, at(10, 1))
        assert await world.read(lambda t: Calendar(t).booked_by(ROBIN)) == []
        assert any("Cancelled:" in text and "no other room is free" in text for text in told)


async def test_a_staged_meeting_without_any_room_is_a_bug_not_an_answer() -> None:
    events = [weekly(f"m{number}") for number in range(11)]
    with pytest.raises(ValueError, match="no room for 3 people"):
        await office(*events)


async def test_unknown_keys_and_people_are_not_found() -> None:
    async with await office() as world:
        with pytest.raises(NotFound):
            await world.read(lambda t: Calendar(t).meeting_by_key("nothing"))
        with pytest.raises(NotFound):
            await world.read(lambda t: Calendar(t).attendance(ROBIN, 7))
    with pytest.raises(NotFound):
        await office(weekly(attendees=("nobody.here",)))


async def test_meetings_are_listed_by_start_within_the_days_asked_for() -> None:
    def on(day: int, hour: int, key: str) -> MeetingBooked:
        starts = datetime(2025, 10, day, hour)
        return weekly(key, starts, starts + timedelta(hours=1))

    events = (on(2, 9, "b"), on(1, 15, "a"), on(1, 9, "c"), on(3, 9, "d"))
    async with await office(*events) as world:

        def keys(first: date, last: date | None = None) -> object:
            return lambda t: [m.key for m in Calendar(t).meetings_of(ROBIN, first, last)]

        def see(tx: Transaction) -> list[list[str | None]]:
            wanted = (
                keys(TODAY),
                keys(TODAY, TODAY),
                keys(date(2025, 10, 2), date(2025, 10, 2)),
                keys(date(2025, 10, 4)),
                keys(date.min, date.max),
            )
            return [one(tx) for one in wanted]

        assert await world.read(see) == [
            ["c", "a", "b", "d"],
            ["c", "a"],
            ["b"],
            [],
            ["c", "a", "b", "d"],
        ]
