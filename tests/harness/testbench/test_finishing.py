"""Oracles finish a day from wherever somebody has left it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from pydantic import BaseModel, JsonValue

from tests.harness.days import composed_day
from trainee_bench.harness.agents.runtime.in_process_episode import run_agent_on_day
from trainee_bench.harness.testbench import finishing
from trainee_bench.harness.testbench.finishing import FinishedDay, finish_day
from trainee_bench.harness.testbench.staged_day import (
    StagedDay,
    open_staged_day,
    oracle_log,
    single_task_day,
    stage_day,
)
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.mcp_servers.verifier import grade_world
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.tool_client import ToolResponse
from trainee_bench.world.apps.calendar import Calendar
from trainee_bench.world.colleagues.availability import AbsenceBegins
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.world import World

MEETING, BOOKING, LINKS = "meeting_attend.check_sum.u1", "meeting_book.manager.c1", "kb_fix.easy"
TOTALS = "sales.top_sales_employee"


class Nothing(BaseModel):
    """What an action shows that shows nothing."""


composed = partial(composed_day, name="left", seed=3)


@pytest.fixture
async def left() -> AsyncIterator[StagedDay]:
    """A day that somebody has begun: a meeting, a booking, and links to mend."""
    day = await stage_day(composed(MEETING, BOOKING, LINKS))
    async with day.world:
        yield day


async def test_a_worker_who_makes_no_more_calls_ends_with_what_there_is(
    left: StagedDay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finishing, "MOST_CALLS", 10)
    done = await finished(left)
    assert done.calls <= 10 and done.grade.score == 0


async def did(day: StagedDay, tool: str, **arguments: JsonValue) -> None:
    """Do something as the employee, whatever comes of it."""
    await day.observe(tool, arguments)


async def finished(day: StagedDay) -> FinishedDay:
    return await finish_day(day.world, day.composition)


async def test_a_day_that_nobody_has_begun_is_finished_with_full_score(left: StagedDay) -> None:
    done = await finished(left)
    assert (done.grade.score, done.grade.success, done.is_best) == (1, True, True)
    assert done.failures == {}


async def test_work_that_was_half_written_or_handed_in_wrongly_is_done_again(
    left: StagedDay,
) -> None:
    for task in left.composition.tasks:
        for path in task.instance.told.deliverable_paths:
            await did(left, "files_write", path=path, text="to be done")
        await did(left, "desk_submit", task=task.id)
    assert (await finished(left)).grade.score == 1


async def test_a_folder_in_the_place_of_a_deliverable_is_removed(left: StagedDay) -> None:
    paths = [
        path for task in left.composition.tasks for path in task.instance.told.deliverable_paths
    ]
    for path in paths:
        await did(left, "files_write", path=f"{path}/inside.txt", text="in the way")
    assert paths
    assert (await finished(left)).grade.score == 1


async def test_rooms_that_were_booked_for_nothing_are_given_back(left: StagedDay) -> None:
    for hour in range(10, 17):
        times = {"starts": f"{hour}:00", "ends": f"{hour}:30"}
        await did(left, "calendar_book", title="Lunch", room="Room_02", attendees=[], **times)
    booked = await left.world.read(lambda tx: Calendar(tx).booked_by(tx.employee))
    assert len(booked) > 2
    task = next(one for one in left.composition.tasks if one.rule == BOOKING)
    done = await finished(left)
    (grade,) = (one for one in done.grade.tasks if one.task == task.id)
    assert grade.score == 1, done.failures


async def test_a_meeting_that_was_attended_needs_no_second_visit() -> None:
    day = await stage_day(composed(MEETING))
    async with day.world:
        (meeting,) = await day.world.read(
            lambda tx: [
                one
                for one in Calendar(tx).meetings_of(tx.employee, tx.now.date(), tx.now.date())
                if one.organizer != tx.employee
            ][:1]
        )
        await did(day, "desk_wait", until=f"{meeting.starts:%H:%M}", wake=False)
        await did(day, "calendar_attend", meeting=meeting.id)
        assert (await finished(day)).grade.score == 1


async def test_a_missed_meeting_is_left_and_the_rest_is_done(left: StagedDay) -> None:
    ends = [
        one.ends
        for one in await left.world.read(
            lambda tx: Calendar(tx).meetings_of(tx.employee, tx.now.date(), tx.now.date())
        )
    ]
    await did(left, "desk_wait", until=f"{max(ends):%H:%M}", wake=False)
    done = await finished(left)
    scores = {task.rule: task.score for task in done.grade.tasks}
    missed = next(task.id for task in left.composition.tasks if task.rule == MEETING)
    assert scores[LINKS] == 1
    assert scores[MEETING] == 0
    assert missed in done.failures
    assert not done.is_best


async def test_a_group_of_some_is_not_taken_for_one_of_all_who_are_to_be_asked() -> None:
    day = await stage_day(composed("event_planning.A4"))
    async with day.world:
        told = day.composition.tasks[0].instance
        holders = sorted({clue.holder for clue in told.hidden.clues})
        assert len(holders) > 2
        await did(day, "chat_create_group", name="Some", members=[*holders[:2]])
        assert (await finished(day)).grade.score == 1


async def test_earlier_readings_are_known_once_maintenance_has_begun() -> None:
    """Then they show no longer what was wrong."""
    composition = single_task_day("website_analysis.cache_miss.h1.no_code", 21)
    log = await oracle_log(composition)
    (begun,) = (place for place, e in enumerate(log) if e.tool == "monitor_start_maintenance")
    world = await World.create_inline(composition.world_config(), composition.populate)
    async with world:
        await replay_log(world, log[: begun + 1])
        day = open_staged_day(composition, world)
        await did(day, "desk_wait", minutes=90, wake=False)
        assert (await finished(day)).grade.score == 1


async def test_a_colleague_who_no_longer_answers_costs_their_task_alone() -> None:
    day = await stage_day(composed(LINKS, TOTALS))
    async with day.world:
        task = next(one for one in day.composition.tasks if one.rule == TOTALS)
        holders = {clue.holder for clue in task.instance.hidden.clues}

        def leave(tx: Transaction) -> Result[Nothing]:
            for holder in holders:
                away = AbsenceBegins(person=holder, until=tx.day.ends + timedelta(days=1))
                tx.enqueue(tx.now, away)
            return Result("", Nothing())

        await day.world.execute("", "leave", {}, leave)
        done = await finished(day)
        assert {one.rule: one.score for one in done.grade.tasks}[LINKS] == 1
        assert set(done.failures) == {task.id}


async def test_when_the_day_is_over_the_grades_are_the_verifiers(left: StagedDay) -> None:
    await did(left, "desk_finish_day")
    await did(left, "desk_finish_day")
    done = await finished(left)
    assert done.grade == await grade_world(left.world)
    assert (done.failures, done.is_best) == ({}, True)


async def test_the_given_world_is_not_touched_even_one_of_a_file(tmp_path: Path) -> None:
    composition = composed(LINKS)
    path = tmp_path / "day.world"
    config, populate = composition.world_config(), composition.populate
    async with await World.create(path, config, populate) as world:
        before = await world.digest()
        assert (await finish_day(world, composition)).grade.score == 1
        assert await world.digest() == before


async def test_an_unfinished_result_of_another_task_is_not_taken_for_it() -> None:
    """A task that reads what another one hands in waits until that is done again."""
    composition = _with_input()
    day = await stage_day(composition)
    async with day.world:
        for path in composition.deliverable_paths:
            await did(day, "files_write", path=path, text='{"employees": [], "statistics": 1}')
        done = await finished(day)
        assert done.grade.score == 1, done.failures


def _with_input() -> ComposedDay:
    """The first shipped day with a task that takes something from another one's file."""
    for name in ("core-50", "expert-50"):
        for scenario in load_shipped_benchmark(name).scenarios:
            if any(
                task.takes_from and task.rule.startswith("ads") for task in scenario.days[0].tasks
            ):
                return compose_day(scenario, 0)
    raise AssertionError("no shipped day hands anything on")


