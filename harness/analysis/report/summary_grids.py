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
"""Readers' names for properties that `breakdowns` names differently."""


def summary_grid(summaries: Sequence[AgentSummary]) -> Grid:
    """Return the main table: a row per agent, without empty columns.

    Columns that tell a terminal's reader nothing appear only in files.
    """
    telling = [_TELLING.get(column.title, bool) for column, _ in _COLUMNS]
    columns = [
        (column if any(map(tells, summaries)) else replace(column, media=FILES), cell)
        for tells, (column, cell) in zip(telling, _COLUMNS, strict=True)
    ]
    cells = [(column, [cell(summary) for summary in summaries]) for column, cell in columns]
    return Grid.from_columns(cells, always=("complete", "score", BROKEN_AS_0, "success"))


def interval_note(summaries: Sequence[AgentSummary]) -> str:
    """Explain the brackets in the main table, "" if no mean has an interval."""
    means = [
        mean
        for summary in summaries
        for mean in (summary.complete, summary.score, summary.broken_as_0, summary.success)
        if mean is not None
    ]
    return INTERVAL_NOTE if any(mean.low != mean.high for mean in means) else ""


def breakdown_grid(breakdown: Breakdown) -> Grid:
    """Return for each group of tasks the score and success of each agent."""
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
    """Return the property of *breakdown*, in the reader's words."""
    return PROPERTY_NAMES.get(breakdown.title, breakdown.title)


def _cost(summary: AgentSummary) -> str:
    if summary.cost_usd is None and summary.tokens is not None:
        return UNKNOWN
    return format_number(summary.cost_usd)


def _pass_all(summary: AgentSummary) -> str:
    """Return pass^k with its k, which may differ between agents."""
    if summary.pass_all is None:
        return NO_VALUE
    return f"{summary.pass_all:.2f} (k = {summary.attempts})"


_COLUMNS: tuple[tuple[Column, Callable[[AgentSummary], str]], ...] = (
    (Column("agent"), lambda agent: agent.agent),
    (
        Column(
            "complete",
            "share of days or weeks with every task a success, without harm; with more work than "
            "hours, a day is complete if it reached the best possible worth",
        ),
        lambda agent: format_estimate(agent.complete),
    ),
    (
        Column(
            "score",
            "weighted share of passed checkpoints, averaged over a day's tasks, then over days; "
            "with more work than hours, the worth of complete, submitted tasks over the best "
            "possible worth",
        ),
        lambda agent: format_estimate(agent.score),
    ),
    (Column(BROKEN_AS_0, BROKEN_AS_0_MEANS), lambda agent: format_estimate(agent.broken_as_0)),
    (
        Column(
            "success",
            "share of tasks with every checkpoint passed and no harm done; all tasks count, even "
            "with more work than hours",
        ),
        lambda agent: format_estimate(agent.success),
    ),
    (
        Column("by family", "mean score of each task family, averaged over families", FILES),
        lambda agent: format_number(agent.family_score),
    ),
    (Column("steps", "agent turns per episode"), lambda agent: f"{agent.steps:.1f}"),
    (Column("calls", "tool calls per episode"), lambda agent: f"{agent.tool_calls:.1f}"),
    (
        Column("on time", "share of tasks submitted by their deadline", FILES),
        lambda agent: format_number(agent.submitted),
    ),
    (
        Column("minutes late", "mean simulated minutes between deadline and submission", FILES),
        lambda agent: format_number(agent.late_minutes, 0),
    ),
    (
        Column("tokens", "total over all episodes; unknown if the model reports none"),
        lambda agent: format_number(agent.tokens, 0),
    ),
    (
        Column("cost $", "total over all episodes; unknown if the model's price is not listed"),
        _cost,
    ),
    (
        Column(
            "task pass^k",
            "chance that k attempts at the same task all succeed; mean over tasks with k graded "
            "attempts",
        ),
        _pass_all,
    ),
    (
        Column("coverage", "share of tasks that could be graded; the figures include only these"),
        lambda agent: f"{agent.coverage:.2f}",
    ),
    (Column("episodes"), lambda agent: str(agent.episodes)),
    (
        Column("not graded", "episodes with a task that could not be graded"),
        lambda agent: format_count(agent.broken),
    ),
    (
        Column("agent errors", "episodes ended by an exception in the agent; graded as they were"),
        lambda agent: format_count(agent.agent_errors),
    ),
    (
        Column("at limit", "episodes ended by a limit; graded as they were"),
        lambda agent: format_count(agent.limited),
    ),
)

_TELLING: Mapping[str, Callable[[AgentSummary], bool]] = {
    BROKEN_AS_0: lambda agent: agent.broken_as_0 != agent.score,
    "calls": lambda agent: agent.tool_calls != agent.steps,
    "tokens": lambda agent: agent.tokens is not None and agent.cost_usd != 0,
    "cost $": lambda agent: agent.tokens is not None and agent.cost_usd != 0,
    "coverage": lambda agent: agent.coverage < 1,
}
"""Conditions under which an agent's figure says more than the other columns of its row.

A scripted model costs nothing, so its tokens matter to nobody.
"""
