"""A town to spend a day in, and what the days there come to. All sums are in whole units.

Interest is counted in hundredths, distances in tenths of a kilometre, prices in euros, so
that equal plans are exactly equal.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import permutations
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from trainee_bench.meta_tasks.authoring import Text, text_key

OFFICE = 0
"""The number of the office on the map."""
START_MINUTE = 9 * 60
VISIT_MINUTES, LUNCH_MINUTES = 120, 90
TENTHS_PER_MINUTE = 5
"""30 km/h."""


class PlanMetric(StrEnum):
    """What a plan is measured by; the values are the fields of what is handed in."""

    INTEREST = "interest_score"
    COST = "cost_per_person"
    DISTANCE = "total_travel_distance"
    OVERALL = "overall_score"


SINGLE_METRICS = (PlanMetric.INTEREST, PlanMetric.COST, PlanMetric.DISTANCE)
"""Figures that one plan has by itself; the overall score needs all plans."""


@dataclass(frozen=True)
class Stop:
    """A place or a restaurant: its number on the map, its price in each third of a month."""

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
    """Places, restaurants, and the roads, which form a tree with the office in it."""

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
        """Every plan there is."""
        pairs = permutations((place.number for place in self.places), 2)
        return tuple(DayPlan(m, r.number, a) for m, a in pairs for r in self.restaurants)

    @cached_property
    def stops(self) -> dict[int, Stop]:
        """Places and restaurants by number."""
        return {stop.number: stop for stop in (*self.places, *self.restaurants)}

    def numbers_of(self, plan: NamedPlan) -> DayPlan | None:
        """The plan by numbers, None if it is not one: a name that is not listed, or a place
        twice."""
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
        """The length of the way from the office and each place to every number, in tenths."""
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
        """When the team is back, in minutes of the day; each leg takes whole minutes."""
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
"""Into how many units a whole of each figure is counted."""
_WEIGHTS = {PlanMetric.INTEREST: 2, PlanMetric.COST: 2, PlanMetric.DISTANCE: 1}
"""What each figure weighs in the overall score, in fifths."""


class PlanRanking:
    """All plans of a town on a day of one *third* (0 to 2) of a month, and how they compare."""

    def __init__(self, town: Town, third: int):
        stops, plans = town.stops, town.plans
        # in whole units, the more the better: costs and distances are negative
        points = {
            PlanMetric.INTEREST: {p: sum(stops[number].interest for number in p) for p in plans},
            PlanMetric.COST: {p: -sum(stops[number].prices[third] for number in p) for p in plans},
            PlanMetric.DISTANCE: {p: -sum(town.legs(p)) for p in plans},
        }
        worst = {figure: min(values.values()) for figure, values in points.items()}
        spans = {figure: max(values.values()) - worst[figure] for figure, values in points.items()}
        whole = math.prod(span or 2 for span in spans.values())
        overall = dict.fromkeys(plans, 0)
        for figure, weight in _WEIGHTS.items():
            # from the worst plan (0) to the best one (1); a half if all are equal
            factor = weight * (whole // (spans[figure] or 2))
            for plan, value in points[figure].items():
                overall[plan] += factor * (value - worst[figure] if spans[figure] else 1)
        self._points = points | {PlanMetric.OVERALL: overall}
        self._units = {**_UNITS, PlanMetric.OVERALL: whole * sum(_WEIGHTS.values())}

    def value(self, plan: DayPlan, figure: PlanMetric) -> float:
        """A figure of *plan* as it is handed in, unrounded."""
        return abs(self._points[figure][plan]) / self._units[figure]

    def best(self, figure: PlanMetric) -> frozenset[DayPlan]:
        """All plans that are exactly the best in *figure*."""
        points = self._points[figure]
        first = max(points.values())
        return frozenset(plan for plan, value in points.items() if value == first)

    def lead(self, figure: PlanMetric) -> float:
        """By how much the best plans lead the next ones; infinite if all are equal."""
        ranks = sorted(set(self._points[figure].values()), reverse=True)
        return (ranks[0] - ranks[1]) / self._units[figure] if len(ranks) > 1 else math.inf
