"""How episodes ended, what went wrong with models, and what was spent.

An unknown value is called unknown, and a sum with an unknown part "at least" so much.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from trainee_bench.harness.documents.document import Column, Grid
from trainee_bench.harness.documents.formatting import NO_VALUE, format_count, format_total
from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.session.limits import EndReason

END_REASON_LABELS = {
    EndReason.AGENT: "finished",
    EndReason.DAY_OVER: "day over",
    EndReason.STEP_LIMIT: "step limit",
    EndReason.TOKEN_LIMIT: "token limit",
    EndReason.COST_LIMIT: "cost limit",
    EndReason.TIME_LIMIT: "time limit",
    EndReason.CONTEXT_OVERFLOW: "context too long",
    EndReason.GAVE_UP: "gave up",
    EndReason.AGENT_ERROR: "agent error",
}


def usage_grid(plan: RunPlan, results: Sequence[EpisodeResult], agents: Sequence[str]) -> Grid:
    """Return for each of *agents* how its episodes ended, and their totals.

    Columns without any value are left out.
    """
    models = {config.name: config.model for config in plan.agents}
    by_agent = [[result for result in results if result.agent == agent] for agent in agents]
    worked = [[result for result in episodes if result.error is None] for episodes in by_agent]
    columns = [
        (Column("agent"), list(agents)),
        (Column("model"), [models.get(agent) or NO_VALUE for agent in agents]),
    ]
    for reason, label in END_REASON_LABELS.items():
        counts = [sum(result.ended == reason for result in episodes) for episodes in by_agent]
        columns.append((Column(label), [format_count(count) for count in counts]))
    columns += [
        (Column("prompt tokens"), _totals(plan, worked, lambda result: result.prompt_tokens, 0)),
        (
            Column("completion tokens"),
            _totals(plan, worked, lambda result: result.completion_tokens, 0),
        ),
        (Column("cost $"), _totals(plan, worked, lambda result: result.cost_usd, 2)),
        (Column("failed calls"), _counts(worked, lambda result: result.failed_calls)),
        (Column("refused calls"), _counts(worked, lambda result: result.refused_calls)),
        (
            Column("model incidents"),
            _counts(by_agent, lambda result: sum(result.incidents.values())),
        ),
        (Column("retries"), _counts(by_agent, lambda result: result.tries - 1)),
    ]
    return Grid.from_columns(columns, always=("agent",))


def incident_grid(results: Sequence[EpisodeResult], agents: Sequence[str]) -> Grid | None:
    """Return what went wrong between agents and their models, by kind; None if nothing did."""
    counted = {agent: Counter[str]() for agent in agents}
    for result in results:
        counted[result.agent].update(result.incidents)
    kinds = sorted({kind for counts in counted.values() for kind in counts})
    if not kinds:
        return None
    affected = [agent for agent in agents if counted[agent]]
    return Grid.from_rows(
        ["incident", *affected],
        [
            [kind.replace("_", " "), *(format_count(counted[agent][kind]) for agent in affected)]
            for kind in kinds
        ],
    )


def uses_model(plan: RunPlan, result: EpisodeResult) -> bool:
    """Return whether a model worked the episode, as far as plan and result tell."""
    named = any(config.model for config in plan.agents if config.name == result.agent)
    return named or result.prompt_tokens is not None or result.completion_tokens is not None


def _totals(
    plan: RunPlan,
    by_agent: Sequence[Sequence[EpisodeResult]],
    value: Callable[[EpisodeResult], float | None],
    digits: int,
) -> list[str]:
    return [
        format_total([value(result) for result in episodes if uses_model(plan, result)], digits)
        for episodes in by_agent
    ]


def _counts(
    by_agent: Sequence[Sequence[EpisodeResult]], value: Callable[[EpisodeResult], int]
) -> list[str]:
    return [format_count(sum(map(value, episodes))) for episodes in by_agent]
