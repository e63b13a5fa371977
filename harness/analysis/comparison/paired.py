"""Paired differences: which of two runs is better, from results on the same instances.

The unit of resampling is the scenario, with both runs' results on it, because the days and attempts
of one scenario are not independent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from statistics import median_low

from trainee_bench.harness.analysis.comparison.comparability import (
    check_comparable,
    differences_within_runs,
)
from trainee_bench.harness.analysis.comparison.compared_run import ComparedRun, InstanceKey
from trainee_bench.harness.analysis.statistics.attempts import all_succeed
from trainee_bench.harness.analysis.statistics.bootstrap import (
    Estimate,
    ScenarioTotal,
    bootstrap_mean,
)
from trainee_bench.harness.analysis.statistics.summary import score_in_mean
from trainee_bench.harness.analysis.statistics.variance import smallest_difference
from trainee_bench.harness.records.results import EpisodeResult

MIN_DIFFERING_SCENARIOS = 6
"""Number of scenarios that must differ before a difference counts.

Five that all point one way do so by chance in more than 5 % of cases, and resampling them would not
show it.
"""
_DIGITS = 12
"""Decimals to which differences are rounded, so that the order of summation does not matter."""
_Measure = Callable[[Sequence[EpisodeResult]], ScenarioTotal]
_Episodes = Mapping[InstanceKey, Sequence[EpisodeResult]]


@dataclass(frozen=True)
class PairedDifference:
    """One run's mean minus another's.

    ``differing`` of ``scenarios`` scenarios differ. ``detectable`` is the smallest true difference
    detectable with 80 % power, None if it cannot be estimated.
    """

    mean: float
    low: float | None
    high: float | None
    scenarios: int
    differing: int
    detectable: float | None

    @property
    def tie(self) -> bool:
        """Whether these results leave open which run is better."""
        if self.low is None or self.high is None or self.differing < MIN_DIFFERING_SCENARIOS:
            return True
        return self.low <= 0 <= self.high


@dataclass(frozen=True)
class PairComparison:
    """Two runs (by index) on the ``instances`` on which both were graded in full.

    ``all_complete`` is the difference in pass^k of days for k = ``attempts``: the chance that so
    many attempts at a day are all complete. It covers the days on which both have that many graded
    attempts. None unless a typical day has several.
    """

    one: int
    other: int
    instances: int
    complete: PairedDifference
    score: PairedDifference
    success: PairedDifference
    attempts: int = 1
    all_complete: PairedDifference | None = None


@dataclass(frozen=True)
class RankedRun:
    """A run with its own figures and its ranks: 1 plus the number of better runs."""

    label: str
    episodes: int
    dropped: int
    coverage: float
    complete: Estimate | None
    """The share of days or weeks on which every task was a success."""
    score: Estimate | None
    broken_as_0: Estimate | None
    """The mean score of all its episodes, with ungraded tasks as 0."""
    success: Estimate | None
    complete_rank: int
    score_rank: int
    success_rank: int
    verified: bool
    """Whether `trainee-bench verify` found its run in order."""


@dataclass(frozen=True)
class Comparison:
    """All runs, in the given order, and each pair of them."""

    standings: tuple[RankedRun, ...]
    pairs: tuple[PairComparison, ...]
    own_conditions: tuple[str, ...] = ()
    """Conditions in which agents of one run differ because they are the agents' own."""


def compare_runs(runs: Sequence[ComparedRun], apart_from: Collection[str] = ()) -> Comparison:
    """Compare each pair of *runs*; identity fields in *apart_from* may differ.

    Raises IncomparableRuns.
    """
    check_comparable(runs, apart_from)
    pairs = tuple(_pair(runs, *places) for places in combinations(range(len(runs)), 2))
    standings = []
    for place, run in enumerate(runs):
        tasks = [task for result in run.results for task in result.tasks]
        graded = sum(task.score is not None for task in tasks)
        sound = run.graded_episodes()
        standings.append(
            RankedRun(
                label=run.label,
                episodes=len(run.results),
                dropped=run.dropped,
                coverage=graded / len(tasks) if tasks else 0.0,
                complete=bootstrap_mean(_units(sound, _complete), run.agent, "complete"),
                score=bootstrap_mean(_units(sound, _score), run.agent, "score"),
                broken_as_0=bootstrap_mean(
                    _units(run.episodes_by_instance(), _score_of_all), run.agent, "score"
                ),
                success=bootstrap_mean(_units(sound, _success), run.agent, "success"),
                complete_rank=1 + sum(_beaten(place, pair, pair.complete) for pair in pairs),
                score_rank=1 + sum(_beaten(place, pair, pair.score) for pair in pairs),
                success_rank=1 + sum(_beaten(place, pair, pair.success) for pair in pairs),
                verified=run.verified,
            )
        )
    return Comparison(tuple(standings), pairs, tuple(differences_within_runs(runs)))


def paired_difference(units: Sequence[ScenarioTotal], *names: str) -> PairedDifference:
    """Return the mean of paired differences, given by scenario, with its 95 % interval.

    For the smallest detectable difference see `smallest_difference`. The standard error is that of
    a ratio of sums over scenarios, by linearisation.
    """
    estimate = bootstrap_mean(units, "paired", *names)
    if estimate is None:
        raise ValueError("there is nothing to compare")
    return PairedDifference(
        mean=round(estimate.mean, _DIGITS) + 0.0,
        low=None if estimate.low is None else round(estimate.low, _DIGITS) + 0.0,
        high=None if estimate.high is None else round(estimate.high, _DIGITS) + 0.0,
        scenarios=len(units),
        differing=sum(unit.total != 0 for unit in units),
        detectable=_detectable(units, estimate.mean),
    )


