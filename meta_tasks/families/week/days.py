"""The days of a working week: their names, hours on them, and daily meetings in which things are
said aloud."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta

from trainee_bench.meta_tasks.authoring import CompositionError, TaskContext, ToolClient, one_of
from trainee_bench.meta_tasks.meta_task import PlannedEvent
from trainee_bench.world.apps.calendar import MeetingBooked
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.people import Person
from trainee_bench.world.meetings.meeting import Announcement
from trainee_bench.world.meetings.rooms import fitting_rooms
from trainee_bench.world.transaction import WorkingDay

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY = range(5)
WEEKDAY = one_of(dict(enumerate(WEEKDAYS)))
"""The number of a day (0 is Monday), written as its name."""
FILES_COME = time(9)
"""When the file of the day replaces that of the day before."""
NOTICE = timedelta(minutes=20)
"""A meeting is known at least so long before it begins."""
OPENINGS = (
    "One more thing that concerns you, {name}.",
    "{name}, this is for you.",
    "Before we go on to the rest of the week:",
    "Please take this down, since I shall not send it round.",
    "This is not in the papers, so listen for a moment.",
)
"""How one begins who says something aloud."""
_MONDAY_STARTS = tuple(time(hour, minute) for hour in range(9, 14) for minute in (0, 30))
_LATER_STARTS = tuple(time(hour, minute) for hour in range(9, 16) for minute in (0, 30))
_MINUTES_TEXT = (
    "Everybody said in a sentence what they are working on. Nobody was missing.",
    "A short meeting. The open points of last week are settled.",
    "The team went through the week. There was coffee.",
)


def working_week(context: TaskContext) -> tuple[WorkingDay, ...]:
    """The five days. Raises CompositionError for a week that is shorter, and for a task that is
    published on another day than the first."""
    if len(context.week) != len(WEEKDAYS) or context.day != context.week[0]:
        raise CompositionError(
            f"{context.task} is a duty of a whole week: it needs five days and comes on the first"
        )
    return context.week


def at_clock(context: TaskContext, day: int, clock: time) -> datetime:
    """That time on day number *day* of the week."""
    return datetime.combine(context.week[day].starts, clock)


def clock_by(context: TaskContext, purpose: str) -> time:
    """A time of the afternoon, by which something is due each day."""
    return context.stream(purpose).choice((time(15), time(16), time(17)))


def replaced_daily(context: TaskContext, path: str, texts: Mapping[int, str]) -> list[PlannedEvent]:
    """The file at *path* as it is on each of the days that *texts* has; each replaces the one
    before."""
    return [
        PlannedEvent(FileAppears(path=path, text=text), at_clock(context, day, FILES_COME))
        for day, text in texts.items()
    ]


@dataclass(frozen=True)
class SaidAloud:
    """What is said in a meeting on one day, and nowhere else: the name of its clue, and its
    text."""

    day: int
    clue: str
    text: str


def say_aloud(
    context: TaskContext, day: int, clue: str, fact: str, openings: Sequence[str] = OPENINGS
) -> SaidAloud:
    """*fact* as it is said on that day, after one of *openings*."""
    opening = context.stream(f"opening {clue}").choice(openings)
    name = context.employee.first_name
    return SaidAloud(day, clue, f"{opening.format(name=name)} {fact}")


@dataclass(frozen=True)
class Gathering:
    """A meeting of a team, at the same hour and in the same room on several days."""

    key: str
    host: Person
    team: tuple[Person, ...]
    room: str
    starts: time
    minutes: int
    days: tuple[int, ...]

    @property
    def ends(self) -> time:
        """When it ends."""
        minutes = self.starts.hour * 60 + self.starts.minute + self.minutes
        return time(minutes // 60, minutes % 60)

    def known_by(self, context: TaskContext) -> datetime:
        """When the employee has to know of it at the latest."""
        return at_clock(context, self.days[0], self.starts) - NOTICE

    def events(
        self, context: TaskContext, title: str, said: Sequence[SaidAloud]
    ) -> tuple[PlannedEvent, ...]:
        """The invitations for all days, with what is *said* on them."""
        return tuple(PlannedEvent(self._booked(context, title, day, said)) for day in self.days)

    def _booked(
        self, context: TaskContext, title: str, day: int, said: Sequence[SaidAloud]
    ) -> MeetingBooked:
        starts = at_clock(context, day, self.starts)
        return MeetingBooked(
            key=context.clue_id(f"{self.key} {day}"),
            organizer=self.host.id,
            attendees=(*(person.id for person in self.team), context.employee.id),
            room=self.room,
            starts=starts,
            ends=starts + timedelta(minutes=self.minutes),
            title=title,
            minutes_text=context.stream(f"{self.key} minutes {day}").choice(_MINUTES_TEXT),
            announcements=tuple(
                Announcement(clue=context.clue_id(one.clue), text=one.text, aloud=True)
                for one in said
                if one.day == day
            ),
        )


def said_clues(context: TaskContext, said: Sequence[SaidAloud]) -> tuple[Clue, ...]:
    """The clues that are told by being *said*; nobody can be asked for them."""
    return tuple(Clue(id=context.clue_id(one.clue), holder="", payload=one.text) for one in said)


def gather(
    context: TaskContext,
    key: str,
    host: Person,
    team: Sequence[Person],
    days: Sequence[int],
    minutes: int,
) -> Gathering:
    """A room, and an hour that the employee has free on all *days*; on Monday the task is known
    before it. Raises CompositionError if there is none."""
    draws = context.stream(f"{key} hours")
    clocks = _MONDAY_STARTS if MONDAY in days else _LATER_STARTS
    first = context.arrives + (NOTICE if context.arrives > context.day.starts else timedelta())
    possible = [
        clock
        for clock in draws.sample(clocks[:6], 6) + list(clocks[6:])
        if MONDAY not in days or at_clock(context, MONDAY, clock) >= first
    ]
    rooms = fitting_rooms(len(team) + 2, ())
    for clock in possible:
        for room in draws.sample(rooms, len(rooms)):
            if _reserve(context, clock, room, days, minutes):
                return Gathering(key, host, tuple(team), room, clock, minutes, tuple(days))
    raise CompositionError(
        f"{context.task} finds no hour for its meetings that other tasks of the week have left"
    )


def _reserve(
    context: TaskContext, clock: time, room: str, days: Sequence[int], minutes: int
) -> bool:
    """Take that hour on all *days*, or on none if it is not free on one of them."""
    tried = context.reservations.copy()
    trying = replace(context, reservations=tried)
    try:
        for day in days:
            trying.reserve_meeting_slot([at_clock(context, day, clock)], minutes, [room])
    except CompositionError:
        return False
    context.reservations.reset(tried)
    return True


# for scripts ----------------------------------------------------------------------------------


async def today(client: ToolClient) -> datetime:
    """The time now."""
    return (await client.call("desk_now")).time


async def wait_for_clock(client: ToolClient, clock: time) -> None:
    """Go on at that time of today or later; other tasks may be worked on meanwhile."""
    now = await today(client)
    then = datetime.combine(now, clock)
    if then > now:
        await client.wait_at_least(int((then - now).total_seconds() // 60))
