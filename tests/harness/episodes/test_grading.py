"""Grades come from the verifier, and with them whether and when each task was handed in."""

from __future__ import annotations

from datetime import time, timedelta

import pytest

from trainee_bench.harness.episodes.grading import task_results, verifier_grades
from trainee_bench.harness.records.results import TaskResult
from trainee_bench.harness.testbench.staged_day import StagedDay, stage_day
from trainee_bench.mcp_servers.verifier import feedback_on
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.world.apps.desk import RequestChanged
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
        await day.work()
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


@pytest.mark.parametrize(("again", "late"), [(None, None), ("12:00", 0), ("12:30", 30)])
async def test_an_attempt_before_the_task_came_is_neither_in_time_nor_late(
    again: str | None, late: int | None
) -> None:
    task = TaskSpec(rule="kb_fix.easy", arrives=time(9), deadline=time(12))
    day = await stage_day(compose_day(Scenario(name="s", seed=2, days=(DaySpec(tasks=(task,)),))))
    async with day.world:
        assert (await day.observe("desk_submit", {"task": "T1"})).error is not None
        if again is not None:
            await day.call("desk_wait", {"until": again, "wake": False})
            assert (await day.observe("desk_submit", {"task": "T1"})).error is not None
        (result,) = await results(day)
    assert (result.submitted, result.late_minutes) == (False, late)


@pytest.mark.parametrize(("again", "submitted", "late"), [(1, True, 0), (40, False, 40)])
async def test_what_was_handed_in_before_the_request_changed_has_to_be_handed_in_again(
    again: int, submitted: bool, late: int
) -> None:
    spec = TaskSpec(rule="sales.sales_statistics+changed_request", deadline=time(17))
    composition = compose_day(Scenario(name="s", seed=7, days=(DaySpec(tasks=(spec,)),)))
    (task,) = composition.tasks
    (change,) = [
        planned.due
        for planned in task.instance.hidden.events
        if isinstance(planned.event, RequestChanged) and planned.due
    ]
    first = change if submitted else task.deadline
    day = await stage_day(composition)
    async with day.world:
        assert (await day.observe("desk_submit", {"task": "T1"})).error is None
        until = f"{first + timedelta(minutes=again):%H:%M}"
        await day.call("desk_wait", {"until": until, "wake": False})
        done = await day.observe("desk_submit", {"task": "T1"})
        (result,) = await results(day)
    assert ((done.error is None), result.submitted, result.late_minutes) == (
        submitted,
        submitted,
        late,
    )


async def test_a_task_of_a_week_that_is_handed_in_the_next_morning_is_late_without_the_night() -> (
    None
):
    rest = tuple(DaySpec(tasks=()) for _ in range(4))
    due = DaySpec(tasks=(TaskSpec(rule="kb_fix.easy", deadline=time(19, 30)),))
    scenario = Scenario(name="s", seed=2, week=True, days=(due, *rest))
    day = await stage_day(compose_day(scenario))
    async with day.world:
        await day.world.begin_next_day()
        await day.call("desk_wait", {"until": "08:10", "wake": False})
        assert (await day.observe("desk_submit", {"task": "T1"})).error is not None
        (result,) = await results(day)
    assert (result.submitted, result.late_minutes) == (False, 40)


async def test_work_done_after_the_deadline_does_not_count() -> None:
    day = await links_day(time(9))
    async with day.world:
        await day.call("desk_wait", {"until": "09:00", "wake": False})
        await day.work()
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
