"""The data about a seat that a person's page gets: the day, the tools and their costs, every
answer."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, JsonValue

from trainee_bench.harness.records.human_part import ForkPoint
from trainee_bench.harness.records.results import TaskResult
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.turns import ToolCall, ToolResult, TurnRecord
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.world.meetings.meeting import ON_TIME_GRACE
from trainee_bench.world.transaction import Notice


class SeatStatus(StrEnum):
    """The state of a seat."""

    STARTING = "starting"
    """The first morning, or the next one of a week, is being prepared."""
    WORKING = "working"
    ASKED = "asked"
    """The day is over; the person is asked about it before the score is shown."""
    GRADING = "grading"
    OVER = "over"
    BROKEN = "broken"


class SeatTool(BaseModel):
    """A tool of the office and the cost of a call."""

    name: str
    minutes: int
    destructive: bool
    read_only: bool
    description: str
    input_schema: Mapping[str, JsonValue]


class SeatCall(BaseModel):
    """A call of the person, number *n* from 1, and its answer. Pictures are data URLs. If the
    person continues another agent's day, that agent's calls are numbered separately."""

    n: int
    tool: str
    arguments: dict[str, JsonValue]
    at: datetime
    until: datetime
    failed: bool
    text: str
    data: JsonValue
    notices: tuple[Notice, ...]
    pictures: tuple[str, ...]
    thought: str = ""
    """The agent's text with the call, if another agent made it."""


class SeatState(BaseModel):
    """A seat: the day, the office's tools, and every answer so far."""

    seat: str
    status: SeatStatus
    person: str
    benchmark: str
    scenario: str
    day: str
    error: str
    prompt: str
    employee: str
    now: datetime | None
    day_starts: datetime | None
    day_ends: datetime | None
    steps: int
    steps_limit: int
    tools: tuple[SeatTool, ...]
    calls: tuple[SeatCall, ...]
    earlier: tuple[SeatCall, ...]
    """The calls of the agent whose day the person continues."""
    forked_from: ForkPoint | None
    episode: str
    """The episode's key in the studio, "" before the day is over."""
    score: float | None
    success: bool
    results: tuple[TaskResult, ...]
    """The results of its tasks, once the day is over."""
    attend_early: int = int(ON_TIME_GRACE.total_seconds()) // 60
    """How many minutes before its start a meeting can be attended."""


def seat_call(n: int, call: ToolCall, at: datetime, answer: ToolResult) -> SeatCall:
    """Return *call* as number *n*, made *at* this time."""
    return SeatCall(
        n=n,
        tool=call.name,
        arguments=dict(call.arguments),
        at=at,
        until=answer.time or at,
        failed=answer.failed,
        text=answer.text,
        data=answer.data,
        notices=answer.notices,
        pictures=tuple(_pictures(answer)),
    )


def seat_calls(turns: Sequence[TurnRecord]) -> list[SeatCall]:
    """Return the calls of *turns*, numbered from 1; the first call of a turn has the thought."""
    found: list[SeatCall] = []
    for turn in turns:
        at, thought = turn.began, turn.thought.message
        for call, answer in zip(turn.calls, turn.answers, strict=True):
            made = seat_call(len(found) + 1, call, at, answer)
            found.append(made.model_copy(update={"thought": thought}))
            at, thought = made.until, ""
    return found


def seat_tools(session: AgentSession) -> tuple[SeatTool, ...]:
    """Return the tools that *session* offers."""
    declared = {tool.name: tool for box in discover_toolboxes().values() for tool in box}
    return tuple(
        SeatTool(
            name=tool.name,
            minutes=tool.minutes,
            destructive=declared[tool.name].destructive,
            read_only=declared[tool.name].read_only,
            description=tool.description,
            input_schema=tool.input_schema,
        )
        for tool in session.tools
    )


def _pictures(answer: ToolResult) -> list[str]:
    return [
        f"data:{picture.mime_type};base64,{base64.b64encode(picture.data).decode()}"
        for picture in answer.pictures
    ]
