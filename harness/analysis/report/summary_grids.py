"""The tables of a run's main figures: by agent, and by kind of task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from trainee_bench.harness.analysis.statistics.bootstrap import format_estimate
from trainee_bench.harness.analysis.statistics.summary import (
    BROKEN_AS_0,
    BROKEN_AS_0_MEANS,
    AgentSummary,
    Breakdown,
)
from trainee_bench.harness.documents.document import FILES, Column, Grid
from trainee_bench.harness.documents.formatting import (
    NO_VALUE,
    UNKNOWN,
    format_count,
    format_number,
)

INTERVAL_NOTE = "In brackets: 95 % bootstrap confidence interval over scenarios."
PROPERTY_NAMES = {"tasks in the day": "number of tasks", "label": "difficulty"}
"""What readers call the properties that `breakdowns` names otherwise."""


def summary_grid(summaries: Sequence[AgentSummary]) -> Grid:
    """The main table: a row per agent; columns without any value are left out.

    A column that tells the reader of a terminal nothing is left to the files.
    """
    telling = [_TELLING.get(column.title, bool) for column, _ in _COLUMNS]
    columns = [
        (column if any(map(tells, summaries)) else replace(column, media=FILES), cell)
        for tells, (column, cell) in zip(telling, _COLUMNS, strict=True)
    ]
    cells = [(column, [cell(summary) for summary in summaries]) for column, cell in columns]
    return Grid.from_columns(cells, always=("complete", "score", BROKEN_AS_0, "success"))


def interval_note(summaries: Sequence[AgentSummary]) -> str:
    """What brackets in the main table mean, "" where no mean has an interval."""
    means = [
        mean
        for one in summaries
        for mean in (one.complete, one.score, one.broken_as_0, one.success)
        if mean is not None
    ]
    return INTERVAL_NOTE if any(mean.low != mean.high for mean in means) else ""


def breakdown_grid(breakdown: Breakdown) -> Grid:
    """For each group of tasks the score and success of each agent."""
    rows = []
    for group, by_agent in breakdown.cells.items():
        tasks = max((cell.tasks for cell in by_agent.values()), default=0)
        cells = [by_agent[agent] for agent in breakdown.agents]
        figures = (
            f"{format_estimate(cell.score)} / "
            f"{format_number(cell.success.mean if cell.success else None)}"
            for cell in cells
        )
        rows.append([group, str(tasks), *figures])
    return Grid.from_rows([property_name(breakdown), "tasks", *breakdown.agents], rows)


def property_name(breakdown: Breakdown) -> str:
    """What *breakdown* goes by, in the reader's words."""
    return PROPERTY_NAMES.get(breakdown.title, breakdown.title)


def _cost(summary: AgentSummary) -> str:
    if summary.cost_usd is None and summary.tokens is not None:
        return UNKNOWN
    return format_number(summary.cost_usd)


def _pass_all(summary: AgentSummary) -> str:
    """pass^k with its k, which may differ between agents."""
    if summary.pass_all is None:
        return NO_VALUE
    return f"{summary.pass_all:.2f} (k = {summary.attempts})"


_COLUMNS: tuple[tuple[Column, Callable[[AgentSummary], str]], ...] = (
    (Column("agent"), lambda one: one.agent),
    (
        Column(
            "complete",
            "share of days or weeks of which every task was a success or, where there is more work "
            "than hours, as much worth of them as possible, without harm",
        ),
        lambda one: format_estimate(one.complete),
    ),
    (
        Column(
            "score",
            "weighted share of passed checkpoints, averaged over a day's tasks, then over days; "
            "where there is more work than hours, the worth of what is complete and submitted over "
            "the best possible",
        ),
        lambda one: format_estimate(one.score),
    ),
    (Column(BROKEN_AS_0, BROKEN_AS_0_MEANS), lambda one: format_estimate(one.broken_as_0)),
    (
        Column(
            "success",
            "share of tasks with every checkpoint passed and no harm done; of all tasks, also "
            "where there is more work than hours",
        ),
        lambda one: format_estimate(one.success),
    ),
    (
        Column("by family", "mean score of each task family, averaged over families", FILES),
        lambda one: format_number(one.family_score),
    ),
    (Column("steps", "agent turns per episode"), lambda one: f"{one.steps:.1f}"),
    (Column("calls", "tool calls per episode"), lambda one: f"{one.tool_calls:.1f}"),
    (
        Column("on time", "share of tasks submitted by their deadline", FILES),
        lambda one: format_number(one.submitted),
    ),
    (
        Column("minutes late", "mean simulated minutes between deadline and submission", FILES),
        lambda one: format_number(one.late_minutes, 0),
    ),
    (
        Column("tokens", "total over all episodes; unknown where the model reports none"),
        lambda one: format_number(one.tokens, 0),
    ),
    (
        Column("cost $", "total over all episodes; unknown where the model's price is not listed"),
        _cost,
    ),
    (Column("pass^k", "chance that k attempts at the same task all succeed"), _pass_all),
    (
        Column("coverage", "share of tasks that could be graded; only these enter the figures"),
        lambda one: f"{one.coverage:.2f}",
    ),
    (Column("episodes"), lambda one: str(one.episodes)),
    (
        Column("not graded", "episodes with a task that could not be graded"),
        lambda one: format_count(one.broken),
    ),
    (
        Column("agent errors", "episodes ended by an exception in the agent; graded as they were"),
        lambda one: format_count(one.agent_errors),
    ),
    (
        Column("at limit", "episodes ended by a limit; graded as they were"),
        lambda one: format_count(one.limited),
    ),
)

_TELLING: Mapping[str, Callable[[AgentSummary], bool]] = {
    BROKEN_AS_0: lambda one: one.broken_as_0 != one.score,
    "calls": lambda one: one.tool_calls != one.steps,
    "tokens": lambda one: one.tokens is not None and one.cost_usd != 0,
    "cost $": lambda one: one.tokens is not None and one.cost_usd != 0,
    "coverage": lambda one: one.coverage < 1,
}
"""When the figure of an agent says anything that no other column of its row says. A scripted model
costs nothing, and its tokens are nobody's concern."""
