"""The town of a team event, the figures of day plans in it, and the members' free dates.

All sums are in whole units, so that equal plans are exactly equal: interest in hundredths,
distances in tenths of a kilometre, prices in euros.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, time
from enum import StrEnum
from functools import cached_property
from itertools import permutations
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator

from trainee_bench.meta_tasks.authoring import PublishedEntry, Text, text_key

OFFICE = 0
"""The number of the office on the map."""
START_MINUTE = 9 * 60
VISIT_MINUTES, LUNCH_MINUTES = 120, 90
TENTHS_PER_MINUTE = 5
"""30 km/h."""


class PlanMetric(StrEnum):
    """The figures of a plan; the values are the field names of the deliverable."""

    INTEREST = "interest_score"
    COST = "cost_per_person"
    DISTANCE = "total_travel_distance"
    OVERALL = "overall_score"


SINGLE_METRICS = (PlanMetric.INTEREST, PlanMetric.COST, PlanMetric.DISTANCE)
"""Figures that need only one plan; the overall score needs all plans."""


@dataclass(frozen=True)
class Stop:
    """A place or restaurant, with its number on the map and its price in each third of a month."""

    number: int
    name: str
    interest: int
    prices: tuple[int, int, int]


class Road(NamedTuple):
    """A road between two numbers on the map, in tenths of a kilometre."""

    a: int
    b: int
    tenths: int


class DayPlan(NamedTuple):
    """A day's stops by number: a place, a restaurant, another place."""

    morning: int
    lunch: int
    afternoon: int


