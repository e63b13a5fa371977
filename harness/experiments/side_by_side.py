"""Agents side by side, measured in several places: under tiers of hints, by numbers of tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.experiments.figures import Measured
from harness.report.charts import Series, line_chart
from harness.report.table import Grid, shown

Cells = Mapping[str, Sequence[Measured]]
"""What was measured of each agent in each place."""


def grids(by: str, titles: Sequence[str], cells: Cells) -> tuple[Grid, Grid]:
    """CS and SR of each agent in the places called *titles*."""
    scores = [[name, *(shown(cell.score) for cell in row)] for name, row in cells.items()]
    successes = [[name, *(shown(cell.success) for cell in row)] for name, row in cells.items()]
    return Grid([f"CS by {by}", *titles], scores), Grid([f"SR by {by}", *titles], successes)


def score_lines(title: str, places: Sequence[str], cells: Cells) -> str:
    """A line of CS for each agent, as SVG."""
    series = [
        Series(name, tuple(cell.score for cell in measured)) for name, measured in cells.items()
    ]
    return line_chart(title, places, series)


def success_lines(title: str, places: Sequence[str], cells: Cells) -> str:
    """A line of SR for each agent, as SVG."""
    series = [
        Series(name, tuple(cell.success for cell in measured)) for name, measured in cells.items()
    ]
    return line_chart(title, places, series)
