"""The two tool transports: an MCP client, and a dispatcher in the same process."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import datetime

from mcp import Client, types
from pydantic import JsonValue

from trainee_bench.harness.session.turns import ToolInfo, ToolResult
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.mcp_servers.serving.server import FACTS_META_KEY, MINUTES_META_KEY, result_text
from trainee_bench.world.transaction import Notice, Picture


class McpToolTransport:
    """Transport that makes calls through an MCP client."""

    def __init__(self, client: Client):
        self._client = client

    async def call(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolResult:
        """Make one call through the client."""
        # Client.call_tool would also compile each tool's output schema, in every episode anew, and
        # check what our own servers made from the same models: a third of an episode's time.
        parameters = types.CallToolRequestParams(name=name, arguments=dict(arguments))
        request = types.CallToolRequest(params=parameters)
        return to_tool_result(
            await self._client.session.send_request(request, types.CallToolResult)
        )

    async def tools(self) -> list[ToolInfo]:
        """Return the tools that the server offers."""
        return [_info(tool) for tool in (await self._client.list_tools()).tools]


class InProcessToolTransport:
    """Transport in the same process, for certificates and tests."""

    def __init__(self, seat: ToolDispatcher):
        self._seat = seat

    async def call(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolResult:
        """Make one call; return the result that every MCP client gets."""
        done = await self._seat.call(name, arguments)
        result = done.result
        return ToolResult(
            text=result_text(done),
            # model_dump makes the same call and takes a tenth longer
            data=result.data.__pydantic_serializer__.to_python(result.data, mode="json")
            if result
            else None,
            time=done.now,
            failed=done.error is not None,
            notices=done.notices,
            pictures=(result.picture,) if result and result.picture else (),
        )

    def tools(self, costs: Mapping[str, int]) -> list[ToolInfo]:
        """Return the tools on offer; *costs* are the minutes that the scenario sets for some of
        them."""
        return [
            ToolInfo(
                tool.name,
                tool.description(costs.get(tool.name)),
                tool.input_schema,
                costs.get(tool.name, tool.minutes),
            )
            for tool in self._seat.tools.values()
        ]


def to_tool_result(result: types.CallToolResult) -> ToolResult:
    """Return *result* as agents get it.

    Raises KeyError for a server other than ours, which show results as structured content.
    """
    structured = result.structured_content or (result.meta or {})[FACTS_META_KEY]
    texts = [block.text for block in result.content if isinstance(block, types.TextContent)]
    images = [block for block in result.content if isinstance(block, types.ImageContent)]
    return ToolResult(
        text="\n".join(texts),
        data=structured.get("data"),
        time=datetime.fromisoformat(structured["time"]),
        failed=bool(result.is_error),
        notices=tuple(Notice.model_validate(notice) for notice in structured["notices"]),
        pictures=tuple(Picture(base64.b64decode(i.data), i.mime_type) for i in images),
    )


def _info(tool: types.Tool) -> ToolInfo:
    return ToolInfo(
        tool.name,
        tool.description or "",
        tool.input_schema,
        int((tool.meta or {})[MINUTES_META_KEY]),
    )
