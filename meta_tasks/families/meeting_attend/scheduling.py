"""Who meets, where and when: all of it open, from what the day's other tasks have left."""

from __future__ import annotations

from datetime import datetime, time, timedelta

from trainee_bench.meta_tasks.task_context import CompositionError, TaskContext
from trainee_bench.world.company.org_chart import EXECUTIVE
from trainee_bench.world.company.people import Person
from trainee_bench.world.meetings.rooms import fitting_rooms

STARTS = (time(9), time(9, 30), time(10))
FALLBACK_STARTS = tuple(time(hour, minute) for hour in range(10, 17) for minute in (0, 30))
"""Where a meeting goes if other tasks of the day have taken the morning."""
MEETING_HOURS = (0.5, 1.0, 1.5, 2.0)
MIN_TEAM, MAX_TEAM = 4, 7
_TIME_BEFORE = timedelta(minutes=10)
_MINUTES_AFTER = 20
"""What must be left of the day before the meeting, and of the task after it."""


def draw_team(context: TaskContext, at_least: int) -> tuple[Person, tuple[Person, ...]]:
    """A manager of Marketing or Product, and who comes of the team: *at_least* so many.

    A team that is too small (in a small company) is joined by colleagues from elsewhere.
    """
    departments = ("Marketing", "Product")
    managers = [m for d in departments for m in context.company.staff(d, manager=True)]
    (host,) = context.pick("host", managers)
    team = [person for person in context.company.people if person.manager == host.id]
    others = [
        person
        for person in context.company.people
        if person not in (host, *team) and person.department != EXECUTIVE
    ]
    missing = max(MIN_TEAM, at_least) - len(team)
    guests = context.pick("guests", others, missing) if missing > 0 else ()
    return host, (*team[:MAX_TEAM], *guests)


def draw_meeting_slot(
    context: TaskContext, people: int, start: time | None, hours: float | None
) -> tuple[str, datetime, datetime]:
    """A room for so many people, start and end; *start* and *hours* if they are fixed.

    Raises CompositionError if other tasks have left no such hour before the deadline.
    """
    draws = context.stream("hours")
    starts = [start] if start else [*draws.sample(STARTS, len(STARTS)), *FALLBACK_STARTS]
    lengths = [hours] if hours else draws.sample(MEETING_HOURS, len(MEETING_HOURS))
    rooms = fitting_rooms(people, ())
    rooms = tuple(context.stream("room").sample(rooms, len(rooms)))
    first = context.day.starts + _TIME_BEFORE
    for minutes in (round(length * 60) for length in lengths):
        last = context.deadline - timedelta(minutes=minutes + _MINUTES_AFTER)
        moments = [datetime.combine(context.day.starts, moment) for moment in starts]
        try:
            return context.reserve_meeting_slot(
                [m for m in moments if first <= m <= last], minutes, rooms
            )
        except CompositionError:
            continue
    raise CompositionError(
        f"{context.task} finds no hour for its meeting before {context.deadline:%H:%M} that other "
        "tasks have left; fix other times or put them on different days"
    )
