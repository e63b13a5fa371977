"""Adds the events of a calendar to the office's calendar.ics as plain meetings."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
_EVENT = re.compile(r"^BEGIN:VEVENT\r\n(?:.*\r\n)*?END:VEVENT\r\n", re.MULTILINE)


class GrowingCalendar:
    """The text of a calendar, to which meetings are added; its own text stays."""

    def __init__(self, text: str):
        text = text.replace("\r\n", "\n").replace("\n", "\r\n") if text else _HEAD
        at = text.rstrip().rfind(_END)
        self._is_calendar = at >= 0
        self._before, self._after = text[:at], text[at:]
        self._events = set(_EVENT.findall(text))
        self._uids = {
            line.partition(":")[2]
            for line in text.replace("\r\n ", "").split("\r\n")
            if line.startswith(("UID:", "UID;"))
        }
        self._added: list[str] = []

    @property
    def text(self) -> str:
        """The calendar with all meetings so far."""
        return self._before + "".join(self._added) + self._after

    @property
    def has_grown(self) -> bool:
        """Whether meetings were added."""
        return bool(self._added)

    def add(self, meetings: Sequence[FoundMeeting]) -> int:
        """Add all of *meetings* or none, and return how many were not there before.

        Raises ItemRefused if it has another meeting with the same UID, or is no calendar.
        """
        if not self._is_calendar:
            raise ItemRefused(
                "The office's calendar.ics has no END:VCALENDAR. Correct that file first."
            )
        added: dict[str, str] = {}
        for meeting in meetings:
            block = event_text(meeting)
            if block in self._events:
                continue
            uid = _uid_of(block)
            if uid in self._uids or uid in added:
                raise ItemRefused(
                    f"calendar.ics has another meeting with its UID ({uid[:60]}). Remove that one "
                    "first, if this one should replace it."
                )
            added[uid] = block
        self._uids.update(added)
        self._events.update(added.values())
        self._added += added.values()
        return len(added)


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
