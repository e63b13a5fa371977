"""Who meets and when; what is asked for and decided; what is handed in about it.

Amounts are whole cents everywhere but in texts and deliverables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from random import Random

from pydantic import Field

from trainee_bench.meta_tasks.authoring import AnswerKeys, Deliverable, PersonRef, TaskContext, Text
from trainee_bench.meta_tasks.authoring.meetings import reserve_hours
from trainee_bench.meta_tasks.authoring.money import to_cents
from trainee_bench.world.company.org_chart import EXECUTIVE
from trainee_bench.world.company.people import Person
from trainee_bench.world.meetings.rooms import fitting_rooms

STARTS = (time(9), time(9, 30), time(10))
FALLBACK_STARTS = tuple(time(hour, minute) for hour in range(10, 17) for minute in (0, 30))
"""Where a meeting goes if other tasks of the day have taken the morning."""
MEETING_HOURS = (0.5, 1.0, 1.5, 2.0)
MIN_TEAM, MAX_TEAM = 4, 7
NOTICE_BEFORE_START = timedelta(minutes=20)
"""The meeting is announced at least this long before its start, unless the day begins with it."""
_TIME_BEFORE = timedelta(minutes=10)
_MINUTES_AFTER = 20
"""The least time between the day's start and the meeting, and between its end and the deadline."""


# who meets, where and when: all of it open ------------------------------------------------


def draw_team(context: TaskContext, at_least: int) -> tuple[Person, tuple[Person, ...]]:
    """A manager of Marketing or Product, and *at_least* so many people of the team.

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
    clocks = [start] if start else [*draws.sample(STARTS, len(STARTS)), *FALLBACK_STARTS]
    lengths = [hours] if hours else draws.sample(MEETING_HOURS, len(MEETING_HOURS))
    rooms = fitting_rooms(people, ())
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


# what is asked for ------------------------------------------------------------------------


@dataclass(frozen=True)
class Limits:
    """What a request may be at most: pieces, price of one, cost of all, both in cents."""

    pieces: int
    price: int
    total: int


LIMITS = Limits(pieces=3, price=600_00, total=1_000_00)
"""Those that `drive:/financial/procurement_rules.md` states."""
_STEP = 10
_DEAREST = 999_00


@dataclass(frozen=True)
class CatalogItem:
    """Something an office buys, with its usual prices in whole euros.

    ``finest`` is the price of the most expensive models, where there are any.
    """

    name: str
    low: int
    high: int
    finest: int | None = None


ITEM_CATALOGUE = (
    CatalogItem("notebook", 3, 15), CatalogItem("ballpoint pen", 1, 5),
    CatalogItem("mechanical keyboard", 80, 180), CatalogItem("wireless mouse", 20, 60),
    CatalogItem("chair cushion", 25, 70), CatalogItem("USB-C hub", 30, 90),
    CatalogItem("1 TB SSD", 90, 150),
    CatalogItem("noise-cancelling headphones", 120, 300, finest=780),
    CatalogItem("1080p webcam", 35, 90), CatalogItem("portable projector", 250, 600, finest=990),
    CatalogItem("desk lamp", 15, 45), CatalogItem("mouse pad", 8, 25),
    CatalogItem("marker pack", 5, 20), CatalogItem("surge protector", 15, 40),
    CatalogItem("Wi-Fi router", 60, 150),
)  # fmt: skip
_LUXURIES = tuple(item for item in ITEM_CATALOGUE if item.finest)


class RuleBreach(StrEnum):
    """Which one of the rules a request breaks."""

    PIECES = "too many pieces"
    PRICE = "a piece too expensive"
    TOTAL = "too much in all"


@dataclass(frozen=True)
class PurchaseRequest:
    """One person's request: so many pieces of one item at a price each, in cents."""

    name: str
    item: str
    quantity: int
    price: int

    @property
    def total(self) -> int:
        """What all pieces cost, in cents."""
        return self.quantity * self.price

    def breaches(self, limits: Limits = LIMITS) -> frozenset[RuleBreach]:
        """The procurement rules this request breaks; none if it is in order."""
        broken = {
            RuleBreach.PIECES: self.quantity > limits.pieces,
            RuleBreach.PRICE: self.price > limits.price,
            RuleBreach.TOTAL: self.total > limits.total,
        }
        return frozenset(breach for breach, holds in broken.items() if holds)


