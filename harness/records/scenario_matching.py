"""Which other scenario a course borrows its first day from.

Each scenario is given another one, and no two the same, so that no episode is worked twice:
a cheapest matching of scenarios with scenarios, where a family in common is the price.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from trainee_bench.meta_tasks.scenario import Scenario


class NoMatchingScenario(ValueError):
    """Not every scenario can be given another one; says which cannot."""


def match_scenarios(scenarios: Sequence[Scenario]) -> list[Scenario]:
    """For each of *scenarios* the one whose first day comes before its last day.

    The two days have no rule in common, and as few families as can be had for all of them
    together. Raises NoMatchingScenario.
    """
    for scenario in scenarios:
        if len(scenario.days) < 2:
            raise NoMatchingScenario(
                f"a course that begins with another scenario's day needs scenarios of two days "
                f"or more; {scenario.name} has one"
            )
    matching = _Matching(_match_costs(scenarios))
    for place in range(len(scenarios)):
        matching.extend(place)
    for place, scenario in enumerate(scenarios):
        if place not in matching.given:
            raise NoMatchingScenario(
                f"no other scenario is left for {scenario.name} whose first day has no rule in "
                "common with its last: take more scenarios, or leave this one out"
            )
    return [scenarios[matching.given[place]] for place in range(len(scenarios))]


def _match_costs(scenarios: Sequence[Scenario]) -> list[dict[int, int]]:
    """For each scenario those it may be given, and how many families they have in common."""
    first = [[task.rule for task in scenario.days[0].tasks] for scenario in scenarios]
    last = [[task.rule for task in scenario.days[-1].tasks] for scenario in scenarios]
    return [
        {
            other: len(_families(had) & _families(met))
            for other, had in enumerate(first)
            if other != place and not set(had) & set(met)
        }
        for place, met in enumerate(last)
    ]


def _families(rules: Sequence[str]) -> set[str]:
    return {rule.partition(".")[0] for rule in rules}


class _Matching:
    """Who is given whom, at the lowest price in all; ``taken`` is ``given`` the other way round."""

    def __init__(self, prices: Sequence[Mapping[int, int]]):
        self.given: dict[int, int] = {}
        self.taken: dict[int, int] = {}
        self._prices = prices

    def extend(self, place: int) -> None:
        """Give *place* somebody, if that can be: along the cheapest path on which each gets the
        one that the next lets go."""
        owed = {place: 0}
        costs: dict[int, int] = {}
        wanted_by: dict[int, int] = {}
        waiting = deque([place])
        while waiting:
            asking = waiting.popleft()
            for other, price in self._prices[asking].items():
                cost = owed[asking] + price
                if cost >= costs.get(other, cost + 1):
                    continue
                costs[other], wanted_by[other] = cost, asking
                holder = self.taken.get(other)
                if holder is not None:
                    owed[holder] = cost - self._prices[holder][other]
                    waiting.append(holder)
        free = [other for other in costs if other not in self.taken]
        if free:
            self._hand_on(place, min(free, key=lambda other: (costs[other], other)), wanted_by)

    def _hand_on(self, place: int, other: int, wanted_by: Mapping[int, int]) -> None:
        while True:
            asking = wanted_by[other]
            let_go = self.given.get(asking)
            self.given[asking], self.taken[other] = other, asking
            if asking == place or let_go is None:
                return
            other = let_go
