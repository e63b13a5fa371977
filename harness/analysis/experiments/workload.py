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
from trainee_bench.harness.analysis.experiments.conditions import conditions_section
from trainee_bench.harness.analysis.experiments.experiment import (
    Experiment,
    ExperimentResults,
    paper_section,
)
from trainee_bench.harness.analysis.experiments.measures import (
    SuccessAndScore,
    agents_by_score,
    measure_tasks,
    results_of_agent,
)
from trainee_bench.harness.analysis.experiments.page import ExperimentPage, PageFigure, PageSection
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.meta_tasks.scenario import Scenario

_LEGEND = (
    "By the number of tasks in the day. SR: share of tasks with every checkpoint and no harm. CS: "
    "mean over scenarios of the mean over their tasks. In brackets after a number of tasks: of how "
    "many scenarios."
)


class WorkloadExperiment(Experiment):
    """The main experiment's results, by the number of tasks."""

    name = "workload"
    config = "core-50"
    any_run = True

    def plan(self, options: RunOptions) -> RunPlan:
        """As in the main experiment; a quick look takes days of each size in turn."""
        plan = super().plan(replace(options, limit=None))
        chosen = {scenario.name for scenario in _in_turn(plan.scenarios)[: options.limit]}
        kept = tuple(scenario for scenario in plan.scenarios if scenario.name in chosen)
        return plan.model_copy(
            update={
                "scenarios": kept,
                "unbuilt": tuple(task for task in plan.unbuilt if task.scenario in chosen),
            }
        )

    def page(self, found: ExperimentResults) -> ExperimentPage:
        """Table 3 and its figure."""
        results = found.all
        names, sizes = agents_by_score(results), sorted({len(result.tasks) for result in results})
        cells = {name: [_of_size(results, name, size) for size in sizes] for name in names}
        most = [
            max((cells[name][place].scenarios for name in names), default=0)
            for place in range(len(sizes))
        ]
        titles = [f"{size} ({count})" for size, count in zip(sizes, most, strict=True)]
        ticks = [str(size) for size in sizes]
        score_chart = score_line_chart("CS by number of tasks", ticks, cells)
        success_chart = success_line_chart("SR by number of tasks", ticks, cells)
        here = PageSection(
            "Here",
            (
                *agent_grids("tasks", titles, cells),
                _LEGEND,
                PageFigure("figure", "CS by number of tasks", score_chart),
                PageFigure("figure-success", "SR by number of tasks", success_chart),
            ),
        )
        past = paper_section("Table 3", paper.WORKLOAD_HEADINGS, paper.WORKLOAD)
        title = "By number of tasks (the paper's Table 3)"
        return ExperimentPage(title, (here, conditions_section(found), past))


def _of_size(results: Sequence[EpisodeResult], agent: str, size: int) -> SuccessAndScore:
    return measure_tasks(
        results_of_agent(results, agent), lambda episode, task: len(episode.tasks) == size
    )


def _in_turn(scenarios: Sequence[Scenario]) -> list[Scenario]:
    """*scenarios* so that the first few have days of as many sizes as there are."""
    seen: dict[int, int] = {}
    placed = []
    for scenario in scenarios:
        size = len(scenario.days[0].tasks)
        seen[size] = seen.get(size, 0) + 1
        placed.append((seen[size], size, scenario))
    return [scenario for _, _, scenario in sorted(placed, key=lambda item: item[:2])]
