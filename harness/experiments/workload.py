"""Table 3: how success and score fall as a day holds more tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.configuration import Asked
from harness.experiments import paper
from harness.experiments.conditions import conditions
from harness.experiments.experiment import Experiment, Found, history
from harness.experiments.figures import Measured, agents, measured, of
from harness.experiments.page import Figure, Page, Section
from harness.experiments.side_by_side import grids, score_lines, success_lines
from harness.plan import Plan
from harness.results import EpisodeResult
from meta_tasks.scenario import Scenario

_LEGEND = (
    "By the number of tasks in the day. SR: share of tasks with every checkpoint and no harm. CS: "
    "mean over scenarios of the mean over their tasks. In brackets after a number of tasks: of how "
    "many scenarios."
)


class Workload(Experiment):
    """The main experiment's results, by the number of tasks."""

    name = "workload"
    config = "core-50"
    any_run = True

    def plan(self, asked: Asked) -> Plan:
        """As in the main experiment; a quick look takes days of each size in turn."""
        plan = super().plan(replace(asked, limit=None))
        chosen = {scenario.name for scenario in _in_turn(plan.scenarios)[: asked.limit]}
        kept = tuple(scenario for scenario in plan.scenarios if scenario.name in chosen)
        return plan.model_copy(
            update={
                "scenarios": kept,
                "unbuilt": tuple(task for task in plan.unbuilt if task.scenario in chosen),
            }
        )

    def page(self, found: Found) -> Page:
        """Table 3 and its figure."""
        results = found.all
        names, sizes = agents(results), sorted({len(result.tasks) for result in results})
        cells = {name: [_of_size(results, name, size) for size in sizes] for name in names}
        most = [
            max((cells[name][place].scenarios for name in names), default=0)
            for place in range(len(sizes))
        ]
        titles = [f"{size} ({count})" for size, count in zip(sizes, most, strict=True)]
        ticks = [str(size) for size in sizes]
        score_chart = score_lines("CS by number of tasks", ticks, cells)
        success_chart = success_lines("SR by number of tasks", ticks, cells)
        here = Section(
            "Here",
            (
                *grids("tasks", titles, cells),
                _LEGEND,
                Figure("figure", "CS by number of tasks", score_chart),
                Figure("figure-success", "SR by number of tasks", success_chart),
            ),
        )
        past = history("Table 3", paper.WORKLOAD_HEADINGS, paper.WORKLOAD)
        title = "By number of tasks (the paper's Table 3)"
        return Page(title, (here, conditions(found), past))


def _of_size(results: Sequence[EpisodeResult], agent: str, size: int) -> Measured:
    return measured(of(results, agent), lambda episode, task: len(episode.tasks) == size)


def _in_turn(scenarios: Sequence[Scenario]) -> list[Scenario]:
    """*scenarios* so that the first few have days of as many sizes as there are."""
    seen: dict[int, int] = {}
    placed = []
    for scenario in scenarios:
        size = len(scenario.days[0].tasks)
        seen[size] = seen.get(size, 0) + 1
        placed.append((seen[size], size, scenario))
    return [scenario for _, _, scenario in sorted(placed, key=lambda item: item[:2])]
