"""How episodes went apart from their grades: how they ended, what went wrong, what they cost.

What is not known is called unknown: a sum that leaves something out says "at least".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from trainee_bench.harness.analysis.report.table import NO_VALUE, Grid, format_total
from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.session.limits import EndReason

Number = int | float


def usage_grid(plan: RunPlan, results: Sequence[EpisodeResult], agents: Sequence[str]) -> Grid:
    """For each of *agents* how its episodes ended, and what they used, over all of them.

    Columns that say nothing are left out.
    """
    models = {one.name: one.model for one in plan.candidates}
    columns: list[tuple[str, list[str]]] = [("agent", list(agents))]
    columns.append(("model", [models.get(agent) or NO_VALUE for agent in agents]))
    by_agent = [[result for result in results if result.agent == agent] for agent in agents]
    worked = [[one for one in episodes if one.error is None] for episodes in by_agent]
    for ending in EndReason:
        ended = [sum(one.ended == ending for one in episodes) for episodes in by_agent]
        columns.append((_ending(ending), [str(count or NO_VALUE) for count in ended]))
    columns += [
        ("prompt tokens", _totals(plan, worked, lambda one: one.prompt_tokens, 0)),
        ("completion tokens", _totals(plan, worked, lambda one: one.completion_tokens, 0)),
        ("cost $", _totals(plan, worked, lambda one: one.cost_usd, 2)),
        ("calls that failed", _counts(worked, lambda one: one.failed_calls)),
        ("calls refused", _counts(worked, lambda one: one.refused_calls)),
        ("incidents", _counts(by_agent, lambda one: sum(one.incidents.values()))),
        ("begun again", _counts(by_agent, lambda one: one.tries - 1)),
    ]
    kept = [
        (name, values)
        for name, values in columns
        if name == "agent" or any(value != NO_VALUE for value in values)
    ]
    rows = zip(*(values for _, values in kept), strict=True)
    return Grid(tuple(name for name, _ in kept), tuple(rows))


def incident_grid(results: Sequence[EpisodeResult], agents: Sequence[str]) -> Grid | None:
    """What went wrong between agents and their models, by kind; None if nothing did."""
    counted = {agent: Counter[str]() for agent in agents}
    for result in results:
        counted[result.agent].update(result.incidents)
    kinds = sorted({kind for counts in counted.values() for kind in counts})
    if not kinds:
        return None
    touched = [agent for agent in agents if counted[agent]]
    return Grid(
        ("incident", *touched),
        tuple(
            (kind.replace("_", " "), *(str(counted[agent][kind] or NO_VALUE) for agent in touched))
            for kind in kinds
        ),
    )


def uses_model(plan: RunPlan, result: EpisodeResult) -> bool:
    """Whether a model was behind the episode, as far as anybody knows."""
    named = any(one.model for one in plan.candidates if one.name == result.agent)
    return named or result.prompt_tokens is not None or result.completion_tokens is not None


def _totals(
    plan: RunPlan,
    by_agent: Sequence[Sequence[EpisodeResult]],
    value: Callable[[EpisodeResult], Number | None],
    digits: int,
) -> list[str]:
    return [
        format_total([value(one) for one in episodes if uses_model(plan, one)], digits)
        for episodes in by_agent
    ]


def _counts(
    by_agent: Sequence[Sequence[EpisodeResult]], value: Callable[[EpisodeResult], int]
) -> list[str]:
    return [str(sum(map(value, episodes)) or NO_VALUE) for episodes in by_agent]


def _ending(ending: EndReason) -> str:
    return "finished" if ending is EndReason.AGENT else ending.replace("_", " ")
