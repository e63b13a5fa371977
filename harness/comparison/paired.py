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

from harness.comparison.entrant import Entrant, Instance
from harness.comparison.likeness import refuse_unlike
from harness.report.bootstrap import LEVEL, Estimate, Unit, estimate
from harness.results import EpisodeResult

POWER = 0.8
FEWEST = 6
"""Scenarios that have to differ before an order is claimed: five that all point one way do so by
chance alone in more than five of a hundred cases, and no resampling of them would show it."""
_DIGITS = 12
"""Differences are rounded to this, so that the order of adding makes none."""
_Measure = Callable[[Sequence[EpisodeResult]], Unit]


@dataclass(frozen=True)
class Difference:
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
        if self.low is None or self.high is None or self.differing < FEWEST:
            return True
        return self.low <= 0 <= self.high


@dataclass(frozen=True)
class Pair:
    """Two entrants (by their places) on the ``instances`` on which both were graded in full."""

    one: int
    other: int
    instances: int
    score: Difference
    success: Difference


@dataclass(frozen=True)
class Standing:
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

    standings: tuple[Standing, ...]
    pairs: tuple[Pair, ...]


def compare(entrants: Sequence[Entrant], apart_from: Collection[str] = ()) -> Comparison:
    """Set each two of *entrants* against each other. Raises Incomparable if they may not be."""
    refuse_unlike(entrants, apart_from)
    pairs = tuple(
        _pair(entrants, one, other) for one, other in combinations(range(len(entrants)), 2)
    )
    standings = []
    for place, entrant in enumerate(entrants):
        tasks = [task for result in entrant.results for task in result.tasks]
        graded = sum(task.score is not None for task in tasks)
        sound = entrant.sound()
        standings.append(
            Standing(
                label=entrant.label,
                episodes=len(entrant.results),
                dropped=entrant.dropped,
                coverage=graded / len(tasks) if tasks else 0.0,
                score=estimate(_units(sound, _score), entrant.agent, "score"),
                success=estimate(_units(sound, _success), entrant.agent, "success"),
                score_rank=1 + sum(_beaten(place, pair, pair.score) for pair in pairs),
                success_rank=1 + sum(_beaten(place, pair, pair.success) for pair in pairs),
            )
        )
    return Comparison(tuple(standings), pairs)


def difference(units: Sequence[Unit], *names: str) -> Difference:
    """The mean of paired differences, given by scenario, with its 95 % interval.

    The smallest difference that would be seen with a chance of 80 % at that level is
    (z(0.975) + z(0.8)) times the standard error, as in Bloom 1995 (Minimum detectable effects,
    Evaluation Review 19:5) and, for benchmarks, Miller 2024 (arXiv 2411.00640); the standard
    error is that of a ratio of sums over scenarios, by linearisation.
    """
    found = estimate(units, "paired", *names)
    if found is None:
        raise ValueError("there is nothing to compare")
    return Difference(
        mean=round(found.mean, _DIGITS) + 0.0,
        low=None if found.low is None else round(found.low, _DIGITS) + 0.0,
        high=None if found.high is None else round(found.high, _DIGITS) + 0.0,
        scenarios=len(units),
        differing=sum(unit.total != 0 for unit in units),
        detectable=_detectable(units, found.mean),
    )


def _detectable(units: Sequence[Unit], mean: float) -> float | None:
    if len(units) < FEWEST:
        return None
    squares = sum((unit.total - mean * unit.count) ** 2 for unit in units)
    error = sqrt(len(units) / (len(units) - 1) * squares) / sum(unit.count for unit in units)
    normal = NormalDist()
    return (normal.inv_cdf((1 + LEVEL) / 2) + normal.inv_cdf(POWER)) * error or None


def _pair(entrants: Sequence[Entrant], one: int, other: int) -> Pair:
    mine, theirs = entrants[one].sound(), entrants[other].sound()
    shared = [instance for instance in mine if instance in theirs]
    return Pair(
        one,
        other,
        len(shared),
        score=difference(_differences(mine, theirs, shared, _score), "score"),
        success=difference(_differences(mine, theirs, shared, _success), "success"),
    )


def _differences(
    mine: Mapping[Instance, Sequence[EpisodeResult]],
    theirs: Mapping[Instance, Sequence[EpisodeResult]],
    shared: Sequence[Instance],
    measure: _Measure,
) -> list[Unit]:
    by_scenario: dict[str, list[Unit]] = {}
    for instance in sorted(shared):
        ours, others = measure(mine[instance]), measure(theirs[instance])
        unit = Unit(round(ours.total - others.total, _DIGITS), ours.count)
        by_scenario.setdefault(instance[0], []).append(unit)
    return [_sum(days) for days in by_scenario.values()]


def _units(sound: Mapping[Instance, Sequence[EpisodeResult]], measure: _Measure) -> list[Unit]:
    by_scenario: dict[str, list[Unit]] = {}
    for instance in sorted(sound):
        by_scenario.setdefault(instance[0], []).append(measure(sound[instance]))
    return [_sum(days) for days in by_scenario.values()]


def _sum(units: Sequence[Unit]) -> Unit:
    total = sum(unit.total for unit in units)
    return Unit(round(total, _DIGITS), sum(unit.count for unit in units))


def _score(attempts: Sequence[EpisodeResult]) -> Unit:
    """The mean score of the attempts at one day."""
    return Unit(sum(attempt.score or 0.0 for attempt in attempts) / len(attempts), 1)


def _success(attempts: Sequence[EpisodeResult]) -> Unit:
    """How many tasks of the day succeeded, as a mean over attempts, out of how many."""
    succeeded = sum(task.success for attempt in attempts for task in attempt.tasks)
    return Unit(succeeded / len(attempts), len(attempts[0].tasks))


def _beaten(place: int, pair: Pair, by: Difference) -> bool:
    """Whether the entrant at *place* is the worse of *pair*."""
    if by.tie or place not in (pair.one, pair.other):
        return False
    return (by.mean < 0) == (place == pair.one)
