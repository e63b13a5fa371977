"""Tools, calls and results as agents, models and transports exchange them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from pydantic import JsonValue

from trainee_bench.meta_tasks.tool_client import ToolData
from trainee_bench.world.transaction import Notice, Picture


class InfrastructureFault(Exception):
    """Something could not be carried out, through no fault of the agent's; an agent's own
    service may be down, too. It breaks the episode, which is then tried again."""


@dataclass(frozen=True)
class ToolInfo:
    """A tool as it is offered: ``minute_of_day`` is what a call costs in simulated time."""

    name: str
    description: str
    input_schema: Mapping[str, JsonValue]
    minutes: int


@dataclass(frozen=True)
class ToolCall:
    """One call an agent wants made; ``id`` is the caller's own, "" to be given one."""

    name: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True)
class ToolResult:
    """What came of a call: ``text`` for a model, ``data`` the same as JSON (None on failure).

    ``time`` is the simulated time after it, None where the call was not made at all.
    """

    text: str
    data: ToolData | None
    time: datetime | None
    failed: bool = False
    notices: tuple[Notice, ...] = ()
    pictures: tuple[Picture, ...] = ()


class ToolTransport(Protocol):
    """Where calls really go."""

    async def call(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolResult:
        """Make one call; whatever it raises is a fault of the infrastructure."""
