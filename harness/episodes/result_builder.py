"""The result of an episode: its line in the result file."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from trainee_bench.harness.episodes.day_session import (
    DaySession,
    agent_errors,
    all_thoughts,
    total_counts,
)
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.provenance_figures import ProvenanceFigures
from trainee_bench.harness.records.results import (
    UNSUPPORTED,
    DayResult,
    EpisodeResult,
    ResultIdentity,
    TaskResult,
)
from trainee_bench.harness.records.schedule_figures import ScheduleFigures
from trainee_bench.harness.scheduling.measure import MeasuredDay, add_values
from trainee_bench.harness.session.usage import total_usage
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.grade import day_score, day_success


@dataclass(frozen=True)
class DayFigures:
    """What a result says of its tasks: see `EpisodeResult`. ``schedules`` has the figures of its
    day, or of each day of its week; ``by_day``, for each day of a week, the tasks due on it."""

    tasks: tuple[TaskResult, ...]
    score: float | None
    success: bool
    coverage: float
    schedules: tuple[ScheduleFigures, ...]
    provenance: ProvenanceFigures
    by_day: tuple[tuple[TaskResult, ...], ...] = ()


def day_figures(
    spec: EpisodeSpec,
    composition: ComposedDay,
    graded: tuple[TaskResult, ...],
    measured: Sequence[MeasuredDay],
    provenance: ProvenanceFigures,
) -> DayFigures:
    """The figures of the day or week of *spec* from the grades of the tasks that could be staged,
    from its *measured* days, and from the *provenance* of its facts."""
    tasks = (*graded, *_unsupported(spec))
    best_worth = composition.spec.best_worth
    due = {task.id: task.due_place for task in composition.tasks}
    places = range(len(composition.days)) if spec.scenario.week else ()
    return DayFigures(
        tasks=tasks,
        score=day_score(tasks, best_worth),
        success=day_success(tasks, best_worth),
        coverage=sum(task.score is not None for task in tasks) / len(tasks),
        schedules=add_values(composition, measured, graded, spec.scenario.days[spec.day].bound),
        provenance=provenance,
        by_day=tuple(tuple(one for one in graded if due[one.task] == place) for place in places),
    )


def _day_result(
    worked: DaySession, due: tuple[TaskResult, ...], schedule: ScheduleFigures
) -> DayResult:
    """The result of one day of a week."""
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
) -> EpisodeResult:
    """The result of an episode that ended and was graded; *identity* was settled before it."""
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
        prompt_tokens=spending.prompt_tokens,
        completion_tokens=spending.completion_tokens,
        cost_usd=spending.cost_usd,
        incidents=dict(sorted(counts.incidents.items())),
        schedule=None if spec.scenario.week else grade.schedules[0],
        provenance=grade.provenance,
        wall_seconds=0,
        transport=spec.transport,
        identity=identity,
        spec_digest=spec.digest,
        days=tuple(
            _day_result(*day) for day in zip(worked, grade.by_day, grade.schedules, strict=False)
        ),
    )


def broken_result(spec: EpisodeSpec, error: str, tries: int, began: float) -> EpisodeResult:
    """The result of an episode that could not be run."""
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
        tries=tries,
        wall_seconds=round(time.monotonic() - began, 3),
        transport=spec.transport,
        spec_digest=spec.digest,
    )


def _unsupported(spec: EpisodeSpec) -> tuple[TaskResult, ...]:
    """The results of the tasks whose family does not exist."""
    return tuple(
        TaskResult(
            task="", rule=name, family="", domain="", label="",
            score=None, success=False, error=UNSUPPORTED,
        )
        for name in spec.unsupported
    )  # fmt: skip


def _not_run(spec: EpisodeSpec) -> tuple[TaskResult, ...]:
    """The results of the tasks of an episode that could not be run."""
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
