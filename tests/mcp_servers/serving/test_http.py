"""Many seats behind one port: each with a path and a token, in both protocol revisions."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from tests.mcp_servers.processes import ROOT, text
from tests.mcp_servers.toy import a_world, seat_in
from trainee_bench.mcp_servers.__main__ import _serve_http
from trainee_bench.mcp_servers.serving import connections
from trainee_bench.mcp_servers.serving.embedded import (
    EmbeddedUvicorn,
    bounded_config,
    listening_socket,
)
from trainee_bench.mcp_servers.serving.http import HttpHost, ServerEndpoint
from trainee_bench.mcp_servers.serving.server import build_server
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.world.world import World


@asynccontextmanager
async def connected(address: ServerEndpoint, mode: str = "auto") -> AsyncIterator[Client]:
    """A client that knows an address and a token."""
    async with httpx2.AsyncClient(headers=address.headers, timeout=30) as http:
        transport = streamable_http_client(address.url, http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


@asynccontextmanager
async def served(count: int = 1) -> AsyncIterator[list[tuple[World, ServerEndpoint]]]:
    """That many toy worlds, each at a seat of one host."""
    async with AsyncExitStack() as stack:
        host = await stack.enter_async_context(HttpHost())
        seats = []
        for _ in range(count):
            world = await stack.enter_async_context(await a_world())
            server = build_server("shelf", seat_in(world), "Begin here.", {})
            seats.append((world, await stack.enter_async_context(host.mount(server))))
        yield seats


def a_call(name: str = "shelf_list", revision: str = "2025-11-25") -> dict[str, object]:
    return {
        "json": {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": name, "arguments": {}},
        },
        "headers": {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": revision,
        },
    }


@pytest.mark.parametrize("mode, revision", [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
async def test_a_seat_is_served_in_both_revisions(mode: str, revision: str) -> None:
    async with served() as [(world, address)], connected(address, mode) as client:
        assert client.protocol_version == revision
        assert client.instructions == "Begin here."
        await client.list_tools()
        await client.call_tool("shelf_put", {"thing": "žluťoučký 🏴‍☠️"})
        listed = await client.call_tool("shelf_list")
        refused = await client.call_tool("shelf_clear")
        assert [entry.tool for entry in await world.log()] == [
            "shelf_put",
            "shelf_list",
            "shelf_clear",
        ]
    assert text(listed).startswith("žluťoučký 🏴‍☠️\n") and refused.is_error


async def test_seats_of_one_host_do_not_see_each_other() -> None:
    async with served(8) as seats:

        async def work(number: int, address: ServerEndpoint) -> None:
            async with connected(address) as client:
                for _ in range(5):
                    await client.call_tool("shelf_put", {"thing": f"thing {number}"})

        await asyncio.gather(*(work(n, address) for n, (_, address) in enumerate(seats)))
        for number, (world, _) in enumerate(seats):
            rows = await world.read(lambda tx: tx.rows("SELECT thing FROM shelf"))
            assert [row["thing"] for row in rows] == [f"thing {number}"] * 5
        assert len({address.url for _, address in seats}) == 8
        assert len({address.token for _, address in seats}) == 8


async def test_a_client_without_the_right_token_gets_401_and_changes_nothing() -> None:
    async with served(2) as [(world, address), (_, other)], httpx2.AsyncClient() as http:
        wrong = [
            {},
            {"Authorization": ""},
            {"Authorization": f"Bearer {address.token}x"},
            {"Authorization": f"Bearer {address.token[:-1]}"},
            {"Authorization": f"Basic {address.token}"},
            {"Authorization": address.token},
            other.headers,
        ]
        for headers in wrong:
            for method in ("POST", "GET", "DELETE"):
                request = a_call() if method == "POST" else {}
                request["headers"] = {**a_call()["headers"], **headers}  # type: ignore[dict-item]
                answer = await http.request(method, address.url, **request)  # type: ignore[arg-type]
                assert answer.status_code == 401, (method, headers)
                assert answer.headers["www-authenticate"] == "Bearer"
                assert address.token[:10] not in answer.text
        assert await world.log() == []


async def test_a_path_that_nobody_serves_is_not_told_from_a_wrong_token() -> None:
    async with served() as [(_, address)], httpx2.AsyncClient(headers=address.headers) as http:
        for path in ("/", "/mcp", "/seat-2/mcp", "/seat-1/", "/seat-1/mcp/x", "/../seat-1"):
            answer = await http.post(httpx2.URL(address.url).join(path), **a_call())  # type: ignore[arg-type]
            assert answer.status_code == 401, path
            assert "token" in answer.text


async def test_a_seat_ends_with_its_block_and_the_host_goes_on() -> None:
    async with HttpHost() as host, await a_world() as world:
        server = build_server("shelf", seat_in(world), "", {})
        async with host.mount(server) as first, connected(first) as client:
            await client.call_tool("shelf_list")
        async with httpx2.AsyncClient(headers=first.headers) as http:
            assert (await http.post(first.url, **a_call())).status_code == 401  # type: ignore[arg-type]
        async with host.mount(server) as second, connected(second) as client:
            await client.call_tool("shelf_list")
        assert second.token != first.token and second.url != first.url
        assert len(await world.log()) == 2


async def test_a_sidecar_is_served_at_a_path_of_choice_to_whoever_reaches_it() -> None:
    async with HttpHost() as host, await a_world() as world:
        server = build_server("shelf", seat_in(world), "", {})
        async with host.mount(server, "/mcp", with_token=False) as address:
            assert address.url.endswith("/mcp") and "seat" not in address.url
            assert address.headers == {}
            for token in ("", "any"):
                async with connected(ServerEndpoint(address.url, token)) as client:
                    await client.call_tool("shelf_list")
            with pytest.raises(ValueError, match="another server is mounted at /mcp"):
                async with host.mount(server, "/mcp"):
                    pass
            async with httpx2.AsyncClient() as http:
                elsewhere = httpx2.URL(address.url).join("/other")
                assert (await http.post(elsewhere, **a_call())).status_code == 401  # type: ignore[arg-type]
        assert len(await world.log()) == 2


async def test_a_web_page_cannot_make_a_browser_ask() -> None:
    async with served() as [(world, address)], httpx2.AsyncClient() as http:
        request = a_call()
        for spoilt, status in (
            ({"Host": "evil.example"}, 421),
            ({"Origin": "https://evil.example"}, 403),
            ({"Content-Type": "text/plain"}, 400),
        ):
            headers = {**request["headers"], **address.headers, **spoilt}  # type: ignore[dict-item]
            answer = await http.post(address.url, json=request["json"], headers=headers)
            assert answer.status_code == status, spoilt
        assert await world.log() == []


async def test_an_address_says_nothing_about_the_world_or_the_machine() -> None:
    async with served() as [(_, address)]:
        assert address.url.startswith("http://127.0.0.1:") and address.url.endswith("/seat-1/mcp")
        assert len(address.token) >= 40


async def test_a_taken_port_is_said_when_the_host_opens() -> None:
    async with HttpHost() as host, await a_world() as world:
        async with host.mount(build_server("shelf", seat_in(world), "", {})) as address:
            port = httpx2.URL(address.url).port
        with pytest.raises(OSError, match="in use"):
            async with HttpHost(port=port or 0):
                pass


@pytest.mark.parametrize("host", ["::1", "localhost"])
async def test_the_host_may_have_another_name(host: str) -> None:
    async with (
        HttpHost(host) as opened,
        await a_world() as world,
        opened.mount(build_server("shelf", seat_in(world), "", {})) as address,
        connected(address) as client,
    ):
        assert not (await client.call_tool("shelf_list")).is_error


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
async def test_the_command_prints_an_address_and_a_token_and_ends_in_good_order(
    tmp_path: Path,
) -> None:
    path = tmp_path / "day.world"
    await (await create_world(path, find_scenario())).close()
    with subprocess.Popen(  # noqa: ASYNC220 - it starts while nothing else does
        [
            sys.executable,
            "-m",
            "trainee_bench.mcp_servers",
            "--world",
            path,
            "--http",
            "127.0.0.1:0",
        ],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stderr is not None
        url = server.stderr.readline().removeprefix("Serving ").strip()
        token = server.stderr.readline().removeprefix("Authorization: Bearer ").strip()
        for mode in ("auto", "legacy"):
            async with connected(ServerEndpoint(url, token), mode) as client:
                assert text(await client.call_tool("desk_tasks")).startswith("T1 · ")
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 0
        assert server.stderr.read() == ""
    assert [file.name for file in tmp_path.iterdir()] == ["day.world"]


@asynccontextmanager
async def opened(address: ServerEndpoint, count: int) -> AsyncIterator[list[socket.socket]]:
    """That many connections, without a token, on which nothing is sent."""
    url = httpx2.URL(address.url)
    sockets = []
    try:
        for _ in range(count):
            one = socket.create_connection((url.host, url.port))
            one.setblocking(False)
            sockets.append(one)
            await asyncio.sleep(0)
        yield sockets
    finally:
        for one in sockets:
            one.close()


async def is_closed(one: socket.socket) -> bool:
    """Whether the server closes the connection *one*, which has nothing else to say."""
    try:
        return await asyncio.get_running_loop().sock_recv(one, 1) == b""
    except ConnectionResetError:
        return True


async def test_idle_connections_take_no_place_from_who_has_something_to_ask() -> None:
    async with AsyncExitStack() as stack:
        host = await stack.enter_async_context(HttpHost(connections=8))
        world = await stack.enter_async_context(await a_world())
        server = build_server("shelf", seat_in(world), "Begin here.", {})
        address = await stack.enter_async_context(host.mount(server))
        client = await stack.enter_async_context(connected(address))
        await client.call_tool("shelf_list")
        idle = await stack.enter_async_context(opened(address, 60))
        for _ in range(3):
            await client.call_tool("shelf_list")
        assert all([await is_closed(one) for one in idle[:50]])
        late = await stack.enter_async_context(connected(address))
        assert not (await late.call_tool("shelf_list")).is_error


@asynccontextmanager
async def all_busy(count: int) -> AsyncIterator[tuple[ServerEndpoint, asyncio.Event]]:
    """A host of so many connections, all of which are being answered until the event is set."""
    answered, asked = asyncio.Event(), asyncio.Semaphore(0)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        asked.release()
        await answered.wait()
        await PlainTextResponse("done")(scope, receive, send)

    listener = listening_socket("127.0.0.1", 0)
    address = ServerEndpoint(f"http://127.0.0.1:{listener.getsockname()[1]}/", "")
    server = EmbeddedUvicorn(bounded_config(app, count), 1.0)
    running = asyncio.create_task(server.serve(sockets=[listener]))
    async with opened(address, count) as busy:
        for one in busy:
            await asyncio.get_running_loop().sock_sendall(one, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        for _ in busy:
            await asyncio.wait_for(asked.acquire(), 10)
        yield address, answered
    server.should_exit = True
    await running


async def test_a_client_without_a_place_gets_503_and_a_place_as_soon_as_one_is_free() -> None:
    async with all_busy(4) as (address, answered):
        for _ in range(10):
            async with httpx2.AsyncClient(trust_env=False) as client:
                refused = await client.get(address.url)
            assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
            assert refused.json() == {
                "error": "All connections of this server are in use; try again in some seconds."
            }
        answered.set()
        async with httpx2.AsyncClient(trust_env=False) as client:
            for _ in range(100):
                done = await client.get(address.url)
                if done.status_code != 503:
                    break
                await asyncio.sleep(0.05)
        assert (done.status_code, done.text) == (200, "done")


@asynccontextmanager
async def none_read(count: int) -> AsyncIterator[tuple[ServerEndpoint, list[socket.socket]]]:
    """A host of so many connections, none of whose clients reads its long answers."""
    stuck = asyncio.Semaphore(0)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        long = scope["path"] == "/long"
        if long:
            stuck.release()
        await PlainTextResponse("x" * 20_000_000 if long else "done")(scope, receive, send)

    listener = listening_socket("127.0.0.1", 0)
    address = ServerEndpoint(f"http://127.0.0.1:{listener.getsockname()[1]}/", "")
    server = EmbeddedUvicorn(bounded_config(app, count), 1.0)
    running = asyncio.create_task(server.serve(sockets=[listener]))
    requests = b"GET /long HTTP/1.1\r\nHost: x\r\n\r\n" * 3
    async with opened(address, count) as clients:
        for one in clients:
            await asyncio.get_running_loop().sock_sendall(one, requests)
        for _ in clients:
            await asyncio.wait_for(stuck.acquire(), 10)
        yield address, clients
    server.should_exit = True
    await running


async def is_broken_off(one: socket.socket) -> bool:
    """Whether the server breaks off the connection *one* before it has sent all answers."""
    loop, read = asyncio.get_running_loop(), 0
    try:
        while part := await asyncio.wait_for(loop.sock_recv(one, 1_000_000), 10):
            read += len(part)
    except ConnectionResetError:
        pass
    return read < 20_000_000


async def test_clients_that_read_no_answer_are_disconnected_and_others_are_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connections, "ANSWER_SECONDS", 0.05)
    async with none_read(3) as (address, clients):
        async with httpx2.AsyncClient(trust_env=False) as client:
            for _ in range(200):
                done = await client.get(address.url)
                if done.status_code != 503:
                    break
                await asyncio.sleep(0.05)
        assert (done.status_code, done.text) == (200, "done")
        await asyncio.sleep(1)  # one place is free; the others' answers may have begun later
        assert all([await is_broken_off(one) for one in clients])


async def test_a_client_that_reads_no_answer_loses_its_place_to_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connections, "STALLED_SECONDS", 0.0)
    async with none_read(3) as (address, clients):
        async with httpx2.AsyncClient(trust_env=False) as client:
            assert (await client.get(address.url)).text == "done"
        assert await is_broken_off(clients[0])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of handles")
async def test_a_host_without_a_handle_left_says_503_and_recovers(
    capfd: pytest.CaptureFixture[str],
) -> None:
    import resource

    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    request = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    loop = asyncio.get_running_loop()
    async with served() as [(_, address)]:
        url = httpx2.URL(address.url)
        clients = [socket.socket() for _ in range(8)]
        free = os.dup(clients[0].fileno())
        os.close(free)
        resource.setrlimit(resource.RLIMIT_NOFILE, (free, limits[1]))
        try:
            for one in clients[:-1]:
                one.setblocking(False)
                await loop.sock_connect(one, (url.host, url.port))
                await loop.sock_sendall(one, request)
                answer = await asyncio.wait_for(loop.sock_recv(one, 100), 10)
                assert answer.startswith(b"HTTP/1.1 503 Service Unavailable")
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        clients[-1].setblocking(False)
        await loop.sock_connect(clients[-1], (url.host, url.port))
        await loop.sock_sendall(clients[-1], request)
        answer = await asyncio.wait_for(loop.sock_recv(clients[-1], 100), 10)
        assert answer.startswith(b"HTTP/1.1 401 Unauthorized")
        for one in clients:
            one.close()
    assert capfd.readouterr().err == ""


async def test_a_request_that_never_becomes_whole_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.05)
    async with served() as [(_, address)], opened(address, 2) as [silent, slow]:
        await asyncio.get_running_loop().sock_sendall(slow, b"POST / HTTP/1.1\r\nHost: ")
        assert await is_closed(silent)
        assert await is_closed(slow)


async def test_junk_instead_of_http_leaves_no_line_in_the_log(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    async with served() as [(_, address)], opened(address, 1) as [junk]:
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(junk, b"\x00\x01 junk\r\n\r\n")
        assert (await loop.sock_recv(junk, 100)).startswith(b"HTTP/1.1 400")
    assert (caplog.text, capfd.readouterr().err) == ("", "")


@pytest.mark.parametrize("shown", [0.5, 1])
async def test_a_client_that_leaves_in_its_request_calls_nothing_and_leaves_no_line_in_the_log(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], shown: float
) -> None:
    loop = asyncio.get_running_loop()
    async with served() as [(world, address)]:
        async with opened(address, 1) as [leaving], httpx2.AsyncClient() as http:
            asked = a_call()
            asked["headers"] = {**asked["headers"], **address.headers}  # type: ignore[dict-item]
            request = http.build_request("POST", address.url, **asked)  # type: ignore[arg-type]
            body = request.read()
            request.headers["content-length"] = str(len(body) + 1)  # so it is never whole
            head = [f"POST {request.url.path} HTTP/1.1"]
            head += [f"{name}: {value}" for name, value in request.headers.items()]
            sent = "\r\n".join([*head, "", ""]).encode() + body[: int(len(body) * shown)]
            await loop.sock_sendall(leaving, sent)
            leaving.shutdown(socket.SHUT_WR)
            assert await is_closed(leaving)
        assert await world.log() == []
    assert (caplog.text, capfd.readouterr().err) == ("", "")


@pytest.mark.parametrize(
    ("host", "with_token", "warning"),
    [
        ("0.0.0.0", True, "plain HTTP"),
        ("0.0.0.0", False, "anyone who reaches the port"),
        ("127.0.0.1", True, ""),
        ("127.0.0.1", False, ""),
    ],
)
async def test_a_public_address_is_warned_of(
    capsys: pytest.CaptureFixture[str], host: str, with_token: bool, warning: str
) -> None:
    stopped = asyncio.Event()
    stopped.set()
    async with await a_world() as world:
        server = build_server("shelf", seat_in(world), "", {})
        await _serve_http(server, host, 0, stopped, "/mcp", with_token=with_token)
    said = capsys.readouterr().err
    assert ("Warning" in said) == bool(warning) and warning in said
    assert "/mcp\n" in said and ("Authorization: Bearer" in said) == with_token
