"""Which other scenario gives a day sequence its first day (`DaySequenceMode.AFTER_OTHERS`).

Each scenario gets another one, and no two the same, so that no episode runs twice: a minimum
cost matching of scenarios with scenarios, where each common family costs 1.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from trainee_bench.meta_tasks.scenario import Scenario


class NoMatchingScenario(ValueError):
    """Not every scenario can get another one; says which cannot."""


def match_scenarios(scenarios: Sequence[Scenario]) -> list[Scenario]:
    """For each of *scenarios* the one whose first day comes before its last day.

    The two days have no rule in common, and all pairs together have as few common families as
    possible. Raises NoMatchingScenario.
    """
    for scenario in scenarios:
        if len(scenario.world_days) < 2:
            has = "is a week in one world" if scenario.week else "has one"
            raise NoMatchingScenario(
                f"a day sequence that begins with another scenario's day needs scenarios of two "
                f"days or more; {scenario.name} {has}"
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
    """For each scenario those it may get, with the number of common families."""
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
    """A minimum cost matching; ``given`` maps scenarios to theirs, ``taken`` is its inverse."""

    def __init__(self, prices: Sequence[Mapping[int, int]]):
        self.given: dict[int, int] = {}
        self.taken: dict[int, int] = {}
        self._prices = prices

    def extend(self, place: int) -> None:
        """Give *place* a scenario, if possible, along the cheapest augmenting path: each scenario
        on it gets the one that the next gives up."""
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
