"""The right answers of a day with other seeds belong to the tasks of the day itself."""

from __future__ import annotations

import json

from trainee_bench.harness.testbench.other_seeds import (
    answers_with_other_seeds,
    days_with_seeds,
    same_tasks,
)
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import Arrival, DaySpec, Scenario, TaskSpec

RULES = ("attendance.total_absence_days.L1", "kb_fix.easy", "sales.top_sales_employee")


def streamed(seed: int) -> Scenario:
    """A day on which the seed decides in which order the tasks arrive."""
    day = DaySpec(tasks=tuple(TaskSpec(rule=rule) for rule in RULES))
    return Scenario(name="arriving", seed=seed, days=(day,), arrival=Arrival.STREAMED)


async def test_each_file_gets_answers_of_its_own_task_in_whatever_order_tasks_arrive() -> None:
    day = compose_day(streamed(1))
    others = days_with_seeds(streamed(1), 0, range(2, 6), 4)
    orders = {tuple(task.rule for task in other.tasks) for other in (day, *others)}
    assert len(orders) > 1
    for other in others:
        assert all(task.rule == same.rule for task, same in same_tasks(day, other))
    found = await answers_with_other_seeds(day, others)
    for task in day.tasks:
        for path in task.instance.told.deliverable_paths:
            for _, text in found[path]:
                asked = task.instance.told.objective
                if path.endswith(".json"):
                    assert all(f"`{field}`" in asked for field in json.loads(text))
                else:
                    assert not text.startswith("{")
