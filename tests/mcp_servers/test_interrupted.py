"""A call is cancelled, a server killed, a world shared by two: nothing is half done or lost."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path

import anyio
import pytest
from mcp import Client

from tests.mcp_servers.processes import ROOT, stdio
from tests.mcp_servers.toy import seat_in
from tests.world import toy
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.mcp_servers.serving.server import build_server
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.apps.files import Files
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World

MOMENTS = 60
MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])


async def put(client: Client, thing: str) -> None:
    await client.call_tool("shelf_put", {"thing": thing})


async def check_whole(world: World) -> int:
    """The log, the shelf and the clock agree, seen at one moment; how many puts there were."""

    def see(tx: Transaction) -> int:
        log = tx.rows("SELECT tool, arguments, until FROM action ORDER BY seq")
        puts = [json.loads(row["arguments"]) for row in log if row["tool"] == "shelf_put"]
        things = [thing for thing in toy.shelf(tx).things if thing != "dust"]
        assert [arguments["thing"] for arguments in puts] == things
        assert tx.now.isoformat() == (log[-1]["until"] if log else toy.MORNING.isoformat())
        return len(puts)

    return await world.read(see)


@MODES
async def test_a_call_cancelled_at_any_moment_happened_or_did_not(
    tmp_path: Path, mode: str
) -> None:
    """At each step of the loop in turn, until the call is through before we cancel."""
    path = tmp_path / "toy.world"
    async with (
        await World.create(path, toy.OPENING, toy.populate) as world,
        await World.open(path) as other,
        Client(build_server("shelf", seat_in(world), "", {}), mode=mode) as client,
    ):
        for steps in range(MOMENTS):
            with anyio.CancelScope() as scope:
                async with anyio.create_task_group() as group:
                    group.start_soon(put, client, f"thing {steps}")
                    for _ in range(steps):
                        await asyncio.sleep(0)
                    scope.cancel()
            before = await check_whole(world)
            # Another handle can write at once: nobody holds the file.
            done = await other.execute(toy.ROBIN, "look", {}, toy.nothing, minutes=0)
            assert done.error is None
            assert await check_whole(other) >= before
        assert await check_whole(world) > 0
        assert not (await client.call_tool("shelf_list")).is_error


@MODES
async def test_a_task_that_is_cancelled_outright_leaves_no_half_action(
    tmp_path: Path, mode: str
) -> None:
    path = tmp_path / "toy.world"
    async with (
        await World.create(path, toy.OPENING, toy.populate) as world,
        Client(build_server("shelf", seat_in(world), "", {}), mode=mode) as client,
    ):
        for steps in range(40):
            task = asyncio.create_task(put(client, f"thing {steps}"))
            for _ in range(steps):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await check_whole(world)
        assert not (await client.call_tool("shelf_list")).is_error


@MODES
async def test_a_call_that_runs_out_of_time_happened_or_did_not(tmp_path: Path, mode: str) -> None:
    async with (
        await World.create(tmp_path / "toy.world", toy.OPENING, toy.populate) as world,
        Client(build_server("shelf", seat_in(world), "", {}), mode=mode) as client,
    ):
        for number in range(10):
            with anyio.move_on_after(0):
                await put(client, f"thing {number}")
            await check_whole(world)
        await put(client, "last")
        assert (await world.read(toy.shelf)).things[-1] in ("last", "dust")


@pytest.mark.parametrize("mode", ["auto", pytest.param("legacy", marks=pytest.mark.sweep)])
async def test_calls_cancelled_over_stdio_happened_or_did_not(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "day.world"
    await (await create_world(path, find_scenario())).close()
    moments = [0.0, 0.0002, 0.0005, 0.001, 0.002, 0.004] * 5
    data = ("--results", "structured")
    async with stdio("desk", "--world", path, *data, mode=mode) as client:
        for number, seconds in enumerate(moments):
            with anyio.move_on_after(seconds):
                await client.call_tool("desk_write_note", {"text": f"note {number}"})
        last = await client.call_tool("desk_read_notes")
        assert not last.is_error and last.structured_content is not None
        notes = [note["text"] for note in last.structured_content["data"]["notes"]]
    async with await World.open(path) as world:
        log = await world.log()
    written = [entry.arguments["text"] for entry in log if entry.tool == "desk_write_note"]
    assert notes == written == sorted(written, key=lambda text: int(str(text).split()[1]))
    assert log[-1].tool == "desk_read_notes"
    assert [file.name for file in tmp_path.iterdir()] == ["day.world"]


MORE = 8
"""Calls that are sent beyond those whose answers are awaited before the kill."""


def message(number: int, method: str, params: object) -> str:
    sent = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(sent) + "\n"


HELLO = message(
    0,
    "initialize",
    {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
)


READY = '{"jsonrpc": "2.0", "method": "notifications/initialized"}\n'


def text_of(number: int) -> str:
    return f"{number}\n" * 200


def call(number: int) -> str:
    arguments = {"path": f"workspace:/{number}.txt", "text": text_of(number)}
    return message(number, "tools/call", {"name": "files_write", "arguments": arguments})


def work_until_killed(path: Path, first: int, answers: int, delay: float) -> set[int]:
    """Send writes numbered from *first* in one stream to a server over the world at *path*;
    kill it *delay* seconds after that many answers. The numbers it acknowledged."""
    acknowledged: set[int] = set()
    with subprocess.Popen(
        [sys.executable, "-m", "trainee_bench.mcp_servers", "files", "--world", str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(HELLO + READY)
        server.stdin.flush()
        assert '"result"' in server.stdout.readline()
        server.stdin.write("".join(call(first + more) for more in range(answers + MORE)))
        server.stdin.flush()
        acknowledged |= {json.loads(server.stdout.readline())["id"] for _ in range(answers)}
        killer = threading.Timer(delay, server.kill)
        killer.start()
        for line in server.stdout:
            if line.endswith("\n"):  # the last may be torn
                acknowledged.add(json.loads(line)["id"])
        killer.join()
        assert server.wait() < 0
        assert server.stderr is not None and server.stderr.read() == ""
    return acknowledged


def numbers(log: list[LogEntry]) -> list[int]:
    """The numbers of the files written, in order."""
    paths = [str(entry.arguments["path"]) for entry in log]
    return [int(path.removeprefix("workspace:/").removesuffix(".txt")) for path in paths]


def state(tx: Transaction) -> tuple[str, dict[int, str]]:
    """SQLite's own opinion of the file, and the files that were written."""
    sound = tx.row("PRAGMA integrity_check")
    files = Files(tx)
    texts = {
        int(entry.path.removeprefix("workspace:/").removesuffix(".txt")): files.text(entry.path)
        for entry in files.list("workspace:/")
    }
    return sound[0] if sound else "", texts


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kills", [2, pytest.param(50, marks=pytest.mark.sweep)])
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
async def test_a_server_killed_again_and_again_loses_nothing_it_acknowledged(
    tmp_path: Path, kills: int
) -> None:
    path = tmp_path / "day.world"
    await (await create_world(path, find_scenario())).close()
    moments = random.Random(4711)
    acknowledged: set[int] = set()
    for kill in range(kills):
        acknowledged |= work_until_killed(
            path, kill * 100, moments.randrange(5), moments.uniform(0, 0.03)
        )
        async with await World.open(path) as world:
            log = await world.log()
            written = numbers(log)
            assert acknowledged <= set(written), f"kill {kill} lost what was acknowledged"
            sound, files = await world.read(state)
            assert sound == "ok"
            assert files == {number: text_of(number) for number in written}
            assert [entry.seq for entry in log] == list(range(1, len(log) + 1))
            assert all(one.until == after.at for one, after in pairwise(log))
            assert await world.now() == log[-1].until
            last = await world.digest()
    assert len(acknowledged) > kills
    async with await create_world(None, find_scenario()) as again:
        await replay_log(again, log)
        assert await again.digest() == last
    assert [file.name for file in tmp_path.iterdir()] == ["day.world"]


