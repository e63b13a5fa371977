"""The result table: the same cells for the terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.box import SIMPLE
from rich.console import JustifyMethod
from rich.markup import escape
from rich.table import Table

from trainee_bench.harness.analysis.report.terms import INTERVAL_NOTE
from trainee_bench.harness.analysis.statistics.bootstrap import Estimate
from trainee_bench.harness.analysis.statistics.summary import AgentSummary, Breakdown

NO_VALUE = "–"
UNKNOWN = "unknown"
_ALWAYS = ("score", "success")
_REPORT_ONLY = ("by family", "submitted", "late min")


@dataclass(frozen=True)
class Grid:
    """A table of plain words: headings, and rows of as many cells."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


def summary_cells(lines: Sequence[AgentSummary]) -> tuple[list[str], list[list[str]]]:
    """Headings and rows of the main table; columns that say nothing here are left out."""
    columns: list[tuple[str, list[str]]] = [
        ("agent", [line.agent for line in lines]),
        ("score", [format_estimate(line.score) for line in lines]),
        ("success", [format_estimate(line.success) for line in lines]),
        ("by family", [format_number(line.family_score) for line in lines]),
        ("steps", [f"{line.steps:.1f}" for line in lines]),
        ("calls", [f"{line.tool_calls:.1f}" for line in lines]),
        ("submitted", [format_number(line.submitted) for line in lines]),
        ("late min", [format_number(line.late_minutes, 0) for line in lines]),
        ("tokens", [format_number(line.tokens, 0) for line in lines]),
        ("cost $", [_cost(line) for line in lines]),
        ("pass^k", [_power(line) for line in lines]),
        ("coverage", [f"{line.coverage:.2f}" for line in lines]),
        ("episodes", [str(line.episodes) for line in lines]),
        ("broken", [str(line.broken) if line.broken else NO_VALUE for line in lines]),
        (
            "own errors",
            [str(line.agent_errors) if line.agent_errors else NO_VALUE for line in lines],
        ),
        ("at limit", [str(line.limited) if line.limited else NO_VALUE for line in lines]),
    ]
    kept = [
        (name, values)
        for name, values in columns
        if name in _ALWAYS or any(value != NO_VALUE for value in values)
    ]
    return [name for name, _ in kept], [
        list(row) for row in zip(*(v for _, v in kept), strict=True)
    ]


def _cost(line: AgentSummary) -> str:
    """What was spent, where all prices are known."""
    if line.cost_usd is None and line.tokens is not None:
        return UNKNOWN
    return format_number(line.cost_usd)


def _power(line: AgentSummary) -> str:
    """pass^k with its k, which need not be the same for all."""
    return NO_VALUE if line.pass_all is None else f"{line.pass_all:.2f} (k = {line.attempts})"


def breakdown_cells(breakdown: Breakdown) -> tuple[list[str], list[list[str]]]:
    """Headings and rows of a breakdown: for each agent score and success."""
    headings = [breakdown.title, "tasks", *breakdown.agents]
    rows = []
    for group, by_agent in breakdown.cells.items():
        tasks = max((cell.tasks for cell in by_agent.values()), default=0)
        row = [group, str(tasks)]
        for agent in breakdown.agents:
            cell = by_agent[agent]
            success = cell.success.mean if cell.success else None
            row.append(f"{format_estimate(cell.score)} / {format_number(success)}")
        rows.append(row)
    return headings, rows


def console_table(lines: Sequence[AgentSummary]) -> Table:
    """The main table for a terminal, without the columns that only the report has room for."""
    headings, rows = summary_cells(lines)
    shown_places = [place for place, name in enumerate(headings) if name not in _REPORT_ONLY]
    return terminal_table(
        [headings[place] for place in shown_places],
        [[row[place] for place in shown_places] for row in rows],
    )


def terminal_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """A table for a terminal, all but the first column to the right; its cells are plain text."""
    table = Table(box=SIMPLE, pad_edge=False, padding=(0, 1))
    for place, heading in enumerate(headings):
        justify: JustifyMethod = "right" if place else "left"
        table.add_column(escape(heading), justify=justify, overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row))
    return table


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown, numbers to the right."""
    ruler = ["---", *["---:"] * (len(headings) - 1)]
    return "\n".join(_row(row) for row in (headings, ruler, *rows))


def format_estimate(estimate: Estimate | None) -> str:
    """A mean and, if there is one, its interval: "0.42 (0.31-0.55)"."""
    if estimate is None:
        return NO_VALUE
    if estimate.low is None or estimate.high is None or estimate.low == estimate.high:
        return f"{estimate.mean:.2f}"
    return f"{estimate.mean:.2f} ({estimate.low:.2f}-{estimate.high:.2f})"


def interval_note(lines: Sequence[AgentSummary]) -> str:
    """What brackets in the main table say, "" where no mean has an interval."""
    means = [mean for line in lines for mean in (line.score, line.success) if mean is not None]
    return INTERVAL_NOTE if any(mean.low != mean.high for mean in means) else ""


def format_number(value: float | None, digits: int = 2) -> str:
    """A number, or a dash for none."""
    return NO_VALUE if value is None else f"{value:,.{digits}f}"


def format_total(values: Sequence[float | None], digits: int) -> str:
    """The sum of what is known: "unknown" where nothing is, "at least" so much where a part is
    not, a dash where there are no values."""
    known = [value for value in values if value is not None]
    if not values:
        return NO_VALUE
    if not known:
        return UNKNOWN
    text = format_number(sum(known), digits)
    missing = len(values) - len(known)
    return f"at least {text} ({missing} unknown)" if missing else text


def _row(values: Sequence[str]) -> str:
    return "| " + " | ".join(value.replace("|", "\\|") for value in values) + " |"
