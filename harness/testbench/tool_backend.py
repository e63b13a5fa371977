"""What makes the calls of scheduled oracles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from pydantic import JsonValue

from trainee_bench.meta_tasks.tool_client import ToolFailed, ToolResponse


class ToolBackend(Protocol):
    """Makes calls for the scheduler."""

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        """Call a tool. Raises ToolFailed with the tool's text."""


class BatchToolBackend(ToolBackend, Protocol):
    """Makes several calls in one turn."""

    async def call_many(
        self, calls: Sequence[tuple[str, Mapping[str, JsonValue]]]
    ) -> Sequence[ToolResponse | ToolFailed]:
        """Make *calls* in this order; the result of each."""
