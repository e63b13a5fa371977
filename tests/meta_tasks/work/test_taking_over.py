"""Somebody goes on, through the tools alone, where another worker has left the day."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from pydantic import JsonValue

from tests.meta_tasks.days import staged
from trainee_bench.harness.testbench.staged_day import StagedDay
from trainee_bench.meta_tasks.tool_client import ToolResponse


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
