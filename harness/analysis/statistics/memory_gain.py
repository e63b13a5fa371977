"""Memory gain: the same days worked with memory and without it, in pairs.

A day was worked with memory where its result names the episode it remembers. Its partner is
the same day of the same scenario in the same attempt, worked without memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from trainee_bench.harness.analysis.statistics.bootstrap import (
    Estimate,
    ScenarioTotal,
    bootstrap_mean,
)
from trainee_bench.harness.analysis.statistics.summary import TaskFilter
from trainee_bench.harness.records.results import EpisodeResult, TaskResult


def _every(episode: EpisodeResult, task: TaskResult) -> bool:
    return True


def memory_gain(
    results_with: Sequence[EpisodeResult],
    results_without: Sequence[EpisodeResult],
    keep: TaskFilter = _every,
) -> Estimate | None:
    """The mean difference in score that memory makes, with its interval over scenarios.

    Days of *results_with* that remember nothing are left out, and so are days of
    *results_without* that do; days that were graded on one side only count for nothing. Of
    each day only the tasks that *keep* accepts are looked at. None without a pair.
    """
    without = {
        _instance(result): score
        for result in results_without
        if result.remembers is None and (score := _score(result, keep)) is not None
    }
    differences: dict[str, list[float]] = {}
    for result in sorted(results_with, key=lambda one: one.episode):
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
    """The mean over the graded tasks that are kept, None if there is none."""
    kept = [t.score for t in result.tasks if t.score is not None and keep(result, t)]
    return sum(kept) / len(kept) if kept and result.error is None else None
