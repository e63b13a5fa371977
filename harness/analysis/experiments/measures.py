"""The paper's two measures with their intervals, over all tasks or those of one kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trainee_bench.harness.analysis.statistics.bootstrap import (
    Estimate,
    ScenarioTotal,
    bootstrap_mean,
)
from trainee_bench.harness.analysis.statistics.summary import TaskFilter
from trainee_bench.harness.records.results import EpisodeResult


@dataclass(frozen=True)
class SuccessAndScore:
    """The paper's two measures; both are None without a task.

    ``success`` is the share of tasks with every checkpoint and no harm (SR), ``score`` the mean
    over scenarios of the mean over their tasks (CS).
    """

    scenarios: int
    tasks: int
    success: Estimate | None
    score: Estimate | None


def measure_tasks(
    results: Sequence[EpisodeResult],
    keep: TaskFilter = lambda episode, task: True,
    name: str = "experiment",
) -> SuccessAndScore:
    """Return the measures over the graded tasks that *keep* accepts; ungraded tasks do not count as
    zero.

    *name* seeds the bootstrap: an agent's name gives the intervals of a run's own report.
    """
    scores: dict[str, list[ScenarioTotal]] = {}
    successes: dict[str, list[ScenarioTotal]] = {}
    for episode in sorted(results, key=lambda result: result.episode):
        kept = [t for t in episode.tasks if t.score is not None and keep(episode, t)]
        if kept:
            mean = sum(task.score or 0.0 for task in kept) / len(kept)
            succeeded = sum(task.success for task in kept)
            scores.setdefault(episode.scenario, []).append(ScenarioTotal(mean, 1))
            successes.setdefault(episode.scenario, []).append(ScenarioTotal(succeeded, len(kept)))
    counted = sum(unit.count for units in successes.values() for unit in units)
    return SuccessAndScore(
        scenarios=len(scores),
        tasks=counted,
        success=_estimated(successes, name, "success"),
        score=_estimated(scores, name, "score"),
    )


def measures_by_agent(
    results: Sequence[EpisodeResult], conditions: Sequence[TaskFilter]
) -> dict[str, list[SuccessAndScore]]:
    """Return for each agent, the best score first, the measures over the tasks of each
    condition."""
    return {
        agent: [measure_tasks(results_of_agent(results, agent), keep) for keep in conditions]
        for agent in agents_by_score(results)
    }


def _estimated(by_scenario: dict[str, list[ScenarioTotal]], *names: str) -> Estimate | None:
    units = [
        ScenarioTotal(
            sum(unit.total for unit in by_scenario[scenario]), sum(unit.count for unit in units)
        )
        for scenario, units in sorted(by_scenario.items())
    ]
    return bootstrap_mean(units, *names)


def agents_by_score(results: Sequence[EpisodeResult]) -> list[str]:
    """Return the agents, the best score first."""
    names = sorted({result.agent for result in results})
    scores = {name: measure_tasks(results_of_agent(results, name)).score for name in names}
    return sorted(names, key=lambda name: -(score.mean if (score := scores[name]) else -1))


def results_of_agent(results: Sequence[EpisodeResult], agent: str) -> list[EpisodeResult]:
    """Return the results of one agent."""
    return [result for result in results if result.agent == agent]
