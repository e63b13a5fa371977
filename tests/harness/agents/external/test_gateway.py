"""The way in from outside: what any agent may do and no more, in both eras, one call at a time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Literal

import anyio
import httpx2
import pytest
from mcp import Client, MCPError, types
from mcp.client.streamable_http import streamable_http_client
from pydantic import JsonValue

from trainee_bench.harness.agents.external.gateway import Gateway, build_gateway
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EndReason, EpisodeLimits
from trainee_bench.harness.session.turns import ToolCall, ToolInfo, ToolResult
from trainee_bench.mcp_servers.serving.http import HttpHost, ServerEndpoint
from trainee_bench.mcp_servers.serving.result_text import ResultView
from trainee_bench.world.transaction import Notice, Picture, WorkingDay

DAY = WorkingDay(datetime(2025, 10, 1, 8), datetime(2025, 10, 1, 20))
TOOLS = [ToolInfo("work", "Do it. Takes 10 minutes.", {"type": "object"}, 10)]
SECRET = "/srv/runs/seed-4711.world"
OVER = "stop here"
Era = Literal["auto", "legacy"]


class FakeTransport:
    """Takes ten minutes for a call; "break" breaks, "look" shows a picture, "wait" never
    answers, "desk_finish_day" ends the day."""

    def __init__(self) -> None:
        self.now = DAY.starts
        self.made: list[str] = []
        self.home_inside = 0
        self.waited_for = anyio.Event()

    async def call(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolResult:
        if name == "break":
            raise ConnectionError(f"cannot read {SECRET}")
        self.home_inside += 1
        assert self.home_inside == 1, "two calls at a time"
        if name == "wait":
            self.waited_for.set()
            await anyio.sleep_forever()
        await anyio.sleep(0.001)
        self.home_inside -= 1
        self.made.append(name)
        self.now = DAY.ends if name == "desk_finish_day" else self.now + timedelta(minutes=10)
        notices = (Notice(at=self.now, kind="mail", text="New mail."),)
        pictures = (Picture(b"png", "image/png"),) if name == "look" else ()
        if name == "fail":
            return ToolResult("No.", None, self.now, failed=True)
        data = {"said": str(dict(arguments))}
        return ToolResult(f"did {name}", data, self.now, notices=notices, pictures=pictures)


def open_session(**limits: int) -> tuple[AgentSession, FakeTransport]:
    transport = FakeTransport()
    return AgentSession(
        transport, TOOLS, f"Work. {SECRET}", DAY, EpisodeLimits.model_validate(limits)
    ), transport


@asynccontextmanager
async def served(
    gateway: Gateway, place: AgentSession, view: ResultView = ResultView.STRUCTURED
) -> AsyncIterator[ServerEndpoint]:
    async def work() -> None:
        with place.scope:
            await gateway.serve()

    async with (
        HttpHost() as host,
        host.mount(build_gateway(gateway, view)) as address,
        anyio.create_task_group() as group,
    ):
        group.start_soon(work)
        try:
            yield address
        finally:
            gateway.client_left()


@asynccontextmanager
async def client(address: ServerEndpoint, era: Era = "auto") -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers=address.headers, trust_env=False) as http,
        Client(streamable_http_client(address.url, http_client=http), mode=era) as client,
    ):
        yield client


def text(result: types.CallToolResult) -> str:
    (block,) = (b for b in result.content if isinstance(b, types.TextContent))
    return block.text


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_both_eras_list_call_and_get_all_that_an_agent_gets(era: Era) -> None:
    place, transport = open_session()
    async with served(Gateway(place), place) as address, client(address, era) as mine:
        (tool,) = (await mine.list_tools()).tools
        assert (tool.name, tool.description) == (TOOLS[0].name, TOOLS[0].description)
        assert tool.input_schema == {"type": "object"}
        assert place.counts.steps == 0  # looking at the tools is no turn
        done = await mine.call_tool("work", {"a": 1})
        assert (text(done), done.is_error) == ("did work", False)
        assert done.structured_content == {
            "time": "2025-10-01T08:10:00",
            "notices": [{"at": "2025-10-01T08:10:00", "kind": "mail", "text": "New mail."}],
            "data": {"said": "{'a': 1}"},
        }
        assert (await mine.call_tool("fail")).is_error
        shown = await mine.call_tool("look")
        pictures = [b for b in shown.content if isinstance(b, types.ImageContent)]
        assert [(p.data, p.mime_type) for p in pictures] == [("cG5n", "image/png")]
        assert shown.structured_content is None  # it would hide the picture
    assert transport.made == ["work", "fail", "look"]
    assert (place.counts.steps, place.counts.tool_calls, place.counts.failed_calls) == (3, 3, 1)
    assert [[call.name for call in tx.calls] for tx in place.record] == [
        [n] for n in transport.made
    ]


async def test_as_text_a_program_gets_words_and_pictures_and_no_data() -> None:
    place, _ = open_session()
    async with served(Gateway(place), place, ResultView.TEXT) as address, client(address) as mine:
        for name, words in (("work", "did work"), ("fail", "No."), ("look", "did look")):
            result = await mine.call_tool(name)
            assert (text(result), result.structured_content) == (words, None)
    assert result.content[-1].type == "image"


async def test_calls_at_the_same_time_are_made_one_after_the_other_each_a_turn() -> None:
    place, transport = open_session()
    async with (
        served(Gateway(place), place) as address,
        client(address) as mine,
        anyio.create_task_group() as group,
    ):
        for _ in range(10):
            group.start_soon(mine.call_tool, "work")
    assert (len(transport.made), place.counts.steps, len(place.record)) == (10, 10, 10)


async def test_beyond_a_limit_calls_are_refused_in_words_and_not_made() -> None:
    place, transport = open_session(steps=2)
    gateway = Gateway(place)
    async with served(gateway, place) as address, client(address) as mine:
        for _ in range(2):
            assert not (await mine.call_tool("work")).is_error
        for _ in range(3):
            refused = await mine.call_tool("work")
            assert refused.is_error and "all turns" in text(refused) and OVER in text(refused)
        assert len((await mine.list_tools()).tools) == 1
    assert (len(transport.made), place.ended) == (2, EndReason.STEP_LIMIT)
    assert gateway.closed.is_set() and not gateway.finished


async def test_a_waiting_request_is_answered_when_the_day_is_ended_from_elsewhere() -> None:
    place, transport = open_session()
    gateway, answers = Gateway(place), []

    async def wait() -> None:
        answers.append(await mine.call_tool("wait"))

    async with (
        served(gateway, place) as address,
        client(address) as mine,
        anyio.create_task_group() as group,
    ):
        group.start_soon(wait)
        group.start_soon(wait)
        await transport.waited_for.wait()
        place.stop(EndReason.TIME_LIMIT)
    assert [answer.is_error and "real time" in text(answer) for answer in answers] == [True, True]
    assert gateway.grace == 0


async def test_after_the_end_of_the_day_no_call_is_made() -> None:
    place, transport = open_session()
    gateway = Gateway(place)
    async with served(gateway, place) as address, client(address) as mine:
        assert not (await mine.call_tool("desk_finish_day")).is_error
        late = await mine.call_tool("work")
        assert late.is_error and "working day is over" in text(late)
    assert gateway.finished and gateway.grace > 0
    assert (transport.made, place.ended) == (["desk_finish_day"], None)


async def test_a_fault_of_ours_is_told_without_what_it_says() -> None:
    place, _ = open_session()
    gateway = Gateway(place)
    async with served(gateway, place) as address, client(address) as mine:
        for _ in range(2):
            with pytest.raises(MCPError, match="has a bug") as told:
                await mine.call_tool("break")
            assert SECRET not in str(told.value)
    assert isinstance(place.fault, ConnectionError)
    assert gateway.grace == 0


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_nothing_that_a_client_gets_knows_more_than_the_tools_say(era: Era) -> None:
    place, _ = open_session()
    heard: list[bytes] = []

    async def hear(response: httpx2.Response) -> None:
        heard.append(repr(dict(response.headers)).encode() + await response.aread())

    async with served(Gateway(place), place) as address:
        hooks = {"response": [hear]}
        async with (
            httpx2.AsyncClient(headers=address.headers, trust_env=False, event_hooks=hooks) as http,
            Client(streamable_http_client(address.url, http_client=http), mode=era) as mine,
        ):
            await mine.list_tools()
            await mine.call_tool("work")
            await mine.call_tool("no_such_tool", {"seed": None})
            with pytest.raises(MCPError):
                await mine.call_tool("break")
            for method in ("prompts/list", "resources/list", "seed/get"):
                sent = {"jsonrpc": "2.0", "id": 1, "method": method}
                await http.post(address.url, json=sent)
    everything = b"\n".join(heard)
    assert b"desk_finish_day" in everything  # the instructions were among it
    for secret in (SECRET, "4711", "/srv", "Traceback", ".py", address.token):
        assert secret.encode() not in everything


async def test_the_token_of_one_episode_opens_no_other() -> None:
    (one, transport), (other, others) = open_session(), open_session()
    async with (
        served(Gateway(one), one) as mine,
        served(Gateway(other), other) as theirs,
        httpx2.AsyncClient(trust_env=False) as http,
    ):
        sent = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "work"}}
        for headers in ({}, mine.headers, {"Authorization": "Bearer x"}):
            assert (await http.post(theirs.url, json=sent, headers=headers)).status_code == 401
        swapped = theirs.url.replace("seat-1", "seat-2")
        assert (await http.post(swapped, json=sent, headers=theirs.headers)).status_code == 401
    assert transport.made == others.made == []


async def test_a_call_that_is_made_after_nobody_serves_any_more_is_refused() -> None:
    place, _ = open_session()
    gateway = Gateway(place)
    gateway.client_left()
    with place.scope:
        await gateway.serve()
    assert OVER in (await gateway.call(ToolCall("work"))).text


async def test_ending_a_day_that_was_worked_to_its_last_minute_is_no_error() -> None:
    place, transport = open_session()
    gateway = Gateway(place)
    async with served(gateway, place) as address, client(address) as mine:
        transport.now = DAY.ends - timedelta(minutes=10)
        await mine.call_tool("work", {})
        assert (await mine.call_tool("work", {})).is_error
        done = await mine.call_tool("desk_finish_day", {})
        assert (done.is_error, text(done)) == (False, "The day is over; it is 20:00.")
    assert transport.made == ["work"]
