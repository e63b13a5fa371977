"""A town to spend a day in, and what the days there come to. All sums are in whole units.

Interest is counted in hundredths, distances in tenths of a kilometre, prices in euros, so
that equal plans are exactly equal.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from typing import NamedTuple

from trainee_bench.meta_tasks.families.event_planning.levels import PlanMetric

OFFICE = 0
"""The number of the office on the map."""
START_MINUTE = 9 * 60
VISIT_MINUTES, LUNCH_MINUTES = 120, 90
TENTHS_PER_MINUTE = 5
"""30 km/h."""
METRIC_UNITS: Mapping[PlanMetric, int] = {
    PlanMetric.INTEREST: 100,
    PlanMetric.COST: 1,
    PlanMetric.DISTANCE: 10,
}
"""Into how many parts a whole of each figure is counted."""


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

    def plan_values(self, figure: PlanMetric, third: int) -> dict[DayPlan, int]:
        """A figure that plans have by themselves, in its units, of every plan on a day of that
        *third* (0 to 2) of a month."""
        if figure is PlanMetric.DISTANCE:
            return {plan: sum(self.legs(plan)) for plan in self.plans}
        assert figure in METRIC_UNITS, "the overall score belongs to all plans together"
        of = {
            number: stop.prices[third] if figure is PlanMetric.COST else stop.interest
            for number, stop in self.stops.items()
        }
        return {plan: of[plan[0]] + of[plan[1]] + of[plan[2]] for plan in self.plans}


def _ways_from(start: int, near: Mapping[int, list[tuple[int, int]]]) -> dict[int, int]:
    found, pending = {start: 0}, [start]
    while pending:
        here = pending.pop()
        for other, tenths in near[here]:
            if other not in found:
                found[other] = found[here] + tenths
                pending.append(other)
    return found


_WEIGHTS = {PlanMetric.INTEREST: 2, PlanMetric.COST: 2, PlanMetric.DISTANCE: 1}
"""What each figure weighs in the overall score, in fifths."""
_FIFTHS = 5


class PlanRanking:
    """All plans of a town on a day of one third of a month, and how they compare."""

    def __init__(self, town: Town, third: int):
        self._town, self._third = town, third
        self._counted: dict[PlanMetric, dict[DayPlan, int]] = {}

    def value(self, plan: DayPlan, figure: PlanMetric) -> float:
        """A figure of *plan* as it is handed in, unrounded."""
        if figure is PlanMetric.OVERALL:
            shares = (weight * self._share(plan, f) for f, weight in _WEIGHTS.items())
            return float(sum(shares, Fraction(0)) / _FIFTHS)
        return self._counts(figure)[plan] / METRIC_UNITS[figure]

    def best(self, figure: PlanMetric) -> frozenset[DayPlan]:
        """All plans that are exactly the best in *figure*."""
        ranks = self._ranks(figure)
        first = max(ranks.values())
        return frozenset(plan for plan, rank in ranks.items() if rank == first)

    def lead(self, figure: PlanMetric) -> float:
        """By how much the best plans lead the next ones; infinite if all are equal."""
        ranks = sorted(set(self._ranks(figure).values()), reverse=True)
        overall = figure is PlanMetric.OVERALL
        whole = math.prod(self._spans.values()) * _FIFTHS if overall else METRIC_UNITS[figure]
        return (ranks[0] - ranks[1]) / whole if len(ranks) > 1 else math.inf

    def _ranks(self, figure: PlanMetric) -> dict[DayPlan, int]:
        """What each plan is worth in *figure*, in whole numbers, the higher the better."""
        if figure is not PlanMetric.OVERALL:
            sign = 1 if figure is PlanMetric.INTEREST else -1
            return {plan: sign * count for plan, count in self._counts(figure).items()}
        ranks = dict.fromkeys(self._town.plans, 0)
        for one, weight in _WEIGHTS.items():
            others = math.prod(span for f, span in self._spans.items() if f is not one)
            sign = weight * others * (1 if one is PlanMetric.INTEREST else -1)
            for plan, count in self._counts(one).items():
                ranks[plan] += sign * count
        return ranks

    def _counts(self, figure: PlanMetric) -> dict[DayPlan, int]:
        """The figure of every plan, in its units."""
        if figure not in self._counted:
            self._counted[figure] = self._town.plan_values(figure, self._third)
        return self._counted[figure]

    @cached_property
    def _ranges(self) -> dict[PlanMetric, tuple[int, int]]:
        counts = {figure: self._counts(figure).values() for figure in METRIC_UNITS}
        return {figure: (min(values), max(values)) for figure, values in counts.items()}

    @cached_property
    def _spans(self) -> dict[PlanMetric, int]:
        """From the least to the most of each figure; 1 where all plans are equal in it."""
        return {figure: max(1, high - low) for figure, (low, high) in self._ranges.items()}

    def _share(self, plan: DayPlan, figure: PlanMetric) -> Fraction:
        """Where *plan* stands from the worst (0) to the best (1); a half if all are equal."""
        low, high = self._ranges[figure]
        if low == high:
            return Fraction(1, 2)
        count = self._counts(figure)[plan]
        above = count - low if figure is PlanMetric.INTEREST else high - count
        return Fraction(above, high - low)
