"""Honest booking of a meeting: the first time at which everybody is at work and free, and so is a
fitting room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Any, Literal

from trainee_bench.meta_tasks import needs
from trainee_bench.meta_tasks.authoring.asking import Contact
from trainee_bench.meta_tasks.offices.hand_ins import SMALLEST
from trainee_bench.meta_tasks.offices.named_values import people_named
from trainee_bench.meta_tasks.offices.office_file import parse_hours
from trainee_bench.meta_tasks.offices.placeholders import fill
from trainee_bench.meta_tasks.offices.task_file import MeetingHandIn
from trainee_bench.meta_tasks.offices.values import Listed, parse_value
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.world.meetings.rooms import LAST_MEETING_START, ROOMS_CLOSE, ROOMS_OPEN

_STEP = timedelta(minutes=15)


@dataclass(frozen=True)
class MeetingDraft:
    """How a meeting is booked: so many minutes *later* than the first free hour, in the *largest*
    room, after so many *drafts* that are cancelled, *twice*, *cancelled* in the end, or with a
    *stranger* besides or instead of the first person."""

    agenda: str = ""
    later: int = 0
    largest: bool = False
    drafts: int = 0
    twice: bool = False
    cancelled: bool = False
    stranger: Literal["", "too", "instead"] = ""


HONEST = MeetingDraft()


@dataclass(frozen=True)
class BusyInCalendars(needs.Source[tuple[tuple[datetime, datetime], ...]]):
    """The spans in which one of several people (full names) is busy, according to calendars."""

    people: tuple[str, ...]
    day: date
    fixed = True

    async def satisfy(self, work: Work) -> tuple[tuple[datetime, datetime], ...]:
        """Look at their calendars."""
        shown = await work.call(
            "calendar_find_busy", people=[*self.people], day=self.day.isoformat()
        )
        return tuple(
            (datetime.fromisoformat(span["starts"]), datetime.fromisoformat(span["ends"]))
            for spans in shown.data["busy"].values()
            for span in spans
        )


async def booked(
    work: Work, booking: needs.Booked, draft: MeetingDraft
) -> tuple[needs.Need[Any], ...]:
    """Book, with the drafts of a variant; return what is handed in."""
    for number in range(draft.drafts):
        made = await work(replace(booking, task=f"{booking.task}, draft {number}"))
        await work(needs.Once("calendar_cancel", (("meeting", made),)))
    if draft.twice:
        length = booking.ends - booking.starts
        later = replace(booking, task=f"{booking.task}, again", starts=booking.starts + length)
        return (booking, replace(later, ends=booking.ends + length))
    if draft.cancelled:
        made = await work(booking)
        return (needs.Once("calendar_cancel", (("meeting", made),)),)
    return (booking,)


async def booking(
    work: Work,
    task: str,
    meeting: MeetingHandIn,
    values: Mapping[str, Listed],
    draft: MeetingDraft,
) -> needs.Booked:
    """Find the first time at which everybody is at work and free, and a fitting room is, too.
    Raises ToolFailed if there is none."""
    people = await _people(work, people_named(meeting.with_, values), draft)
    day = work.now.date()
    earliest, latest = _common_hours(people)
    starts = _moment(day, meeting.not_before, earliest, values)
    latest_end = _moment(day, meeting.not_after, latest, values)
    length = timedelta(minutes=meeting.minutes)
    spans = await work(BusyInCalendars(tuple(person.name for person in people), day))
    own = await work(needs.Meetings(day))
    soonest = max(starts, datetime.combine(day, earliest), work.now + timedelta(minutes=10))
    last_end = min(latest_end, datetime.combine(day, latest))
    start = _rounded(soonest) + timedelta(minutes=draft.later)
    while start + length <= last_end and start.time() <= LAST_MEETING_START:
        ends = start + length
        blocked = any(begins < ends and start < over for begins, over in spans)
        mine = any(listed.starts < ends and start <= listed.starts for listed in own)
        if not blocked and not mine:
            hours = ("starts", f"{start:%H:%M}"), ("ends", f"{ends:%H:%M}")
            seats = ("people", len(people) + 1)
            free = await work(needs.ToolReading("calendar_find_rooms", (*hours, seats)))
            rooms: dict[str, int] = free["rooms"]
            wanted = fill(meeting.room, values)
            room = list(rooms)[-1] if draft.largest else _chosen_room(wanted, rooms)
            if room:
                title = fill(meeting.title, values) or f"Meeting about {task}"
                invited = tuple(person.id for person in people)
                return needs.Booked(task, title, room, start, ends, invited, draft.agenda)
        start += _STEP
    raise ToolFailed("there is no hour at which everybody is at work and free, and a room is, too")


async def _people(work: Work, names: tuple[str, ...], draft: MeetingDraft) -> list[Contact]:
    """Return the people to invite, with a stranger if the draft has one."""
    people = [await work(needs.PersonCalled(name)) for name in names]
    if draft.stranger:
        everybody = await work(needs.DirectorySearch())
        other = next(person for person in everybody if person not in people)
        people = [*people[draft.stranger == "instead" :], other]
    return people


def _common_hours(people: list[Contact]) -> tuple[time, time]:
    """Return from when until when everybody is at work and rooms are open."""
    hours = [parse_hours(person.hours) for person in people]
    starts = max([ROOMS_OPEN, *(given.starts for given in hours)])
    return starts, min([ROOMS_CLOSE, *(given.ends for given in hours)])


def _moment(day: date, given: str, usual: time, values: Mapping[str, Listed]) -> datetime:
    if not given:
        return datetime.combine(day, usual)
    value = values.get(given, parse_value(given))
    assert isinstance(value, time), "composing the task has refused anything else"
    return datetime.combine(day, value)


def _rounded(moment: datetime) -> datetime:
    """Return the next quarter of an hour."""
    over = timedelta(minutes=moment.minute % 15, seconds=moment.second)
    return moment - over + (_STEP if over else timedelta())


def _chosen_room(wanted: str, free: Mapping[str, int]) -> str:
    """Return the wanted room if it is free, or the smallest; "" if there is none."""
    if wanted in free:
        return wanted
    if not free or wanted not in (SMALLEST, "any"):
        return ""
    return min(free, key=lambda room: free[room])
