"""Checks that the times of a composed task are in order."""

from __future__ import annotations

from trainee_bench.meta_tasks.composed_day import ComposedTask
from trainee_bench.meta_tasks.moments import TIME_TO_REACT
from trainee_bench.meta_tasks.task_context import CompositionError, TaskOutput
from trainee_bench.world.transaction import WorkingDay


def check_times(task: ComposedTask, day: WorkingDay, due_day: WorkingDay) -> None:
    """Raise CompositionError unless the task's times are in order, from the start of the *day* on
    which it is published to the end of the day on which it is due."""
    known_by = task.instance.told.must_know_by
    if task.trigger is None and known_by is not None and day.starts < task.arrives > known_by:
        raise CompositionError(
            f"{task.rule}: it arrives at {task.arrives:%H:%M}, too late for its appointment: it "
            f"has to be known by {known_by:%H:%M}"
        )
    in_order = day.starts <= task.arrives < task.first_deadline <= due_day.ends
    if not in_order or task.arrives >= day.ends or task.first_deadline <= due_day.starts:
        raise CompositionError(
            f"{task.rule}: it arrives at {task.arrives:%H:%M} and is due at "
            f"{task.first_deadline:%H:%M}; it must arrive before it is due, both within "
            f"{day.starts:%H:%M}-{day.ends:%H:%M}"
        )
    moved = task.deadline_moves_at
    if moved is None:
        return
    if task.trigger is not None:
        raise CompositionError(
            f"{task.rule}: its publication time is unknown, so its deadline cannot move"
        )
    if task.deadline == task.first_deadline:
        raise CompositionError(f"{task.rule}: its deadline moves to the time that it already has")
    if not task.arrives < moved < min(task.first_deadline, task.deadline) or (
        task.deadline > due_day.ends
    ):
        raise CompositionError(
            f"{task.rule}: its deadline can move only after it has arrived and before it is due"
        )


def check_input_settles(task: ComposedTask, given: TaskOutput | None, day: WorkingDay) -> None:
    """Raise CompositionError if the input that is *given* to the task may change too late to react.
    A change before the *day* on which the task is published is no change for it."""
    if given is None or given.settles is None or given.settles < day.starts:
        return
    if not task.meta_task.family_class.revises_input:
        raise CompositionError(
            f"{task.rule} takes the first version of the result for {given.task}, which changes; "
            "let it take another task's result"
        )
    due = min(task.first_deadline, task.deadline)
    latest = task.instance.told.must_know_by or due - TIME_TO_REACT
    if given.settles > latest:
        raise CompositionError(
            f"the result for {given.task} changes at {given.settles:%H:%M}, too late for "
            f"{task.rule}, which has to know it by {latest:%H:%M}; use another seed"
        )
