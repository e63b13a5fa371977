"""report.md: the tables, what they mean, and every checkpoint that was missed."""

from __future__ import annotations

from collections.abc import Sequence

from harness.plan import Plan
from harness.report.summary import breakdowns, lines, unbuilt
from harness.report.table import breakdown_cells, cells, markdown_table
from harness.results import EpisodeResult, TaskResult

_LEGEND = """\
- **score**: checkpoint score, the mean over episodes of the mean over their tasks of the weight
  of passed checkpoints; in brackets the 95 % bootstrap interval over scenarios.
- **success**: share of tasks with every checkpoint passed and no harm done.
- **by family**: score averaged over families, each counting once.
- **steps**, **calls**: turns and tool calls per episode. **submitted**: share of tasks handed in
  by their deadline. **late min**: simulated minutes by which handing in missed the deadline.
- **coverage**: share of tasks that could be graded; the others are listed below and count
  nowhere else. **broken**: episodes in which something was not graded."""


def markdown(plan: Plan, results: Sequence[EpisodeResult]) -> str:
    """The whole report, ending in a newline."""
    parts = [f"# {plan.benchmark}", _setting(plan, results)]
    parts += [markdown_table(*cells(lines(results))), _LEGEND]
    for breakdown in breakdowns(results):
        parts += [f"## By {breakdown.title}", "Score / success."]
        parts.append(markdown_table(*breakdown_cells(breakdown)))
    missing = unbuilt(results)
    if missing:
        parts += ["## Not graded: family not built"]
        parts.append("\n".join(f"- {name}: {count} tasks" for name, count in missing.items()))
    parts += _faults(results)
    parts += _missed(results)
    return "\n\n".join(parts) + "\n"


def _setting(plan: Plan, results: Sequence[EpisodeResult]) -> str:
    planned = sum(1 for _ in plan.orders())
    identities = [result.identity for result in results if result.identity is not None]
    said = [
        f"{len(results)} of {planned} episodes: {len(plan.scenarios)} scenarios, "
        f"{len(plan.candidates)} agents, {plan.epochs} "
        + ("attempt each." if plan.epochs == 1 else "attempts each.")
    ]
    if identities:
        one = identities[0]
        isolation = " or ".join(sorted({identity.isolation for identity in identities}))
        sandbox = f"; sandbox: {one.sandbox}" if one.sandbox else ""
        said.append(
            f"Score version {one.score_version}, generator {one.generator}; colleagues: "
            f"{one.npc_brain}; modality: {one.modality}; tools: {', '.join(one.tools)}; isolation: "
            f"{isolation}{sandbox}; at most {plan.limits.steps} steps and "
            f"{plan.limits.calls_per_turn} calls a turn. Compare only with results of the same."
        )
    return "\n".join(said)


def _faults(results: Sequence[EpisodeResult]) -> list[str]:
    broken = [result for result in results if result.error is not None]
    own = [result for result in results if result.agent_error is not None]
    parts = []
    if broken:
        parts.append("## Episodes that broke")
        parts.append("\n".join(f"- `{result.episode}`: {result.error}" for result in broken))
    if own:
        parts.append("## Errors of the agents' own")
        parts.append("Graded as the world stood.")
        parts.append("\n".join(f"- `{result.episode}`: {result.agent_error}" for result in own))
    return parts


def _missed(results: Sequence[EpisodeResult]) -> list[str]:
    """For each agent, folded up, what each of its episodes fell short of."""
    parts = ["## What was missed"]
    for agent in sorted({result.agent for result in results}):
        said = []
        for result in sorted(results, key=lambda result: result.episode):
            tasks = [text for task in result.tasks if (text := _task(task))]
            if result.agent == agent and tasks:
                score = "not graded" if result.score is None else f"{result.score:.2f}"
                said += [f"### {result.episode}: {score}", "\n".join(tasks)]
        if said:
            parts += [f"<details><summary>{agent}</summary>", *said, "</details>"]
    if len(parts) == 1:
        parts.append("Nothing.")
    return parts


def _task(task: TaskResult) -> str:
    """What *task* fell short of, "" if of nothing."""
    missed = [check for check in task.checkpoints if not check.passed]
    if not missed and not task.harm and task.error is None:
        return ""
    score = "not graded" if task.score is None else f"{task.score:.2f}"
    said = [f"- {task.task} `{task.rule}`: {score}" if task.task else f"- {task.rule}: {score}"]
    said += [f"  - {task.error}"] if task.error else []
    said += [f"  - missed: {check.sentence}. Seen: {check.seen}" for check in missed]
    said += [f"  - harm: {harm}" for harm in task.harm]
    return "\n".join(said)
