"""An MCP server for a dispatcher: lists its tools, calls them and renders the results.

Server objects are cheap, since the schemas are built once per process and shared.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from typing import Any

from mcp import MCPError, types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from pydantic import BaseModel, JsonValue

from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.mcp_servers.serving.result_text import ResultView
from trainee_bench.mcp_servers.serving.toolbox import Tool
from trainee_bench.world.transaction import Notice, Picture
from trainee_bench.world.world import ActionResult

MINUTES_META_KEY = "trainee-bench/minutes"
"""Key in a tool's ``_meta`` for the cost of a call in simulated minutes."""
FACTS_META_KEY = "trainee-bench/result"
"""Key in a result's ``_meta`` for the structured content of a result with a picture."""
MAX_RESULT_CHARACTERS = 16_000
"""Maximum characters of a result's text, notices included (about 4,000 tokens). Tools return
longer texts in pages and say how to get the rest. Property tests check this for every tool."""
INTERNAL_ERROR_TEXT = "The server has a bug and could not do this; nothing was changed."
"""The only text an agent gets if the server itself fails."""

_LOGGER = logging.getLogger(__name__)


def build_server(
    name: str,
    dispatcher: ToolDispatcher,
    instructions: str,
    costs: Mapping[str, int],
    view: ResultView = ResultView.STRUCTURED,
) -> Server[Any]:
    """Build an MCP server for *dispatcher* with results shown in *view*.

    *costs* are minutes by tool, for tools whose cost the scenario sets.
    """
    listed = [
        describe_tool(tool, costs.get(tool.name, tool.minutes), view)
        for tool in dispatcher.tools.values()
    ]

    async def list_tools(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            return render_result(await dispatcher.call(params.name, params.arguments or {}), view)
        except Exception as bug:  # the SDK would show the exception's text to the agent
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
    """Return the installed version of this project, "0+checkout" if it is not installed."""
    try:
        return installed_version("trainee-bench")
    except PackageNotFoundError:
        return "0+checkout"


def _clock(moment: datetime, now: datetime) -> str:
    """Format *moment* as "17:00", with its weekday unless it is today."""
    time = f"{moment.hour:02}:{moment.minute:02}"  # every result has one, and strftime is slow
    return time if moment.date() == now.date() else f"{moment:%A} {time}"


def render_result(
    done: ActionResult[BaseModel], view: ResultView = ResultView.STRUCTURED
) -> types.CallToolResult:
    """Render an action's result for a client: text, perhaps a picture, and what *view* adds."""
    facts: dict[str, JsonValue] = {}
    if view is ResultView.STRUCTURED:
        facts = {
            "time": done.now.isoformat(),
            "notices": [notice.model_dump(mode="json") for notice in done.notices],
        }
        if done.result:
            facts["data"] = done.result.data.model_dump(mode="json")
        else:
            facts["error"] = _said(done)
    pictures = (done.result.picture,) if done.result and done.result.picture else ()
    return call_result(result_text(done), pictures, facts, failed=done.error is not None)


def result_text(done: ActionResult[BaseModel]) -> str:
    """Return the text that a model reads after an action: what the tool says, the time, the
    notices."""
    return told_text(_said(done), done.now, done.notices)


def told_text(said: str, now: datetime, notices: Sequence[Notice]) -> str:
    """Return the text that a model reads: what the tool *said*, the time *now*, the *notices*."""
    lines = [said, f"[{_clock(now, now)}]"]
    lines += [f"- {_clock(notice.at, now)} {notice.text}" for notice in notices]
    return "\n".join(lines)


def _said(done: ActionResult[BaseModel]) -> str:
    return str(done.error) if done.error else done.result.text if done.result else ""


def call_result(
    text: str, pictures: Sequence[Picture], facts: Mapping[str, JsonValue], *, failed: bool
) -> types.CallToolResult:
    """Build a result of *text* and *pictures*.

    *facts*, if any, become the structured content, or go into ``_meta`` if there are pictures.
    """
    content: list[types.ContentBlock] = [types.TextContent(type="text", text=text)]
    for picture in pictures:
        data = base64.b64encode(picture.data).decode()
        content.append(types.ImageContent(type="image", data=data, mime_type=picture.mime_type))
    if pictures and facts:
        meta: dict[str, Any] = {FACTS_META_KEY: dict(facts)}
        return types.CallToolResult(content=content, is_error=failed, meta=meta)
    structured = dict(facts) if facts else None
    return types.CallToolResult(content=content, structured_content=structured, is_error=failed)


def describe_tool(tool: Tool, minutes: int, view: ResultView = ResultView.STRUCTURED) -> types.Tool:
    """Return *tool* as clients see it, with its cost in *minutes* and results in *view*."""
    structured = view is ResultView.STRUCTURED and not tool.pictures
    return types.Tool(
        name=tool.name,
        description=tool.description(minutes),
        input_schema=tool.input_schema,
        output_schema=tool.output_schema if structured else None,
        annotations=types.ToolAnnotations(
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive,
            open_world_hint=False,
        ),
        meta={MINUTES_META_KEY: minutes},
    )
