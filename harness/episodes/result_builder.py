"""The result of an episode, which is its line in the result file."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from trainee_bench.harness.episodes.grading import task_results
from trainee_bench.harness.provenance.measure import measure_provenance
from trainee_bench.harness.records.npc_fidelity import NpcFidelity
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.provenance_figures import ProvenanceFigures
from trainee_bench.harness.records.results import (
    UNSUPPORTED,
    DayResult,
    EpisodeResult,
    ResultIdentity,
    TaskResult,
    trajectory_name,
    world_name,
)
from trainee_bench.harness.records.schedule_figures import ScheduleFigures
from trainee_bench.harness.scheduling.measure import add_values, measure_days
from trainee_bench.harness.session.agent_session import AgentSession, SessionCounts
from trainee_bench.harness.session.supervision import AgentExit
from trainee_bench.harness.session.turns import Thought, total_usage
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.grade import day_score, day_success
from trainee_bench.world.world import World


@dataclass(frozen=True)
class DaySession:
    """A day's session and its end; ``name`` is as in `DayResult`."""

    name: str
    session: AgentSession
    agent_exit: AgentExit


def all_thoughts(days: Sequence[DaySession]) -> list[Thought]:
    """Return the thoughts of all *days*."""
    return [thought for day in days for thought in day.session.thoughts]


def total_counts(days: Sequence[DaySession]) -> SessionCounts:
    """Return the counts of all *days* together."""
    counts = [day.session.counts for day in days]
    return SessionCounts(
        steps=sum(count.steps for count in counts),
        tool_calls=sum(count.tool_calls for count in counts),
        failed_calls=sum(count.failed_calls for count in counts),
        refused_calls=sum(count.refused_calls for count in counts),
        incidents=sum((count.incidents for count in counts), Counter[str]()),
    )


def agent_errors(days: Sequence[DaySession]) -> str | None:
    """Return the errors of the agent's own code, with the day's name if there are several days.

    Returns None without an error.
    """
    errors = [(day.name, day.agent_exit.agent_error) for day in days]
    if len(days) == 1:
        return days[0].agent_exit.agent_error
    return "; ".join(f"{name}: {error}" for name, error in errors if error) or None


@dataclass(frozen=True)
class Tries:
    """The tries of an episode so far.

    ``count`` is their number, ``began`` the start by `time.monotonic`. The errors of earlier tries
    are kept.
    """

    count: int
    began: float
    faults: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        """The seconds since the first try began."""
        return round(time.monotonic() - self.began, 3)


@dataclass(frozen=True)
class EpisodeEnd:
    """The state at the end of an episode.

    It has the digest of its world, that of its agent's memory, and the figures of the model that
    played the colleagues.
    """

    digest: str
    memory_digest: str | None
    colleagues: NpcFidelity | None


@dataclass(frozen=True)
class DayFigures:
    """The figures of a result's tasks: see `EpisodeResult`.

    ``schedules`` has the figures of its day, or of each day of its week. ``by_day`` has the tasks
    due on each day of a week.
    """

    tasks: tuple[TaskResult, ...]
    score: float | None
    success: bool
    coverage: float
    schedules: tuple[ScheduleFigures, ...]
    provenance: ProvenanceFigures
    by_day: tuple[tuple[TaskResult, ...], ...] = ()


async def day_figures(
    spec: EpisodeSpec, composition: ComposedDay, world: World, grade: DayGrade
) -> DayFigures:
    """Return the figures of the day or week of *spec* that was worked in *world*.

    The tasks that could be staged have the verifier's *grade*.
    """
    graded = await task_results(world, composition, grade)
    tasks = (*graded, *_unsupported(spec))
    best_worth = composition.spec.best_worth
    due = {task.id: task.due_place for task in composition.tasks}
    places = range(len(composition.days)) if spec.scenario.week else ()
    return DayFigures(
        tasks=tasks,
        score=day_score(tasks, best_worth),
        success=day_success(tasks, best_worth),
        coverage=sum(task.score is not None for task in tasks) / len(tasks),
        schedules=add_values(
            composition,
            await measure_days(world, composition),
            graded,
            spec.scenario.days[spec.day].bound,
        ),
        provenance=await measure_provenance(world, composition),
        by_day=tuple(tuple(t for t in graded if due[t.task] == place) for place in places),
    )


