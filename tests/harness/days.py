"""Days for tests, made of the rules of their tasks."""

from __future__ import annotations

from typing import Any

from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec


def day_spec(*tasks: str | TaskSpec, **more: Any) -> DaySpec:
    """A day of these tasks; one that is only named is of that rule."""
    made = tuple(TaskSpec(rule=task) if isinstance(task, str) else task for task in tasks)
    return DaySpec(tasks=made, **more)


def one_day(*tasks: str | TaskSpec, name: str = "one", seed: int = 0, **more: Any) -> Scenario:
    """A scenario of one day of these tasks."""
    return Scenario(name=name, seed=seed, days=(day_spec(*tasks),), **more)


def composed_day(
    *tasks: str | TaskSpec, name: str = "one", seed: int = 0, **more: Any
) -> ComposedDay:
    """The day of such a scenario."""
    return compose_day(one_day(*tasks, name=name, seed=seed, **more))


def twice(*rules: str, name: str, seed: int = 0) -> Scenario:
    """A scenario of two days that ask for the same."""
    days = tuple(day_spec(*rules, name=f"day_{number}") for number in (1, 2))
    return Scenario(name=name, seed=seed, days=days)
