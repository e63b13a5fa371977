"""The charts of a run: by agent, and by kind of task."""

from __future__ import annotations

from collections.abc import Sequence

from trainee_bench.harness.analysis.charts.charts import (
    SERIES_COLOURS,
    Series,
    bar_chart,
    line_chart,
)
from trainee_bench.harness.analysis.report.summary_grids import property_name
from trainee_bench.harness.analysis.statistics.summary import AgentSummary, Breakdown
from trainee_bench.harness.documents.document import Chart

ORDERED_PROPERTY = "tasks in the day"
"""The one property whose groups have an order: its chart has lines."""


def run_charts(
    summaries: Sequence[AgentSummary], breakdowns: Sequence[Breakdown]
) -> tuple[Chart, ...]:
    """The charts, best agents first; () where nothing was graded.

    All agents are in the first chart, in the others at most as many as there are colours.
    """
    graded = [one for one in summaries if one.score is not None]
    if not graded:
        return ()
    series = (
        Series("score", tuple(one.score for one in graded), hue=1),
        Series("success", tuple(one.success for one in graded), hue=3),
    )
    title = "Score and success by agent"
    svg = bar_chart(title, [one.agent for one in graded], series)
    agents = [one.agent for one in graded][:SERIES_COLOURS]
    return (Chart("agents", title, svg), *(_breakdown_chart(one, agents) for one in breakdowns))


def omitted_note(summaries: Sequence[AgentSummary]) -> str:
    """Which agents the charts leave out, "" if none."""
    graded = sum(one.score is not None for one in summaries)
    if graded <= SERIES_COLOURS:
        return ""
    return (
        f"Charts by kind of task show the {SERIES_COLOURS} best of {graded} agents; the tables "
        "show all."
    )


def _breakdown_chart(breakdown: Breakdown, agents: Sequence[str]) -> Chart:
    """The score of *agents* by the property that *breakdown* goes by."""
    groups = sorted(breakdown.cells, key=_group_order)
    series = [
        Series(agent, tuple(breakdown.cells[group][agent].score for group in groups))
        for agent in agents
    ]
    ordered = breakdown.title == ORDERED_PROPERTY and len(groups) > 1
    title = f"Score by {property_name(breakdown)}"
    names = [group.replace("_", " ") for group in groups]
    svg = (line_chart if ordered else bar_chart)(title, names, series)
    return Chart(f"by-{property_name(breakdown).replace(' ', '-')}", title, svg)


def _group_order(group: str) -> tuple[int, str]:
    return (int(group) if group.isdecimal() else 0, group)
