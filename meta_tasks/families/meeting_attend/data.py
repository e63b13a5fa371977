"""The drawn parts of a meeting: people, time, requests and decisions.

Amounts are whole cents everywhere except in texts and deliverables.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from random import Random

from trainee_bench.meta_tasks.authoring import TaskContext
from trainee_bench.meta_tasks.authoring.meetings import reserve_hours
from trainee_bench.meta_tasks.families.meeting_attend.deliverables import DecisionEntry
from trainee_bench.meta_tasks.families.meeting_attend.subject import (
    ITEM_CATALOGUE,
    LIMITS,
    PurchaseRequest,
    RuleBreach,
)
from trainee_bench.world.company.org_chart import EXECUTIVE
from trainee_bench.world.company.people import Person
from trainee_bench.world.meetings.rooms import fitting_rooms

STARTS = (time(9), time(9, 30), time(10))
FALLBACK_STARTS = tuple(time(hour, minute) for hour in range(10, 17) for minute in (0, 30))
"""Starts that are used if other tasks of the day have taken the morning."""
MEETING_HOURS = (0.5, 1.0, 1.5, 2.0)
MIN_TEAM, MAX_TEAM = 4, 7
NOTICE_BEFORE_START = timedelta(minutes=20)
"""The meeting is announced at least this long before its start, unless the day begins with it."""
_TIME_BEFORE = timedelta(minutes=10)
_MINUTES_AFTER = 20
"""The least time between the day's start and the meeting, and between its end and the deadline."""


# people, room and time: all of it open ----------------------------------------------------


def draw_team(context: TaskContext, at_least: int) -> tuple[Person, tuple[Person, ...]]:
    """Draw a manager of Marketing or Product, and at least *at_least* people of the team.

    Colleagues from elsewhere join a team that is too small (in a small company).
    """
    departments = ("Marketing", "Product")
    managers = [
        manager for name in departments for manager in context.company.staff(name, manager=True)
    ]
    (host,) = context.pick("host", managers)
    team = [person for person in context.company.people if person.manager == host.id]
    chosen = {host.id, *(person.id for person in team)}
    others = [
        person
        for person in context.company.people
        if person.id not in chosen and person.department != EXECUTIVE
    ]
    missing = max(MIN_TEAM, at_least) - len(team)
    guests = context.pick("guests", others, missing) if missing > 0 else ()
    return host, (*team[:MAX_TEAM], *guests)


def draw_meeting_slot(
    context: TaskContext, people: int, start: time | None, hours: float | None
) -> tuple[str, datetime, datetime]:
    """Draw a room for so many people, start and end; *start* and *hours* may be fixed.

    Raises CompositionError if other tasks have left no such hour before the deadline.
    """
    draws = context.stream("hours")
    clocks = [start] if start else [*draws.sample(STARTS, len(STARTS)), *FALLBACK_STARTS]
    lengths = [hours] if hours else draws.sample(MEETING_HOURS, len(MEETING_HOURS))
    rooms = fitting_rooms(people, (), context.rooms)
    late = context.arrives > context.day.starts
    first = context.arrives + (NOTICE_BEFORE_START if late else _TIME_BEFORE)
    moments = [datetime.combine(context.day.starts, clock) for clock in clocks]

    def in_time(minutes: int) -> list[datetime]:
        last = context.deadline - timedelta(minutes=minutes + _MINUTES_AFTER)
        return [moment for moment in moments if first <= moment <= last]

    return reserve_hours(
        context,
        [round(length * 60) for length in lengths],
        in_time,
        context.stream("room").sample(rooms, len(rooms)),
    )


# requests ---------------------------------------------------------------------------------

_STEP = 10
_DEAREST = 999_00


_LUXURIES = tuple(item for item in ITEM_CATALOGUE if item.finest)


def draw_requests(
    draws: Random, names: Sequence[str], unreasonable: int
) -> tuple[PurchaseRequest, ...]:
    """Draw one request for each of *names*; *unreasonable* of them break one rule each.

    They break different rules as long as there are any left. Raises ValueError if there are fewer
    people than requests that have to break a rule.
    """
    kinds = draws.sample(list(RuleBreach), len(RuleBreach))
    breakers = draws.sample(range(len(names)), unreasonable)
    breach_of = {place: kinds[number % len(kinds)] for number, place in enumerate(breakers)}
    order = draws.sample(range(len(names)), len(names))
    return tuple(_draw_request(draws, names[place], breach_of.get(place)) for place in order)


def _draw_request(draws: Random, name: str, breach: RuleBreach | None) -> PurchaseRequest:
    if breach is RuleBreach.PRICE:
        item = draws.choice(_LUXURIES)
        finest = min(_DEAREST, (item.finest or item.high) * 100)
        return PurchaseRequest(name, item.name, 1, _price(draws, LIMITS.price + _STEP, finest))
    if breach is RuleBreach.TOTAL:
        item = draws.choice(_LUXURIES)
        quantity = draws.choice([2, 3])
        least = LIMITS.total // quantity // _STEP * _STEP + _STEP
        return PurchaseRequest(name, item.name, quantity, _price(draws, least, LIMITS.price))
    items = [item for item in ITEM_CATALOGUE if breach is None or item not in _LUXURIES]
    item = draws.choice(items)
    price = _price(draws, item.low * 100, item.high * 100)
    least, most = 1, LIMITS.pieces
    if breach is RuleBreach.PIECES:
        least, most = LIMITS.pieces + 1, LIMITS.pieces + 6
    quantity = draws.randint(least, min(most, LIMITS.total // price))
    return PurchaseRequest(name, item.name, quantity, price)


def _price(draws: Random, low: int, high: int) -> int:
    """Draw a price in cents, in steps of ten, both ends included."""
    return draws.randrange(low, high + 1, _STEP)


# decisions --------------------------------------------------------------------------------

TOPICS = (
    "customer survey", "new product photos", "trade fair stand", "translation of the user guide",
    "redesign of the price list", "accessibility review", "partner newsletter",
    "video series for beginners", "interviews with former customers",
    "clean-up of the image library", "workshop on writing", "test of two new suppliers",
)  # fmt: skip


def draw_decisions(
    draws: Random, names: Sequence[str], count: int, today: date
) -> tuple[DecisionEntry, ...]:
    """Draw *count* decisions about different topics.

    Their owners are some of *names*, and they are due two to ten weeks after *today*.
    """
    return tuple(
        DecisionEntry(
            topic=topic,
            owner=draws.choice(list(names)),
            due=today + timedelta(days=draws.randrange(14, 71)),
            budget=draws.randrange(400, 9_600, 50),
        )
        for topic in draws.sample(TOPICS, count)
    )
