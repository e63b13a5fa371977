"""The days of a working week: their names, times on them, and the meetings of a team."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta

from trainee_bench.meta_tasks.authoring import CompositionError, PlannedEvent, TaskContext
from trainee_bench.meta_tasks.families.week.desk import MeetingHour
from trainee_bench.meta_tasks.meta_task import NOTES_HEADING
from trainee_bench.world.apps.calendar import MeetingBooked
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.people import Person
from trainee_bench.world.meetings.meeting import Announcement
from trainee_bench.world.meetings.rooms import fitting_rooms
from trainee_bench.world.week import name_day, span_weeks

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY = range(5)
NOTICE = timedelta(minutes=20)
"""The least time between the invitation to a meeting and its start."""
_MONDAY_STARTS = tuple(time(hour, minute) for hour in range(9, 14) for minute in (0, 30))
_LATER_STARTS = tuple(time(hour, minute) for hour in range(9, 16) for minute in (0, 30))
_MINUTES_TEXT = (
    "Everybody said in one sentence what they are working on. Nobody was missing.",
    "A short meeting. The open points from last week are settled.",
    "The team went through the week. There was coffee.",
)


def require_working_week(context: TaskContext) -> None:
    """Raise CompositionError unless the task comes on the Monday of five working days."""
    if len(context.week) != len(WEEKDAYS) or context.day != context.week[0]:
        raise CompositionError(
            f"{context.task} is a duty of a whole week: put it on a Monday after which "
            "four more days follow in that week"
        )


def require_last_result(context: TaskContext, by: time) -> None:
    """Raise CompositionError if the task is due before its last result, *by* that time of
    Friday."""
    last = min(at_clock(context, FRIDAY, by), context.week[FRIDAY].ends)
    if context.deadline < last:
        raise CompositionError(
            f"{context.task} is a duty of a whole week, whose last result is due on "
            f"{last:%A, %Y-%m-%d, %H:%M}: let it be due no earlier, or leave out its deadline"
        )


def days_note(context: TaskContext) -> str:
    """The note that says which week the duty means; "" in a world of one week."""
    days = context.world_days or context.week
    if not span_weeks(days[0].starts, days[-1].ends):
        return ""
    first, last = (name_day(day.starts, dated=True) for day in (context.week[0], context.week[-1]))
    return f"{NOTES_HEADING}- The days of this task are those from {first}, to {last}."


def at_clock(context: TaskContext, day: int, clock: time) -> datetime:
    """The time *clock* on day number *day* of the week."""
    return datetime.combine(context.week[day].starts, clock)


@dataclass(frozen=True)
class Gathering:
    """A team's meeting, at the same hour and in the same room on one or more days."""

    context: TaskContext
    key: str
    host: Person
    team: tuple[Person, ...]
    room: str
    starts: time
    minutes: int
    first: int

    @property
    def hour(self) -> MeetingHour:
        """The meeting's room, start and end."""
        minutes = self.starts.hour * 60 + self.starts.minute + self.minutes
        return MeetingHour(self.room, self.starts, time(minutes // 60, minutes % 60))

    @property
    def known_by(self) -> datetime:
        """The latest time at which the employee has to know of it."""
        return at_clock(self.context, self.first, self.starts) - NOTICE

    def events(self, title: str, said: Mapping[int, Clue]) -> tuple[PlannedEvent, ...]:
        """The invitations for all days; *said* has the announcement of each day."""
        return tuple(PlannedEvent(self._booked(title, day, clue)) for day, clue in said.items())

    def _booked(self, title: str, day: int, said: Clue) -> MeetingBooked:
        context, starts = self.context, at_clock(self.context, day, self.starts)
        return MeetingBooked(
            key=context.clue_id(f"{self.key} {day}"),
            organizer=self.host.id,
            attendees=(*(person.id for person in self.team), context.employee.id),
            room=self.room,
            starts=starts,
            ends=starts + timedelta(minutes=self.minutes),
            title=title,
            minutes_text=context.stream(f"{self.key} minutes {day}").choice(_MINUTES_TEXT),
            announcements=(Announcement(clue=said.id, text=said.payload, aloud=True),),
        )


def gather(
    context: TaskContext,
    key: str,
    host: Person,
    team: Sequence[Person],
    days: Sequence[int],
    minutes: int,
) -> Gathering:
    """Find a room and an hour at which the employee is free on all *days*.

    On Monday the task is known before that hour. Raises CompositionError if no hour is left.
    """
    draws = context.stream(f"{key} hours")
    clocks = _MONDAY_STARTS if MONDAY in days else _LATER_STARTS
    first = context.arrives + (NOTICE if context.arrives > context.day.starts else timedelta())
    possible = [
        clock
        for clock in draws.sample(clocks[:6], 6) + list(clocks[6:])
        if MONDAY not in days or at_clock(context, MONDAY, clock) >= first
    ]
    rooms = fitting_rooms(len(team) + 2, (), context.rooms)
    for clock in possible:
        for room in draws.sample(rooms, len(rooms)):
            if _reserve(context, clock, room, days, minutes):
                return Gathering(context, key, host, tuple(team), room, clock, minutes, min(days))
    raise CompositionError(
        f"{context.task} finds no hour for its meetings in the working hours that the week's other "
        "tasks have left; use fewer of them or longer days"
    )


def _reserve(
    context: TaskContext, clock: time, room: str, days: Sequence[int], minutes: int
) -> bool:
    """Reserve that hour on all *days*, or on none of them if one is taken."""
    tried = context.reservations.copy()
    trying = replace(context, reservations=tried)
    try:
        for day in days:
            trying.reserve_meeting_slot([at_clock(context, day, clock)], minutes, [room])
    except CompositionError:
        return False
    context.reservations.reset(tried)
    return True
