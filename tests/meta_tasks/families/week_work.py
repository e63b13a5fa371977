"""Weeks that a new worker works on each morning, over needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from trainee_bench.harness.testbench.staged_day import stage_day, without_submitted
from trainee_bench.harness.testbench.work_plan import last_changes, plan_for
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.families.kb_fix.work import honest_work as correct_articles
from trainee_bench.meta_tasks.families.week.work import honest_work as keep_duty
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.meta_tasks.scenario import Arrival, DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.work.habits import Habit
from trainee_bench.meta_tasks.work.planner import DayOutline
from trainee_bench.meta_tasks.work.worker import employ
from trainee_bench.world.notices import Verbosity

WORKS = {"kb_fix": correct_articles, "week": keep_duty}


def week_of(
    *days: Sequence[str],
    verbosity: Verbosity = Verbosity.ALL,
    arrival: Arrival = Arrival.AT_ONCE,
) -> ComposedDay:
    """A week of five days with tasks of these rules; days that are not given have none."""
    tasks = [tuple(TaskSpec(rule=rule) for rule in rules) for rules in days]
    tasks += [()] * (5 - len(days))
    specs = tuple(DaySpec(tasks=some) for some in tasks)
    week = Scenario(
        name="week", seed=3, days=specs, week=True, verbosity=verbosity, arrival=arrival
    )
    return compose_day(week, 0)


@dataclass(frozen=True)
class WorkedWeek:
    """What came of a week: errors by day and task, grades, and how often each tool was called."""

    errors: dict[str, Exception]
    grades: list[TaskGrade]
    calls: Counter[str]

    @property
    def scores(self) -> list[float | None]:
        """The scores of all tasks."""
        return [grade.score for grade in self.grades]


async def work_over_needs(week: ComposedDay, habits: Sequence[Habit] = ()) -> WorkedWeek:
    """A new worker with *habits* on each morning."""
    day = await stage_day(week)
    errors: dict[str, Exception] = {}
    async with day.world:
        for place in range(len(week.days)):
            if place:
                await day.world.begin_next_day()
            today = week.on_day(place)
            oracles = {task.id: task.meta_task.family_class.oracle for task in today.tasks}
            open_tasks = await without_submitted(day, oracles, today.carried_over)
            families = {task.id: task.meta_task.family_class.family for task in today.tasks}
            works = {task: WORKS[families[task]] for task in open_tasks}
            plan = plan_for(today)
            _, planner = employ(
                day,
                day.costs,
                works,
                habits,
                trusts_notices=plan.trusts_notices,
                plan=DayOutline(first=plan.first, settled=last_changes(week)),
            )
            failed = await planner.run()
            errors |= {f"{task} on day {place}": error for task, error in failed.items()}
        log = await day.world.log()
        calls = Counter(entry.tool for entry in log if entry.actor)
        return WorkedWeek(errors, await day.grades(), calls)


async def work_with_oracles(week: ComposedDay) -> WorkedWeek:
    """The oracles of today."""
    day = await stage_day(week)
    async with day.world:
        errors = await day.work()
        log = await day.world.log()
        calls = Counter(entry.tool for entry in log if entry.actor)
        return WorkedWeek(errors, await day.grades(), calls)
