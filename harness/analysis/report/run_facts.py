"""Facts about a run as a whole for its report, and the last lines that a command prints."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from trainee_bench.harness.batch.thinking import thinking_in_words
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.records.plan import AgentConfig, DaySequenceMode, RunPlan
from trainee_bench.harness.records.results import EpisodeResult, ResultIdentity
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.records.worth import EpisodeWorth, StepLoss
from trainee_bench.harness.worth.loss_words import costliest_losses, loss_in_words
from trainee_bench.mcp_servers.serving.result_text import ResultView

FactList = list[tuple[str, str]]


def run_extent(plan: RunPlan, results: Sequence[EpisodeResult]) -> str:
    """Describe how much was run, in a sentence."""
    planned = sum(1 for _ in plan.episode_specs())
    return (
        f"{len(results)} of {pluralize(planned, 'episode')}: "
        f"{pluralize(len(plan.scenarios), 'scenario')}, {pluralize(len(plan.agents), 'agent')}, "
        f"{pluralize(plan.epochs, 'attempt')}"
        + (" each." if planned > 1 else ".")
        + _part(plan)
        + _climb(plan)
        + _forked(plan)
    )


def _part(plan: RunPlan) -> str:
    """Describe which part of a shared run this is, in a sentence; "" for whole runs."""
    return "" if plan.part is None else f" It is part {plan.part} of a run that machines share."


def _climb(plan: RunPlan) -> str:
    """Say how the worlds of a climb were chosen, in a sentence; "" for other runs."""
    if plan.climb is None:
        return ""
    return (
        " It is a climb: its worlds were chosen around the agent's capacity, so means over them "
        "compare no agents. The capacity is in ladder.md."
    )


def _forked(plan: RunPlan) -> str:
    """Describe which run a forked run continues, in a sentence; "" for whole days."""
    if plan.fork is None:
        return ""
    point = plan.fork.point
    return (
        f" It goes on from step {point.step} of {point.episode} in the run {point.run}. Another "
        "agent worked the day until then, so its scores are never pooled with those of whole days."
    )


def identity_facts(plan: RunPlan, results: Sequence[EpisodeResult]) -> FactList:
    """Return the settings on which scores depend besides agents, by name; empty if nothing ran."""
    identities = [result.identity for result in results if result.identity is not None]
    if not identities:
        return []
    facts = [
        ("Score version", _values(identities, "score_version")),
        ("Generator version", _values(identities, "generator")),
        ("Colleagues", _values(identities, "npc_brain")),
        ("Modality", _values(identities, "modality")),
        ("Apps", " or ".join(sorted({", ".join(identity.tools) for identity in identities}))),
        ("Agent isolation", _values(identities, "isolation")),
        ("Limits per day", ", ".join(_limits(plan, identities))),
    ]
    if told := thinking_in_words(plan):
        facts.append(("Thinking takes time", told))
    if any(identity.results is ResultView.STRUCTURED for identity in identities):
        facts.append(("Results shown as", _values(identities, "results")))
    if any(identity.guidance for identity in identities):
        facts.append(("Guidance", f"tier {_values(identities, 'guidance')}"))
    if guided := sum(bool(identity.guided) for identity in identities):
        facts.append(("Guided by people", f"{guided} of {pluralize(len(identities), 'episode')}"))
    if any(identity.sandbox for identity in identities):
        facts.append(("Sandbox", _values(identities, "sandbox")))
    return facts


def agent_facts(plan: RunPlan) -> FactList:
    """Return the parts of agents that consist of more than their name."""
    return [(config.name, parts) for config in plan.agents if (parts := _agent_parts(config))]


def _limits(plan: RunPlan, identities: Sequence[ResultIdentity]) -> list[str]:
    calls = sorted({identity.limits.calls_per_turn for identity in identities})
    limits = [pluralize(plan.limits.steps, "step")]
    limits.append(" or ".join([*map(str, calls[:-1]), pluralize(calls[-1], "call")]) + " per turn")
    if plan.limits.tokens is not None:
        limits.append(f"{plan.limits.tokens:,} tokens")
    if plan.limits.cost_usd is not None:
        limits.append(f"${plan.limits.cost_usd:g}")
    if plan.limits.seconds is not None:
        limits.append(f"{plan.limits.seconds:g} s")
    return limits


def _agent_parts(config: AgentConfig) -> str:
    parts = []
    if config.agent != config.name:
        parts.append(f"agent {config.agent}")
    if config.model:
        parts.append(f"model {config.model}")
    if config.command:
        parts.append("external command")
    for name in ("system_prompt", "history", "service"):
        if value := getattr(config, name):
            parts.append(f"{name.replace('_', ' ')} {value}")
    if config.day_sequence is not DaySequenceMode.AS_WRITTEN:
        parts.append(f"days {config.day_sequence.replace('_', ' ')}")
    return ", ".join(parts)


def _values(identities: Sequence[ResultIdentity], field: str) -> str:
    values = {getattr(identity, field) for identity in identities}
    return " or ".join(sorted("none" if value is None else str(value) for value in values))


def closing_lines(folder: RunFolder, results: Sequence[EpisodeResult]) -> list[str]:
    """Return the costliest step of each agent, if it was computed, and the next command."""
    stored = [
        folder.worths.read(result) for result in sorted(results, key=lambda result: result.episode)
    ]
    costliest = [_in_words(*found) for found in _costliest([worth for worth in stored if worth])]
    heading = ["Costliest step of each agent:"] if costliest else []
    return [*heading, *costliest, f"Next: trainee-bench studio {shlex.quote(str(folder.path))}"]


def _costliest(worths: Iterable[EpisodeWorth]) -> list[tuple[EpisodeWorth, StepLoss]]:
    """Return the costliest step of each agent that lost anything, the greatest loss first."""
    by_agent: dict[str, tuple[EpisodeWorth, StepLoss]] = {}
    for worth in worths:
        for loss in costliest_losses(worth, 1):
            known = by_agent.get(worth.agent)
            if known is None or loss.lost > known[1].lost:
                by_agent[worth.agent] = (worth, loss)
    return sorted(by_agent.values(), key=lambda found: -found[1].lost)


def _in_words(worth: EpisodeWorth, loss: StepLoss) -> str:
    where = f"{worth.agent} · {worth.scenario} · {worth.day}"
    return f"  {where} · {loss_in_words(worth, loss)}"
