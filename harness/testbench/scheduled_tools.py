"""What an oracle asks of the scheduler: a coroutine that awaits a request pauses there."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from datetime import datetime

from pydantic import JsonValue

from trainee_bench.meta_tasks.tool_client import ToolResponse


@dataclass(frozen=True)
class CallRequest:
    """Call *tool* with these *arguments*; its answer, or a ToolFailed, comes back."""

    tool: str
    arguments: dict[str, JsonValue]

    def __await__(self) -> Generator[CallRequest, ToolResponse, ToolResponse]:
        return (yield self)


@dataclass(frozen=True)
class PauseRequest:
    """Resume at *time* or after *minutes*; exactly at *time* if it is an appointment."""

    time: datetime | None
    minutes: int
    appointment: bool

    def __await__(self) -> Generator[PauseRequest, None, None]:
        yield self


@dataclass(frozen=True)
class PromiseRequest:
    """Keep an appointment at *time*, and work on until then."""

    time: datetime

    def __await__(self) -> Generator[PromiseRequest, None, None]:
        yield self


@dataclass(frozen=True)
class GiveWayRequest:
    """Resume at *until*, or before if there is no reason to wait: whether there is none comes
    back."""

    until: datetime

    def __await__(self) -> Generator[GiveWayRequest, bool, bool]:
        return (yield self)


@dataclass(frozen=True)
class ScheduledTools:
    """The tools of the oracle of *task*: each request is an await that the scheduler answers."""

    task: str

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        """Ask for a call of *tool*; returns its answer, raises ToolFailed if it failed."""
        return await CallRequest(tool, arguments)

    async def wait_until(self, time: datetime) -> None:
        """Go on exactly at *time*: it is an appointment."""
        await PauseRequest(time, 0, appointment=True)

    async def promise(self, time: datetime) -> None:
        """Tell the scheduler of an appointment, and work on."""
        await PromiseRequest(time)

    async def wait_at_least(self, minutes: int) -> None:
        """Go on after *minutes* or later."""
        await PauseRequest(None, minutes, appointment=False)

    async def give_way(self, until: datetime) -> bool:
        """Let others work until then; whether there is no reason to."""
        return await GiveWayRequest(until)
