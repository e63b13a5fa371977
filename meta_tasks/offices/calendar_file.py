"""`calendar.ics`: meetings in people's calendars, as plain events in the office's local time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from trainee_bench.meta_tasks.offices.source import OfficeError
from trainee_bench.world.apps.calendar import MeetingBooked
from trainee_bench.world.company.people import Company
from trainee_bench.world.errors import WorldError
from trainee_bench.world.meetings.rooms import check_times

_IMPORT = "use `trainee-bench office import` to convert the calendar"


def read_calendar(
    path: Path, company: Company, rooms: Mapping[str, int]
) -> tuple[MeetingBooked, ...]:
    """Return the meetings of a calendar, by start. Raises OfficeError for an event that a simulated
    calendar cannot hold."""
    from icalendar import Calendar

    try:
        calendar = Calendar.from_ical(path.read_bytes())
        meetings = [_meeting(path, event, company, rooms) for event in calendar.walk("VEVENT")]
    except (ValueError, AttributeError) as error:
        raise OfficeError(path, f"it is no iCalendar file that can be read: {error}") from None
    for key, count in Counter(meeting.key for meeting in meetings).items():
        if count > 1:
            raise OfficeError(path, f"two events have the UID {key!r}; give each their own")
    return tuple(sorted(meetings, key=lambda meeting: (meeting.starts, meeting.key)))


def _meeting(path: Path, event: Any, company: Company, rooms: Mapping[str, int]) -> MeetingBooked:
    title = str(event.get("SUMMARY", "")).strip()
    where = f"the event {title!r}"
    for name in ("RRULE", "RDATE", "RECURRENCE-ID"):
        if name in event:
            raise OfficeError(path, f"{where} has {name}; {_IMPORT}")
    starts, ends = _time(path, where, event, "DTSTART"), _time(path, where, event, "DTEND")
    try:
        check_times(starts, ends, starts)
    except WorldError as error:
        raise OfficeError(path, f"{where}: {error}") from None
    room = str(event.get("LOCATION", "")).strip()
    if room not in rooms:
        raise OfficeError(path, f"{where}: there is no room {room!r}; rooms: {', '.join(rooms)}")
    organizer = _person(path, where, event.get("ORGANIZER"), company)
    invited = event.get("ATTENDEE", [])
    attendees = [_person(path, where, attendee, company) for attendee in _several(invited)]
    others = tuple(person for person in dict.fromkeys(attendees) if person != organizer)
    if not title or not others:
        raise OfficeError(path, f"{where} at {starts:%Y-%m-%d %H:%M} needs a title and attendees")
    return MeetingBooked(
        key=f"calendar/{event.get('UID') or f'{starts.isoformat()} {title}'}",
        organizer=organizer,
        attendees=others,
        room=room,
        starts=starts,
        ends=ends,
        title=title,
        agenda=str(event.get("DESCRIPTION", "")).strip(),
    )


def _several(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [given]


def _time(path: Path, where: str, event: Any, name: str) -> datetime:
    if name not in event:
        raise OfficeError(path, f"{where} has no {name}")
    moment = event[name].dt
    if isinstance(moment, date) and not isinstance(moment, datetime):
        raise OfficeError(path, f"{where} takes the whole day; give it hours, or leave it out")
    if moment.tzinfo is not None:
        raise OfficeError(path, f"{where} has a time zone; {_IMPORT}")
    return moment.replace(second=0, microsecond=0)  # type: ignore[no-any-return]


def _person(path: Path, where: str, given: Any, company: Company) -> str:
    address = str(given or "").strip()
    address = address.partition(":")[2] if address.lower().startswith("mailto:") else address
    for person in (*company.people, company.trainee):
        if person.email.casefold() == address.casefold():
            return person.id
    raise OfficeError(
        path, f"{where}: {address or 'nobody'!r} is not in people.csv; add the person"
    )
