"""Several tasks of a day by one worker: what is said about one of them counts for no other."""

from __future__ import annotations

import asyncio
from importlib import import_module

from tests.meta_tasks.work.test_habits import careful
from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.harness.testbench.work_plan import last_changes, plan_for
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.meta_tasks.work.planner import DayOutline
from trainee_bench.meta_tasks.work.worker import TaskWork, employ


def family_work(rule: str) -> TaskWork:
    family = import_module(f"trainee_bench.meta_tasks.families.{rule.partition('.')[0]}.work")
    work: TaskWork = family.honest_work
    return work


async def grades_of(name: str) -> list[TaskGrade]:
    """The grades of a day of expert-50 that one careful worker works."""
    (scenario,) = (s for s in load_shipped_benchmark("expert-50").scenarios if s.name == name)
    composed = compose_day(scenario)
    day = await stage_day(composed)
    async with day.world:
        works = {task.id: family_work(task.rule) for task in composed.worthwhile_tasks}
        outline = DayOutline(order=plan_for(composed).order, settled=last_changes(composed))
        _, planner = employ(day, day.costs, works, careful(), trusts_notices=True, plan=outline)
        await planner.run()
        return await day.grades()


def test_somebody_who_hands_over_a_matter_of_one_task_still_answers_for_that_of_another() -> None:
    """One member of the department has handed over its closure days, not when they are free."""
    assert all(grade.score == 1 for grade in asyncio.run(grades_of("expert-50-50")))
