"""Knowledge of honest workers beyond what the office shows, and how they work a day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from trainee_bench.meta_tasks.complications import careful_habits
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.work.engine import ToolCaller
from trainee_bench.meta_tasks.work.habits import Habit
from trainee_bench.meta_tasks.work.need import TaskWork
from trainee_bench.meta_tasks.work.outline import DayOutline
from trainee_bench.meta_tasks.work.planner import Planner
from trainee_bench.meta_tasks.work.standing import STANDING, prepare
from trainee_bench.meta_tasks.work.worker import employ
from trainee_bench.world.transaction import Verbosity


def last_changes(composition: ComposedDay) -> dict[str, datetime]:
    """Return the time of the last certain event of each task, by id."""
    return {
        task.id: max(
            (planned.due for planned in task.instance.hidden.events if planned.due is not None),
            default=task.arrives,
        )
        for task in composition.tasks
    }


def outline_of(composition: ComposedDay, *, planned: bool = True) -> DayOutline:
    """Return a worker's knowledge of the day.

    It says which tasks take a week, and whether the worker is told of every event. Unless nothing
    is *planned*, it also has the order of the work.
    """
    tasks = composition.worthwhile_tasks
    ids = {task.rule: task.id for task in tasks}
    return DayOutline(
        first=composition.whole_week.union(standing_work(composition)),
        order=tuple(ids[rule] for rule in composition.spec.order if rule in ids and planned),
        trusts_notices=composition.scenario_day.scenario.verbosity is Verbosity.ALL,
    )


def honest_works(composition: ComposedDay) -> dict[str, TaskWork]:
    """Return the honest work of each task that is worth doing, by id, and the standing work."""
    works = {
        task.id: task.meta_task.family_class.honest_work for task in composition.worthwhile_tasks
    }
    return {**works, **standing_work(composition)}


def standing_work(composition: ComposedDay) -> dict[str, TaskWork]:
    """Return the work of the day for tasks of later days, by its name; none if there is nothing to
    do for them."""
    return {STANDING: prepare} if composition.told_ahead else {}


async def work_tasks(
    tools: ToolCaller,
    costs: Mapping[str, int],
    works: Mapping[str, TaskWork],
    outline: DayOutline,
    habits: Sequence[Habit] | None = None,
) -> dict[str, Exception]:
    """Let one worker do all tasks of *works* (by id); return the errors of those not done, by task.

    The worker has careful *habits* unless others are given. *costs* gives the minutes of tools;
    tools not named cost one.
    """
    return await make_worker(tools, costs, works, outline, habits).run()


def make_worker(
    tools: ToolCaller,
    costs: Mapping[str, int],
    works: Mapping[str, TaskWork],
    outline: DayOutline,
    habits: Sequence[Habit] | None = None,
) -> Planner:
    """Return the worker of `work_tasks` before it begins."""
    return employ(tools, costs, works, careful_habits() if habits is None else habits, outline)


async def without_submitted(
    tools: ToolCaller, works: Mapping[str, TaskWork], composition: ComposedDay
) -> dict[str, TaskWork]:
    """Return *works* without tasks from an earlier day that have been submitted already."""
    left, carried_over = dict(works), composition.carried_over
    if any(task in carried_over for task in left):
        for task in (await tools.call("desk_tasks", {})).data["tasks"]:
            if task["submitted"] and task["id"] in carried_over:
                left.pop(task["id"], None)
    return left
