"""A dispatcher as an MCP server: lists its tools, calls them and renders the results.

Server objects are cheap: the schemas are built once per process and shared.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Mapping
from datetime import datetime
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from typing import Any

from mcp import MCPError, types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from pydantic import BaseModel, JsonValue

from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.mcp_servers.serving.toolbox import Tool
from trainee_bench.world.world import ActionResult

MINUTES_META_KEY = "trainee-bench/minutes"
"""Key in a tool's ``_meta``: what a call costs in simulated minutes."""
MAX_RESULT_CHARACTERS = 16_000
"""Maximum characters of a result's text, notices included (about 4,000 tokens). Tools return
longer texts in pages and say how to get the rest. Property tests check this for every tool."""
INTERNAL_ERROR_TEXT = "The server has a bug and could not do this; nothing was changed."
"""The only text an agent gets if the server itself fails."""

_LOGGER = logging.getLogger(__name__)


def build_server(
    name: str, dispatcher: ToolDispatcher, instructions: str, costs: Mapping[str, int]
) -> Server[Any]:
    """An MCP server for *dispatcher*. *costs* are minutes by tool where the scenario sets them."""
    listed = [
        _listed(tool, costs.get(tool.name, tool.minutes)) for tool in dispatcher.tools.values()
    ]

    async def list_tools(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            return render_result(await dispatcher.call(params.name, params.arguments or {}))
        except Exception as bug:  # the SDK would show its text to the agent
            _LOGGER.exception("%s broke", params.name)
            raise MCPError(types.INTERNAL_ERROR, INTERNAL_ERROR_TEXT) from bug

    return Server(
        name,
        version=package_version(),
        instructions=instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def package_version() -> str:
    """The installed version of this project; "" for a checkout that is not installed."""
    try:
        return installed_version("trainee-bench")
    except PackageNotFoundError:
        return "0+checkout"


def _clock(moment: datetime, now: datetime) -> str:
    """*moment* as "17:00", with its weekday if that is not today's."""
    return f"{moment:%H:%M}" if moment.date() == now.date() else f"{moment:%A %H:%M}"


def render_result(done: ActionResult[BaseModel]) -> types.CallToolResult:
    """An action's result for a client: text, structured content and perhaps a picture."""
    said = str(done.error) if done.error else done.result.text if done.result else ""
    lines = [said, f"[{done.now:%H:%M}]"]
    lines += [f"- {_clock(notice.at, done.now)} {notice.text}" for notice in done.notices]
    content: list[types.ContentBlock] = [types.TextContent(type="text", text="\n".join(lines))]
    if done.result and done.result.picture:
        picture = done.result.picture
        content.append(
            types.ImageContent(
                type="image",
                data=base64.b64encode(picture.data).decode(),
                mime_type=picture.mime_type,
            )
        )
    answer: dict[str, JsonValue] = {
        "time": done.now.isoformat(),
        "notices": [notice.model_dump(mode="json") for notice in done.notices],
    }
    if done.result:
        answer["data"] = done.result.data.model_dump(mode="json")
    else:
        answer["error"] = said
    return types.CallToolResult(
        content=content, structured_content=answer, is_error=done.error is not None
    )


def _listed(tool: Tool, minutes: int) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.description(minutes),
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=types.ToolAnnotations(
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive,
            open_world_hint=False,
        ),
        meta={MINUTES_META_KEY: minutes},
    )