CALLS = 60


async def write_notes(path: Path, name: str) -> None:
    """Write numbered notes through a server process of our own."""
    async with stdio("desk", "--world", path) as client:
        for number in range(CALLS):
            result = await client.call_tool("desk_write_note", {"text": f"{name} {number}"})
            assert not result.is_error


async def test_two_processes_write_to_one_world_and_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "day.world"
    await (await create_world(path, find_scenario())).close()
    await asyncio.gather(write_notes(path, "left"), write_notes(path, "right"))
    async with await World.open(path) as world:
        log = await world.log()
        rows = await world.read(lambda tx: tx.rows("SELECT text FROM note ORDER BY id"))
        digest = await world.digest()
    notes = [row["text"] for row in rows]
    expected = [f"{name} {number}" for name in ("left", "right") for number in range(CALLS)]
    assert sorted(notes) == sorted(expected)
    assert [entry.arguments["text"] for entry in log] == notes
    for name in ("left", "right"):
        own = [note for note in notes if note.startswith(name)]
        assert own == [f"{name} {number}" for number in range(CALLS)]
    assert [entry.seq for entry in log] == list(range(1, 2 * CALLS + 1))
    assert all(one.until == after.at for one, after in pairwise(log))
    assert any(
        str(one.arguments["text"])[0] != str(after.arguments["text"])[0]
        for one, after in pairwise(log)
    )
    async with await create_world(None, find_scenario()) as again:
        await replay_log(again, log)
        assert await again.digest() == digest
    assert [file.name for file in tmp_path.iterdir()] == ["day.world"]