def _detectable(units: Sequence[ScenarioTotal], mean: float) -> float | None:
    if len(units) < MIN_DIFFERING_SCENARIOS:
        return None
    squares = sum((unit.total - mean * unit.count) ** 2 for unit in units)
    error = sqrt(len(units) / (len(units) - 1) * squares) / sum(unit.count for unit in units)
    return smallest_difference(error) or None


def _pair(runs: Sequence[ComparedRun], first: int, second: int) -> PairComparison:
    first_episodes, second_episodes = runs[first].graded_episodes(), runs[second].graded_episodes()
    shared = [instance for instance in first_episodes if instance in second_episodes]
    attempts = _usual_attempts(first_episodes, second_episodes, shared)
    return PairComparison(
        first,
        second,
        len(shared),
        complete=paired_difference(
            _differences(first_episodes, second_episodes, shared, _complete), "complete"
        ),
        score=paired_difference(
            _differences(first_episodes, second_episodes, shared, _score), "score"
        ),
        success=paired_difference(
            _differences(first_episodes, second_episodes, shared, _success), "success"
        ),
        attempts=attempts,
        all_complete=_all_complete(first_episodes, second_episodes, shared, attempts),
    )


def _usual_attempts(first: _Episodes, second: _Episodes, shared: Sequence[InstanceKey]) -> int:
    """Return how many graded attempts both runs have at a typical day of theirs: the median."""
    return median_low(min(len(first[day]), len(second[day])) for day in shared) if shared else 1


def _all_complete(
    first: _Episodes, second: _Episodes, shared: Sequence[InstanceKey], attempts: int
) -> PairedDifference | None:
    """Return the difference in pass^k of days for k = *attempts*; None unless it is above 1."""
    if attempts < 2:
        return None
    days = [day for day in shared if min(len(first[day]), len(second[day])) >= attempts]

    def measure(tried: Sequence[EpisodeResult]) -> ScenarioTotal:
        complete = sum(attempt.success for attempt in tried)
        return ScenarioTotal(all_succeed(complete, len(tried), attempts), 1)

    return paired_difference(_differences(first, second, days, measure), "all complete")


def _differences(
    first_episodes: _Episodes,
    second_episodes: _Episodes,
    shared: Sequence[InstanceKey],
    measure: _Measure,
) -> list[ScenarioTotal]:
    by_scenario: dict[str, list[ScenarioTotal]] = {}
    for instance in sorted(shared):
        first_total, second_total = (
            measure(first_episodes[instance]),
            measure(second_episodes[instance]),
        )
        unit = ScenarioTotal(
            round(first_total.total - second_total.total, _DIGITS), first_total.count
        )
        by_scenario.setdefault(instance[0], []).append(unit)
    return [_sum(days) for days in by_scenario.values()]


def _units(sound: _Episodes, measure: _Measure) -> list[ScenarioTotal]:
    by_scenario: dict[str, list[ScenarioTotal]] = {}
    for instance in sorted(sound):
        by_scenario.setdefault(instance[0], []).append(measure(sound[instance]))
    return [_sum(days) for days in by_scenario.values()]


def _sum(units: Sequence[ScenarioTotal]) -> ScenarioTotal:
    total = sum(unit.total for unit in units)
    return ScenarioTotal(round(total, _DIGITS), sum(unit.count for unit in units))


def _complete(attempts: Sequence[EpisodeResult]) -> ScenarioTotal:
    """Return the share of the attempts at one day in which it was complete."""
    return ScenarioTotal(sum(attempt.success for attempt in attempts) / len(attempts), 1)


def _score(attempts: Sequence[EpisodeResult]) -> ScenarioTotal:
    """Return the mean score of the attempts at one day, all of which were graded."""
    return _mean_score(attempts, broken_as_0=False)


def _score_of_all(attempts: Sequence[EpisodeResult]) -> ScenarioTotal:
    """Return the mean score of the attempts at one day, with ungraded tasks as 0."""
    return _mean_score(attempts, broken_as_0=True)


def _mean_score(attempts: Sequence[EpisodeResult], *, broken_as_0: bool) -> ScenarioTotal:
    scores = [score_in_mean(attempt, broken_as_0=broken_as_0) or 0.0 for attempt in attempts]
    return ScenarioTotal(sum(scores) / len(attempts), 1)


def _success(attempts: Sequence[EpisodeResult]) -> ScenarioTotal:
    """Return the number of tasks of the day that succeeded, as a mean over attempts, out of all."""
    succeeded = sum(task.success for attempt in attempts for task in attempt.tasks)
    return ScenarioTotal(succeeded / len(attempts), len(attempts[0].tasks))


def _beaten(place: int, pair: PairComparison, by: PairedDifference) -> bool:
    """Return whether the run at index *place* is the worse of *pair*."""
    if by.tie or place not in (pair.one, pair.other):
        return False
    return (by.mean < 0) == (place == pair.one)