def _day_result(
    worked: DaySession, due: tuple[TaskResult, ...], schedule: ScheduleFigures
) -> DayResult:
    """Return the result of one day of a week."""
    counts = worked.session.counts
    return DayResult(
        name=worked.name,
        steps=counts.steps,
        tool_calls=counts.tool_calls,
        failed_calls=counts.failed_calls,
        ended=worked.agent_exit.ended,
        agent_error=worked.agent_exit.agent_error,
        due=len(due),
        score=day_score(due, None),
        schedule=schedule,
    )


def completed_result(
    spec: EpisodeSpec,
    identity: ResultIdentity,
    worked: Sequence[DaySession],
    grade: DayFigures,
    end: EpisodeEnd,
    tries: Tries,
) -> EpisodeResult:
    """Return the result of an episode that ended and was graded.

    *identity* was determined before the episode.
    """
    spending, counts = total_usage(all_thoughts(worked)), total_counts(worked)
    return EpisodeResult(
        episode=spec.id,
        scenario=spec.scenario.name,
        day=spec.day_name,
        agent=spec.agent,
        attempt=spec.attempt,
        seed=spec.scenario.seed,
        score=grade.score,
        success=grade.success,
        coverage=grade.coverage,
        steps=counts.steps,
        tool_calls=counts.tool_calls,
        failed_calls=counts.failed_calls,
        refused_calls=counts.refused_calls,
        tasks=grade.tasks,
        ended=worked[-1].agent_exit.ended,
        agent_error=agent_errors(worked),
        error=None if grade.score is not None else "no task could be graded",
        tries=tries.count,
        faults=tries.faults,
        prompt_tokens=spending.prompt_tokens,
        completion_tokens=spending.completion_tokens,
        cost_usd=spending.cost_usd,
        incidents=dict(sorted(counts.incidents.items())),
        colleagues=end.colleagues,
        schedule=None if spec.scenario.week else grade.schedules[0],
        provenance=grade.provenance,
        remembers=spec.remembers,
        wall_seconds=tries.seconds,
        transport=spec.transport,
        digest=end.digest,
        world=world_name(spec.id),
        trajectory=trajectory_name(spec.id),
        identity=identity,
        spec_digest=spec.digest,
        memory_digest=end.memory_digest,
        days=tuple(
            _day_result(*day) for day in zip(worked, grade.by_day, grade.schedules, strict=False)
        ),
        forked_from=spec.forked_from,
    )


def broken_result(spec: EpisodeSpec, error: str, tries: Tries) -> EpisodeResult:
    """Return the result of an episode that could not be run."""
    return EpisodeResult(
        episode=spec.id,
        scenario=spec.scenario.name,
        day=spec.day_name,
        agent=spec.agent,
        attempt=spec.attempt,
        seed=spec.scenario.seed,
        score=None,
        success=False,
        coverage=0,
        steps=0,
        tool_calls=0,
        failed_calls=0,
        refused_calls=0,
        tasks=(*_not_run(spec), *_unsupported(spec)),
        error=error,
        tries=tries.count,
        faults=tries.faults,
        wall_seconds=tries.seconds,
        transport=spec.transport,
        spec_digest=spec.digest,
    )


def _unsupported(spec: EpisodeSpec) -> tuple[TaskResult, ...]:
    """Return the results of the tasks whose family does not exist."""
    return tuple(
        TaskResult(
            task="", rule=name, family="", domain="", label="",
            score=None, success=False, error=UNSUPPORTED,
        )
        for name in spec.unsupported
    )  # fmt: skip


def _not_run(spec: EpisodeSpec) -> tuple[TaskResult, ...]:
    """Return the results of the tasks of an episode that could not be run."""
    known = [find_rule(task.rule) for task in spec.tasks]
    return tuple(
        TaskResult(
            task="",
            rule=rule.id,
            family=rule.meta_task.family_class.family,
            domain=rule.meta_task.family_class.domain,
            label=rule.difficulty,
            score=None,
            success=False,
            error="the episode broke",
        )
        for rule in known
    )
