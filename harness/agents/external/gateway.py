"""An agent's session as an MCP server for an external program: each call is a turn.

    request ──call──► Gateway ──serve, in the agent's own task──► AgentSession.turn

Requests arrive in tasks of the server, which are not cancelled when a day ends. The gateway
therefore makes turns in the agent's task, one after the other. Requests that still wait when the
day ends are told that it is over.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp import MCPError, types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from pydantic import JsonValue

from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EndReason
from trainee_bench.harness.session.turns import ToolCall, ToolInfo, ToolResult
from trainee_bench.mcp_servers.desk import FINISH_DAY_TOOL
from trainee_bench.mcp_servers.office import BEGIN_HINT, OFFICE
from trainee_bench.mcp_servers.serving.result_text import ResultView
from trainee_bench.mcp_servers.serving.server import (
    INTERNAL_ERROR_TEXT,
    MINUTES_META_KEY,
    call_result,
    package_version,
)

DISCONNECT_GRACE_SECONDS = 5.0
"""Real seconds that a program has to end by itself when its day is over."""

_INSTRUCTIONS = (
    f"The office of one employee for one day. {BEGIN_HINT} Time is simulated: it passes only "
    "with your calls, as each tool's description says. Calls are made one after the other, and "
    f"each is a turn. desk_tasks also says until when more tasks may come. When you are done, "
    f"end the day with {FINISH_DAY_TOOL}."
)
_OVER = "Not done: {why}. Nothing can be done any more; stop here."
_WHY = {
    EndReason.STEP_LIMIT: "all turns of your day are used up",
    EndReason.TIME_LIMIT: "the real time for your day is used up",
}


@dataclass
class _QueuedCall:
    """A call that waits; ``answer`` stays None if the day ends first."""

    call: ToolCall
    settled: anyio.Event = field(default_factory=anyio.Event)
    answer: ToolResult | None = None


class Gateway:
    """Gateway that makes the calls of an external program in an agent's session.

    ``closed`` is set when no further call is made; the program then has ``grace`` real seconds to
    end. ``finished`` says that it ended the day itself.
    """

    def __init__(self, session: AgentSession):
        self._session = session
        self._sent, self._taken = anyio.create_memory_object_stream[_QueuedCall](0)
        self.closed = anyio.Event()
        self.grace = DISCONNECT_GRACE_SECONDS
        self.finished = False

    @property
    def tools(self) -> tuple[ToolInfo, ...]:
        """The session's tools."""
        return self._session.tools

    async def call(self, call: ToolCall) -> ToolResult:
        """Make *call* after those before it; return a refusal if the day ends first.

        Raises InterruptedError if the session ended with a fault of the infrastructure.
        """
        queued = _QueuedCall(call)
        try:
            await self._sent.send(queued)
            await queued.settled.wait()
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # no call is made any more
        if queued.answer is None and self._session.fault is not None:
            raise InterruptedError
        return queued.answer or self._last_answer(call)

    async def serve(self) -> None:
        """Make the calls in the order they arrive, until the day is over or the client has left.

        Run this in the agent's own task, which a limit cancels here.
        """
        queued = None
        try:
            while not self._session.over:
                queued = await self._taken.receive()
                (queued.answer,) = await self._session.turn([queued.call])
                self.finished = (
                    queued.call.name == FINISH_DAY_TOOL
                    and not queued.answer.failed
                    and self._session.over
                )
                queued.settled.set()
                queued = None
        except anyio.EndOfStream:
            pass
        finally:
            self.close()
            if queued is not None:
                queued.settled.set()

    def close(self) -> None:
        """Make no further call."""
        if self._session.fault is not None or self._session.ended is EndReason.TIME_LIMIT:
            self.grace = 0
        self.closed.set()
        self._taken.close()

    def client_left(self) -> None:
        """Tell the gateway that its client has ended."""
        self._sent.close()

    def time_json(self, answer: ToolResult) -> str:
        """Return the simulated time after *answer*, in ISO format."""
        return (answer.time or self._session.now).isoformat()

    def _last_answer(self, call: ToolCall) -> ToolResult:
        """Return the answer when no further call can be made.

        If the day was worked to its end, the answer that it is finished is no error.
        """
        now = self._session.now
        if call.name == FINISH_DAY_TOOL and self._session.over:
            data: dict[str, JsonValue] = {"now": now.isoformat(), "over": True}
            return ToolResult(f"The day is over; it is {now:%H:%M}.", data, now)
        ended = self._session.ended or EndReason.DAY_OVER
        text = _OVER.format(why=_WHY.get(ended, "your working day is over"))
        return ToolResult(text, None, None, failed=True)


def build_gateway(gateway: Gateway, view: ResultView = ResultView.STRUCTURED) -> Server[Any]:
    """Return an MCP server with the tools of *gateway* that shows results in *view*."""
    listed = [_listed(tool) for tool in gateway.tools]

    async def list_tools(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            answer = await gateway.call(ToolCall(params.name, params.arguments or {}))
        except InterruptedError:
            raise MCPError(types.INTERNAL_ERROR, INTERNAL_ERROR_TEXT) from None
        return _result(answer, gateway.time_json(answer), view)

    return Server(
        OFFICE,
        version=package_version(),
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _listed(tool: ToolInfo) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=dict(tool.input_schema),
        meta={MINUTES_META_KEY: tool.minutes},
    )


def _result(answer: ToolResult, time: str, view: ResultView) -> types.CallToolResult:
    facts: dict[str, JsonValue] = {}
    if view is ResultView.STRUCTURED:
        facts = {
            "time": time,
            "notices": [notice.model_dump(mode="json") for notice in answer.notices],
        }
        if answer.failed:
            facts["error"] = answer.text
        else:
            facts["data"] = answer.data
    return call_result(answer.text, answer.pictures, facts, failed=answer.failed)
