"""Table 3: how success and score fall as a day holds more tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trainee_bench.harness.analysis.experiments import paper
from trainee_bench.harness.analysis.experiments.agent_charts import (
    agent_grids,
    score_line_chart,
    success_line_chart,
)
from trainee_bench.harness.analysis.experiments.conditions import (
    conditions_section,
    schedules_by_condition,
)
from trainee_bench.harness.analysis.experiments.experiment import (
    Experiment,
    ExperimentResults,
    experiment_document,
    paper_section,
    result_section,
)
from trainee_bench.harness.analysis.experiments.measures import (
    agents_by_score,
    measures_by_agent,
    results_of_agent,
)
from trainee_bench.harness.analysis.statistics.summary import TaskFilter
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.documents.document import Document
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.meta_tasks.scenario import Scenario

_LEGEND = (
    "Columns: the number of tasks in a day, with the number of scenarios in brackets. SR: share of "
    "tasks with every checkpoint passed and no harm done. CS: mean over scenarios of the mean "
    "score of their tasks."
)


class WorkloadExperiment(Experiment):
    """The main experiment's results, by the number of tasks."""

    name = "workload"
    config = "core-50"
    any_run = True

    def plan(self, options: RunOptions) -> RunPlan:
        """Plan the main experiment's run; a limit takes days of each size in turn."""
        plan = super().plan(replace(options, limit=None))
        chosen = {scenario.name for scenario in _in_turn(plan.scenarios)[: options.limit]}
        kept = tuple(scenario for scenario in plan.scenarios if scenario.name in chosen)
        return plan.model_copy(
            update={
                "scenarios": kept,
                "unsupported": tuple(task for task in plan.unsupported if task.scenario in chosen),
            }
        )

    def page(self, results: ExperimentResults) -> Document:
        """Return Table 3 and its charts."""
        sizes = sorted({len(result.tasks) for result in results.all})
        cells = measures_by_agent(results.all, [_of_size(size) for size in sizes])
        scenarios = [
            max((row[place].scenarios for row in cells.values()), default=0)
            for place in range(len(sizes))
        ]
        titles = [f"{size} ({count})" for size, count in zip(sizes, scenarios, strict=True)]
        ticks = [str(size) for size in sizes]
        return experiment_document(
            "By number of tasks (the paper's Table 3)",
            result_section(
                agent_grids("tasks", titles, cells),
                _LEGEND,
                score_line_chart("CS by number of tasks", ticks, cells),
                success_line_chart("SR by number of tasks", ticks, cells),
            ),
            *schedules_by_condition(_by_agent_and_size(results.all, sizes)),
            conditions_section(results),
            paper_section("Table 3", paper.WORKLOAD_HEADINGS, paper.WORKLOAD),
        )


def _of_size(size: int) -> TaskFilter:
    return lambda episode, task: len(episode.tasks) == size


def _by_agent_and_size(
    results: Sequence[EpisodeResult], sizes: Sequence[int]
) -> dict[str, list[EpisodeResult]]:
    """Return the results by agent and number of tasks, the agent with the best score first."""
    return {
        f"{agent}, {pluralize(size, 'task')}": [
            result for result in results_of_agent(results, agent) if len(result.tasks) == size
        ]
        for agent in agents_by_score(results)
        for size in sizes
    }


def _in_turn(scenarios: Sequence[Scenario]) -> list[Scenario]:
    """Return *scenarios* in an order that begins with as many different sizes as possible."""
    seen: dict[int, int] = {}
    placed = []
    for scenario in scenarios:
        size = len(scenario.days[0].tasks)
        seen[size] = seen.get(size, 0) + 1
        placed.append((seen[size], size, scenario))
    return [scenario for _, _, scenario in sorted(placed, key=lambda item: item[:2])]