def draw_requests(
    draws: Random, names: Sequence[str], unreasonable: int
) -> tuple[PurchaseRequest, ...]:
    """A request of each of *names*. *unreasonable* of them break one rule each, different rules
    as long as there are any left.

    Raises ValueError if there are fewer people than requests that are to break a rule.
    """
    kinds = draws.sample(list(RuleBreach), len(RuleBreach))
    breakers = draws.sample(range(len(names)), unreasonable)
    breach_of = {who: kinds[number % len(kinds)] for number, who in enumerate(breakers)}
    order = draws.sample(range(len(names)), len(names))
    return tuple(_draw_request(draws, names[who], breach_of.get(who)) for who in order)


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
    item = draws.choice([i for i in ITEM_CATALOGUE if breach is None or i not in _LUXURIES])
    price = _price(draws, item.low * 100, item.high * 100)
    least, most = 1, LIMITS.pieces
    if breach is RuleBreach.PIECES:
        least, most = LIMITS.pieces + 1, LIMITS.pieces + 6
    quantity = draws.randint(least, min(most, LIMITS.total // price))
    return PurchaseRequest(name, item.name, quantity, price)


def _price(draws: Random, low: int, high: int) -> int:
    """A price in cents, in steps of ten, both ends included."""
    return draws.randrange(low, high + 1, _STEP)


# what is decided --------------------------------------------------------------------------

TOPICS = (
    "customer survey", "new product photos", "trade fair stand", "translation of the user guide",
    "redesign of the price list", "accessibility review", "partner newsletter",
    "video series for beginners", "interviews with former customers",
    "clean-up of the image library", "workshop on writing", "test of two new suppliers",
)  # fmt: skip


class DecisionEntry(Deliverable):
    """One decision."""

    topic: Text = Field(description="what it is about, in the words of the announcement")
    owner: PersonRef = Field(description="full name of the person responsible")
    due: date = Field(description="the date it is due, as YYYY-MM-DD")
    budget: int = Field(description="the budget in whole EUR")


class DecisionList(Deliverable):
    """The decisions of a meeting."""

    decisions: list[DecisionEntry] = Field(description="one for each decision, any order")


def draw_decisions(
    draws: Random, names: Sequence[str], count: int, today: date
) -> tuple[DecisionEntry, ...]:
    """*count* decisions about different topics, owned by some of *names*, due two to ten
    weeks after *today*."""
    return tuple(
        DecisionEntry(
            topic=topic,
            owner=draws.choice(list(names)),
            due=today + timedelta(days=draws.randrange(14, 71)),
            budget=draws.randrange(400, 9_600, 50),
        )
        for topic in draws.sample(TOPICS, count)
    )


# what is handed in ----------------------------------------------------------------------

_REQUESTS = "one for each request to be listed, any order"


class RequestEntry(Deliverable):
    """One request."""

    name: PersonRef = Field(description="full name of the person who asks")
    item: Text = Field(description="what they ask for, in the words of the announcement")
    quantity: int = Field(description="pieces")
    unit_price: float = Field(description="price of one piece in EUR, exact to the cent")


class CostedRequestEntry(RequestEntry):
    """One request with its cost."""

    total: float = Field(description="quantity times unit_price in EUR, exact to the cent")


class RequestList(Deliverable):
    """The requests of a meeting."""

    requirement: list[RequestEntry] = Field(description=_REQUESTS)


class CostedRequestList(Deliverable):
    """The requests of a meeting with their costs."""

    requirement: list[CostedRequestEntry] = Field(description=_REQUESTS)
    statistics: float = Field(
        description="the sum of total over all listed requests in EUR, exact to the cent"
    )

    def without_costs(self) -> RequestList:
        """The same list where no costs are asked for."""
        entries = [one.model_dump(exclude={"total"}) for one in self.requirement]
        return RequestList.model_validate({"requirement": entries})


def costed_list(requests: Sequence[PurchaseRequest]) -> CostedRequestList:
    """These requests as they are to be listed, with their costs."""
    entries = [
        CostedRequestEntry(
            name=one.name,
            item=one.item,
            quantity=one.quantity,
            unit_price=one.price / 100,
            total=one.total / 100,
        )
        for one in requests
    ]
    return CostedRequestList(
        requirement=entries, statistics=sum(one.total for one in requests) / 100
    )


def rows_of(
    keys: AnswerKeys, entries: Iterable[Deliverable], *fields: str
) -> Counter[tuple[object, ...]]:
    """These fields of each entry, to be compared: by *keys*, amounts in cents (None if they are no
    whole number of cents)."""
    return Counter(
        tuple(to_cents(key) if isinstance(key, float) else key for key in keys.of(one, *fields))
        for one in entries
    )
