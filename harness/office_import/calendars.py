"""Adds the events of a calendar to the office's calendar.ics as plain meetings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from trainee_bench.harness.office_import.calendar_reading import (
    CalendarRequest,
    FoundMeeting,
    FoundSeries,
)
from trainee_bench.harness.office_import.refusals import ItemRefused
from trainee_bench.harness.support.text import printable

_HEAD = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Trainee-Bench//Office import//EN\r\n"
    "END:VCALENDAR\r\n"
)
_END = "END:VCALENDAR"


@dataclass(frozen=True)
class MergedCalendar:
    """A calendar's text with more meetings, and the number of those that it had already."""

    text: str
    added: int
    known: int


def merged_calendar(text: str, meetings: Sequence[FoundMeeting]) -> MergedCalendar:
    """Return the calendar *text* ("" for none) with *meetings* added; its own text stays.

    Raises ItemRefused if it has another meeting with the same UID, or is no calendar.
    """
    text = text.replace("\r\n", "\n").replace("\n", "\r\n") if text else _HEAD
    at = text.rstrip().rfind(_END)
    if at < 0:
        raise ItemRefused(
            "The office's calendar.ics has no END:VCALENDAR. Correct that file first."
        )
    uids = {
        line.partition(":")[2]
        for line in text.replace("\r\n ", "").split("\r\n")
        if line.startswith(("UID:", "UID;"))
    }
    added, known = [], 0
    for meeting in meetings:
        block = event_text(meeting)
        if block in text:
            known += 1
            continue
        uid = _uid_of(block)
        if uid in uids:
            raise ItemRefused(
                f"calendar.ics has another meeting with its UID ({uid[:60]}). Remove that one "
                "first, if this one should replace it."
            )
        uids.add(uid)
        added.append(block)
    return MergedCalendar(text[:at] + "".join(added) + text[at:], len(added), known)


def event_text(meeting: FoundMeeting) -> str:
    """Return *meeting* as a VEVENT without recurrence, in local time; lines end in CRLF."""
    # Imported here, since most imports have no meetings.
    from icalendar import Event, vCalAddress, vText

    def person(name: str, address: str) -> vCalAddress:
        found = vCalAddress(f"mailto:{address}")
        if name:
            found.params["CN"] = vText(printable(name))
        return found

    event = Event()
    event.add("uid", printable(meeting.uid))
    starts = datetime.fromisoformat(meeting.starts)
    event.add("dtstamp", starts.replace(tzinfo=UTC))  # the standard requires one; no clock is read
    event.add("dtstart", starts)
    event.add("dtend", datetime.fromisoformat(meeting.ends))
    event.add("summary", printable(meeting.title))
    if meeting.location:
        event.add("location", printable(meeting.location))
    if meeting.description:
        event.add("description", "\n".join(map(printable, meeting.description.splitlines())))
    if meeting.organizer[1]:
        event.add("organizer", person(*meeting.organizer), encode=False)
    for attendee in meeting.attendees:
        event.add("attendee", person(*attendee), encode=False)
    written: bytes = event.to_ical()
    return written.decode()


def series_from_json(found: Sequence[dict[str, object]]) -> list[FoundSeries]:
    """Return the events that `calendar_reading.read_calendar` has found in another process."""
    from pydantic import TypeAdapter

    return TypeAdapter(list[FoundSeries]).validate_python(found)


def calendar_arguments(request: CalendarRequest) -> list[str]:
    """Return *request* as arguments of a process."""
    return [
        request.first, request.end, request.zone, request.day_starts, request.day_ends,
        request.owner,
    ]  # fmt: skip


def _uid_of(block: str) -> str:
    lines = block.replace("\r\n ", "").split("\r\n")
    return next(line.partition(":")[2] for line in lines if line.startswith("UID"))
