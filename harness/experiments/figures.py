"""The paper's two measures with their intervals, over all tasks or those of one kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness.report.bootstrap import Estimate, Unit, estimate
from harness.results import EpisodeResult, TaskResult

Keep = Callable[[EpisodeResult, TaskResult], bool]


@dataclass(frozen=True)
class Measured:
    """``success`` is the share of tasks with every checkpoint and no harm (SR), ``score`` the
    mean over scenarios of the mean over their tasks (CS); both None without a task."""

    scenarios: int
    tasks: int
    success: Estimate | None
    score: Estimate | None


def measured(
    results: Sequence[EpisodeResult],
    keep: Keep = lambda episode, task: True,
    name: str = "experiment",
) -> Measured:
    """The measures over the graded tasks that *keep* accepts; what was not graded is no zero.

    *name* names the draws of the intervals: an agent's gives those of a run's own report.
    """
    scores: dict[str, list[Unit]] = {}
    successes: dict[str, list[Unit]] = {}
    for episode in sorted(results, key=lambda result: result.episode):
        kept = [t for t in episode.tasks if t.score is not None and keep(episode, t)]
        if kept:
            mean = sum(task.score or 0.0 for task in kept) / len(kept)
            succeeded = sum(task.success for task in kept)
            scores.setdefault(episode.scenario, []).append(Unit(mean, 1))
            successes.setdefault(episode.scenario, []).append(Unit(succeeded, len(kept)))
    counted = sum(unit.count for units in successes.values() for unit in units)
    return Measured(
        scenarios=len(scores),
        tasks=counted,
        success=_estimated(successes, name, "success"),
        score=_estimated(scores, name, "score"),
    )


def _estimated(by_scenario: dict[str, list[Unit]], *names: str) -> Estimate | None:
    units = [
        Unit(sum(unit.total for unit in by_scenario[scenario]), sum(unit.count for unit in units))
        for scenario, units in sorted(by_scenario.items())
    ]
    return estimate(units, *names)


def agents(results: Sequence[EpisodeResult]) -> list[str]:
    """Who worked, the best score first."""
    names = sorted({result.agent for result in results})
    found = {name: measured(of(results, name)).score for name in names}
    return sorted(names, key=lambda name: -(score.mean if (score := found[name]) else -1))


def of(results: Sequence[EpisodeResult], agent: str) -> list[EpisodeResult]:
    """The results of one agent."""
    return [result for result in results if result.agent == agent]
