"""A server tells operators how it is, and ends without breaking off an answer."""

from __future__ import annotations

import asyncio
import importlib.util
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.mcp_servers.processes import ROOT, text
from trainee_bench.mcp_servers.serving import operators
from trainee_bench.mcp_servers.serving.operators import Operators
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world

TOKEN = "one-token-of-these-tests"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")


@contextmanager
def served(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command with a day in *folder* and the token TOKEN, and its URL."""
    (folder / "token").write_text(f"{TOKEN}\n")
    command = (
        "-m", "trainee_bench.mcp_servers", "--world", str(folder / "day.world"), "--http",
        "127.0.0.1:0", "--path", "/mcp", "--token-file", str(folder / "token"), *options,
    )  # fmt: skip
    with subprocess.Popen(
        [sys.executable, *command], cwd=ROOT, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        try:
            yield server, server.stderr.readline().removeprefix("Serving ").strip()
        finally:
            server.kill()


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    await (await create_world(tmp_path / "day.world", find_scenario())).close()
    return tmp_path


async def test_operators_need_no_token_and_see_no_part_of_the_day(folder: Path) -> None:
    with served(folder) as (_, url):
        async with connected(url) as client:
            await client.call_tool("desk_tasks")
        async with httpx2.AsyncClient(base_url=url.removesuffix("/mcp")) as http:
            health, ready = await http.get("/healthz"), await http.get("/readyz")
            assert (health.status_code, health.text) == (200, "ok")
            assert (ready.status_code, ready.text) == (200, "ready")
            assert (await http.head("/readyz")).status_code == 200
            assert (await http.post("/readyz")).status_code == 405
            assert (await http.get("/mcp")).status_code == 401
            figures = (await http.get("/metrics")).text
        assert 'trainee_bench_http_requests_total{status="200"}' in figures
        assert 'trainee_bench_http_requests_total{status="401"} 1.0' in figures
        assert "trainee_bench_http_draining 0.0" in figures
        assert "desk" not in figures and "first_day" not in figures


async def test_a_draining_server_is_not_ready_but_still_answers(folder: Path) -> None:
    with served(folder, "--drain-seconds", "60") as (server, url):
        async with connected(url) as client:
            assert "[08:01]" in text(await client.call_tool("desk_tasks"))
            server.send_signal(signal.SIGTERM)
            async with httpx2.AsyncClient(base_url=url.removesuffix("/mcp")) as http:
                for _ in range(100):
                    if (await http.get("/readyz")).status_code == 503:
                        break
                    await asyncio.sleep(0.05)
                ready = await http.get("/readyz")
                assert (ready.status_code, ready.text) == (503, "ending")
                assert (await http.get("/healthz")).status_code == 200
                assert "draining 1.0" in (await http.get("/metrics")).text
            assert "[08:02]" in text(await client.call_tool("desk_tasks"))
            server.send_signal(signal.SIGTERM)  # a second one does not wait any longer
        assert server.wait(20) == 0
        assert server.stderr is not None and server.stderr.read() == ""  # nor is the token printed
    with served(folder) as (_, url):
        async with connected(url) as client:  # the day goes on
            assert "[08:03]" in text(await client.call_tool("desk_tasks"))


async def answered(app: ASGIApp, path: str) -> int:
    """The status of the answer of *app* to a GET of *path*."""
    transport = httpx2.ASGITransport(app)  # type: ignore[arg-type]
    async with httpx2.AsyncClient(transport=transport, base_url="http://host") as http:
        return (await http.get(path)).status_code


async def test_requests_in_progress_finish_and_new_ones_are_refused() -> None:
    going, started = asyncio.Event(), asyncio.Event()

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        started.set()
        await going.wait()
        await PlainTextResponse("done")(scope, receive, send)

    operators = Operators()
    app = operators.around(slow)
    first = asyncio.create_task(answered(app, "/mcp"))
    await started.wait()
    ending = asyncio.create_task(operators.drain(0.01, asyncio.Event()))
    await asyncio.sleep(0.05)
    assert not ending.done()
    assert await answered(app, "/mcp") == 503
    assert await answered(app, "/readyz") == 503
    going.set()
    assert await first == 200
    await asyncio.wait_for(ending, 1)


async def test_a_request_that_never_ends_does_not_keep_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(operators, "_LAST_ANSWERS", 0.05)

    async def never(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.Event().wait()

    host = Operators()
    first = asyncio.create_task(answered(host.around(never), "/mcp"))
    await asyncio.sleep(0.01)
    await asyncio.wait_for(host.drain(0.01, asyncio.Event()), 1)
    first.cancel()


async def test_without_draining_the_server_ends_at_once_whatever_is_in_progress(
    folder: Path,
) -> None:
    with served(folder) as (server, url):
        port = httpx2.URL(url).port
        head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {TOKEN}\r\n"
        with socket.create_connection(("127.0.0.1", port)) as unfinished:
            unfinished.sendall(f"{head}Content-Length: 100\r\n\r\n".encode())
            async with httpx2.AsyncClient(base_url=url.removesuffix("/mcp")) as http:
                for _ in range(200):
                    if "requests_open 1.0" in (await http.get("/metrics")).text:
                        break
                    await asyncio.sleep(0.02)
            server.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(server.wait, 4) == 0  # each of two waits was 5 seconds
        assert server.stderr is not None and server.stderr.read() == ""


async def test_without_its_package_metrics_name_the_next_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse("there")(scope, receive, send)

    host = Operators().around(app)
    assert await answered(host, "/metrics") == 501
    assert await answered(host, "/readyz") == 200
    assert await answered(host, "/mcp") == 200
