"""In which order the oracles of a day get on: what is planned, beside deadlines."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from trainee_bench.meta_tasks.complicated_task import ComplicatedTask
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.world.transaction import Verbosity

LOOK_FIRST = 2
"""How many calls an oracle makes for a task with an appointment, or on a day with complications,
before it goes by deadlines: to learn when that is, and to ask early who may answer late."""


@dataclass(frozen=True)
class WorkPlan:
    """In which order oracles get on, apart from what their appointments and deadlines say.

    ``first`` are the ids of tasks that take a week. So many first calls of an oracle as
    ``look_first`` gives for its task go before all others. ``order`` are ids of tasks, the most
    urgent first: they go in this order, whatever their deadlines are; but what takes no time goes
    before, and who has promised to be somewhere soon; and who finishes something that may still
    change lets all others go first, unless the day has no order. ``settled`` says from when on
    tasks do not change any more, where that is known beforehand: they are finished then, and not
    before. With ``trusts_notices`` none looks again where nothing was told or done, which takes a
    day that tells everything (`Verbosity.ALL`).
    """

    first: Collection[str] = ()
    look_first: Mapping[str, int] = field(default_factory=dict)
    order: Sequence[str] = ()
    settled: Mapping[str, datetime] = field(default_factory=dict)
    trusts_notices: bool = False


def last_changes(composition: ComposedDay) -> dict[str, datetime]:
    """When the last thing happens to each task (by id) that is sure to happen."""
    return {
        task.id: max(
            (one.due for one in task.instance.events if one.due is not None), default=task.arrives
        )
        for task in composition.tasks
    }


BY_DEADLINES = WorkPlan()
"""Nothing is planned."""


def plan_for(composition: ComposedDay) -> WorkPlan:
    """How the oracles of the tasks worth doing share the day."""
    tasks = composition.worthwhile_tasks
    complicated = any(isinstance(task.meta_task, ComplicatedTask) for task in tasks)
    ids = {task.rule: task.id for task in tasks}
    return WorkPlan(
        first=frozenset(task.id for task in tasks if task.meta_task.whole_week),
        look_first={
            task.id: LOOK_FIRST for task in tasks if complicated or task.meta_task.keeps_appointment
        },
        order=tuple(ids[rule] for rule in composition.spec.order if rule in ids),
        trusts_notices=composition.scenario_day.scenario.verbosity is Verbosity.ALL,
    )
