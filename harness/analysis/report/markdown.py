"""report.md: the tables, what they mean, and every checkpoint that was missed."""

from __future__ import annotations

from collections.abc import Sequence

from trainee_bench.harness.analysis.report.faults import fault_lists
from trainee_bench.harness.analysis.report.markdown_text import escape_markdown
from trainee_bench.harness.analysis.report.npc_section import build_npc_section
from trainee_bench.harness.analysis.report.table import (
    Grid,
    breakdown_cells,
    interval_note,
    markdown_table,
    summary_cells,
)
from trainee_bench.harness.analysis.report.terms import (
    REPORT_TERMS,
    Facts,
    agent_config_facts,
    identity_facts,
    run_extent,
)
from trainee_bench.harness.analysis.report.usage import incident_grid, usage_grid
from trainee_bench.harness.analysis.statistics.summary import agent_summaries, breakdowns
from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import EpisodeResult, TaskResult


def render_markdown_report(plan: RunPlan, results: Sequence[EpisodeResult]) -> str:
    """The whole report, ending in a newline."""
    ranked = agent_summaries(results)
    agents = [line.agent for line in ranked]
    parts = [f"# {escape_markdown(plan.benchmark)}", run_extent(plan, results)]
    parts.append(_facts(identity_facts(plan, results) + agent_config_facts(plan)))
    parts += [_table(*summary_cells(ranked)), interval_note(ranked), _facts(list(REPORT_TERMS))]
    for breakdown in breakdowns(results):
        parts += [f"## By {breakdown.title}", "Score / success."]
        parts.append(_table(*breakdown_cells(breakdown)))
    parts += ["## How it ran", _grid(usage_grid(plan, results, agents))]
    wrong = incident_grid(results, agents)
    if wrong is not None:
        parts += ["Incidents between agents and their models:", _grid(wrong)]
    parts += _colleagues(results)
    for listed in fault_lists(results):
        said = [
            f"- `{name}`: {escape_markdown(fault)}"
            if listed.ids
            else f"- {escape_markdown(name)}: {escape_markdown(fault)}"
            for name, fault in listed.named
        ]
        parts += [f"## {listed.title}", "\n".join(said)]
    parts += _missed(results)
    return "\n\n".join(part for part in parts if part) + "\n"


def _colleagues(results: Sequence[EpisodeResult]) -> list[str]:
    """How models played colleagues, where they did."""
    said = build_npc_section(results)
    if said is None:
        return []
    parts = ["## Colleagues played by a model"]
    parts += [f"**{said.warning}**"] if said.warning else []
    parts += [_grid(said.replies), "All episodes, and without suspected ones:"]
    parts += [_grid(said.suspicion), _facts(said.terms)]
    if said.suspected:
        parts.append("Suspected, with the clues that were asked for in vain:")
        parts.append(
            "\n".join(f"- `{id}`: {escape_markdown(clues)}" for id, clues in said.suspected)
        )
    why = ", ".join(f"{flaw} × {count}" for flaw, count in said.flaws)
    parts += [f"Words that could not be used had: {why}."] if why else []
    return parts


def _facts(facts: Facts) -> str:
    return "\n".join(
        f"- **{escape_markdown(name)}**: {escape_markdown(value)}" for name, value in facts
    )


def _grid(grid: Grid) -> str:
    return _table(grid.headings, grid.rows)


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return markdown_table(
        [escape_markdown(one) for one in headings], [[escape_markdown(v) for v in r] for r in rows]
    )


def _missed(results: Sequence[EpisodeResult]) -> list[str]:
    """For each agent, folded up, what each of its episodes fell short of."""
    parts = ["## What was missed"]
    for agent in sorted({result.agent for result in results}):
        said = []
        for result in sorted(results, key=lambda result: result.episode):
            tasks = [text for task in result.tasks if (text := _task(task))]
            if result.agent == agent and tasks:
                score = "not graded" if result.score is None else f"{result.score:.2f}"
                said += [f"### {escape_markdown(result.episode)}: {score}", "\n".join(tasks)]
        if said:
            parts += [f"<details><summary>{escape_markdown(agent)}</summary>", *said, "</details>"]
    if len(parts) == 1:
        parts.append("Nothing." if results else "No episode has ended.")
    return parts


def _task(task: TaskResult) -> str:
    """What *task* fell short of, "" if of nothing."""
    missed = [check for check in task.checkpoints if not check.passed]
    if not missed and not task.harm and task.error is None:
        return ""
    score = "not graded" if task.score is None else f"{task.score:.2f}"
    rule = (
        f"{escape_markdown(task.task)} `{task.rule}`" if task.task else escape_markdown(task.rule)
    )
    said = [f"- {rule}: {score}"]
    said += [f"  - {escape_markdown(task.error)}"] if task.error else []
    said += [
        f"  - missed: {check.sentence}. Seen: {escape_markdown(check.seen)}" for check in missed
    ]
    said += [f"  - harm: {escape_markdown(harm)}" for harm in task.harm]
    return "\n".join(said)
