"""The tool server for programs that speak MCP: one process, which passes all calls to the seat.

verifiers starts it with: python -m trainee_bench.harness.integrations.verifiers.toolset
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from mcp import MCPError
from mcp.types import INTERNAL_ERROR, CallToolResult, ImageContent, TextContent, Tool
from pydantic import JsonValue, ValidationError, model_validator
from verifiers import v1 as vf

from trainee_bench.harness.integrations.training.episode import usual_tools
from trainee_bench.harness.integrations.verifiers.calls_socket import (
    CallReply,
    OfferedTool,
    RolloutCall,
    ask_seat,
)

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

__all__ = ["CallNotMade", "OfficeState", "OfficeToolset", "OfficeToolsetConfig"]


class OfficeState(vf.State):
    """No fields: the type alone makes verifiers sign every address with its rollout."""


class CallNotMade(MCPError):
    """Raised if a call did not reach a day. It ends the rollout with an error."""

    def __init__(self, why: str):
        super().__init__(INTERNAL_ERROR, why)


class OfficeToolsetConfig(vf.SharedToolsetConfig):
    """The settings under ``--env.taskset.tools``."""

    seat: str = ""
    """The path of the seat's socket, which the taskset sets."""

    @model_validator(mode="after")
    def _runs_here(self) -> Self:
        if self.runtime.type != "subprocess" or self.url:
            raise ValueError(
                "the tool server runs beside verifiers, because it passes calls to its process; "
                "leave out --env.taskset.tools.runtime and --env.taskset.tools.url. The agent may "
                "run anywhere: --env.agent.runtime.type"
            )
        return self


class OfficeToolset(vf.Toolset[OfficeToolsetConfig, OfficeState]):
    """All tools of the office; each rollout has its own day."""

    TOOL_PREFIX = None

    def register(self, mcp: MCPServer) -> None:
        """Handle the server's requests: with our schemas, and with every call made at the
        office."""
        server: Any = mcp
        server.list_tools = self.list_tools
        server.call_tool = self.call_tool

    async def list_tools(self) -> list[Tool]:
        """Return the tools of the rollout's day, or those of a usual day without a rollout."""
        rollout = self._rollout()
        if rollout is None:
            offered = [
                OfferedTool(
                    name=tool.name,
                    description=tool.description,
                    input_schema=dict(tool.input_schema),
                )
                for tool in usual_tools()
            ]
        else:
            offered = (await self._asked(RolloutCall(rollout=rollout))).tools
        return [Tool(**tool.model_dump()) for tool in offered]

    async def call_tool(
        self, name: str, arguments: dict[str, JsonValue], context: object = None
    ) -> CallToolResult:
        """Make a call on the rollout's day. Raises CallNotMade.

        Structured content is left out because clients would show it.
        """
        rollout = self._rollout()
        if rollout is None:
            raise CallNotMade(
                "this call belongs to no rollout: use the address that verifiers gives an agent"
            )
        reply = await self._asked(RolloutCall(rollout=rollout, name=name, arguments=arguments))
        pictures = [
            ImageContent(type="image", data=picture.data, mime_type=picture.mime_type)
            for picture in reply.pictures
        ]
        text = TextContent(type="text", text=reply.text)
        return CallToolResult(content=[text, *pictures], is_error=reply.failed)

    def _rollout(self) -> str | None:
        """Return the rollout that the request's address names and verifiers has signed."""
        try:
            _, _, route = self._state_channel()
        except ValueError as error:
            raise CallNotMade(f"this address was not made by verifiers: {error}") from None
        return route

    async def _asked(self, request: RolloutCall) -> CallReply:
        try:
            reply = await ask_seat(self.config.seat, request)
        except (OSError, ValidationError) as error:
            raise CallNotMade(
                f"the process of verifiers that has the days did not answer: {error}"
            ) from error
        if reply.error is not None:
            raise CallNotMade(reply.error)
        return reply


if __name__ == "__main__":
    OfficeToolset.run()
