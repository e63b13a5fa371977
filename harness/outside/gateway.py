"""The office as an MCP server for a program outside: every call is a turn of its own.

    request ──call──► Gateway ──serve, in the agent's own task──► Workplace.turn

Requests come in tasks of the server's, which nobody cancels when a day ends; so turns are made in
the agent's task, one after the other, and whoever still waits then is told that the day is over.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp import MCPError, types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from pydantic import JsonValue

from harness.workplace import Call, Ending, ToolAnswer, ToolInfo, Workplace
from mcp_servers.desk import FINISH
from mcp_servers.office import BEGIN, OFFICE
from mcp_servers.serving.server import BROKEN, MINUTES, version

GRACE = 5.0
"""Real seconds that a program has to end by itself when its day is over."""

_INSTRUCTIONS = (
    f"The office of one employee for one day. {BEGIN} Time is simulated: it passes only with your "
    "calls, as each tool's description says. Calls are made one after the other, and each is a "
    f"turn. When you are done, end the day with {FINISH}."
)
_OVER = "Not done: {why}. Nothing can be done any more; stop here."
_WHY = {
    Ending.STEP_LIMIT: "all turns of your day are used up",
    Ending.TIME_LIMIT: "the real time for your day is used up",
}


@dataclass
class _Asked:
    """A call on its way; ``answer`` stays None where the day ended first."""

    call: Call
    settled: anyio.Event = field(default_factory=anyio.Event)
    answer: ToolAnswer | None = None


class Gateway:
    """The one way into an office for a program outside.

    ``closed`` is set when no call is made any more; then the program has ``grace`` real seconds
    left. ``finished`` says that it ended the day itself.
    """

    def __init__(self, office: Workplace):
        self._office = office
        self._sent, self._taken = anyio.create_memory_object_stream[_Asked](0)
        self.closed = anyio.Event()
        self.grace = GRACE
        self.finished = False

    @property
    def tools(self) -> tuple[ToolInfo, ...]:
        """What the office offers."""
        return self._office.tools

    async def call(self, call: Call) -> ToolAnswer:
        """Have *call* made when it is its turn; a refusal if the day ends before that.

        Raises InterruptedError if the office broke.
        """
        asked = _Asked(call)
        try:
            await self._sent.send(asked)
            await asked.settled.wait()
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # nobody takes calls any more
        if asked.answer is None and self._office.fault is not None:
            raise InterruptedError
        return asked.answer or self._refusal()

    async def serve(self) -> None:
        """Make the calls in the order in which they come, until the day is over or nobody is
        left to call. To be run in the agent's own task, which a limit cancels here."""
        asked = None
        try:
            while not self._office.over:
                asked = await self._taken.receive()
                (asked.answer,) = await self._office.turn([asked.call])
                self.finished = asked.call.name == FINISH and not asked.answer.failed
                asked.settled.set()
                asked = None
        except anyio.EndOfStream:
            pass
        finally:
            self.close()
            if asked is not None:
                asked.settled.set()

    def close(self) -> None:
        """Take no further call."""
        if self._office.fault is not None or self._office.ended is Ending.TIME_LIMIT:
            self.grace = 0
        self.closed.set()
        self._taken.close()

    def leave(self) -> None:
        """Say that nobody is left to call."""
        self._sent.close()

    def time(self, answer: ToolAnswer) -> str:
        """The simulated time after *answer*, as JSON has it."""
        return (answer.time or self._office.now).isoformat()

    def _refusal(self) -> ToolAnswer:
        ended = self._office.ended or Ending.DAY_OVER
        said = _OVER.format(why=_WHY.get(ended, "your working day is over"))
        return ToolAnswer(said, None, None, failed=True)


def build_gateway(gateway: Gateway) -> Server[Any]:
    """An MCP server that lists and calls the tools of *gateway*; both eras speak it."""
    listed = [_listed(tool) for tool in gateway.tools]

    async def list_tools(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            answer = await gateway.call(Call(params.name, params.arguments or {}))
        except InterruptedError:
            raise MCPError(types.INTERNAL_ERROR, BROKEN) from None
        return _result(answer, gateway.time(answer))

    return Server(
        OFFICE,
        version=version(),
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _listed(tool: ToolInfo) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        meta={MINUTES: tool.minutes},
    )


def _result(answer: ToolAnswer, time: str) -> types.CallToolResult:
    content: list[types.ContentBlock] = [types.TextContent(type="text", text=answer.text)]
    for picture in answer.pictures:
        data = base64.b64encode(picture.data).decode()
        content.append(types.ImageContent(type="image", data=data, mime_type=picture.mime_type))
    structured: dict[str, JsonValue] = {
        "time": time,
        "notices": [notice.model_dump(mode="json") for notice in answer.notices],
    }
    if answer.failed:
        structured["error"] = answer.text
    else:
        structured["data"] = answer.data
    return types.CallToolResult(
        content=content, structured_content=structured, is_error=answer.failed
    )
