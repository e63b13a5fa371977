"""What an oracle reads at the start of its task."""

from __future__ import annotations

import pytest

from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec

RULES = (
    "kb_fix.away.easy",
    "meeting_attend.check_sum.u1",
    "meeting_book.moved.c2",
    "sales.sales_statistics",
    "website_analysis.slow_page",
)


@pytest.mark.parametrize("guidance", [1, 3])
@pytest.mark.parametrize("rule", RULES)
async def test_hints_behind_the_objective_are_not_taken_for_a_part_of_it(
    rule: str, guidance: int
) -> None:
    days = (DaySpec(tasks=(TaskSpec(rule=rule),)),)
    day = await stage_day(compose_day(Scenario(name="hints", days=days, guidance=guidance)))
    async with day.world:
        assert await day.run_oracles() == {}
        (grade,) = await day.grades()
        assert grade.success
