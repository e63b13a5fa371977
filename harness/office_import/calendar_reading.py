"""Reads a calendar (RFC 5545) and expands its events into plain meetings within a window.

This runs in the process of `document_process`, since a hostile rule of recurrence never ends.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.office_import.event_fields import (
    ends_before_its_start,
    is_cancelled,
    is_free,
    original_start,
    person_of,
    repeats_itself,
    repeats_within_a_day,
    title_of,
)
from trainee_bench.harness.office_import.limits import MAX_EVENTS
from trainee_bench.harness.office_import.refusals import ItemRefused, extra_module

_RESOURCE_DOMAIN = "@resource.calendar.google.com"


@dataclass(frozen=True)
class CalendarRequest:
    """The window, the office's zone ("" if unknown) and hours, and the calendar's owner."""

    first: str
    end: str
    zone: str
    day_starts: str
    day_ends: str
    owner: str


@dataclass(frozen=True)
class FoundMeeting:
    """A meeting in local time (ISO, without a zone)."""

    uid: str
    starts: str
    ends: str
    title: str
    location: str
    description: str
    organizer: tuple[str, str]
    """The name and the address; two empty texts if it is unknown."""
    attendees: tuple[tuple[str, str], ...]


@dataclass
class FoundSeries:
    """An event of a calendar with its occurrences, or the reason why it is refused."""

    title: str
    meetings: list[FoundMeeting] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    refused: str = ""


def read_calendar(data: bytes, request: CalendarRequest) -> list[Mapping[str, object]]:
    """Return all events of the calendar *data* as JSON of `FoundSeries`.

    Raises ItemRefused if it is no calendar or has too many events, CannotImport if the extra is
    not installed.
    """
    icalendar = extra_module("icalendar")
    dropped = 0
    try:
        components = icalendar.Calendar.from_ical(data, multiple=True)
    except _DAMAGES:
        try:
            data, dropped = _without_bad_lines(data, icalendar)
            components = icalendar.Calendar.from_ical(data, multiple=True)
        except _DAMAGES as error:
            raise ItemRefused(
                f"It is no calendar that can be read ({str(error)[:100]}). Export it again as .ics."
            ) from None
    calendars = [found for found in components if found.name == "VCALENDAR"]
    bare = icalendar.Calendar()  # some programs save an event without a calendar around it
    for component in components:
        if component.name in ("VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY"):
            bare.add_component(component)
    found: list[FoundSeries] = []
    for calendar in [*calendars, bare]:
        found += _Reading(calendar, request).series()
    if dropped:
        for series in found:
            _note(series, f"Left out of the calendar: {pluralize(dropped, 'damaged line')}.")
    if not found:
        raise ItemRefused("It has no events. Export a calendar with meetings, or leave it out.")
    return [asdict(series) for series in found]


_DAMAGES = (ValueError, IndexError, KeyError, TypeError, AttributeError)


def _without_bad_lines(data: bytes, icalendar: Any) -> tuple[bytes, int]:
    """Return the calendar *data* without the lines that have no name and value; their number."""
    unfolded = data.replace(b"\r\n", b"\n").replace(b"\n ", b"").replace(b"\n\t", b"")
    kept, dropped = [], 0
    for line in unfolded.decode("utf-8", "replace").split("\n"):
        if not line.strip():
            continue
        try:
            icalendar.parser.Contentline(line).parts()
        except ValueError:
            dropped += 1
            continue
        kept.append(line)
    return "\r\n".join([*kept, ""]).encode(), dropped


def _is_hostile_zone(zone: Any) -> bool:
    """Whether the clock of a zone is said to change within days, which no zone does."""
    return any(repeats_within_a_day(change) for change in zone.subcomponents)


class _Reading:
    """Reads one VCALENDAR."""

    def __init__(self, calendar: Any, request: CalendarRequest):
        self._calendar, self._request = calendar, request
        self._first, self._end = date.fromisoformat(request.first), date.fromisoformat(request.end)
        self._zone = ZoneInfo(request.zone) if request.zone else None
        named = str(calendar.get("X-WR-CALNAME", ""))
        self._owner = request.owner or (named if named.count("@") == 1 and " " not in named else "")
        self._occurrences = 0

    def series(self) -> Iterator[FoundSeries]:
        """Yield each event, with all of its occurrences, and a line for what is no event."""
        groups: dict[str, list[Any]] = defaultdict(list)
        others: dict[str, int] = defaultdict(int)
        events = 0
        for number, component in enumerate(self._calendar.subcomponents):
            if component.name == "VEVENT":
                events += 1
                groups[str(component.get("UID", "")) or f"event-{number}"].append(component)
            elif component.name in ("VTODO", "VJOURNAL", "VFREEBUSY"):
                others[component.name] += 1
        if events > MAX_EVENTS:
            raise ItemRefused(
                f"It has {events:,} events; at most {MAX_EVENTS:,} are read. Export fewer months."
            )
        for uid, components in groups.items():
            series = FoundSeries(title_of(components[0]))
            try:
                self._read(uid, components, series)
            except ItemRefused as error:
                series.meetings.clear()
                series.refused = str(error)
            yield series
        kinds = {"VTODO": "task", "VJOURNAL": "journal note", "VFREEBUSY": "free/busy time"}
        for name, count in others.items():
            yield FoundSeries(
                pluralize(count, kinds[name]),
                refused="The office's calendar has only meetings. Leave them out.",
            )

    def _read(self, uid: str, components: Sequence[Any], series: FoundSeries) -> None:
        method = str(self._calendar.get("METHOD", "")).upper()
        if method in ("CANCEL", "REPLY", "COUNTER", "DECLINECOUNTER", "REFRESH"):
            kind = "cancellation" if method == "CANCEL" else "reply to an invitation"
            raise ItemRefused(
                f"It is a {kind}, not a meeting. Change the meeting itself if needed."
            )
        if all(is_cancelled(event) for event in components):
            raise ItemRefused("It was cancelled, so nobody attends it. Leave it out.")
        self._check(components)
        occurrences = self._expanded(components)
        cancelled = free = outside = 0
        for event in occurrences:
            starts, ends = self._times(event, series)
            if is_cancelled(event):
                cancelled += 1
            elif not self._first <= starts.date() < self._end:
                outside += 1
            elif is_free(event):
                free += 1
            else:
                repeats = len(components) > 1 or repeats_itself(components[0])
                own = f"{original_start(event, starts):%Y%m%dT%H%M}-{uid}" if repeats else uid
                series.meetings += self._meetings(event, own, starts, ends, series)
        self._explain(series, cancelled, free, repeats=repeats_itself(components[0]))

    def _explain(self, series: FoundSeries, cancelled: int, free: int, *, repeats: bool) -> None:
        if free and not series.meetings:
            raise ItemRefused(
                "It is marked as free, and a meeting here makes people busy. Mark it as busy in "
                "the calendar if it should be imported."
            )
        if not series.meetings:
            if cancelled:
                raise ItemRefused("All of its meetings in the window were cancelled. Leave it out.")
            raise ItemRefused(
                f"It has no meeting in the window from {self._first} to "
                f"{self._end - timedelta(days=1)}. Import it with another --from or --weeks if it "
                "belongs to the office."
            )
        if free:
            series.notes.append(f"Left out: {pluralize(free, 'meeting')} marked as free.")
        if cancelled:
            series.notes.append(f"Left out: {pluralize(cancelled, 'cancelled meeting')}.")
        if repeats:
            series.notes.append(
                f"Its recurrence became {pluralize(len(series.meetings), 'meeting')} in the window."
            )

    def _check(self, components: Sequence[Any]) -> None:
        for event in components:
            if repeats_within_a_day(event):
                raise ItemRefused(
                    "It repeats within a day (RRULE), as no meeting does. Correct it and export "
                    "again."
                )
            if ends_before_its_start(event):
                raise ItemRefused("Its end lies before its start. Correct it and export again.")
            for name in ("DTSTART", "DTEND"):
                value = event.get(name)
                if name == "DTSTART" and value is None:
                    raise ItemRefused("It has no time (DTSTART). Correct it and export again.")
                if value is None:
                    continue
                moment = getattr(value, "dt", None)
                if not isinstance(moment, date):
                    raise ItemRefused(f"Its time ({name}) is damaged. Correct it and export again.")
                zone = value.params.get("TZID", "")
                if isinstance(moment, datetime) and moment.tzinfo is None and zone:
                    raise ItemRefused(
                        f"Its time zone {str(zone)[:60]!r} is unknown. Set a zone such as "
                        "Europe/Berlin for it and export again."
                    )
                if isinstance(moment, datetime) and moment.tzinfo is not None and not self._zone:
                    raise ItemRefused(
                        "Its times have a time zone, and the office's is unknown. Import it with "
                        "the office's, such as --zone Europe/Berlin."
                    )

    def _expanded(self, components: Sequence[Any]) -> list[Any]:
        """Return the occurrences of an event that touch the window, in order."""
        recurring = extra_module("recurring_ical_events")
        calendar = extra_module("icalendar").Calendar()
        for name in ("VERSION", "PRODID", "X-WR-TIMEZONE"):
            if name in self._calendar:
                calendar[name] = self._calendar[name]
        for component in self._calendar.subcomponents:
            if component.name == "VTIMEZONE" and not _is_hostile_zone(component):
                calendar.add_component(component)
        for component in components:
            calendar.add_component(component)
        first = datetime.combine(self._first, time(), self._zone)
        end = datetime.combine(self._end, time(), self._zone)
        found = []
        try:
            for event in recurring.of(calendar).between(first, end):
                found.append(event)
                self._occurrences += 1
                if self._occurrences > MAX_EVENTS:
                    raise ItemRefused(
                        f"With it, the calendar has more than {MAX_EVENTS:,} meetings in the "
                        "window. Import fewer weeks with --weeks."
                    )
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
            raise ItemRefused(
                f"Its recurrence is damaged ({str(error)[:100] or type(error).__name__}). Correct "
                "it in the calendar and export again."
            ) from None
        if not found and not repeats_itself(components[0]):
            return list(components)
        return sorted(found, key=lambda event: self._local(event["DTSTART"].dt))

    def _local(self, moment: date) -> datetime:
        if not isinstance(moment, datetime):
            return datetime.combine(moment, time())
        return moment.astimezone(self._zone).replace(tzinfo=None) if moment.tzinfo else moment

    def _times(self, event: Any, series: FoundSeries) -> tuple[datetime, datetime]:
        starts = event["DTSTART"].dt
        if "DTEND" in event:
            ends = event["DTEND"].dt
        elif "DURATION" in event:
            ends = starts + event["DURATION"].dt
        else:
            ends = starts if isinstance(starts, datetime) else starts + timedelta(days=1)
        if isinstance(starts, datetime) and starts.tzinfo is None and self._zone:
            _note(series, "Its times name no zone and were taken for the office's.")
        return self._local(starts), self._local(ends)

    def _meetings(
        self, event: Any, uid: str, starts: datetime, ends: datetime, series: FoundSeries
    ) -> list[FoundMeeting]:
        """Return the meeting, or one for each day of an event without times."""
        people = self._people(event, series)
        if isinstance(event["DTSTART"].dt, datetime):
            if ends <= starts:
                raise ItemRefused("It has no length. Give it an end and export it again.")
            return [self._meeting(event, uid, starts, ends, people)]
        request = self._request
        _note(
            series,
            f"It lasts whole days; it became {request.day_starts} to {request.day_ends} on each.",
        )
        days = [starts.date() + timedelta(days=n) for n in range(max((ends - starts).days, 1))]
        days = [day for day in days[:400] if self._first <= day < self._end]
        return [
            self._meeting(
                event,
                uid if len(days) == 1 else f"{day:%Y%m%d}-{uid}",
                datetime.combine(day, time.fromisoformat(request.day_starts)),
                datetime.combine(day, time.fromisoformat(request.day_ends)),
                people,
            )
            for day in days
        ]

    def _meeting(
        self, event: Any, uid: str, starts: datetime, ends: datetime, people: _People
    ) -> FoundMeeting:
        return FoundMeeting(
            uid=uid,
            starts=starts.isoformat(),
            ends=ends.isoformat(),
            title=title_of(event),
            location=people.room or " ".join(str(event.get("LOCATION", "")).split()),
            description=str(event.get("DESCRIPTION", "")).strip(),
            organizer=people.organizer,
            attendees=people.attendees,
        )

    def _people(self, event: Any, series: FoundSeries) -> _People:
        organizer = person_of(event.get("ORGANIZER"))
        attendees, rooms, declined = [], [], 0
        listed = event.get("ATTENDEE", [])
        for attendee in listed if isinstance(listed, list) else [listed]:
            name, address = person_of(attendee)
            kind = str(attendee.params.get("CUTYPE", "")).upper()
            if kind in ("ROOM", "RESOURCE") or address.endswith(_RESOURCE_DOMAIN):
                rooms.append(name or address)
            elif str(attendee.params.get("PARTSTAT", "")).upper() == "DECLINED":
                declined += 1
            elif address:
                attendees.append((name, address))
        if declined:
            _note(series, "People who had declined were left out.")
        if not attendees and not organizer[1]:
            if not self._owner:
                raise ItemRefused(
                    "It names nobody who attends. Import the calendar with its owner's address, "
                    "such as --owner ada@example.com."
                )
            organizer = ("", self._owner)
            _note(series, "It names nobody; it was given to the calendar's owner.")
        location = " ".join(str(event.get("LOCATION", "")).split())
        if len(rooms) > 1:
            _note(series, f"It has several rooms ({', '.join(rooms[:5])}); the first was kept.")
        if rooms and location and rooms[0] not in location and location not in rooms[0]:
            _note(series, f"Its location {location[:80]!r} gave way to its room.")
        return _People(organizer, tuple(dict.fromkeys(attendees)), rooms[0] if rooms else "")


@dataclass(frozen=True)
class _People:
    organizer: tuple[str, str]
    attendees: tuple[tuple[str, str], ...]
    room: str


def _note(series: FoundSeries, text: str) -> None:
    if text not in series.notes:
        series.notes.append(text)
