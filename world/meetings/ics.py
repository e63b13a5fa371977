"""Meetings as iCalendar text (RFC 5545), for any calendar program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from trainee_bench.world.company.people import COMPANY_NAME, DOMAIN, Person
from trainee_bench.world.meetings.meeting import Invitation, InvitationStatus, Meeting
from trainee_bench.world.random_streams import stable_id

if TYPE_CHECKING:
    from icalendar import Event, vCalAddress

_STANDING = {
    InvitationStatus.ORGANIZER: "ACCEPTED",
    InvitationStatus.INVITED: "NEEDS-ACTION",
    InvitationStatus.ACCEPTED: "ACCEPTED",
    InvitationStatus.TENTATIVE: "TENTATIVE",
    InvitationStatus.DECLINED: "DECLINED",
}


def to_ics(
    meetings: Iterable[Meeting],
    people: Mapping[str, Person],
    now: datetime,
    *,
    company: str = COMPANY_NAME,
    domain: str = DOMAIN,
) -> str:
    """Encode *meetings* as one calendar. *people*, by id, must include everyone in them.
    *company* and *domain* mark it as theirs.

    Times float, as simulated time has no zone. Minutes and announcements are left out.
    """
    # Imported here, since it would make the start of a server too slow.
    from icalendar import Calendar

    calendar = Calendar()
    calendar.add("prodid", f"-//{company}//Calendar//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    for meeting in meetings:
        calendar.add_component(_event(meeting, people, now, domain))
    written: bytes = calendar.to_ical()
    return written.decode()


def _event(meeting: Meeting, people: Mapping[str, Person], now: datetime, domain: str) -> Event:
    from icalendar import Event

    event = Event()
    event.add("uid", f"{stable_id('meeting', meeting.id, meeting.organizer)}@{domain}")
    # The standard requires UTC; this passes simulated time off as UTC.
    event.add("dtstamp", _utc(now))
    event.add("created", _utc(meeting.booked_at))
    event.add("dtstart", meeting.starts)
    event.add("dtend", meeting.ends)
    event.add("summary", meeting.title)
    event.add("location", meeting.room)
    if meeting.agenda:
        event.add("description", meeting.agenda)
    event.add("status", "CANCELLED" if meeting.cancelled else "CONFIRMED")
    event.add("organizer", _address(people[meeting.organizer]), encode=False)
    for invitation in meeting.invitations:
        event.add("attendee", _attendee(people[invitation.person], invitation), encode=False)
    return event


def _utc(time: datetime) -> datetime:
    return time.replace(tzinfo=UTC)


def _address(person: Person) -> vCalAddress:
    from icalendar import vCalAddress, vText

    address = vCalAddress(f"MAILTO:{person.email}")
    address.params["CN"] = vText(person.name)
    return address


def _attendee(person: Person, invitation: Invitation) -> vCalAddress:
    from icalendar import vText

    address = _address(person)
    is_chair = invitation.answer is InvitationStatus.ORGANIZER
    address.params["ROLE"] = vText("CHAIR" if is_chair else "REQ-PARTICIPANT")
    address.params["PARTSTAT"] = vText(_STANDING[invitation.answer])
    return address