class Left(Exception):
    """The worker has gone."""


class LeavesBeforeHandingIn:
    """The tools of a day, until *task* is to be handed in."""

    def __init__(self, day: StagedDay, task: str):
        self._day, self._task = day, task

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        if tool == "desk_submit" and arguments["task"] == self._task:
            raise Left
        return await self._day.call(tool, arguments)


async def test_a_file_that_has_only_to_be_handed_in_is_there_for_the_task_that_takes_from_it() -> (
    None
):
    composition = _with_input()
    rules = {task.takes_from for task in composition.spec.tasks if task.takes_from}
    (giver,) = (task.id for task in composition.tasks if task.rule in rules)
    day = await stage_day(composition)
    async with day.world:
        with pytest.raises(Left):
            await day.work(tools=LeavesBeforeHandingIn(day, giver))
        done = await finished(day)
        assert done.grade.score == 1 and done.failures == {}


@pytest.mark.parametrize("agent", ["oracle", "in_order"])
@pytest.mark.parametrize("part", [0.6, 0.75, 0.9])
async def test_a_private_correction_applies_to_an_answer_in_a_group_that_is_read_later(
    agent: str, part: float
) -> None:
    composition = single_task_day("kb_fix.split.hard+retraction", 3)
    day = await stage_day(composition)
    async with day.world:
        await run_agent_on_day(agent, day)
        log = await day.world.log()
    begun = await stage_day(composition)
    async with begun.world:
        await replay_log(begun.world, log[: int(part * len(log))])
        assert (await finished(begun)).grade.score == 1
