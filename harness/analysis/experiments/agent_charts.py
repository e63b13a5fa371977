"""Agents side by side, measured in several places: under tiers of hints, by numbers of tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trainee_bench.harness.analysis.charts.charts import Series, line_chart
from trainee_bench.harness.analysis.experiments.measures import SuccessAndScore
from trainee_bench.harness.analysis.report.table import Grid, format_estimate

MeasuresByAgent = Mapping[str, Sequence[SuccessAndScore]]
"""What was measured of each agent in each place."""


def agent_grids(by: str, titles: Sequence[str], cells: MeasuresByAgent) -> tuple[Grid, Grid]:
    """CS and SR of each agent in the places called *titles*."""
    scores = [[name, *(format_estimate(cell.score) for cell in row)] for name, row in cells.items()]
    successes = [
        [name, *(format_estimate(cell.success) for cell in row)] for name, row in cells.items()
    ]
    return Grid([f"CS by {by}", *titles], scores), Grid([f"SR by {by}", *titles], successes)


def score_line_chart(title: str, places: Sequence[str], cells: MeasuresByAgent) -> str:
    """A line of CS for each agent, as SVG."""
    series = [
        Series(name, tuple(cell.score for cell in measured)) for name, measured in cells.items()
    ]
    return line_chart(title, places, series)


def success_line_chart(title: str, places: Sequence[str], cells: MeasuresByAgent) -> str:
    """A line of SR for each agent, as SVG."""
    series = [
        Series(name, tuple(cell.success for cell in measured)) for name, measured in cells.items()
    ]
    return line_chart(title, places, series)
