"""`calendar.ics`: meetings in people's calendars, as plain events in the office's local time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from trainee_bench.meta_tasks.offices.source import OfficeError, read_bytes
from trainee_bench.world.apps.calendar import MeetingBooked
from trainee_bench.world.company.people import Company
from trainee_bench.world.errors import WorldError
from trainee_bench.world.meetings.rooms import check_times

MAX_CALENDAR_BYTES = 10_000_000
_BEGIN = b"BEGIN:VEVENT"
_IMPORT = "use `trainee-bench office import` to convert the calendar"


@dataclass(frozen=True)
class CalendarEvent:
    """A meeting of the calendar, and the line of the file at which it begins."""

    line: int | None
    meeting: MeetingBooked

    def __str__(self) -> str:
        at = f"on line {self.line}" if self.line else f"at {self.meeting.starts:%Y-%m-%d %H:%M}"
        return f"{self.meeting.title!r} {at}"


def read_calendar(
    path: Path, company: Company, rooms: Mapping[str, int]
) -> tuple[MeetingBooked, ...]:
    """Return the meetings of a calendar, by start. Raises OfficeError for an event that a simulated
    calendar cannot hold, and for a room that is too small or taken."""
    events = read_events(path, company, rooms)
    for first, second in overlaps(events, lambda meeting: [meeting.room]):
        room, starts = second.meeting.room, first.meeting.starts
        flaw = (
            f"{room} is taken by {first} ({starts:%Y-%m-%d %H:%M}); give one another room or time"
        )
        raise OfficeError(path, flaw, second.line)
    return tuple(event.meeting for event in events)


def read_events(path: Path, company: Company, rooms: Mapping[str, int]) -> list[CalendarEvent]:
    """Return the meetings of a calendar with their lines, by start. Raises OfficeError."""
    from icalendar import Calendar

    data = read_bytes(path, MAX_CALENDAR_BYTES)
    begins = [n for n, line in enumerate(data.splitlines(), 1) if line.strip().upper() == _BEGIN]
    try:
        found = Calendar.from_ical(data).walk("VEVENT")
    except (ValueError, LookupError, AttributeError, TypeError, RecursionError) as error:
        raise OfficeError(
            path, f"it is no iCalendar file that can be read ({error}); {_IMPORT}"
        ) from None
    lines = begins if len(begins) == len(found) else [None] * len(found)
    events = [
        CalendarEvent(line, _meeting(path, line, event, company, rooms))
        for line, event in zip(lines, found, strict=True)
    ]
    seen: dict[str, CalendarEvent] = {}
    for event in events:
        if (same := seen.setdefault(event.meeting.key, event)) is not event:
            raise OfficeError(path, f"{same} has the same UID; give each their own", event.line)
    return sorted(events, key=lambda event: (event.meeting.starts, event.meeting.key))


def overlaps(
    events: Iterable[CalendarEvent], taken: Callable[[MeetingBooked], Iterable[str]]
) -> Iterator[tuple[CalendarEvent, CalendarEvent]]:
    """Yield each of *events*, which are in order of start, that takes a room or a person while an
    earlier one has it, after that one."""
    last: dict[str, CalendarEvent] = {}
    for event in events:
        for name in taken(event.meeting):
            before = last.get(name)
            if before is not None and event.meeting.starts < before.meeting.ends:
                yield before, event
            if before is None or event.meeting.ends > before.meeting.ends:
                last[name] = event


def _meeting(
    path: Path, line: int | None, event: Any, company: Company, rooms: Mapping[str, int]
) -> MeetingBooked:
    try:
        return _booking(event, company, rooms)
    except (_Flaw, WorldError) as error:
        where = f"the event {str(event.get('SUMMARY', '')).strip()[:80]!r}"
        raise OfficeError(path, f"{where}: {error}", line) from None
    except (ValueError, LookupError, AttributeError, TypeError) as error:
        raise OfficeError(path, f"an event cannot be read ({error}); {_IMPORT}", line) from None


class _Flaw(Exception):
    """A flaw of an event, with the remedy."""


def _booking(event: Any, company: Company, rooms: Mapping[str, int]) -> MeetingBooked:
    title = str(event.get("SUMMARY", "")).strip()
    for name in ("RRULE", "RDATE", "RECURRENCE-ID"):
        if name in event:
            raise _Flaw(f"it has {name}; {_IMPORT}")
    starts, ends = _time(event, "DTSTART"), _time(event, "DTEND")
    check_times(starts, ends, starts)
    room = str(event.get("LOCATION", "")).strip()
    if room not in rooms:
        raise _Flaw(f"there is no room {room[:80]!r}; rooms: {', '.join(rooms)}")
    organizer = _person(event.get("ORGANIZER"), company)
    attendees = [_person(attendee, company) for attendee in _several(event.get("ATTENDEE", []))]
    others = tuple(person for person in dict.fromkeys(attendees) if person != organizer)
    if not title or not others:
        raise _Flaw(f"it needs a title and attendees ({starts:%Y-%m-%d %H:%M})")
    people = len(others) + 1
    if people > rooms[room]:
        fitting = next((name for name in rooms if rooms[name] >= people), "")
        remedy = f"{fitting} has {rooms[fitting]}" if fitting else "invite fewer, or add a room"
        raise _Flaw(f"{people} people come, but {room} has {rooms[room]} seats; {remedy}")
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


def _time(event: Any, name: str) -> datetime:
    if name not in event:
        raise _Flaw(f"it has no {name}; add it, such as {name}:20260302T100000")
    moment = event[name].dt
    if isinstance(moment, date) and not isinstance(moment, datetime):
        raise _Flaw("it takes the whole day; give it hours, or leave it out")
    if not isinstance(moment, datetime):
        raise _Flaw(f"its {name} is no date with a time; write it as 20260302T100000")
    if moment.tzinfo is not None:
        raise _Flaw(f"it has a time zone; {_IMPORT}")
    return moment.replace(second=0, microsecond=0)


def _person(given: Any, company: Company) -> str:
    address = str(given or "").strip()
    address = address.partition(":")[2] if address.lower().startswith("mailto:") else address
    for person in (*company.people, company.trainee):
        if person.email.casefold() == address.casefold():
            return person.id
    raise _Flaw(f"{address[:80] or 'nobody'!r} is not in people.csv; add the person")
