"""Grades come from the verifier, and with them whether and when each task was handed in."""

from __future__ import annotations

from datetime import time

import pytest

from trainee_bench.harness.episodes.grading import task_results, verifier_grades
from trainee_bench.harness.records.results import TaskResult
from trainee_bench.harness.testbench.staged_day import StagedDay, stage_day
from trainee_bench.mcp_servers.verifier import feedback_on
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.world import World, WorldConfig


async def links_day(deadline: time | None = None) -> StagedDay:
    task = TaskSpec(rule="kb_fix.easy", deadline=deadline)
    scenario = Scenario(name="s", seed=2, days=(DaySpec(tasks=(task,)),))
    return await stage_day(compose_day(scenario))


async def results(day: StagedDay) -> tuple[TaskResult, ...]:
    return await task_results(day.world, day.composition, await verifier_grades(day.world))


async def test_honest_work_is_complete_and_submitted_in_time() -> None:
    day = await links_day()
    async with day.world:
        await day.run_oracles()
        (result,) = await results(day)
    assert (result.score, result.success, result.submitted) == (1, True, True)
    assert result.late_minutes == 0
    assert (result.family, result.label, result.domain) == ("kb_fix", "easy", "proactive_inquiry")
    assert all(check.passed and check.seen for check in result.checkpoints)


async def test_what_was_never_handed_in_has_no_lateness() -> None:
    day = await links_day()
    async with day.world:
        (result,) = await results(day)
    assert (result.score, result.submitted, result.late_minutes) == (0, False, None)


async def test_lateness_is_the_time_from_the_deadline_to_the_first_try() -> None:
    day = await links_day(time(9))
    async with day.world:
        await day.call("desk_wait", {"until": "09:40", "wake": False})
        for _ in range(2):
            with pytest.raises(ToolFailed):
                await day.call("desk_submit", {"task": "t1 "})
        (result,) = await results(day)
    assert (result.submitted, result.late_minutes) == (False, 40)


async def test_work_done_after_the_deadline_does_not_count() -> None:
    day = await links_day(time(9))
    async with day.world:
        await day.call("desk_wait", {"until": "09:00", "wake": False})
        await day.run_oracles()
        (result,) = await results(day)
    assert result.score == 0


async def test_feedback_is_given_by_task() -> None:
    day = await links_day()
    async with day.world:
        told = feedback_on(await verifier_grades(day.world), 3)
    assert list(told) == ["T1"]
    assert "how: " in told["T1"]


async def test_a_world_that_no_generator_of_ours_made_is_refused_in_words() -> None:
    made = await links_day()
    async with made.world:
        opening = made.composition.world_config()
    other = WorldConfig(
        employee=opening.employee,
        starts=opening.starts,
        ends=opening.ends,
        scenario=opening.scenario,
        identity='{"generator": 0, "versions": {}}',
    )
    async with await World.create_inline(other, made.composition.populate) as world:
        with pytest.raises(WorldFileError, match="generator 0"):
            await verifier_grades(world)
