"""Charts and grids of experiments: by agent and number of hints or tasks, and over weeks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trainee_bench.harness.analysis.charts.charts import Series, line_chart
from trainee_bench.harness.analysis.experiments.measures import SuccessAndScore
from trainee_bench.harness.analysis.statistics.bootstrap import Estimate, format_estimate
from trainee_bench.harness.documents.document import Chart, Grid
from trainee_bench.harness.records.plan import MemoryMode

MeasuresByAgent = Mapping[str, Sequence[SuccessAndScore]]
"""The measures of each agent under each condition."""


def agent_grids(by: str, titles: Sequence[str], cells: MeasuresByAgent) -> tuple[Grid, Grid]:
    """Return CS and SR of each agent under the conditions named *titles*."""
    scores = [[name, *(format_estimate(cell.score) for cell in row)] for name, row in cells.items()]
    successes = [
        [name, *(format_estimate(cell.success) for cell in row)] for name, row in cells.items()
    ]
    return (
        Grid.from_rows([f"CS by {by}", *titles], scores),
        Grid.from_rows([f"SR by {by}", *titles], successes),
    )


def score_line_chart(title: str, conditions: Sequence[str], cells: MeasuresByAgent) -> Chart:
    """Draw a line of CS for each agent."""
    series = [Series(name, tuple(cell.score for cell in row)) for name, row in cells.items()]
    return Chart("figure", title, line_chart(title, conditions, series))


def success_line_chart(title: str, conditions: Sequence[str], cells: MeasuresByAgent) -> Chart:
    """Draw a line of SR for each agent."""
    series = [Series(name, tuple(cell.success for cell in row)) for name, row in cells.items()]
    return Chart("figure-success", title, line_chart(title, conditions, series))


EstimatesByAgent = Mapping[str, Sequence[Estimate | None]]
_LEAST_REACH = 0.2


def gain_chart(days: Sequence[str], gains: EstimatesByAgent) -> Chart:
    """Draw the gain of each agent on each day."""
    title = "Gain by day: memory on minus wiped"
    short = [day[:3] for day in days]
    return Chart("figure", title, _differences(title, short, gains))


def forgetting_chart(nights: Sequence[str], gains: EstimatesByAgent) -> Chart:
    """Draw the gain of each agent on known rules, by the days since the agent met them."""
    title = "Gain on known rules, by days since they were met"
    return Chart("figure-forgetting", title, _differences(title, nights, gains))


def policy_charts(
    days: Sequence[str], followed: Mapping[MemoryMode, EstimatesByAgent]
) -> tuple[Chart, ...]:
    """Draw how often each agent followed the policy in force, for each treatment of memory."""
    charts = []
    for mode, shares in followed.items():
        title = f"Policy followed around its change, memory {mode}"
        series = [Series(name, tuple(values)) for name, values in shares.items()]
        charts.append(Chart(f"figure-policy-{mode}", title, line_chart(title, days, series)))
    return tuple(charts)


def _differences(title: str, categories: Sequence[str], values: EstimatesByAgent) -> str:
    """Draw a line for each agent, on an axis that reaches as far above 0 as below."""
    known = [estimate for own in values.values() for estimate in own if estimate is not None]
    ends = [
        abs(end)
        for estimate in known
        for end in (estimate.mean, estimate.low or 0, estimate.high or 0)
    ]
    reach = max(_LEAST_REACH, *ends) if ends else _LEAST_REACH
    series = [Series(name, tuple(own)) for name, own in values.items()]
    return line_chart(title, categories, series, top=reach, bottom=-reach)