class NamedPlan(BaseModel):
    """A plan by the names of its stops."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    morning: Text
    lunch: Text
    afternoon: Text


@dataclass(frozen=True)
class Town:
    """Places, restaurants and roads; the roads form a tree that includes the office."""

    places: tuple[Stop, ...]
    restaurants: tuple[Stop, ...]
    roads: tuple[Road, ...]

    def renamed(self, names: Mapping[int, str]) -> Town:
        """The same town with other names for the stops of these numbers."""
        places, restaurants = (
            tuple(replace(stop, name=names.get(stop.number, stop.name)) for stop in stops)
            for stops in (self.places, self.restaurants)
        )
        return Town(places, restaurants, self.roads)

    @cached_property
    def plans(self) -> tuple[DayPlan, ...]:
        """All possible plans."""
        pairs = permutations((place.number for place in self.places), 2)
        return tuple(
            DayPlan(morning, restaurant.number, afternoon)
            for morning, afternoon in pairs
            for restaurant in self.restaurants
        )

    @cached_property
    def stops(self) -> dict[int, Stop]:
        """Places and restaurants by number."""
        return {stop.number: stop for stop in (*self.places, *self.restaurants)}

    def numbers_of(self, plan: NamedPlan) -> DayPlan | None:
        """The plan by numbers; None if a name is not listed, or a place comes twice."""
        places, restaurants = (
            {text_key(stop.name): stop.number for stop in stops}
            for stops in (self.places, self.restaurants)
        )
        morning = places.get(text_key(plan.morning))
        lunch = restaurants.get(text_key(plan.lunch))
        afternoon = places.get(text_key(plan.afternoon))
        if morning is None or lunch is None or afternoon is None or morning == afternoon:
            return None
        return DayPlan(morning, lunch, afternoon)

    def names_of(self, plan: DayPlan) -> NamedPlan:
        """The plan by names."""
        morning, lunch, afternoon = (self.stops[number].name for number in plan)
        return NamedPlan(morning=morning, lunch=lunch, afternoon=afternoon)

    @cached_property
    def distances(self) -> dict[int, dict[int, int]]:
        """The length of the route from the office and each place to every number, in tenths."""
        near: dict[int, list[tuple[int, int]]] = {}
        for a, b, tenths in self.roads:
            near.setdefault(a, []).append((b, tenths))
            near.setdefault(b, []).append((a, tenths))
        starts = (OFFICE, *(place.number for place in self.places))
        return {start: _ways_from(start, near) for start in starts}

    def legs(self, plan: DayPlan) -> tuple[int, int, int, int]:
        """The four legs of the day: out, to lunch, on, and back, in tenths."""
        ways = self.distances
        return (
            ways[OFFICE][plan.morning],
            ways[plan.morning][plan.lunch],
            ways[plan.afternoon][plan.lunch],
            ways[OFFICE][plan.afternoon],
        )

    def ends(self, plan: DayPlan) -> int:
        """The return time, in minutes of the day; each leg takes whole minutes."""
        travel = sum(-(-tenths // TENTHS_PER_MINUTE) for tenths in self.legs(plan))
        return START_MINUTE + 2 * VISIT_MINUTES + LUNCH_MINUTES + travel


def _ways_from(start: int, near: Mapping[int, list[tuple[int, int]]]) -> dict[int, int]:
    found, pending = {start: 0}, [start]
    while pending:
        here = pending.pop()
        for other, tenths in near[here]:
            if other not in found:
                found[other] = found[here] + tenths
                pending.append(other)
    return found


# comparing plans ----------------------------------------------------------------------------

_UNITS: Mapping[PlanMetric, int] = {
    PlanMetric.INTEREST: 100,
    PlanMetric.COST: 1,
    PlanMetric.DISTANCE: 10,
}
"""The number of internal units per unit of each figure."""
_WEIGHTS = {PlanMetric.INTEREST: 2, PlanMetric.COST: 2, PlanMetric.DISTANCE: 1}
"""The weight of each figure in the overall score, in fifths."""


class PlanRanking:
    """The figures of all plans of a town on a day in one *third* (0 to 2) of a month."""

    def __init__(self, town: Town, third: int):
        stops, plans = town.stops, town.plans
        # in whole units, higher is better: costs and distances are negative
        points = {
            PlanMetric.INTEREST: {
                plan: sum(stops[number].interest for number in plan) for plan in plans
            },
            PlanMetric.COST: {
                plan: -sum(stops[number].prices[third] for number in plan) for plan in plans
            },
            PlanMetric.DISTANCE: {plan: -sum(town.legs(plan)) for plan in plans},
        }
        worst = {figure: min(values.values()) for figure, values in points.items()}
        spans = {figure: max(values.values()) - worst[figure] for figure, values in points.items()}
        whole = math.prod(span or 2 for span in spans.values())
        overall = dict.fromkeys(plans, 0)
        for figure, weight in _WEIGHTS.items():
            # from the worst plan (0) to the best plan (1); 0.5 if all are equal
            factor = weight * (whole // (spans[figure] or 2))
            for plan, value in points[figure].items():
                overall[plan] += factor * (value - worst[figure] if spans[figure] else 1)
        self._points = points | {PlanMetric.OVERALL: overall}
        self._units = {**_UNITS, PlanMetric.OVERALL: whole * sum(_WEIGHTS.values())}

    def value(self, plan: DayPlan, figure: PlanMetric) -> float:
        """The figure of *plan* in the unit of the deliverable, unrounded."""
        return abs(self._points[figure][plan]) / self._units[figure]

    def best(self, figure: PlanMetric) -> frozenset[DayPlan]:
        """All plans with exactly the best value of *figure*."""
        points = self._points[figure]
        first = max(points.values())
        return frozenset(plan for plan, value in points.items() if value == first)

    def lead(self, figure: PlanMetric) -> float:
        """The distance from the best value to the second best; infinite if all are equal."""
        ranks = sorted(set(self._points[figure].values()), reverse=True)
        return (ranks[0] - ranks[1]) / self._units[figure] if len(ranks) > 1 else math.inf


# calendars of the members --------------------------------------------------------------------

NOVEMBER = range(1, 31)


MONTH_THIRDS = (range(1, 11), range(11, 21), range(21, 31))


@dataclass(frozen=True)
class MemberAnswer:
    """A member's free days in November and lunch menu, and the words of the answer."""

    days: tuple[int, ...]
    vegetarian: bool
    dates_words: str
    lunch_words: str


@dataclass(frozen=True)
class Calendars:
    """The combined answers of all members.

    *dates* are free for everybody, *third* (0 to 2) is the third of the month with the first of
    them, and *vegetarian* is the number of vegetarian menus.
    """

    dates: tuple[date, ...]
    third: int
    vegetarian: int


def combine(answers: Sequence[MemberAnswer]) -> Calendars:
    """Combine the answers of at least one member. Raises ValueError if no date suits everybody."""
    common = set(NOVEMBER).intersection(*(answer.days for answer in answers))
    if not common:
        raise ValueError("there is no date on which everybody is free")
    dates = tuple(date(2025, 11, day) for day in sorted(common))
    (third,) = (number for number, days in enumerate(MONTH_THIRDS) if dates[0].day in days)
    return Calendars(dates, third, sum(answer.vegetarian for answer in answers))


