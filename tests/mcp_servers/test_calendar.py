"""The calendar's tools as an agent calls them."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from icalendar import Calendar as ICalendar

from tests.mcp_servers.seats import answer
from tests.world.office import COMPANY, MARA, NILS, OLGA, ROBIN, at, office, wait_until
from trainee_bench.mcp_servers.calendar import TOOLS
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.world.apps.calendar import MeetingBooked
from trainee_bench.world.apps.files import Files
from trainee_bench.world.errors import Invalid, NotFound, Refused
from trainee_bench.world.meetings.meeting import Announcement
from trainee_bench.world.transaction import Event

NINE_30 = at(9, 30)


def weekly(number: int = 1, starts: datetime = NINE_30, minutes: int = 30) -> MeetingBooked:
    return MeetingBooked(
        key=f"m{number}",
        organizer=MARA,
        attendees=(NILS, ROBIN),
        room="Room_06",
        starts=starts,
        ends=starts + timedelta(minutes=minutes),
        title=f"Weekly {number}",
        agenda="Chairs",
        minutes_text="Nils wants a new chair.",
        announcements=(Announcement(text="Robin writes the list."),),
    )


async def seat(*events: Event) -> ToolDispatcher:
    return ToolDispatcher(await office(*events), ROBIN, [TOOLS])


async def test_a_day_with_a_meeting_from_the_invitation_to_the_minutes() -> None:
    office_ = await seat(weekly())
    async with office_.world:
        text, data = await answer(office_, "calendar_list")
        assert text == (
            f"1 'Weekly 1' 2025-10-01 09:30-10:00 Room_06 by {MARA}, with {NILS}, "
            f"{ROBIN} [you: invited]"
        )
        assert data["meetings"][0]["starts"] == "2025-10-01T09:30:00"
        text, data = await answer(office_, "calendar_respond", meeting=1, answer="accepted")
        assert data["your_answer"] == "accepted"
        text, data = await answer(office_, "calendar_read_meeting", meeting=1)
        assert data["minutes_text"] is None and data["agenda"] == "Chairs"
        assert "chair." not in text and "Agenda: Chairs" in text
        with pytest.raises(Refused, match="Come from 09:25"):
            await answer(office_, "calendar_attend", meeting=1)
        await wait_until(office_.world, at(9, 33))
        text, data = await answer(office_, "calendar_attend", meeting=1)
        assert data == {
            "meeting": 1,
            "arrived": "2025-10-01T09:33:00",
            "on_time": True,
            "missed_minutes": 3,
            "minutes_text": "Nils wants a new chair.",
            "announcements": ["Robin writes the list."],
        }
        assert "on time" in text and "Announced: Robin writes the list." in text
        assert await office_.world.now() == at(10)
        text, data = await answer(office_, "calendar_read_meeting", meeting=1)
        assert data["minutes_text"] == "Nils wants a new chair." and "new chair" in text
        assert data["announcements"] == ["Robin writes the list."]


async def test_late_attendees_are_told_what_they_missed() -> None:
    office_ = await seat(weekly())
    async with office_.world:
        await wait_until(office_.world, at(9, 40))
        text, data = await answer(office_, "calendar_attend", meeting=1)
        assert "late, you missed the first 10 min" in text
        assert (data["on_time"], data["missed_minutes"]) == (False, 10)


def test_attending_is_described_as_lasting_until_the_meeting_ends() -> None:
    described = {tool.name: tool.description() for tool in TOOLS}
    assert described["calendar_attend"].endswith("(until the meeting ends)")
    assert described["calendar_book"].endswith("(5 min)")


async def test_finding_a_room_booking_it_and_cancelling() -> None:
    office_ = await seat(weekly())
    async with office_.world:
        text, data = await answer(
            office_, "calendar_find_rooms", starts="09:45", ends="11:00", people=9
        )
        assert list(data["rooms"]) == ["Room_07", "Room_08", "Room_09", "Room_10"]
        assert text.startswith("Room_07 (12 seats), ")
        text, data = await answer(
            office_, "calendar_find_busy", people=[NILS, COMPANY.person(OLGA).name]
        )
        assert text.splitlines()[1:] == [f"{NILS}: 09:30-10:00", f"{OLGA}: no entries"]
        text, data = await answer(
            office_, "calendar_book", title="Sync", room="Room_07", starts="2025-10-01T14:00",
            ends="15:00", attendees=[NILS],
        )  # fmt: skip
        assert (data["id"], data["attendees"], data["your_answer"]) == (2, [NILS], "organizer")
        text, data = await answer(office_, "calendar_cancel", meeting=2)
        assert data["cancelled"] is True and text.endswith("[cancelled]")


async def test_booking_takes_five_minutes_and_looking_one() -> None:
    office_ = await seat()
    async with office_.world:
        await answer(office_, "calendar_list")
        assert await office_.world.now() == at(8, 1)
        await answer(
            office_, "calendar_book", title="Sync", room="Room_07", starts="14:00", ends="15:00",
            attendees=[],
        )  # fmt: skip
        assert await office_.world.now() == at(8, 6)


@pytest.mark.parametrize(
    "form", ["14:00", "2025-10-01T14:00", "2025-10-01 14:00", "2025-10-01T14:00:00", " 14:00 "]
)
async def test_times_are_understood_in_the_forms_people_use(form: str) -> None:
    office_ = await seat()
    async with office_.world:
        _, data = await answer(
            office_,
            "calendar_book",
            title="Sync",
            room="Room_07",
            starts=form,
            ends="15:00",
            attendees=[],
        )
        assert data["starts"] == "2025-10-01T14:00:00"


@pytest.mark.parametrize(
    "form", ["", "2 pm", "14:00Z", "2025-10-01T14:00+02:00", "2025-13-01T14:00", "tomorrow", "14"]
)
async def test_times_that_are_not_understood_are_answered_with_the_right_form(form: str) -> None:
    office_ = await seat()
    async with office_.world:
        with pytest.raises(Invalid, match="write 14:30 or 2025-10-01T14:30"):
            await answer(office_, "calendar_find_rooms", starts=form, ends="15:00")


async def test_days_are_written_in_one_way() -> None:
    office_ = await seat(weekly(1), weekly(2, at(9) + timedelta(days=1)))
    async with office_.world:
        assert (await answer(office_, "calendar_list"))[1]["total"] == 2
        _, data = await answer(office_, "calendar_list", day="2025-10-02")
        assert [meeting["id"] for meeting in data["meetings"]] == [2]
        assert (await answer(office_, "calendar_list", day="9999-12-31"))[0] == "No meetings."
        with pytest.raises(Invalid, match="write it like 2025-10-01"):
            await answer(office_, "calendar_list", day="01.10.2025")


async def test_long_lists_come_in_pages() -> None:
    office_ = await seat(*(weekly(n, at(9 + n // 4, 15 * (n % 4)), 15) for n in range(12)))
    async with office_.world:
        text, data = await answer(office_, "calendar_list")
        assert len(data["meetings"]) == 10 and data["total"] == 12
        assert text.endswith("(10 of 12; continue with offset=10)")
        text, data = await answer(office_, "calendar_list", offset=10)
        assert [m["title"] for m in data["meetings"]] == ["Weekly 10", "Weekly 11"]
        assert len(text.splitlines()) == 2
        assert (await answer(office_, "calendar_list", offset=10**12))[1]["meetings"] == []


async def test_an_export_is_read_by_a_calendar_program_and_tells_no_minutes() -> None:
    office_ = await seat(weekly())
    async with office_.world:
        _, data = await answer(office_, "calendar_export", path="workspace:/mine.ics")
        assert data == {"path": "workspace:/mine.ics", "meetings": 1}
        written = await office_.world.read(lambda t: Files(t).text("workspace:/mine.ics"))
        assert "new chair" not in written and "writes the list" not in written
        (event,) = ICalendar.from_ical(written).walk("VEVENT")
        assert (event.start, event.end) == (at(9, 30), at(10))
        with pytest.raises(Invalid, match=r"must end in \.ics"):
            await answer(office_, "calendar_export", path="workspace:/mine.txt")
        with pytest.raises(Invalid, match="not a path here"):
            await answer(office_, "calendar_export", path="/tmp/mine.ics")


async def test_nothing_is_seen_of_meetings_one_is_not_invited_to() -> None:
    event = weekly().model_copy(update={"attendees": (NILS,)})
    office_ = await seat(event)
    async with office_.world:
        assert (await answer(office_, "calendar_list"))[0] == "No meetings."
        for name in ("calendar_read_meeting", "calendar_cancel", "calendar_attend"):
            with pytest.raises(NotFound, match="You have no meeting 1; calendar_list"):
                await answer(office_, name, meeting=1)
        await answer(office_, "calendar_export", path="workspace:/mine.ics")
        written = await office_.world.read(lambda t: Files(t).text("workspace:/mine.ics"))
        assert "Weekly" not in written


@pytest.mark.parametrize("number", [0, -1, 2**63, -(2**63), 10**40])
async def test_numbers_beyond_all_bounds_are_no_meetings(number: int) -> None:
    office_ = await seat(weekly())
    async with office_.world:
        for name, more in (("attend", {}), ("respond", {"answer": "declined"}), ("cancel", {})):
            with pytest.raises((NotFound, Invalid)):
                await answer(office_, f"calendar_{name}", meeting=number, **more)
