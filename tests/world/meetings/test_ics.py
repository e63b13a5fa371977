"""Meetings as iCalendar text: a calendar program reads back what was written."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st
from icalendar import Calendar

from tests.world.office import COMPANY, MARA, NILS, OLGA, ROBIN, at
from trainee_bench.world.meetings.ics import to_ics
from trainee_bench.world.meetings.meeting import Invitation, InvitationStatus, Meeting

PEOPLE = {person.id: person for person in (*COMPANY.people, COMPANY.trainee)}
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
    return to_ics(meetings, PEOPLE, at(9))


def test_a_calendar_program_reads_times_place_and_people() -> None:
    (event,) = Calendar.from_ical(written(meeting(agenda="1; 2, 3"))).walk("VEVENT")
    assert (event.start, event.end) == (datetime(2025, 10, 1, 9, 30), datetime(2025, 10, 1, 10, 30))
    assert event["DTSTAMP"].dt == at(9).replace(tzinfo=UTC)
    assert (event["SUMMARY"], event["LOCATION"], event["STATUS"]) == (
        "Weekly",
        "Room_06",
        "CONFIRMED",
    )
    assert event["DESCRIPTION"] == "1; 2, 3"
    assert event["ORGANIZER"] == f"MAILTO:{PEOPLE[MARA].email}"
    assert [(a.params["CN"], a.params["PARTSTAT"]) for a in event["ATTENDEE"]] == [
        (PEOPLE[MARA].name, "ACCEPTED"),
        (PEOPLE[NILS].name, "DECLINED"),
        (PEOPLE[OLGA].name, "TENTATIVE"),
        ("Robin Hale", "NEEDS-ACTION"),
    ]


@given(TEXT, TEXT)
def test_any_title_and_agenda_are_read_back(title: str, agenda: str) -> None:
    (event,) = Calendar.from_ical(written(meeting(title=title, agenda=agenda))).walk("VEVENT")
    assert str(event["SUMMARY"]) == title
    assert str(event.get("DESCRIPTION", "")) == agenda


def test_cancelled_meetings_say_so() -> None:
    (event,) = Calendar.from_ical(written(meeting(cancelled_at=at(8, 30)))).walk("VEVENT")
    assert event["STATUS"] == "CANCELLED"


def test_the_same_meetings_are_the_same_text_and_different_ones_have_different_names() -> None:
    text = written(meeting(), meeting(id=4))
    assert text == written(meeting(), meeting(id=4))
    events = Calendar.from_ical(text).walk("VEVENT")
    assert len({event["UID"] for event in events}) == 2


def test_the_standards_form_is_kept() -> None:
    text = written(meeting(agenda="long " * 60))
    assert text.startswith("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n") and text.endswith("\r\n")
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))


def test_no_meetings_are_a_calendar_too() -> None:
    assert Calendar.from_ical(written()).walk("VEVENT") == []
