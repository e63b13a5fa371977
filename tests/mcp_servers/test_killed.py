"""A server process is killed in the middle of its work: nothing acknowledged is lost."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path

import pytest

from tests.mcp_servers.processes import ROOT
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.apps.files import Files
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World

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
