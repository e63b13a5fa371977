"""report.md: the tables, what they mean, and every checkpoint that was missed."""

from __future__ import annotations

from collections.abc import Sequence

from harness.plan import Plan
from harness.report.faults import faults
from harness.report.fidelity import section
from harness.report.markdown_text import plain
from harness.report.spending import incidents, running
from harness.report.summary import breakdowns, lines
from harness.report.table import Grid, brackets, breakdown_cells, cells, markdown_table
from harness.report.terms import TERMS, Facts, candidates, extent, identity
from harness.results import EpisodeResult, TaskResult


def markdown(plan: Plan, results: Sequence[EpisodeResult]) -> str:
    """The whole report, ending in a newline."""
    ranked = lines(results)
    agents = [line.agent for line in ranked]
    parts = [f"# {plain(plan.benchmark)}", extent(plan, results)]
    parts.append(_facts(identity(plan, results) + candidates(plan)))
    parts += [_table(*cells(ranked)), brackets(ranked), _facts(list(TERMS))]
    for breakdown in breakdowns(results):
        parts += [f"## By {breakdown.title}", "Score / success."]
        parts.append(_table(*breakdown_cells(breakdown)))
    parts += ["## How it ran", _grid(running(plan, results, agents))]
    wrong = incidents(results, agents)
    if wrong is not None:
        parts += ["Incidents between agents and their models:", _grid(wrong)]
    parts += _colleagues(results)
    for listed in faults(results):
        said = [
            f"- `{name}`: {plain(fault)}" if listed.ids else f"- {plain(name)}: {plain(fault)}"
            for name, fault in listed.named
        ]
        parts += [f"## {listed.title}", "\n".join(said)]
    parts += _missed(results)
    return "\n\n".join(part for part in parts if part) + "\n"


def _colleagues(results: Sequence[EpisodeResult]) -> list[str]:
    """How models played colleagues, where they did."""
    said = section(results)
    if said is None:
        return []
    parts = ["## Colleagues played by a model"]
    parts += [f"**{said.warning}**"] if said.warning else []
    parts += [_grid(said.replies), "All episodes, and without suspected ones:"]
    parts += [_grid(said.suspicion), _facts(said.terms)]
    if said.suspected:
        parts.append("Suspected, with the clues that were asked for in vain:")
        parts.append("\n".join(f"- `{id}`: {plain(clues)}" for id, clues in said.suspected))
    why = ", ".join(f"{flaw} × {count}" for flaw, count in said.flaws)
    parts += [f"Words that could not be used had: {why}."] if why else []
    return parts


def _facts(facts: Facts) -> str:
    return "\n".join(f"- **{plain(name)}**: {plain(value)}" for name, value in facts)


def _grid(grid: Grid) -> str:
    return _table(grid.headings, grid.rows)


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return markdown_table([plain(one) for one in headings], [[plain(v) for v in r] for r in rows])


def _missed(results: Sequence[EpisodeResult]) -> list[str]:
    """For each agent, folded up, what each of its episodes fell short of."""
    parts = ["## What was missed"]
    for agent in sorted({result.agent for result in results}):
        said = []
        for result in sorted(results, key=lambda result: result.episode):
            tasks = [text for task in result.tasks if (text := _task(task))]
            if result.agent == agent and tasks:
                score = "not graded" if result.score is None else f"{result.score:.2f}"
                said += [f"### {plain(result.episode)}: {score}", "\n".join(tasks)]
        if said:
            parts += [f"<details><summary>{plain(agent)}</summary>", *said, "</details>"]
    if len(parts) == 1:
        parts.append("Nothing." if results else "No episode has ended.")
    return parts


def _task(task: TaskResult) -> str:
    """What *task* fell short of, "" if of nothing."""
    missed = [check for check in task.checkpoints if not check.passed]
    if not missed and not task.harm and task.error is None:
        return ""
    score = "not graded" if task.score is None else f"{task.score:.2f}"
    rule = f"{plain(task.task)} `{task.rule}`" if task.task else plain(task.rule)
    said = [f"- {rule}: {score}"]
    said += [f"  - {plain(task.error)}"] if task.error else []
    said += [f"  - missed: {check.sentence}. Seen: {plain(check.seen)}" for check in missed]
    said += [f"  - harm: {plain(harm)}" for harm in task.harm]
    return "\n".join(said)
