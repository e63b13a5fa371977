"""Choose the other scenario whose first day begins a day sequence (`DaySequenceMode.AFTER_OTHERS`).

Each scenario gets another one, and no two get the same, so that no episode runs twice. This is a
minimum cost matching of scenarios with scenarios, where each common family costs 1.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from trainee_bench.meta_tasks.scenario import Scenario


class NoMatchingScenario(ValueError):
    """Some scenario has no match; the message says which."""


def match_scenarios(scenarios: Sequence[Scenario]) -> list[Scenario]:
    """Return for each scenario the one whose first day comes before its last day.

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
                f"no other scenario is left for {scenario.name}: its last day and the other's "
                "first day must have no rule in common. Take more scenarios, or leave this one out"
            )
    return [scenarios[matching.given[place]] for place in range(len(scenarios))]


def _match_costs(scenarios: Sequence[Scenario]) -> list[dict[int, int]]:
    """Return the possible matches of each scenario, with the number of common families."""
    first = [[task.rule for task in scenario.days[0].tasks] for scenario in scenarios]
    last = [[task.rule for task in scenario.days[-1].tasks] for scenario in scenarios]
    return [
        {
            match: len(_families(had) & _families(met))
            for match, had in enumerate(first)
            if match != place and not set(had) & set(met)
        }
        for place, met in enumerate(last)
    ]


def _families(rules: Sequence[str]) -> set[str]:
    return {rule.partition(".")[0] for rule in rules}


class _Matching:
    """A minimum cost matching; ``given`` maps scenarios to their matches, ``taken`` is its
    inverse."""

    def __init__(self, prices: Sequence[Mapping[int, int]]):
        self.given: dict[int, int] = {}
        self.taken: dict[int, int] = {}
        self._prices = prices

    def extend(self, place: int) -> None:
        """Match *place*, if possible, along the cheapest augmenting path.

        Each scenario on the path gets the match that the next one gives up.
        """
        owed = {place: 0}
        costs: dict[int, int] = {}
        wanted_by: dict[int, int] = {}
        waiting = deque([place])
        while waiting:
            asking = waiting.popleft()
            for match, price in self._prices[asking].items():
                cost = owed[asking] + price
                if cost >= costs.get(match, cost + 1):
                    continue
                costs[match], wanted_by[match] = cost, asking
                holder = self.taken.get(match)
                if holder is not None:
                    owed[holder] = cost - self._prices[holder][match]
                    waiting.append(holder)
        free = [match for match in costs if match not in self.taken]
        if free:
            self._reassign(place, min(free, key=lambda match: (costs[match], match)), wanted_by)

    def _reassign(self, place: int, match: int, wanted_by: Mapping[int, int]) -> None:
        while True:
            asking = wanted_by[match]
            let_go = self.given.get(asking)
            self.given[asking], self.taken[match] = match, asking
            if asking == place or let_go is None:
                return
            match = let_go
