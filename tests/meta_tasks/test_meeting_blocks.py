"""Hours of meetings: the first length that fits is taken, and a refusal names the deadline."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from pydantic import JsonValue

from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day, stage_day
from trainee_bench.meta_tasks.authoring.meetings import find_invitation, reserve_hours
from trainee_bench.meta_tasks.task_context import CompositionError, DayReservations, TaskContext
from trainee_bench.meta_tasks.tool_client import ToolFailed, ToolResponse
from trainee_bench.world.apps.calendar import MeetingBooked

RULE = "meeting_attend.none.u1"


def context_with(busy: list[tuple[datetime, datetime, str]]) -> TaskContext:
    day = single_task_day(RULE, 0)
    return TaskContext(
        "T2", (0,), day.company, day.day, day.tasks[0].deadline, DayReservations(busy=busy)
    )


def test_a_shorter_meeting_is_taken_where_the_longer_one_does_not_fit() -> None:
    context = context_with([])
    ten = context.day.starts.replace(hour=10)
    context.reservations.busy.append((ten + timedelta(hours=1), ten + timedelta(hours=2), "T1"))
    room, starts, ends = reserve_hours(context, [60, 30], lambda minutes: [ten], ["Room_03"])
    assert (room, starts, ends) == ("Room_03", ten, ten + timedelta(minutes=30))


def test_a_day_without_a_free_hour_is_refused_with_the_deadline() -> None:
    context = context_with([])
    with pytest.raises(CompositionError, match=f"T2 .* before {context.deadline:%H:%M}"):
        reserve_hours(context, [60, 30], lambda minutes: [])


async def test_an_invitation_is_found_by_room_and_start_only() -> None:
    day = await stage_day(single_task_day(RULE, 1))
    (planned,) = day.composition.tasks[0].instance.hidden.events
    meeting = planned.event
    assert isinstance(meeting, MeetingBooked)
    async with day.world:
        client = _Client(day)
        assert await find_invitation(client, meeting.room, meeting.starts) == 1
        with pytest.raises(ToolFailed, match="no meeting"):
            await find_invitation(client, meeting.room, meeting.starts + timedelta(minutes=1))


class _Client:
    """The tools of a staged day; nothing is waited for."""

    task = "T1"

    def __init__(self, day: StagedDay):
        self.day = day

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        return await self.day.call(tool, arguments)

    async def wait_until(self, time: datetime) -> None:
        raise AssertionError("nothing to wait for")

    async def wait_at_least(self, minutes: int) -> None:
        raise AssertionError("nothing to wait for")
