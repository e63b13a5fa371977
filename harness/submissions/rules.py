"""The rules that a run must meet to be listed on a board, and its figures.

Repeating a run (`verify_lines`) proves that its scores belong to its calls. These rules require the
whole benchmark, one agent and one set of conditions. Nobody can prove who made the calls: a board
needs scenarios with salts that it keeps secret.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from trainee_bench.harness.agents.runtime.registry import discover_agents
from trainee_bench.harness.episodes.identity import INSIDER
from trainee_bench.harness.episodes.npcs import SCRIPTED_BRAIN
from trainee_bench.harness.records.frozen_model import FrozenModel
from trainee_bench.harness.records.plan import SCHEMA_VERSION, EpisodeSpec, RunPlan
from trainee_bench.harness.records.results import EpisodeResult, ResultIdentity
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.meta_tasks.benchmark import Benchmark

_SHOWN = 3
"""The number of episodes that a sentence names."""


class SubmissionFigures(FrozenModel):
    """The figures of a submission: the share of complete episodes and the mean score. ``custom``
    lists the deviations from the standard conditions; empty means standard."""

    benchmark: str
    agent: str
    model: str | None
    episodes: int
    complete: float
    score: float
    custom: tuple[str, ...]


def is_whole_benchmark(plan: RunPlan, benchmark: Benchmark) -> bool:
    """Return whether *plan* has exactly the scenarios of *benchmark*, unchanged and with all days.
    Known bounds of days are ignored on both sides."""
    planned, whole = (
        [scenario.without_bounds() for scenario in owner.scenarios] for owner in (plan, benchmark)
    )
    if planned != whole or plan.unsupported or plan.refused or plan.part is not None:
        return False
    due = {(scenario.name, day) for scenario in benchmark.scenarios for day in scenario.world_days}
    return due == {(spec.scenario.name, spec.day) for spec in plan.episode_specs()}


def rule_problems(
    plan: RunPlan, results: Sequence[EpisodeResult], benchmark: Benchmark
) -> Iterator[str]:
    """Yield the reasons why the run of *plan* cannot be submitted for *benchmark*, a sentence
    each."""
    if plan.benchmark != benchmark.name:
        yield f"its benchmark is {plan.benchmark}, not {benchmark.name}"
    if plan.schema_version != SCHEMA_VERSION:
        yield f"its files have layout {plan.schema_version}, but this version uses {SCHEMA_VERSION}"
    if not is_whole_benchmark(plan, benchmark):
        yield f"its scenarios and days are not exactly those of {benchmark.name}"
    if len(plan.agents) != 1:
        names = ", ".join(agent.name for agent in plan.agents)
        yield (f"it has {len(plan.agents)} agents ({names}); a submission has one: run it alone")
    finished = {result.episode for result in results}
    missing = [spec.id for spec in plan.episode_specs() if spec.id not in finished]
    if missing:
        yield f"it is not finished: {_named(missing)} without a result; run --resume continues it"
    broken = [result.episode for result in results if result.broken]
    if broken:
        yield f"{_named(broken)} broke and could not be graded; run --resume tries again"
    identities = {_key(result.identity) for result in results if not result.broken}
    if len(identities) > 1:
        yield f"its results were made under {len(identities)} different conditions"
    if any(result.identity and result.identity.isolation == INSIDER for result in results):
        yield "its agent knows secrets of the days, as the oracle and the scripted models do"
    if plan.fork is not None or any(result.forked_from for result in results):
        yield "its agent took over another agent's day, so its score is not only its own"
    if any(result.identity and result.identity.guided for result in results):
        yield "people guided its agent"


def submission_figures(plan: RunPlan, results: Sequence[EpisodeResult]) -> SubmissionFigures:
    """Return the figures of a run without `rule_problems`."""
    (agent,) = plan.agents
    specs = tuple(plan.episode_specs())
    identity = results[0].identity
    assert identity is not None
    return SubmissionFigures(
        benchmark=plan.benchmark,
        agent=agent.name,
        model=agent.model,
        episodes=len(results),
        complete=fmean(result.success for result in results),
        score=fmean(result.score or 0.0 for result in results),
        custom=tuple(_custom(specs[0], identity)),
    )


def _custom(spec: EpisodeSpec, identity: ResultIdentity) -> Iterator[str]:
    """Yield the conditions of a result that are not standard."""
    if identity.limits != EpisodeLimits():
        yield "its limits are not the standard ones"
    if identity.guidance:
        yield "the agent got hints"
    if identity.npc_brain != SCRIPTED_BRAIN:
        yield "a model or a person played the colleagues"
    if spec.agent_config.agent not in discover_agents() and identity.isolation == "none":
        yield "the agent's own code ran without isolation"


def _key(identity: ResultIdentity | None) -> str:
    """The conditions of a result as text, without the digests, which differ from day to day."""
    return "" if identity is None else identity.model_dump_json(exclude={"frozen"})


def _named(episodes: Sequence[str]) -> str:
    more = len(episodes) - _SHOWN
    return ", ".join(episodes[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
