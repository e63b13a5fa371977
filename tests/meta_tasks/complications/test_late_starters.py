"""Beginning late is no way around a change: it comes late enough for that."""

from __future__ import annotations

from datetime import datetime, time

import pytest

from trainee_bench.harness.certification.complications import late_starts
from trainee_bench.harness.testbench.scheduler import run_oracles
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.meta_tasks.complicated_task import ComplicatedTask, honest_work
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import ChangesFrom
from trainee_bench.meta_tasks.tool_client import ToolClient
from trainee_bench.world.apps.chat import ClueRevised

SEEDS = range(3)
ASKED = ["11:00", "14:00"]
"""Late starts where colleagues are asked, who go home at 17:00; else there is more time."""
NOT_FILED = 0.69
"""The task is done, and what was handed in lies where the old rules had it."""
RULES = {
    "sales.top_sales_employee+retraction": ASKED,
    "sales.top_sales_employee+changed_request": ASKED,
    "sales.top_sales_employee+corrected_file": ASKED,
    "sales.top_sales_employee+unannounced_correction": ASKED,
    "kb_fix.easy+retraction": ASKED,
    "kb_fix.easy+changed_request": ASKED,
    "data_completion.sales.quarter_from_months.easy+corrected_file": ["11:00", "17:00"],
    "data_completion.sales.quarter_from_months.easy+unannounced_correction": ["11:00", "17:00"],
    "resume_select.pool6+busy_holder": ASKED,
    "transactions.n2.a0+unannounced_handover": ASKED,
    "kb_fix.easy+policy_change": ASKED,
}


async def score_of_ignoring(composed: ComposedDay, start: datetime) -> float:
    """What somebody scores who ignores the task's complication and begins at *start*."""
    family = type(composed.tasks[0].meta_task)
    assert issubclass(family, ComplicatedTask)
    (ignored,) = family.complications
    work = honest_work(family.plain, family.complications, ignored)

    async def late(client: ToolClient) -> None:
        await client.wait_until(start)
        await work(client)

    day = await stage_day(composed)
    async with day.world:
        await run_oracles(day, day.costs, {"T1": late})
        (grade,) = await day.grades()
    return round(grade.score, 3)


@pytest.mark.parametrize("rule", RULES)
async def test_who_ignores_a_change_falls_short_however_late_they_begin(rule: str) -> None:
    starts, scores = set[str](), list[float]()
    for seed in SEEDS:
        composed = single_task_day(rule, seed)
        for start in late_starts(composed):
            starts.add(f"{start:%H:%M}")
            scores.append(await score_of_ignoring(composed, start))
    assert sorted(starts) == RULES[rule]
    expected = NOT_FILED if rule.endswith("+policy_change") else 0.0
    assert scores == [expected] * len(scores)


def retracted_at(task: TaskSpec) -> str:
    """When a colleague takes back what they told for *task*."""
    composed = compose_day(Scenario(name="x", seed=3, days=(DaySpec(tasks=(task,)),)))
    (moment,) = {
        one.due
        for one in composed.tasks[0].instance.events
        if isinstance(one.event, ClueRevised) and one.due is not None
    }
    return f"{moment:%H:%M}"


def test_a_change_is_timed_by_the_deadline_unless_that_is_set_afterwards() -> None:
    rule = "kb_fix.easy+retraction"
    late = [retracted_at(TaskSpec(rule=rule, deadline=time(hour))) for hour in (13, 16, 20)]
    soon = [
        retracted_at(TaskSpec(rule=rule, deadline=time(hour), changes_from=ChangesFrom.ARRIVAL))
        for hour in (13, 16, 20)
    ]
    assert late == ["11:25", "14:25", "18:25"]
    assert soon == ["09:50"] * 3
