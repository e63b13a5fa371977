"""Scripts as work: they make one call after the other, and look at nothing again.

Shortcuts, cheats and blind workers are scripts. They need no ledger: they do not repeat what they
have done.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from pydantic import JsonValue

from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed, ToolResponse
from trainee_bench.meta_tasks.work.need import Need, TaskWork, Wanted, Work

Script = Callable[[ToolClient], Awaitable[None]]
"""A function that works a task by calls alone."""


@dataclass(frozen=True)
class ScriptClient:
    """The employee's tools for a script (see `ToolClient`)."""

    task: str
    work: Work

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        """Call a tool. Raises ToolFailed with the tool's text."""
        return await self.work.call(tool, **arguments)

    async def wait_until(self, time: datetime) -> None:
        """Come back exactly at *time*."""
        await self.work.keep(time)

    async def wait_at_least(self, minutes: int) -> None:
        """Come back in *minutes*. Raises ToolFailed if the day ends first."""
        until = self.work.now + timedelta(minutes=minutes)
        if until > self.work.worker.ends:
            raise ToolFailed("the day ends first")
        await self.work.pause(until)


def scripted(script: Script) -> TaskWork:
    """Return the work that *script* does."""

    async def work(work: Work, task: str) -> None:
        await script(ScriptClient(task, work))

    return work


async def once(work: Work, need: Need[Any]) -> None:
    """Have *need* satisfied once, even if that fails or its value changes later."""
    await Wanted((need,), tolerant=True)


@dataclass(frozen=True)
class DoneBy(Need[None]):
    """A task worked in this *way*."""

    task: str
    way: TaskWork = field(compare=False)

    async def satisfy(self, work: Work) -> None:
        """Work it."""
        await self.way(work, self.task)
