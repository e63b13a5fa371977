"""What a report says besides its figures: what its words mean, and what was run."""

from __future__ import annotations

from collections.abc import Sequence

from trainee_bench.harness.records.plan import AgentConfig, DaySequenceMode, RunPlan
from trainee_bench.harness.records.results import EpisodeResult, ResultIdentity

REPORT_TERMS = (
    (
        "score",
        "the mean over episodes of the mean over their tasks of the weight of passed checkpoints",
    ),
    ("success", "share of tasks with every checkpoint passed and no harm done"),
    ("by family", "score averaged over families, each counting once"),
    ("steps, calls", "turns and tool calls per episode"),
    ("submitted", "share of tasks handed in by their deadline"),
    ("late min", "simulated minutes by which handing in missed the deadline"),
    (
        "tokens, cost $",
        "of all episodes together; unknown where a model does not say, or its price is not listed",
    ),
    ("pass^k", "the chance that all of k attempts at a task succeed"),
    (
        "coverage",
        "share of tasks that could be graded; the others are listed below and count nowhere else",
    ),
    ("broken", "episodes in which something was not graded"),
    (
        "own errors",
        "episodes that an error of the agent's own code ended; graded as the world stood",
    ),
    ("at limit", "episodes that a limit ended; graded as the world stood"),
)
"""The columns of the main table and what they mean."""

INTERVAL_NOTE = "In brackets after a score or success: its 95 % bootstrap interval over scenarios."
Facts = list[tuple[str, str]]


def run_extent(plan: RunPlan, results: Sequence[EpisodeResult]) -> str:
    """How much was run, as a sentence."""
    planned = sum(1 for _ in plan.episode_specs())
    return (
        f"{len(results)} of {planned} episodes: {pluralize(len(plan.scenarios), 'scenario')}, "
        f"{pluralize(len(plan.candidates), 'agent')}, {pluralize(plan.epochs, 'attempt')}"
        + (" each." if planned > 1 else ".")
    )


def identity_facts(plan: RunPlan, results: Sequence[EpisodeResult]) -> Facts:
    """What scores depend on besides agents, by name; [] where no episode was worked."""
    known = [result.identity for result in results if result.identity is not None]
    if not known:
        return []
    calls = sorted({one.limits.calls_per_turn for one in known})  # of a program, one
    limits = [pluralize(plan.limits.steps, "step")]
    limits.append(" or ".join([*map(str, calls[:-1]), pluralize(calls[-1], "call")]) + " a turn")
    if plan.limits.tokens is not None:
        limits.append(f"{plan.limits.tokens:,} tokens")
    if plan.limits.cost_usd is not None:
        limits.append(f"${plan.limits.cost_usd:g}")
    if plan.limits.seconds is not None:
        limits.append(f"{plan.limits.seconds:g} s")
    facts = [
        ("Score version", _said(known, "score_version")),
        ("Generator", _said(known, "generator")),
        ("Colleagues", _said(known, "npc_brain")),
        ("Modality", _said(known, "modality")),
        ("Tools", " or ".join(sorted({", ".join(one.tools) for one in known}))),
        ("Isolation", _said(known, "isolation")),
        ("Limits of an episode", ", ".join(limits)),
    ]
    facts += [("Guidance", f"tier {_said(known, 'guidance')}")] * any(i.guidance for i in known)
    facts += [("Sandbox", _said(known, "sandbox"))] * any(one.sandbox for one in known)
    return facts


def agent_config_facts(plan: RunPlan) -> Facts:
    """Each candidate that is more than its name: what it is made of."""
    return [(one.name, made) for one in plan.candidates if (made := _made_of(one))]


def _made_of(candidate: AgentConfig) -> str:
    parts = []
    if candidate.agent != candidate.name:
        parts.append(f"agent {candidate.agent}")
    if candidate.model:
        parts.append(f"model {candidate.model}")
    if candidate.command:
        parts.append("a command of its own")
    named = ("system_prompt", "history", "service")
    replaced = {name.replace("_", " "): getattr(candidate, name) for name in named}
    parts += [f"{name} {part}" for name, part in replaced.items() if part]
    if candidate.course is not DaySequenceMode.AS_WRITTEN:
        parts.append(f"days {candidate.course.replace('_', ' ')}")
    return ", ".join(parts)


def _said(known: Sequence[ResultIdentity], field: str) -> str:
    values = {getattr(one, field) for one in known}
    return " or ".join(sorted("none" if value is None else str(value) for value in values))


def pluralize(number: int, what: str) -> str:
    """*number* of *what*, in the plural if need be."""
    return f"{number} {what}" + ("" if number == 1 else "s")
