"""Two server processes write to one world at once, as two apps of one client do."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path

from tests.mcp_servers.processes import stdio
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.world.world import World

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
