"""Bodies over HTTP that are no messages: they are answered as lines over stdio are."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2
import pytest

from tests.mcp_servers.serving.test_stdio_lines import BAD
from tests.mcp_servers.toy import a_world, seat_in
from trainee_bench.mcp_servers.serving import http
from trainee_bench.mcp_servers.serving.http import HttpHost
from trainee_bench.mcp_servers.serving.server import build_server

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
