"""Whom to ask about a second ledger is told after the answer about the first."""

from __future__ import annotations

from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec

TWICE = (TaskSpec(rule="transactions.self_approved.s3"),) * 2


async def test_the_contacts_of_two_reviews_are_told_apart_by_one_colleague() -> None:
    # here a question for the contacts of the second ledger was taken for a follow-up to the first
    day = await stage_day(
        compose_day(Scenario(name=TWICE[0].rule, seed=1, days=(DaySpec(tasks=TWICE),)))
    )
    async with day.world:
        assert await day.work() == {}
        assert all(grade.success for grade in await day.grades())
