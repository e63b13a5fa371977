"""An office over a transport: the same apps, answers, digest and score, in every process."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import ClassVar

import httpx2
import pytest
from mcp import Client
from mcp.server.lowlevel import Server

from tests.harness.own_agents import STUBBORN
from tests.harness.runs import config, day, invoke, process, read, run_day
from trainee_bench.harness.episodes import transports
from trainee_bench.harness.episodes.transports import HttpServers, StdioServers, open_servers
from trainee_bench.harness.records.plan import Transport
from trainee_bench.harness.session.agent_session import AgentSession
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


async def test_the_output_of_a_child_process_is_reported_when_its_episode_breaks(
    tmp_path: Path,
) -> None:
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


ROOT = Path(__file__).parents[3]
RULES = ("kb_fix.easy", "meeting_attend.check_sum.u1", "website_analysis.slow_page")


def test_the_quickstart_day_is_the_same_over_all_three_transports(tmp_path: Path) -> None:
    seen = {}
    for transport in Transport:
        out = tmp_path / transport
        invoke("--limit", 1, "--agent", "oracle", "--transport", transport, "--out", out)
        (result,) = read(out)
        assert (result.score, result.success, result.transport) == (1, True, transport)
        seen[transport] = (result.digest, result.steps, result.tool_calls, result.identity)
    assert len(set(map(str, seen.values()))) == 1, seen


@pytest.mark.parametrize(
    "transport", [Transport.HTTP, pytest.param(Transport.STDIO, marks=pytest.mark.sweep)]
)
def test_several_episodes_at_a_time_do_not_mix(tmp_path: Path, transport: Transport) -> None:
    path, out = config(tmp_path, one=[day(RULES[0])], two=[day(RULES[1])]), tmp_path / "out"
    agents = ("--agent", "oracle", "--agent", "nothing")
    invoke("--config", path, *agents, "--transport", transport, "--out", out)
    results = read(out)
    assert [result.score for result in results if result.agent == "oracle"] == [1, 1]
    assert len({result.digest for result in results}) == len(results) == 4


@pytest.mark.parametrize(
    "transport", [pytest.param(Transport.STDIO, marks=pytest.mark.sweep), Transport.HTTP]
)
def test_limits_hold_over_a_transport(tmp_path: Path, transport: Transport) -> None:
    out = run_day(tmp_path, "--transport", transport, "--agent", STUBBORN, rules=(RULES[0],))
    assert read(out)[0].ended == "step_limit"


@pytest.mark.sweep
@pytest.mark.parametrize("hash_seed", ["4711", "0", "1"])
def test_the_hash_seed_of_the_process_does_not_matter(tmp_path: Path, hash_seed: str) -> None:
    path = config(tmp_path, one=[day(*RULES)])
    here, there = tmp_path / "here", tmp_path / "there"
    agents = ("--agent", "oracle", "--agent", "sprayer")
    invoke("--config", path, *agents, "--out", here)
    subprocess.run(
        process("run", "--config", path, *agents, "--out", there),
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        cwd=ROOT,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    assert {r.episode: r.digest for r in read(here)} == {r.episode: r.digest for r in read(there)}
    for name in ("oracle", "sprayer"):
        file = f"trajectories/one.day_1.{name}.1.json"
        assert (here / file).read_bytes() == (there / file).read_bytes()


class Killing:
    """Kills the server process of its first episode in the middle of the work, then works on."""

    killed: ClassVar[list[int]] = []

    async def work(self, session: AgentSession) -> None:
        await session.call("desk_tasks")
        if not self.killed:
            for child in children(os.getpid()):
                if b"mcp_servers" in Path(f"/proc/{child}/cmdline").read_bytes():
                    os.kill(child, signal.SIGKILL)
                    self.killed.append(child)
        await session.call("desk_now")


def children(process: int) -> list[int]:
    found = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for file in found for child in file.read_text(encoding="ascii").split()]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds children through /proc")
def test_an_episode_whose_server_process_is_killed_breaks_and_is_begun_anew_by_resuming(
    tmp_path: Path,
) -> None:
    agent = f"{__name__}:Killing"
    out = run_day(tmp_path, "--transport", "stdio", "--agent", agent, rules=(RULES[0],), exits=1)
    (result,) = read(out)
    assert result.score is None and "Connection closed" in str(result.error)
    invoke("--resume", out)
    (result,) = read(out)
    assert (result.steps, result.error) == (2, None)
    assert "Connection closed" in (out / "faults" / f"{result.episode}.txt").read_text("utf-8")
