"""A day that is graded by another truth than the drawn one, such as a worked example."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from trainee_bench.meta_tasks.composed_day import ComposedDay


def truth_of(day: ComposedDay) -> Any:
    """The truth of the only task of *day*."""
    (task,) = day.tasks
    return task.instance.graded.truth


def with_truth(day: ComposedDay, truth: object) -> ComposedDay:
    """*day*, whose only task is graded by *truth*."""
    (task,) = day.tasks
    graded = replace(task.instance.graded, truth=truth)
    instance = replace(task.instance, graded=graded)
    return replace(day, tasks=(replace(task, instance=instance),))
