"""Whole days of one worker: with several tasks, or taken over from another worker."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from pydantic import JsonValue

from tests.meta_tasks.days import staged
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day
from trainee_bench.mcp_servers.files import PAGE_ENTRIES
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.tool_client import ToolResponse
from trainee_bench.world.notices import Verbosity


async def grades_of(name: str) -> list[TaskGrade]:
    """Return the grades of a day of expert-50 that one careful worker works."""
    (scenario,) = (s for s in load_shipped_benchmark("expert-50").scenarios if s.name == name)
    async with staged(compose_day(scenario)) as day:
        assert await day.work() == {}
        return await day.grades()


async def test_somebody_who_hands_over_a_matter_of_one_task_still_answers_for_that_of_another() -> (
    None
):
    """One member of the department has handed over its closure days, not when they are free."""
    assert all(grade.score == 1 for grade in await grades_of("expert-50-50"))


async def test_where_nobody_tells_the_text_of_a_submitted_task_is_asked_for_once() -> None:
    rules = ("kb_fix.easy", "resume_select.pool12")
    spec = DaySpec(tasks=tuple(TaskSpec(rule=rule) for rule in rules))
    scenario = Scenario(name="quiet", seed=7, days=(spec,), verbosity=Verbosity.OFF)
    async with staged(compose_day(scenario)) as day:
        assert await day.work() == {}
        log = await day.world.log()
    looks = [action.arguments for action in log if action.tool == "desk_tasks"]
    assert len(looks) > 5
    assert sorted(look["task"] for look in looks if look.get("task")) == ["T1", "T2"]


# going on where another has left ----------------------------------------------------------


class Left(Exception):
    """The worker has gone."""


class LeavesAfter:
    """The tools of a day, until *tool* was called."""

    def __init__(self, day: StagedDay, tool: str):
        self._day, self._tool = day, tool

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        done = await self._day.call(tool, arguments)
        if tool == self._tool:
            raise Left
        return done


async def test_a_meeting_that_another_has_booked_is_booked_anew_and_only_once() -> None:
    async with staged("meeting_book.moved.c1", 3) as day:
        with pytest.raises(Left):
            await day.work(tools=LeavesAfter(day, "calendar_book"))
        assert await day.work() == {}
        (grade,) = await day.grades()
        assert grade.score == 1 and not grade.harm
        listed = await day.call("calendar_list", {"day": "2025-10-01"})
        cancelled = [meeting["cancelled"] for meeting in listed.data["meetings"]]
        assert cancelled == [True, False]


async def test_a_worker_turns_the_pages_of_a_long_folder() -> None:
    """After many days, a folder has more files than a page."""
    composition = single_task_day("transactions.n2.a1+truncated_file", 1)
    async with staged(composition) as day:
        for number in range(PAGE_ENTRIES + 5):
            await day.call("files_write", {"path": f"workspace:/a_{number}.txt", "text": "-"})
        assert await day.work() == {}
        (grade,) = await day.grades()
    assert grade.success
