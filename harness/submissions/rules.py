"""What a run must be to stand on a board beside others, and its figures.

Repeating a run (`verify_lines`) proves that its scores belong to its calls. These rules say that it
is all of the benchmark, by one agent, under one set of conditions. Who made the calls, nobody can
prove: a board needs scenarios with salts that it holds back.
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
"""How many episodes a sentence names."""


class SubmissionFigures(FrozenModel):
    """The figures of a submission: the share of episodes that were complete, and the mean score.
    ``custom`` says what differs from the standard conditions; empty means standard."""

    benchmark: str
    agent: str
    model: str | None
    episodes: int
    complete: float
    score: float
    custom: tuple[str, ...]


def is_whole_benchmark(plan: RunPlan, benchmark: Benchmark) -> bool:
    """Whether the scenarios of *plan* are those of *benchmark*, all of them, with all their days,
    and unchanged. Whether bounds of days were known to either does not matter."""
    planned, whole = (
        [scenario.without_bounds() for scenario in one.scenarios] for one in (plan, benchmark)
    )
    if planned != whole or plan.unsupported or plan.refused:
        return False
    due = {(one.name, day) for one in benchmark.scenarios for day in one.world_days}
    return due == {(spec.scenario.name, spec.day) for spec in plan.episode_specs()}


def rule_problems(
    plan: RunPlan, results: Sequence[EpisodeResult], benchmark: Benchmark
) -> Iterator[str]:
    """Why the run of *plan* cannot be submitted for *benchmark*, a sentence each."""
    if plan.benchmark != benchmark.name:
        yield f"it says that its benchmark is {plan.benchmark}, but that is {benchmark.name}"
    if plan.schema_version != SCHEMA_VERSION:
        yield f"its files have layout {plan.schema_version}; here it is {SCHEMA_VERSION}"
    if not is_whole_benchmark(plan, benchmark):
        yield f"its scenarios are not those of {benchmark.name}, whole and unchanged"
    if len(plan.agents) != 1:
        names = ", ".join(agent.name for agent in plan.agents)
        yield f"it has {len(plan.agents)} agents ({names}); a submission has one: run it alone"
    there = {result.episode for result in results}
    missing = [spec.id for spec in plan.episode_specs() if spec.id not in there]
    if missing:
        yield f"it is not finished: {_named(missing)} without a result; run --resume continues it"
    broken = [result.episode for result in results if result.broken]
    if broken:
        yield f"{_named(broken)} broke and could not be graded; run --resume tries again"
    identities = {_key(result.identity) for result in results if not result.broken}
    if len(identities) > 1:
        yield f"its results were made under {len(identities)} different conditions"
    if any(one.identity and one.identity.isolation == INSIDER for one in results):
        yield "its agent knows secrets of the days, as the oracle and the scripted models do"
    if plan.fork is not None or any(one.forked_from for one in results):
        yield "its agent took a day over from another, so that its score is not its own alone"
    if any(one.identity and one.identity.guided for one in results):
        yield "people guided its agent"


def submission_figures(plan: RunPlan, results: Sequence[EpisodeResult]) -> SubmissionFigures:
    """The figures of a run without `rule_problems`."""
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
    """What of a result's conditions is not standard."""
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
