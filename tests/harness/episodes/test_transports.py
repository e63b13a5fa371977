"""An office over a transport: the employee's apps and nothing else, with the same answers."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.server.lowlevel import Server

from trainee_bench.harness.episodes import transports
from trainee_bench.harness.episodes.transports import HttpServers, StdioServers, open_servers
from trainee_bench.harness.records.plan import Transport
from trainee_bench.harness.session.tool_transports import InProcessToolTransport, McpToolTransport
from trainee_bench.mcp_servers import default_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.mcp_servers.serving.http import HttpHost, ServerEndpoint
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.composition import compose_day, create_world
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.world.world import World

SCENARIO = load_shipped_benchmark().scenarios[0]
CALLS: list[tuple[str, dict[str, object]]] = [
    ("desk_tasks", {}),
    ("chat_list_people", {"department": "HR"}),
    ("files_read", {"path": "drive:/no/such.file"}),
    ("files_write", {"path": "workspace:/a.txt", "text": "é ☕"}),
    ("files_read", {"path": "workspace:/a.txt"}),
    ("no_such_tool", {}),
    ("desk_wait", {"minutes": "soon"}),
]


WITHIN = pytest.mark.parametrize(
    "transport",
    [
        Transport.MEMORY,
        Transport.HTTP,
        pytest.param(Transport.STDIO, marks=pytest.mark.sweep),
    ],
)
"""In the quick round without a process: that one lists the same tools, the first test shows."""


async def staged(path: Path, scenario: Scenario = SCENARIO) -> tuple[Path, str]:
    async with await create_world(path, scenario):
        return path, compose_day(scenario).company.trainee.id


@pytest.mark.parametrize("transport", list(Transport))
async def test_every_transport_answers_as_the_seat_itself(
    tmp_path: Path, transport: Transport
) -> None:
    path, person = await staged(tmp_path / "a.world")
    async with await create_world(None, SCENARIO) as world:
        direct = InProcessToolTransport(ToolDispatcher(world, person, default_toolboxes().values()))
        expected = [await direct.call(name, arguments) for name, arguments in CALLS]  # type: ignore[arg-type]
        expected_tools = direct.tools({})
    async with open_servers(transport) as building, building.connect(path, person) as client:
        remote = McpToolTransport(client)
        assert await remote.tools() == expected_tools
        assert [await remote.call(name, arguments) for name, arguments in CALLS] == expected  # type: ignore[arg-type]
    assert [answer.failed for answer in expected] == [False, False, True, False, False, True, True]


@WITHIN
async def test_a_day_offers_only_the_apps_it_names(tmp_path: Path, transport: Transport) -> None:
    few = SCENARIO.model_copy(update={"tools": ("desk", "files")})
    path, person = await staged(tmp_path / "a.world", few)
    async with open_servers(transport) as building, building.connect(path, person) as client:
        apps = {tool.name.partition("_")[0] for tool in await McpToolTransport(client).tools()}
    assert apps == {"desk", "files"}


@WITHIN
async def test_no_tool_of_the_verifier_is_within_reach(
    tmp_path: Path, transport: Transport
) -> None:
    path, person = await staged(tmp_path / "a.world")
    async with open_servers(transport) as building, building.connect(path, person) as client:
        remote = McpToolTransport(client)
        assert not [tool for tool in await remote.tools() if "verifier" in tool.name]
        assert (await remote.call("verifier_grade", {})).failed


async def test_what_a_child_process_said_is_told_when_its_episode_breaks(tmp_path: Path) -> None:
    broken = tmp_path / "broken.world"
    broken.write_text("no world at all", encoding="utf-8")
    with pytest.raises(Exception) as caught:
        async with StdioServers().connect(broken, "nobody") as client:
            await client.list_tools()
    assert "not a world" in "\n".join(getattr(caught.value, "__notes__", []))


async def test_a_seat_over_http_opens_to_its_own_token_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, person = await staged(tmp_path / "a.world")
    seen: list[ServerEndpoint] = []
    really = HttpHost.mount

    def noting(self: HttpHost, server: Server[object]) -> object:
        context = really(self, server)

        class Noted:
            async def __aenter__(self) -> ServerEndpoint:
                seen.append(await context.__aenter__())
                return seen[-1]

            async def __aexit__(self, *error: object) -> None:
                await context.__aexit__(None, None, None)

        return Noted()

    monkeypatch.setattr(transports.HttpHost, "mount", noting)
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with HttpHost() as host, HttpServers(host).connect(path, person) as client:
        (address,) = seen
        assert (await client.list_tools()).tools
        async with httpx2.AsyncClient(trust_env=False) as stranger:
            for headers in ({}, {"Authorization": "Bearer guessed"}):
                answer = await stranger.post(address.url, json=request, headers=headers)
                assert answer.status_code == 401
    async with httpx2.AsyncClient(trust_env=False) as late:
        with pytest.raises(httpx2.ConnectError):
            await late.post(address.url, json=request, headers=address.headers)


async def test_the_world_is_closed_and_one_plain_file_when_the_office_is(tmp_path: Path) -> None:
    path, person = await staged(tmp_path / "a.world")
    for transport in Transport:
        async with open_servers(transport) as building, building.connect(path, person) as client:
            assert isinstance(client, Client)
            await McpToolTransport(client).call("desk_now", {})
        assert [file.name for file in tmp_path.iterdir()] == ["a.world"]
    async with await World.open(path) as world:
        assert len(await world.log()) == 3
