"""Table 4: easy and hard tasks."""

from __future__ import annotations

from trainee_bench.harness.analysis.charts.charts import Series, bar_chart
from trainee_bench.harness.analysis.experiments import paper
from trainee_bench.harness.analysis.experiments.conditions import (
    conditions_section,
    scheduling_sections,
)
from trainee_bench.harness.analysis.experiments.experiment import (
    Experiment,
    ExperimentResults,
    experiment_document,
    paper_section,
    result_section,
)
from trainee_bench.harness.analysis.experiments.measures import measures_by_agent
from trainee_bench.harness.analysis.statistics.bootstrap import format_estimate
from trainee_bench.harness.analysis.statistics.summary import TaskFilter
from trainee_bench.harness.documents.document import Chart, Document, Grid
from trainee_bench.harness.documents.formatting import pluralize

LABELS = ("easy", "hard")
_LEGEND = (
    "Only tasks of that difficulty count. SR: share of tasks with every checkpoint passed and no "
    "harm done. CS: mean over scenarios of the mean score of such tasks."
)


class DifficultyExperiment(Experiment):
    """The main experiment's results, by the difficulty of the tasks."""

    name = "difficulty"
    config = "core-50"
    any_run = True

    def page(self, results: ExperimentResults) -> Document:
        """Return Table 4 and its chart."""
        cells = measures_by_agent(results.all, [_labelled(label) for label in LABELS])
        rows = [
            [
                name,
                *(
                    format_estimate(part)
                    for measured in row
                    for part in (measured.success, measured.score)
                ),
            ]
            for name, row in cells.items()
        ]
        counts = " ".join(
            f"{label.capitalize()}: at most "
            f"{pluralize(max((row[place].tasks for row in cells.values()), default=0), 'task')} "
            "per model."
            for place, label in enumerate(LABELS)
        )
        title = "CS of easy and hard tasks"
        series = [
            Series(label, tuple(row[place].score for row in cells.values()))
            for place, label in enumerate(LABELS)
        ]
        chart = Chart("figure", title, bar_chart(title, list(cells), series))
        grid = Grid.from_rows(paper.DIFFICULTY_HEADINGS, rows)
        return experiment_document(
            "Easy and hard tasks (the paper's Table 4)",
            result_section([grid], f"{_LEGEND} {counts}", chart),
            *scheduling_sections(results),
            conditions_section(results),
            paper_section("Table 4", paper.DIFFICULTY_HEADINGS, paper.DIFFICULTY),
        )


def _labelled(label: str) -> TaskFilter:
    return lambda episode, task: task.label == label