# the twelve levels ---------------------------------------------------------------------------


class PlanningLevel(StrEnum):
    """A: figures of a given plan. B: figures of the employee's own plan. C: the best plan."""

    A1 = "A1"
    A2 = "A2"
    A3 = "A3"
    A4 = "A4"
    B1 = "B1"
    B2 = "B2"
    B3 = "B3"
    B4 = "B4"
    C1 = "C1_interest"
    C2 = "C2_cost"
    C3 = "C3_distance"
    C4 = "C4_score"

    @property
    def given(self) -> bool:
        """Whether the plan is given."""
        return self.value.startswith("A")

    @property
    def timed(self) -> bool:
        """Whether the team has to be back by a given time."""
        return self in (PlanningLevel.A4, PlanningLevel.B4)

    @property
    def best(self) -> PlanMetric | None:
        """The figure in which the plan has to be the best; None if any plan will do."""
        return _BEST.get(self)

    @property
    def metric_counts(self) -> tuple[int, int]:
        """The least and largest number of SINGLE_METRICS; a seed draws the largest number.

        (0, 0) if the level fixes its figures.
        """
        if self in (PlanningLevel.A1, PlanningLevel.B1):
            return 1, 2
        return (2, 3) if self in (PlanningLevel.A2, PlanningLevel.B2) else (0, 0)

    @property
    def figures(self) -> tuple[PlanMetric, ...] | None:
        """The figures asked for; None if parameters or the seed choose among SINGLE_METRICS."""
        if self.best is not None:
            return (self.best,)
        return tuple(PlanMetric) if self.metric_counts == (0, 0) else None


_BEST: Mapping[PlanningLevel, PlanMetric] = {
    PlanningLevel.C1: PlanMetric.INTEREST,
    PlanningLevel.C2: PlanMetric.COST,
    PlanningLevel.C3: PlanMetric.DISTANCE,
    PlanningLevel.C4: PlanMetric.OVERALL,
}


# the original's entries ---------------------------------------------------------------------

_OPTIMA = {
    "highest_interest": PlanningLevel.C1,
    "lowest_cost": PlanningLevel.C2,
    "shortest_distance": PlanningLevel.C3,
    "highest_score": PlanningLevel.C4,
}


class _Params(PublishedEntry):
    department: str
    n_loc: Literal[6]
    n_res: Literal[10]

    @field_validator("department")
    @classmethod
    def _ours(cls, given: str) -> str:
        """Our name of the department; only one differs."""
        return "HR" if given == "Human Resources" else given


class _General(_Params):
    metrics: frozenset[PlanMetric] = Field(min_length=1)
    plan: NamedPlan | None = None
    end_time: time | None = None

    def parameters(self) -> Mapping[str, object]:
        number = 4 if self.end_time else 3 if PlanMetric.OVERALL in self.metrics else 0
        if number and self.metrics != set(PlanMetric):
            raise ValueError(f"end_time or overall_score is asked for with all of {[*PlanMetric]}")
        metrics = tuple(figure for figure in SINGLE_METRICS if figure in self.metrics)
        number = number or (1 if len(metrics) < len(SINGLE_METRICS) else 2)
        return {
            "level": f"{'A' if self.plan else 'B'}{number}",
            "department": self.department,
            "plan": self.plan,
            "metrics": metrics if number < 3 else None,
            "end_time": self.end_time,
        }


class _Optimal(_Params):
    mode: Literal["highest_interest", "lowest_cost", "shortest_distance", "highest_score"]

    def parameters(self) -> Mapping[str, object]:
        return {"level": _OPTIMA[self.mode], "department": self.department}


class PublishedEventPlanning(PublishedEntry):
    """An entry's arguments in the original's files; there are two types."""

    task_type_name: Literal["general_event_planning", "optimal_event_planning"]
    task_params: dict[str, JsonValue]

    def parameters(self) -> Mapping[str, object]:
        """The level that the entry means, and the parameters that it fixes."""
        model = _General if self.task_type_name == "general_event_planning" else _Optimal
        return model.model_validate(self.task_params).parameters()
