"""The conditions of an experiment: how much was run, graded, cut short and spent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from trainee_bench.harness.agents.runtime.registry import discover_agents
from trainee_bench.harness.analysis.experiments.experiment import ExperimentResults
from trainee_bench.harness.analysis.experiments.measures import agents_by_score, results_of_agent
from trainee_bench.harness.analysis.report.npc_section import (
    npc_fidelity_totals,
    npc_warning,
    replies_grid,
    suspicion_grid,
)
from trainee_bench.harness.analysis.report.run_facts import identity_facts, run_extent
from trainee_bench.harness.analysis.scheduling.schedule_section import (
    schedule_details,
    schedule_grid,
)
from trainee_bench.harness.analysis.scheduling.schedule_summary import summarise_days, worked_days
from trainee_bench.harness.analysis.statistics.summary import pass_power
from trainee_bench.harness.documents.document import (
    Block,
    Column,
    Facts,
    Grid,
    Paragraph,
    Section,
    meanings_of,
)
from trainee_bench.harness.documents.formatting import (
    NO_VALUE,
    format_count,
    format_number,
    format_total,
)
from trainee_bench.harness.records.plan import AgentConfig, RunPlan
from trainee_bench.harness.records.results import EpisodeResult

_COLUMNS = (
    Column("agent"),
    Column("episodes"),
    Column("coverage", "share of tasks that could be graded; the figures include only these"),
    Column("at limit", "share of episodes ended by a limit; graded as they were"),
    Column("not graded", "share of episodes with a task that could not be graded"),
    Column("agent errors", "episodes ended by an exception in the agent; graded as they were"),
    Column("tokens", "total over all episodes that ran"),
    Column("cost $", "total over all episodes that ran"),
)


def conditions_section(results: ExperimentResults) -> Section:
    """Return how much was run under which conditions, and a row for each agent in each run."""
    blocks = (*_setting(results), *_agents(results), *_colleagues(results))
    return Section("Conditions", blocks)


def _setting(results: ExperimentResults) -> list[Block]:
    blocks: list[Block] = []
    for name, plan in results.plans.items():
        run = plan.benchmark if len(results.plans) == 1 else f"{plan.benchmark}, {name}"
        blocks.append(Paragraph(f"{run}: {run_extent(plan, results.results[name])}"))
    planned = sum(1 for plan in results.plans.values() for _ in plan.episode_specs())
    if len(results.all) < planned:
        text = "Incomplete: the figures cover only the episodes that have ended."
        blocks.append(Paragraph(text, "warning"))
    facts = identity_facts(next(iter(results.plans.values())), results.all)
    return [*blocks, Facts(tuple(facts))]


def _agents(results: ExperimentResults) -> tuple[Grid, Section]:
    """Return the row of each agent in each run, and what its columns mean."""
    attempts = max(plan.epochs for plan in results.plans.values())
    columns, rows = list(_COLUMNS), []
    if attempts > 1:
        meaning = f"chance that {attempts} attempts at the same task all succeed"
        columns.append(Column(f"pass^{attempts}", meaning))
    for name, plan in results.plans.items():
        for agent in agents_by_score(results.results[name]):
            own = results_of_agent(results.results[name], agent)
            label = agent if len(results.plans) == 1 else f"{agent}, {name}"
            row = [label, *_agent_row(plan, agent, own)]
            if attempts > 1:
                row.append(format_number(pass_power(own, attempts)))
            rows.append(row)
    grid = Grid.from_rows(columns, rows)
    return grid, meanings_of(grid)


def _colleagues(results: ExperimentResults) -> list[Block]:
    """Return how faithfully models played colleagues; empty if none did."""
    totals = npc_fidelity_totals(results.all)
    if not totals:
        return []
    text = (
        "A model played the colleagues. Below are its replies, and the figures without episodes in "
        "which the simulation rather than the agent may have failed:"
    )
    grids = replies_grid(totals), suspicion_grid(results.all, totals)
    return [*npc_warning(totals), Paragraph(text), *grids]


def _agent_row(plan: RunPlan, agent: str, results: Sequence[EpisodeResult]) -> list[str]:
    planned = sum(episode.agent == agent for episode in plan.episode_specs())
    tasks = [task for result in results for task in result.tasks]
    graded = sum(task.score is not None for task in tasks)
    worked = [result for result in results if result.error is None]
    spends = any(config.name == agent and _may_use_model(config) for config in plan.agents)
    return [
        f"{len(results)} of {planned}" if len(results) != planned else str(planned),
        f"{graded / len(tasks):.2f}" if tasks else NO_VALUE,
        _share(results, lambda result: result.ended is not None and result.ended.limited),
        _share(results, lambda result: result.broken),
        format_count(sum(result.agent_error is not None for result in results)),
        format_total([_tokens(result) for result in worked], 0) if spends else "none",
        format_total([result.cost_usd for result in worked], 2) if spends else "none",
    ]


def _may_use_model(config: AgentConfig) -> bool:
    """Return whether the agent may use a model: all may except built-in agents without one."""
    builtin = config.agent in discover_agents() and config.command is None
    return config.model is not None or not builtin


def _share(results: Sequence[EpisodeResult], holds: Callable[[EpisodeResult], bool]) -> str:
    count = sum(map(holds, results))
    return f"{count / len(results):.1%} ({count})" if count else "0%"


def _tokens(result: EpisodeResult) -> int | None:
    if result.prompt_tokens is None or result.completion_tokens is None:
        return None
    return result.prompt_tokens + result.completion_tokens


def scheduling_sections(results: ExperimentResults) -> list[Section]:
    """Return a section with a row for each agent in each run, the best score first.

    Empty if no run has measured schedules.
    """
    return schedules_by_condition(
        {
            agent if len(results.plans) == 1 else f"{agent}, {name}": results_of_agent(run, agent)
            for name, run in results.results.items()
            for agent in agents_by_score(run)
        }
    )


def schedules_by_condition(conditions: Mapping[str, Sequence[EpisodeResult]]) -> list[Section]:
    """Return a section with a row for the results of each condition; none if none has schedules."""
    measured = {name: worked_days(results) for name, results in conditions.items()}
    summaries = [summarise_days(name, worked) for name, worked in measured.items() if worked]
    if not summaries:
        return []
    return [Section("Scheduling", (schedule_grid(summaries), *schedule_details(summaries)))]
