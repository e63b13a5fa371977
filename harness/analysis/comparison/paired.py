"""Paired differences: what two entrants' results on the same instances say about who is better.

The unit is the scenario: its days and attempts hang together, other scenarios would have given
other differences. So scenarios are resampled, each with both entrants' results on it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from statistics import NormalDist

from trainee_bench.harness.analysis.comparison.comparability import check_comparable
from trainee_bench.harness.analysis.comparison.compared_run import ComparedRun, InstanceKey
from trainee_bench.harness.analysis.statistics.bootstrap import (
    CONFIDENCE_LEVEL,
    Estimate,
    ScenarioTotal,
    bootstrap_mean,
)
from trainee_bench.harness.records.results import EpisodeResult

STATISTICAL_POWER = 0.8
MIN_DIFFERING_SCENARIOS = 6
"""Scenarios that have to differ before an order is claimed: five that all point one way do so by
chance alone in more than five of a hundred cases, and no resampling of them would show it."""
_DIGITS = 12
"""Differences are rounded to this, so that the order of adding makes none."""
_Measure = Callable[[Sequence[EpisodeResult]], ScenarioTotal]


@dataclass(frozen=True)
class PairedDifference:
    """One entrant's mean minus another's. ``differing`` of ``scenarios`` scenarios differ;
    ``detectable`` is the smallest true difference that would probably have been seen, None
    where no number can be given."""

    mean: float
    low: float | None
    high: float | None
    scenarios: int
    differing: int
    detectable: float | None

    @property
    def tie(self) -> bool:
        """Whether these results leave open who is better."""
        if self.low is None or self.high is None or self.differing < MIN_DIFFERING_SCENARIOS:
            return True
        return self.low <= 0 <= self.high


@dataclass(frozen=True)
class PairComparison:
    """Two entrants (by their places) on the ``instances`` on which both were graded in full."""

    one: int
    other: int
    instances: int
    score: PairedDifference
    success: PairedDifference


@dataclass(frozen=True)
class RankedRun:
    """An entrant with its own figures, and its ranks: 1 and one more for each that is better."""

    label: str
    episodes: int
    dropped: int
    coverage: float
    score: Estimate | None
    success: Estimate | None
    score_rank: int
    success_rank: int


@dataclass(frozen=True)
class Comparison:
    """All entrants, in the order given, and each two of them."""

    standings: tuple[RankedRun, ...]
    pairs: tuple[PairComparison, ...]


def compare_runs(entrants: Sequence[ComparedRun], apart_from: Collection[str] = ()) -> Comparison:
    """Set each two of *entrants* against each other. Raises Incomparable if they may not be."""
    check_comparable(entrants, apart_from)
    pairs = tuple(
        _pair(entrants, one, other) for one, other in combinations(range(len(entrants)), 2)
    )
    standings = []
    for place, entrant in enumerate(entrants):
        tasks = [task for result in entrant.results for task in result.tasks]
        graded = sum(task.score is not None for task in tasks)
        sound = entrant.graded_episodes()
        standings.append(
            RankedRun(
                label=entrant.label,
                episodes=len(entrant.results),
                dropped=entrant.dropped,
                coverage=graded / len(tasks) if tasks else 0.0,
                score=bootstrap_mean(_units(sound, _score), entrant.agent, "score"),
                success=bootstrap_mean(_units(sound, _success), entrant.agent, "success"),
                score_rank=1 + sum(_beaten(place, pair, pair.score) for pair in pairs),
                success_rank=1 + sum(_beaten(place, pair, pair.success) for pair in pairs),
            )
        )
    return Comparison(tuple(standings), pairs)


def paired_difference(units: Sequence[ScenarioTotal], *names: str) -> PairedDifference:
    """The mean of paired differences, given by scenario, with its 95 % interval.

    The smallest difference that would be seen with a chance of 80 % at that level is
    (z(0.975) + z(0.8)) times the standard error, as in Bloom 1995 (Minimum detectable effects,
    Evaluation Review 19:5) and, for benchmarks, Miller 2024 (arXiv 2411.00640); the standard
    error is that of a ratio of sums over scenarios, by linearisation.
    """
    found = bootstrap_mean(units, "paired", *names)
    if found is None:
        raise ValueError("there is nothing to compare")
    return PairedDifference(
        mean=round(found.mean, _DIGITS) + 0.0,
        low=None if found.low is None else round(found.low, _DIGITS) + 0.0,
        high=None if found.high is None else round(found.high, _DIGITS) + 0.0,
        scenarios=len(units),
        differing=sum(unit.total != 0 for unit in units),
        detectable=_detectable(units, found.mean),
    )


def _detectable(units: Sequence[ScenarioTotal], mean: float) -> float | None:
    if len(units) < MIN_DIFFERING_SCENARIOS:
        return None
    squares = sum((unit.total - mean * unit.count) ** 2 for unit in units)
    error = sqrt(len(units) / (len(units) - 1) * squares) / sum(unit.count for unit in units)
    normal = NormalDist()
    return (
        normal.inv_cdf((1 + CONFIDENCE_LEVEL) / 2) + normal.inv_cdf(STATISTICAL_POWER)
    ) * error or None


def _pair(entrants: Sequence[ComparedRun], one: int, other: int) -> PairComparison:
    mine, theirs = entrants[one].graded_episodes(), entrants[other].graded_episodes()
    shared = [instance for instance in mine if instance in theirs]
    return PairComparison(
        one,
        other,
        len(shared),
        score=paired_difference(_differences(mine, theirs, shared, _score), "score"),
        success=paired_difference(_differences(mine, theirs, shared, _success), "success"),
    )


def _differences(
    mine: Mapping[InstanceKey, Sequence[EpisodeResult]],
    theirs: Mapping[InstanceKey, Sequence[EpisodeResult]],
    shared: Sequence[InstanceKey],
    measure: _Measure,
) -> list[ScenarioTotal]:
    by_scenario: dict[str, list[ScenarioTotal]] = {}
    for instance in sorted(shared):
        ours, others = measure(mine[instance]), measure(theirs[instance])
        unit = ScenarioTotal(round(ours.total - others.total, _DIGITS), ours.count)
        by_scenario.setdefault(instance[0], []).append(unit)
    return [_sum(days) for days in by_scenario.values()]


def _units(
    sound: Mapping[InstanceKey, Sequence[EpisodeResult]], measure: _Measure
) -> list[ScenarioTotal]:
    by_scenario: dict[str, list[ScenarioTotal]] = {}
    for instance in sorted(sound):
        by_scenario.setdefault(instance[0], []).append(measure(sound[instance]))
    return [_sum(days) for days in by_scenario.values()]


def _sum(units: Sequence[ScenarioTotal]) -> ScenarioTotal:
    total = sum(unit.total for unit in units)
    return ScenarioTotal(round(total, _DIGITS), sum(unit.count for unit in units))


def _score(attempts: Sequence[EpisodeResult]) -> ScenarioTotal:
    """The mean score of the attempts at one day."""
    return ScenarioTotal(sum(attempt.score or 0.0 for attempt in attempts) / len(attempts), 1)


def _success(attempts: Sequence[EpisodeResult]) -> ScenarioTotal:
    """How many tasks of the day succeeded, as a mean over attempts, out of how many."""
    succeeded = sum(task.success for attempt in attempts for task in attempt.tasks)
    return ScenarioTotal(succeeded / len(attempts), len(attempts[0].tasks))


def _beaten(place: int, pair: PairComparison, by: PairedDifference) -> bool:
    """Whether the entrant at *place* is the worse of *pair*."""
    if by.tie or place not in (pair.one, pair.other):
        return False
    return (by.mean < 0) == (place == pair.one)
