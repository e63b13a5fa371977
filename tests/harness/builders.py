"""Results and plans for tests, made of the few things a test is about."""

from __future__ import annotations

from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import CheckpointResult, EpisodeResult, TaskResult
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec


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
