"""The tool server of the days: one process for all rollouts, with a world in memory for each.

verifiers starts it with: python -m trainee_bench.harness.integrations.verifiers.toolset
"""

from __future__ import annotations

import asyncio
import base64
from collections import OrderedDict
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp import MCPError
from mcp.types import INTERNAL_ERROR, CallToolResult, ImageContent, TextContent, Tool
from pydantic import Field, JsonValue
from verifiers import v1 as vf

from trainee_bench.harness.environment.morning import begun_morning
from trainee_bench.harness.integrations.training.episode import (
    Episode,
    EpisodeStep,
    usual_tools,
)
from trainee_bench.harness.session.turns import ToolInfo
from trainee_bench.meta_tasks.grade import score_with_all
from trainee_bench.meta_tasks.scenario import ScenarioDay

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

__all__ = ["OfficeState", "OfficeToolset", "OfficeToolsetConfig", "RolloutForgotten"]


class OfficeState(vf.State):
    """A rollout's day: set before its first call, and updated with every call."""

    rollout: str = ""
    """The id of the rollout; "" before it is set up."""
    day: str = ""
    """The `ScenarioDay` as JSON."""
    calls: int = 0
    """The number of calls that reached the office."""
    rewards: dict[int, float] = Field(default_factory=dict)
    """The change of the score by each call (from 1); calls without an entry changed nothing."""
    score: float = 0.0
    """The current score of the day: the sum of the rewards."""
    success: bool = False
    """Whether every task is complete."""
    done: bool = False
    """Whether the working day is over."""
    digest: str = ""
    """A hash of the world's state, if the tool server is set to report it."""
    arrived: list[tuple[str, dict[str, JsonValue]]] = Field(default_factory=list)
    """The calls that reached the office, if the tool server is set to report the digest."""


class RolloutForgotten(MCPError):
    """Raised if a rollout's day was closed because too many were open; says what to do.

    It ends the rollout with an error. After a mere answer, the agent would continue for nothing.
    """

    def __init__(self, why: str):
        super().__init__(INTERNAL_ERROR, why)


class OfficeToolsetConfig(vf.SharedToolsetConfig):
    """The settings under ``--env.taskset.tools``."""

    most_open: int = Field(default=512, ge=1)
    """The maximum number of days kept open, at about a megabyte each. The least recently used day
    is closed first. It must exceed the number of simultaneous rollouts."""
    digests: bool = False
    """Whether to report the world's digest with every call, to compare runs; it takes some
    milliseconds."""


class _Sitting:
    """A rollout's day; its calls are made one after the other."""

    def __init__(self, given: str):
        self.episode = Episode.begin(ScenarioDay.model_validate_json(given))
        self.lock = asyncio.Lock()


class OfficeToolset(vf.Toolset[OfficeToolsetConfig, OfficeState]):
    """All apps of the office; each rollout has its own day, which its state names."""

    TOOL_PREFIX = None

    def __init__(self, config: OfficeToolsetConfig):
        super().__init__(config)
        self._sittings: OrderedDict[str, _Sitting] = OrderedDict()

    def register(self, mcp: MCPServer) -> None:
        """Handle the server's requests: with our schemas, and with every call made at the
        office."""
        server: Any = mcp
        server.list_tools = self._with_state(self.list_tools)
        server.call_tool = self.call_tool

    def list_tools(self) -> list[Tool]:
        """Return the tools of the rollout's day."""
        day = self.state.day
        offered = _offered(day) if day else usual_tools()
        return [
            Tool(name=tool.name, description=tool.description, input_schema=dict(tool.input_schema))
            for tool in offered
        ]

    async def call_tool(
        self, name: str, arguments: dict[str, JsonValue], context: object = None
    ) -> CallToolResult:
        """Make a call on the rollout's day, and update its state with the result.

        Raises RolloutForgotten.
        """
        sitting: _Sitting = await self._with_state(self._sit)()
        async with sitting.lock:  # so that states are written in the order of the calls
            result: CallToolResult = await self._with_state(
                partial(self._work, sitting.episode, name, arguments)
            )()
        return result

    def _sit(self) -> _Sitting:
        state = self.state
        if not state.rollout:
            raise RolloutForgotten("this call belongs to no rollout; Task.setup must set it")
        if state.rollout not in self._sittings:
            if state.calls:
                raise RolloutForgotten(
                    f"the day of rollout {state.rollout} was closed because more than "
                    f"{self.config.most_open} were open; raise --env.taskset.tools.most-open"
                )
            self._sittings[state.rollout] = _Sitting(state.day)
        self._sittings.move_to_end(state.rollout)
        while len(self._sittings) > self.config.most_open:
            _, oldest = self._sittings.popitem(last=False)
            oldest.episode.close()
        return self._sittings[state.rollout]

    def _work(
        self, episode: Episode, name: str, arguments: Mapping[str, JsonValue]
    ) -> CallToolResult:
        step = episode.call(name, arguments)
        state, grade = self.state, episode.grade()
        state.calls += 1
        if step.reward:
            state.rewards[state.calls] = step.reward
        state.score = score_with_all(grade.score, grade.tasks)
        state.success, state.done = grade.success, step.done
        if self.config.digests:
            state.digest = episode.digest()
            state.arrived = [(call.name, dict(call.arguments)) for call in episode.calls()]
        return _result(step)


def _offered(day: str) -> tuple[ToolInfo, ...]:
    return begun_morning(ScenarioDay.model_validate_json(day)).start.tools


def _result(step: EpisodeStep) -> CallToolResult:
    """Return the text for a model, and pictures. Structured content is left out because clients
    would show it."""
    answer = step.answer
    pictures = [
        ImageContent(type="image", data=base64.b64encode(p.data).decode(), mime_type=p.mime_type)
        for p in answer.pictures
    ]
    text = TextContent(type="text", text=answer.text)
    return CallToolResult(content=[text, *pictures], is_error=answer.failed)


if __name__ == "__main__":
    OfficeToolset.run()
