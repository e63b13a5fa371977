"""Table 4: easy tasks and hard ones."""

from __future__ import annotations

from harness.experiments import paper
from harness.experiments.conditions import conditions
from harness.experiments.experiment import Experiment, Found, history
from harness.experiments.figures import Measured, agents, measured, of
from harness.experiments.page import Figure, Page, Section
from harness.report.charts import Series, bar_chart
from harness.report.table import Grid, shown

LABELS = ("easy", "hard")
_LEGEND = (
    "Over the tasks of that label alone. SR: share of tasks with every checkpoint and no harm. "
    "CS: mean over scenarios of the mean over such tasks in them."
)


class Difficulty(Experiment):
    """The main experiment's results, by the label of the rules."""

    name = "difficulty"
    config = "core-50"
    any_run = True

    def page(self, found: Found) -> Page:
        """Table 4 and its figure."""
        results = found.all
        names = agents(results)
        cells = {(name, label): _labelled(found, name, label) for name in names for label in LABELS}
        rows = [
            [
                name,
                *(
                    shown(part)
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
        here = Section(
            "Here",
            (
                Grid(paper.DIFFICULTY_HEADINGS, rows),
                f"{_LEGEND} {counted}",
                Figure("figure", "CS of easy and hard tasks", chart),
            ),
        )
        past = history("Table 4", paper.DIFFICULTY_HEADINGS, paper.DIFFICULTY)
        return Page("Easy and hard (the paper's Table 4)", (here, conditions(found), past))


def _labelled(found: Found, agent: str, label: str) -> Measured:
    return measured(of(found.all, agent), lambda episode, task: task.label == label)
