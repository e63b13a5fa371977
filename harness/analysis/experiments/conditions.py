"""What stands behind an experiment's figures: how much was run, graded, cut short and spent."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trainee_bench.harness.agents.runtime.registry import discover_agents
from trainee_bench.harness.analysis.experiments.experiment import ExperimentResults
from trainee_bench.harness.analysis.experiments.measures import agents_by_score, results_of_agent
from trainee_bench.harness.analysis.experiments.page import PagePiece, PageSection
from trainee_bench.harness.analysis.report.npc_section import build_npc_section
from trainee_bench.harness.analysis.report.table import NO_VALUE, Grid, format_number, format_total
from trainee_bench.harness.analysis.report.terms import identity_facts, run_extent
from trainee_bench.harness.analysis.statistics.summary import pass_power
from trainee_bench.harness.records.plan import AgentConfig, RunPlan
from trainee_bench.harness.records.results import EpisodeResult

_HEADINGS = ("who", "episodes", "coverage", "limited", "broken", "own errors", "tokens", "cost $")
_LEGEND = (
    "Coverage: share of tasks that could be graded; the others count nowhere. Limited: share of "
    "episodes that a limit ended (steps, tokens, cost, time); they are graded as the world stood. "
    "Broken: share of episodes in which something was not graded. Own errors: episodes in which "
    "the agent's own code raised. Tokens and cost are sums over all episodes that were worked."
)
_POWER = "pass^k: the chance that all of k attempts at a task succeed."


def conditions_section(found: ExperimentResults) -> PageSection:
    """The setting in a sentence, and a row for each who worked in each run."""
    rows = []
    tries = max(plan.epochs for plan in found.plans.values())
    for name, plan in found.plans.items():
        results = found.results[name]
        for agent in agents_by_score(results):
            own = results_of_agent(results, agent)
            who = agent if len(found.plans) == 1 else f"{agent}, {name}"
            power = [format_number(pass_power(own, tries))] if tries > 1 else []
            rows.append([who, *_row(plan, agent, own), *power])
    headings = [*_HEADINGS, f"pass^{tries}"] if tries > 1 else _HEADINGS
    legend = f"{_LEGEND} {_POWER}" if tries > 1 else _LEGEND
    pieces = (*_setting(found), Grid(headings, rows), legend, *_colleagues(found))
    return PageSection("Behind the figures", pieces)


def _colleagues(found: ExperimentResults) -> list[PagePiece]:
    """How faithfully models played colleagues, where they did; [] where none did."""
    said = build_npc_section(found.all)
    if said is None:
        return []
    told = "Colleagues were played by a model. Its replies, and the figures without episodes in "
    told += "which the simulation rather than the agent may have failed:"
    warning = [said.warning] if said.warning else []
    return [*warning, told, said.replies, said.suspicion]


def _setting(found: ExperimentResults) -> list[str]:
    said = []
    for name, plan in found.plans.items():
        run = plan.benchmark if len(found.plans) == 1 else f"{plan.benchmark}, {name}"
        said.append(f"{run}: {run_extent(plan, found.results[name])}")
    planned = sum(1 for plan in found.plans.values() for _ in plan.episode_specs())
    if len(found.all) < planned:
        said.append("Incomplete: the figures are those of the episodes that there are.")
    facts = identity_facts(next(iter(found.plans.values())), found.all)
    if facts:
        said.append("; ".join(f"{name}: {value}" for name, value in facts) + ".")
    return said


def _row(plan: RunPlan, agent: str, results: Sequence[EpisodeResult]) -> list[str]:
    planned = sum(order.agent == agent for order in plan.episode_specs())
    tasks = [task for result in results for task in result.tasks]
    graded = sum(task.score is not None for task in tasks)
    worked = [result for result in results if result.error is None]
    spends = any(one.name == agent and _spends(one) for one in plan.candidates)
    return [
        f"{len(results)} of {planned}" if len(results) != planned else str(planned),
        f"{graded / len(tasks):.2f}" if tasks else NO_VALUE,
        _share(results, lambda result: result.ended is not None and result.ended.limited),
        _share(results, lambda result: result.broken),
        str(sum(result.agent_error is not None for result in results) or NO_VALUE),
        format_total([_tokens(result) for result in worked], 0) if spends else "none",
        format_total([result.cost_usd for result in worked], 2) if spends else "none",
    ]


def _spends(candidate: AgentConfig) -> bool:
    """Whether a model may stand behind it: all but our own that name none."""
    ours = candidate.agent in discover_agents() and candidate.command is None
    return candidate.model is not None or not ours


def _share(results: Sequence[EpisodeResult], holds: Callable[[EpisodeResult], bool]) -> str:
    count = sum(map(holds, results))
    return f"{count / len(results):.1%} ({count})" if count else "0%"


def _tokens(result: EpisodeResult) -> int | None:
    if result.prompt_tokens is None or result.completion_tokens is None:
        return None
    return result.prompt_tokens + result.completion_tokens
