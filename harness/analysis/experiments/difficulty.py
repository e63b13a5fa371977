"""Table 4: easy tasks and hard ones."""

from __future__ import annotations

from trainee_bench.harness.analysis.charts.charts import Series, bar_chart
from trainee_bench.harness.analysis.experiments import paper
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
from trainee_bench.harness.analysis.report.table import Grid, format_estimate

LABELS = ("easy", "hard")
_LEGEND = (
    "Over the tasks of that label alone. SR: share of tasks with every checkpoint and no harm. "
    "CS: mean over scenarios of the mean over such tasks in them."
)


class DifficultyExperiment(Experiment):
    """The main experiment's results, by the label of the rules."""

    name = "difficulty"
    config = "core-50"
    any_run = True

    def page(self, found: ExperimentResults) -> ExperimentPage:
        """Table 4 and its figure."""
        results = found.all
        names = agents_by_score(results)
        cells = {(name, label): _labelled(found, name, label) for name in names for label in LABELS}
        rows = [
            [
                name,
                *(
                    format_estimate(part)
                    for label in LABELS
                    for part in (cells[name, label].success, cells[name, label].score)
                ),
            ]
            for name in names
        ]
        counts = [max((cells[name, label].tasks for name in names), default=0) for label in LABELS]
        counted = " ".join(
            f"{label.capitalize()}: {count} tasks worked by each at most."
            for label, count in zip(LABELS, counts, strict=True)
        )
        chart = bar_chart(
            "CS of easy and hard tasks",
            names,
            [Series(label, tuple(cells[name, label].score for name in names)) for label in LABELS],
        )
        here = PageSection(
            "Here",
            (
                Grid(paper.DIFFICULTY_HEADINGS, rows),
                f"{_LEGEND} {counted}",
                PageFigure("figure", "CS of easy and hard tasks", chart),
            ),
        )
        past = paper_section("Table 4", paper.DIFFICULTY_HEADINGS, paper.DIFFICULTY)
        return ExperimentPage(
            "Easy and hard (the paper's Table 4)", (here, conditions_section(found), past)
        )


def _labelled(found: ExperimentResults, agent: str, label: str) -> SuccessAndScore:
    return measure_tasks(
        results_of_agent(found.all, agent), lambda episode, task: task.label == label
    )
