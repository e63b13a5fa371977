"""Tools, calls and results as agents, models and transports exchange them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from pydantic import JsonValue

from trainee_bench.meta_tasks.tool_client import ToolData
from trainee_bench.world.transaction import Notice, Picture

__all__ = ["InfrastructureFault", "ToolCall", "ToolInfo", "ToolResult", "ToolTransport"]


class InfrastructureFault(Exception):
    """A failure that the agent did not cause, such as a server or a model service that is down.

    It breaks the episode, which is then tried once more.
    """


@dataclass(frozen=True)
class ToolInfo:
    """A tool as it is offered; a call takes ``minutes`` of simulated time."""

    name: str
    description: str
    input_schema: Mapping[str, JsonValue]
    minutes: int


@dataclass(frozen=True)
class ToolCall:
    """A call that an agent wants made; ``id`` is its own, or "" to have one generated."""

    name: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True)
class ToolResult:
    """The result of a call: ``text`` for a model, ``data`` the same as JSON (None on failure).

    ``time`` is the simulated time after the call, None if it was not made. ``notices`` tell what
    is new since the last call.
    """

    text: str
    data: ToolData | None
    time: datetime | None
    failed: bool = False
    notices: tuple[Notice, ...] = ()
    pictures: tuple[Picture, ...] = ()


class ToolTransport(Protocol):
    """Makes calls: over MCP, or in the same process."""

    async def call(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolResult:
        """Make one call. Any exception is a fault of the infrastructure."""
