"""The charts of a run: by agent, by number of tasks, by label, domain and family."""

from __future__ import annotations

from collections.abc import Sequence

from trainee_bench.harness.analysis.charts.charts import (
    SERIES_COLOURS,
    Series,
    bar_chart,
    line_chart,
)
from trainee_bench.harness.analysis.statistics.summary import AgentSummary, Breakdown

TASK_COUNT_BREAKDOWN = "tasks in the day"
"""The one property with an order: drawn as lines."""
_CALLED = {TASK_COUNT_BREAKDOWN: "number of tasks", "label": "difficulty"}


def run_charts(lines: Sequence[AgentSummary], breakdowns: Sequence[Breakdown]) -> list[str]:
    """The charts as inline SVG, best agents first; [] where nothing was graded.

    Beside the first chart, at most as many agents are shown as there are colours.
    """
    graded = [line for line in lines if line.score is not None]
    if not graded:
        return []
    overall = (
        Series("score", tuple(line.score for line in graded), hue=6),
        Series("success", tuple(line.success for line in graded), hue=5),
    )
    charts = [bar_chart("Score and success by agent", [line.agent for line in graded], overall)]
    agents = [line.agent for line in graded][:SERIES_COLOURS]
    for breakdown in breakdowns:
        groups = sorted(breakdown.cells, key=_in_order)
        series = [
            Series(agent, tuple(breakdown.cells[group][agent].score for group in groups))
            for agent in agents
        ]
        draw = (
            line_chart if breakdown.title == TASK_COUNT_BREAKDOWN and len(groups) > 1 else bar_chart
        )
        names = [group.replace("_", " ") for group in groups]
        title = _CALLED.get(breakdown.title, breakdown.title)
        charts.append(draw(f"Score by {title}", names, series))
    return charts


def omitted_note(lines: Sequence[AgentSummary]) -> str:
    """What the charts by kind leave out, "" if nothing."""
    graded = sum(line.score is not None for line in lines)
    if graded <= SERIES_COLOURS:
        return ""
    return f"By kind of work, the {SERIES_COLOURS} best of {graded} agents are drawn; the tables have all."


def _in_order(group: str) -> tuple[int, str]:
    return (int(group) if group.isdecimal() else 0, group)
