"""Weeks that a new worker works on each morning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.harness.testbench.work_plan import (
    honest_works,
    last_changes,
    outline_of,
    without_submitted,
    work_tasks,
)
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.meta_tasks.scenario import Arrival, DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.work.habits import Habit
from trainee_bench.world.notices import Verbosity


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


async def work_week(week: ComposedDay, habits: Sequence[Habit] = ()) -> WorkedWeek:
    """A new worker with *habits* on each morning, who knows what happens to tasks last."""
    day = await stage_day(week)
    errors: dict[str, Exception] = {}
    async with day.world:
        for place in range(len(week.days)):
            if place:
                await day.world.begin_next_day()
            today = week.on_day(place)
            works = await without_submitted(day, honest_works(today), today)
            outline = replace(outline_of(today), settled=last_changes(week))
            failed = await work_tasks(day, day.costs, works, outline, habits)
            errors |= {f"{task} on day {place}": error for task, error in failed.items()}
        log = await day.world.log()
        calls = Counter(entry.tool for entry in log if entry.actor)
        return WorkedWeek(errors, await day.grades(), calls)
