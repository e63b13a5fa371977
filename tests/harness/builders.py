"""Results and plans for tests, made of the few things a test is about."""

from __future__ import annotations

from datetime import datetime, time, timedelta

from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import CheckpointResult, EpisodeResult, TaskResult
from trainee_bench.harness.records.schedule_figures import (
    QuestionTiming,
    ScheduleFigures,
    TaskTiming,
    ValueFigures,
)
from trainee_bench.meta_tasks.scenario import FIRST_DAY, DaySpec, Scenario, TaskSpec

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
_NOON = datetime.combine(FIRST_DAY, time(12))


def task(score: float | None, rule: str = "family.easy", **more: object) -> TaskResult:
    """A task's result; success at full score."""
    family = rule.split(".")[0]
    values: dict[str, object] = {
        "task": "T1", "rule": rule, "family": family, "domain": "some_domain", "label": "easy",
        "score": score, "success": score == 1, "error": None if score is not None else "broke",
        "checkpoints": (
            CheckpointResult(
                name="done", sentence="It is done", weight=1, passed=score == 1, seen="nothing"
            ),
        ),
    }  # fmt: skip
    return TaskResult.model_validate({**values, **more})


def episode(agent: str, scenario: str, *tasks: TaskResult, **more: object) -> EpisodeResult:
    """An episode's result; its score is the mean of its tasks'."""
    attempt = more.get("attempt", 1)
    scores = [one.score for one in tasks if one.score is not None]
    values: dict[str, object] = {
        "episode": f"{scenario}.day_1.{agent}.{attempt}", "scenario": scenario, "day": "day_1",
        "agent": agent, "attempt": 1, "seed": 0, "tasks": tasks,
        "score": sum(scores) / len(scores) if scores else None,
        "success": all(one.success for one in tasks),
        "coverage": len(scores) / len(tasks) if tasks else 0,
        "steps": 10, "tool_calls": 12, "failed_calls": 0, "refused_calls": 0,
        "wall_seconds": 0.1, "transport": "memory",
    }  # fmt: skip
    return EpisodeResult.model_validate({**values, **more})


def week(agent: str, scenario: str, *schedules: ScheduleFigures, **more: object) -> EpisodeResult:
    """The result of a week whose days were scheduled so."""
    days = [
        {
            "name": name, "steps": 1, "tool_calls": 1, "failed_calls": 0, "ended": "agent",
            "due": 1, "score": 1.0, "schedule": schedule,
        }
        for name, schedule in zip(_WEEKDAYS, schedules, strict=False)
    ]  # fmt: skip
    return episode(agent, scenario, task(1.0), **{"day": "week", "days": days, **more})


def figures(*, idle: int, switches: int = 0, lost: float = 0, late: int = 0) -> ScheduleFigures:
    """The schedule of a day with one task of four, and a question that came 30 minutes late."""
    timing = TaskTiming(
        task="T1", published=_NOON, deadline=_NOON, began=_NOON, submitted=None if late else _NOON,
        minutes_late=late, calls=1, minutes=1,
    )  # fmt: skip
    asked = QuestionTiming(
        fact="T1/owner", possible=_NOON, asked=_NOON + timedelta(minutes=30),
        told=_NOON + timedelta(hours=1), minutes_late=30, minutes_waited=10,
    )  # fmt: skip
    value = ValueFigures(optimum=4, delivered=4 - lost, never_begun=0, late=lost, wrong=0, harmed=0)
    return ScheduleFigures(
        tasks=(timing,), questions=(asked,), facts_never_told=0, waiting_minutes=idle + 100,
        idle_minutes=idle, switches=switches, other_calls=2, other_minutes=2, value=value,
    )  # fmt: skip


def plan(*scenarios: str, agents: tuple[str, ...] = ("nothing",), epochs: int = 1) -> RunPlan:
    """A plan of one-day scenarios with these names."""
    return RunPlan(
        benchmark="test",
        scenarios=tuple(
            Scenario(name=name, days=(DaySpec(tasks=(TaskSpec(rule="kb_fix.easy"),)),))
            for name in scenarios
        ),
        agents=agents,
        epochs=epochs,
    )
