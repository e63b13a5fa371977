"""Agents side by side under several conditions: tiers of hints, numbers of tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trainee_bench.harness.analysis.charts.charts import Series, line_chart
from trainee_bench.harness.analysis.experiments.measures import SuccessAndScore
from trainee_bench.harness.analysis.statistics.bootstrap import format_estimate
from trainee_bench.harness.documents.document import Chart, Grid

MeasuresByAgent = Mapping[str, Sequence[SuccessAndScore]]
"""The measures of each agent under each condition."""


def agent_grids(by: str, titles: Sequence[str], cells: MeasuresByAgent) -> tuple[Grid, Grid]:
    """CS and SR of each agent under the conditions named *titles*."""
    scores = [[name, *(format_estimate(cell.score) for cell in row)] for name, row in cells.items()]
    successes = [
        [name, *(format_estimate(cell.success) for cell in row)] for name, row in cells.items()
    ]
    return (
        Grid.from_rows([f"CS by {by}", *titles], scores),
        Grid.from_rows([f"SR by {by}", *titles], successes),
    )


def score_line_chart(title: str, conditions: Sequence[str], cells: MeasuresByAgent) -> Chart:
    """A line of CS for each agent."""
    series = [Series(name, tuple(cell.score for cell in row)) for name, row in cells.items()]
    return Chart("figure", title, line_chart(title, conditions, series))


def success_line_chart(title: str, conditions: Sequence[str], cells: MeasuresByAgent) -> Chart:
    """A line of SR for each agent."""
    series = [Series(name, tuple(cell.success for cell in row)) for name, row in cells.items()]
    return Chart("figure-success", title, line_chart(title, conditions, series))
