"""The result of an episode: its line in the result file."""

from __future__ import annotations

import time
from dataclasses import dataclass

from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import (
    UNSUPPORTED,
    EpisodeResult,
    ResultIdentity,
    TaskResult,
)
from trainee_bench.harness.records.schedule_figures import ScheduleFigures
from trainee_bench.harness.scheduling.measure import MeasuredDay
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.supervision import AgentExit
from trainee_bench.harness.session.usage import total_usage
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.grade import day_score, day_success


@dataclass(frozen=True)
class DayFigures:
    """What a day's result says of its tasks: see `EpisodeResult`."""

    tasks: tuple[TaskResult, ...]
    score: float | None
    success: bool
    coverage: float
    schedule: ScheduleFigures


def day_figures(
    spec: EpisodeSpec, graded: tuple[TaskResult, ...], measured: MeasuredDay
) -> DayFigures:
    """The figures of the day of *spec* from the grades of the tasks that could be staged, and from
    its measured schedule."""
    tasks = (*graded, *_unsupported(spec))
    best_worth = spec.scenario.days[spec.day].best_worth
    return DayFigures(
        tasks=tasks,
        score=day_score(tasks, best_worth),
        success=day_success(tasks, best_worth),
        coverage=sum(task.score is not None for task in tasks) / len(tasks),
        schedule=measured.with_grades(graded, best_worth),
    )


def completed_result(
    spec: EpisodeSpec,
    identity: ResultIdentity,
    session: AgentSession,
    agent_exit: AgentExit,
    graded: tuple[TaskResult, ...],
    measured: MeasuredDay,
) -> EpisodeResult:
    """The result of an episode that ended and was graded; *identity* was settled before it."""
    grade = day_figures(spec, graded, measured)
    spending = total_usage(session.thoughts)
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
        steps=session.counts.steps,
        tool_calls=session.counts.tool_calls,
        failed_calls=session.counts.failed_calls,
        refused_calls=session.counts.refused_calls,
        tasks=grade.tasks,
        ended=agent_exit.ended,
        agent_error=agent_exit.agent_error,
        error=None if grade.score is not None else "no task could be graded",
        prompt_tokens=spending.prompt_tokens,
        completion_tokens=spending.completion_tokens,
        cost_usd=spending.cost_usd,
        incidents=dict(sorted(session.counts.incidents.items())),
        schedule=grade.schedule,
        wall_seconds=0,
        transport=spec.transport,
        identity=identity,
        spec_digest=spec.digest,
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
    known = [find_rule(task.rule) for task in spec.scenario.days[spec.day].tasks]
    return tuple(
        TaskResult(
            task="",
            rule=rule.id,
            family=rule.meta_task.family,
            domain=rule.meta_task.domain,
            label=rule.difficulty,
            score=None,
            success=False,
            error="the episode broke",
        )
        for rule in known
    )
