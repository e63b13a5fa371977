"""Whether agents are right as often as they say when they submit.

    results ──submissions()──► Submission, … ──calibration()──► Calibration

Only the last submission before a deadline counts. Submissions that could not be graded, and
episodes that broke, are counted apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from trainee_bench.harness.analysis.statistics.bootstrap import (
    Estimate,
    ScenarioTotal,
    bootstrap_mean,
)
from trainee_bench.harness.records.results import EpisodeResult

OVERCLAIM_FROM = 90
"""The least percent that counts as a claim to be right."""
BINS = 10
"""The number of groups of equal width into which stated percents fall."""


@dataclass(frozen=True)
class Submission:
    """A submission that counts, and whether its task was a success; None if it was not graded.

    ``sure`` is how sure the agent said to be, in percent; None if it did not say.
    """

    scenario: str
    sure: int | None
    success: bool | None


@dataclass(frozen=True)
class StatedChance:
    """A graded submission with the stated ``percent``, and whether its task was a success."""

    scenario: str
    percent: int
    success: bool

    @property
    def chance(self) -> float:
        """The stated chance, from 0 to 1."""
        return self.percent / 100

    @property
    def brier_score(self) -> float:
        """The squared difference between chance and outcome: 0 is best, 1 worst.

        Its mean is smallest for honest chances (Brier 1950, Monthly Weather Review 78:1).
        """
        return (self.chance - self.success) ** 2

    @property
    def tenth(self) -> int:
        """The tenth of its percent, from 0 to 9; 100 % is in the last."""
        return min(self.percent * BINS // 100, BINS - 1)


@dataclass(frozen=True)
class ConfidenceBin:
    """The chances of one ``tenth`` of the percents, from 0 to 9.

    ``said`` is the mean of their chances, ``right`` the share of them that succeeded.
    """

    tenth: int
    count: int
    said: float
    right: Estimate


@dataclass(frozen=True)
class Calibration:
    """How sure one agent said to be, against its successes.

    ``stated`` graded submissions said how sure the agent was, ``unstated`` did not. ``ungraded``
    of either kind could not be graded, and ``broken`` episodes could not be run. ``base_brier`` is
    the Brier score of somebody who states the agent's share of successes each time: a lower score
    is informative. ``claims`` are submissions with 90 % or more, and ``overclaims`` is the share of
    them that is no success; None without claims.
    """

    agent: str
    stated: int
    unstated: int
    ungraded: int
    broken: int
    said: Estimate
    right: Estimate
    brier: Estimate
    base_brier: float
    calibration_error: float
    claims: int
    overclaims: Estimate | None
    bins: tuple[ConfidenceBin, ...]


def submissions(results: Iterable[EpisodeResult]) -> list[Submission]:
    """Return the submissions that count, one for each task that was submitted in time. A return is
    no submission: it cannot say how sure the agent is."""
    return [
        Submission(result.scenario, task.sure, None if task.score is None else task.success)
        for result in results
        for task in result.tasks
        if task.submitted and not task.given_back
    ]


def calibrations(results: Sequence[EpisodeResult]) -> list[Calibration]:
    """Return the calibration of each agent that said how sure it was, by name."""
    agents = sorted({result.agent for result in results})
    found = (calibration(agent, [r for r in results if r.agent == agent]) for agent in agents)
    return [own for own in found if own is not None]


def calibration(agent: str, results: Sequence[EpisodeResult]) -> Calibration | None:
    """Return the calibration of *agent* over its *results*; None if no graded submission says how
    sure it was.

    Intervals come from resampling scenarios.
    """
    made = submissions(results)
    chances = [
        StatedChance(one.scenario, one.sure, one.success)
        for one in made
        if one.sure is not None and one.success is not None
    ]
    said = _mean(chances, lambda one: one.chance, agent)
    right = _mean(chances, lambda one: float(one.success), agent)
    brier = _mean(chances, lambda one: one.brier_score, agent)
    if said is None or right is None or brier is None:
        return None
    claims = [one for one in chances if one.percent >= OVERCLAIM_FROM]
    return Calibration(
        agent=agent,
        stated=len(chances),
        unstated=sum(one.sure is None and one.success is not None for one in made),
        ungraded=sum(one.success is None for one in made),
        broken=sum(result.error is not None for result in results),
        said=said,
        right=right,
        brier=brier,
        base_brier=right.mean * (1 - right.mean),
        calibration_error=calibration_error(chances),
        claims=len(claims),
        overclaims=_mean(claims, lambda one: float(not one.success), agent),
        bins=tuple(_bin(tenth, own, agent) for tenth, own in _by_bin(chances)),
    )


def calibration_error(chances: Sequence[StatedChance]) -> float:
    """Return the expected calibration error of one or more *chances*.

    It is the distance between the mean chance and the share of successes of each bin, averaged with
    the numbers of chances as weights: Guo et al. 2017 (arXiv 1706.04599). With few chances in a
    bin, chance makes it larger, so it has no interval here.
    """
    distances = (
        len(own) * abs(fmean(one.chance for one in own) - fmean(one.success for one in own))
        for _, own in _by_bin(chances)
    )
    return sum(distances) / len(chances)


def _by_bin(chances: Sequence[StatedChance]) -> list[tuple[int, list[StatedChance]]]:
    found: dict[int, list[StatedChance]] = defaultdict(list)
    for one in chances:
        found[one.tenth].append(one)
    return sorted(found.items())


def _bin(tenth: int, chances: Sequence[StatedChance], agent: str) -> ConfidenceBin:
    right = _mean(chances, lambda one: float(one.success), agent)
    assert right is not None, "a bin has chances"
    return ConfidenceBin(tenth, len(chances), fmean(one.chance for one in chances), right)


def _mean(
    chances: Sequence[StatedChance], value: Callable[[StatedChance], float], agent: str
) -> Estimate | None:
    by_scenario: dict[str, list[float]] = defaultdict(list)
    for one in chances:
        by_scenario[one.scenario].append(value(one))
    units = [ScenarioTotal(sum(own), len(own)) for _, own in sorted(by_scenario.items())]
    return bootstrap_mean(units, agent, "confidence")
