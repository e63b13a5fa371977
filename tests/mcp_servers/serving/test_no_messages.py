"""Lines and bodies that are no messages: they are answered alike, and the server goes on."""

from __future__ import annotations

import json
import subprocess
import sys
from asyncio import to_thread
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.mcp_servers.processes import ROOT
from tests.mcp_servers.toy import a_world, seat_in
from trainee_bench.mcp_servers.serving import http
from trainee_bench.mcp_servers.serving.http import HttpHost
from trainee_bench.mcp_servers.serving.messages import message_id
from trainee_bench.mcp_servers.serving.server import build_server
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.world.world import World

PARSE_ERROR, INVALID_REQUEST = -32700, -32600
HELLO = {
    "jsonrpc": "2.0", "id": "hello", "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}  # fmt: skip


def call(id: str, argument: str) -> str:
    return (
        f'{{"jsonrpc":"2.0","method":"tools/call","id":{id},"params":'
        f'{{"name":"desk_tasks","arguments":{{"id":3,"x":{argument}}}}}}}'
    )


BAD = {
    "a lone surrogate": (call("11", '"\\ud800"'), 11, PARSE_ERROR),
    "five thousand digits": (call("12", "9" * 5_000), 12, PARSE_ERROR),
    "three hundred lists": (call('"t-13"', "[" * 300 + "]" * 300), "t-13", PARSE_ERROR),
    "half a line": (call("14", "1")[:60], 14, PARSE_ERROR),
    "no id to be seen": (
        '{"jsonrpc":"2.0","method":"tools/call","params":{"id":3',
        None,
        PARSE_ERROR,
    ),
    "no method": ('{"jsonrpc":"2.0","id":16}', 16, INVALID_REQUEST),
    "a number": ("5", None, INVALID_REQUEST),
    "an id that is null": (call("null", "1"), None, INVALID_REQUEST),
    "an id with a fraction": (call("1.5", "1"), None, INVALID_REQUEST),
    "an id that is a list": (call("[17]", "1"), None, INVALID_REQUEST),
    "bytes that are no text": (call("18", '"\udcff"'), 18, PARSE_ERROR),
}


def served(path: Path, *lines: str) -> subprocess.CompletedProcess[bytes]:
    """The desk's server, to which a client has written *lines* before it closed the input."""
    started = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return subprocess.run(
        [sys.executable, "-m", "trainee_bench.mcp_servers", "desk", "--world", str(path)],
        input="\n".join([json.dumps(HELLO), started, *lines, ""]).encode(errors="surrogateescape"),
        capture_output=True,
        cwd=ROOT,
        timeout=120,
    )


async def test_a_client_that_closes_the_input_still_gets_all_its_answers(
    tmp_path: Path,
) -> None:
    path = tmp_path / "day.world"
    await (await create_world(path, find_scenario())).close()
    calls = [call(str(number), "1").replace('"id":3,"x":1', "") for number in range(30)]
    done = await to_thread(served, path, *calls)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert sorted(answer["id"] for answer in answers if answer["id"] != "hello") == [*range(30)]
    assert all("result" in answer for answer in answers) and done.returncode == 0
    async with await World.open(path) as world:
        assert len(await world.log()) == 30


async def test_a_line_that_is_no_message_is_answered_with_its_id_and_the_server_goes_on(
    tmp_path: Path,
) -> None:
    path = tmp_path / "day.world"
    await (await create_world(path, find_scenario())).close()
    ping = {"jsonrpc": "2.0", "id": "end", "method": "ping"}
    lines = [*(line for line, _, _ in BAD.values()), "", json.dumps(ping)]
    done = await to_thread(served, path, *lines)
    answers: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    refused = [(one["id"], one["error"]["code"]) for one in answers if "error" in one]
    assert refused == [(id, code) for _, id, code in BAD.values()]
    assert {"hello", "end"} <= {one["id"] for one in answers if "result" in one}
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("line", "id"),
    [
        ('{"id": 5, "x": 1', 5),
        ('{"params": {"id": 5}, "id": "a", ', "a"),
        ('{"text": "\\"id\\": 5, ', None),
        ('{"method": "id", "id": 5}', 5),
        ('[{"id": 5}]', None),
        ('{"id": 5', None),
        ("", None),
    ],
)
def test_the_id_is_that_of_the_outermost_object(line: str, id: object) -> None:
    assert message_id(line) == id


HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
SOUND = (
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shelf_list","arguments":{}}}'
)


async def in_parts(body: bytes) -> AsyncIterator[bytes]:
    """*body* as a client sends it that does not say how long it is."""
    for start in range(0, len(body), 1000):
        yield body[start : start + 1000]


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_a_body_that_is_no_message_is_answered_with_its_id_and_changes_nothing(
    revision: str,
) -> None:
    async with (
        HttpHost() as host,
        await a_world() as world,
        host.mount(build_server("shelf", seat_in(world), "", {})) as address,
        httpx2.AsyncClient(
            headers={**HEADERS, **address.headers, "MCP-Protocol-Version": revision}
        ) as client,
    ):
        for why, (line, id, code) in BAD.items():
            body = line.encode(errors="surrogateescape")
            for content in (body, in_parts(body)):
                answer = await client.post(address.url, content=content)
                told = answer.json()
                assert (answer.status_code, told["id"]) == (400, id), why
                assert told["error"]["code"] == code, why
                assert "pydantic" not in answer.text and "validation error" not in answer.text
        assert await world.log() == []


async def test_a_body_that_comes_in_parts_is_read_and_one_that_is_too_long_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http, "_LARGEST_REQUEST", 4_000)
    async with (
        HttpHost() as host,
        await a_world() as world,
        host.mount(build_server("shelf", seat_in(world), "", {})) as address,
        httpx2.AsyncClient(
            headers={**HEADERS, **address.headers, "MCP-Protocol-Version": "2025-11-25"}
        ) as client,
    ):
        for content in (SOUND, in_parts(SOUND + b" " * 3_000)):
            answer = await client.post(address.url, content=content)
            assert answer.json()["id"] == 1 and "result" in answer.json()
        for content in (SOUND + b" " * 4_000, in_parts(SOUND + b" " * 4_000)):
            assert (await client.post(address.url, content=content)).status_code == 413
        assert len(await world.log()) == 2
