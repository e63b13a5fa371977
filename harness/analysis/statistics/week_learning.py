"""The effect of memory over the days of a week: gain, transfer, forgetting, policies followed.

All but the last are paired differences between two treatments of memory: for the same part of the
same task in the same week and attempt. Their intervals resample weeks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from trainee_bench.harness.analysis.statistics.bootstrap import (
    Estimate,
    ScenarioTotal,
    bootstrap_mean,
    bootstrap_statistic,
)
from trainee_bench.harness.analysis.statistics.summary import TaskFilter
from trainee_bench.harness.analysis.statistics.week_parts import (
    DayPart,
    Familiarity,
    day_parts,
    policy_days,
)
from trainee_bench.harness.records.results import EpisodeResult, TaskResult

PartFilter = Callable[[DayPart], bool]
Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class PartGain:
    """A part of a task, and how much more of it was earned with memory than without."""

    part: DayPart
    gain: float


def paired_gains(
    results_with: Iterable[EpisodeResult], results_without: Iterable[EpisodeResult]
) -> list[PartGain]:
    """Return the gain of each part that both sides have, in order."""
    without = {
        part.instance: part.score for result in results_without for part in day_parts(result)
    }
    ordered = sorted(results_with, key=lambda result: result.episode)
    return [
        PartGain(part, part.score - without[part.instance])
        for result in ordered
        for part in day_parts(result)
        if part.instance in without
    ]


def gain(gains: Sequence[PartGain], keep: PartFilter) -> Estimate | None:
    """Return the mean over days of the mean gain of the parts of a day that *keep* accepts."""
    daily = _daily(gains, keep)
    units = [
        ScenarioTotal(sum(points), len(points))
        for points in ([value for _, value in own] for own in _by_scenario(daily).values())
    ]
    return bootstrap_mean(units, "week gain")


def gain_per_day(gains: Sequence[PartGain], keep: PartFilter) -> Estimate | None:
    """Return the growth of the gain per day.

    This is the mean over weeks of the slope of the least-squares line through the gains of their
    days. Weeks with gains on only one day are left out.
    """
    daily = _daily(gains, keep)
    slopes: dict[str, list[float]] = defaultdict(list)
    for (scenario, _), days in daily.items():
        slope = least_squares_slope(list(days.items()))
        if slope is not None:
            slopes[scenario].append(slope)
    units = [ScenarioTotal(sum(own), len(own)) for _, own in sorted(slopes.items())]
    return bootstrap_mean(units, "week slope")


def part_mean(gains: Sequence[PartGain], keep: PartFilter) -> Estimate | None:
    """Return the mean gain of all parts that *keep* accepts, each counting once."""
    by_scenario: dict[str, list[float]] = defaultdict(list)
    for part_gain in gains:
        if keep(part_gain.part):
            by_scenario[part_gain.part.scenario].append(part_gain.gain)
    units = [ScenarioTotal(sum(own), len(own)) for _, own in sorted(by_scenario.items())]
    return bootstrap_mean(units, "week parts")


def forgotten_per_day(gains: Sequence[PartGain]) -> Estimate | None:
    """Return how much of the gain is lost with each night since the rule was met.

    This is the negative slope of the least-squares line through the gains of all tasks of a known
    rule against the nights. None if all were met equally long ago.
    """
    by_scenario: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for part_gain in gains:
        if part_gain.part.familiarity is Familiarity.RULE and part_gain.part.nights is not None:
            by_scenario[part_gain.part.scenario].append((part_gain.part.nights, part_gain.gain))
    units = [tuple(points) for _, points in sorted(by_scenario.items())]
    return bootstrap_statistic(units, _lost, "week forgetting")


def followed_by_offset(results: Iterable[EpisodeResult]) -> dict[int, Estimate]:
    """Return the share of duties done by the policy in force, by the days since its change.

    Days before the change are negative.
    """
    by_offset: dict[int, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for result in sorted(results, key=lambda result: result.episode):
        for day in policy_days(result):
            by_offset[day.offset][day.scenario].append(day.followed)
    shares = {
        offset: bootstrap_mean(
            [ScenarioTotal(sum(own), len(own)) for _, own in sorted(scenarios.items())],
            "policy followed",
        )
        for offset, scenarios in sorted(by_offset.items())
    }
    return {offset: share for offset, share in shares.items() if share is not None}


def least_squares_slope(points: Points) -> float | None:
    """Return the slope of the least-squares line through *points* (x, y); None if all x are
    equal."""
    x_mean = fmean(x for x, _ in points) if points else 0.0
    spread = sum((x - x_mean) ** 2 for x, _ in points)
    if spread == 0:
        return None
    return sum((x - x_mean) * y for x, y in points) / spread


def _lost(units: Sequence[Points]) -> float | None:
    slope = least_squares_slope([point for points in units for point in points])
    return None if slope is None else -slope


def _daily(gains: Sequence[PartGain], keep: PartFilter) -> dict[tuple[str, int], dict[int, float]]:
    """Return the mean gain of each day of each week (its scenario and attempt)."""
    found: dict[tuple[str, int], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for part_gain in gains:
        if keep(part_gain.part):
            found[part_gain.part.scenario, part_gain.part.attempt][part_gain.part.day].append(
                part_gain.gain
            )
    return {week: {day: fmean(own) for day, own in days.items()} for week, days in found.items()}


def _by_scenario(
    daily: Mapping[tuple[str, int], Mapping[int, float]],
) -> dict[str, list[tuple[int, float]]]:
    """Return the gains of days, by scenario."""
    found: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for (scenario, _), days in sorted(daily.items()):
        found[scenario] += sorted(days.items())
    return found


def _every(episode: EpisodeResult, task: TaskResult) -> bool:
    return True


def memory_gain(
    results_with: Sequence[EpisodeResult],
    results_without: Sequence[EpisodeResult],
    keep: TaskFilter = _every,
) -> Estimate | None:
    """Return the mean difference in score that memory makes, with its interval over scenarios.

    Days of *results_with* that remember nothing are left out, and so are days of *results_without*
    that remember something, and days graded on only one side. Only tasks that *keep* accepts count.
    None without a pair.
    """
    without = {
        _instance(result): score
        for result in results_without
        if result.remembers is None and (score := _score(result, keep)) is not None
    }
    differences: dict[str, list[float]] = {}
    for result in sorted(results_with, key=lambda result: result.episode):
        score = _score(result, keep)
        if result.remembers is None or score is None or _instance(result) not in without:
            continue
        difference = score - without[_instance(result)]
        differences.setdefault(result.scenario, []).append(difference)
    units = [ScenarioTotal(sum(own), len(own)) for _, own in sorted(differences.items())]
    return bootstrap_mean(units, "gain")


def _instance(result: EpisodeResult) -> tuple[str, int, str, int]:
    return (result.scenario, result.seed, result.day, result.attempt)


def _score(result: EpisodeResult, keep: TaskFilter) -> float | None:
    """Return the mean over the graded tasks that are kept, None if there are none."""
    kept = [t.score for t in result.tasks if t.score is not None and keep(result, t)]
    return sum(kept) / len(kept) if kept and result.error is None else None
