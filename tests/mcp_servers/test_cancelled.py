"""A call that its client cancels leaves no open transaction, and a world before or after it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import anyio
import pytest
from mcp import Client

from tests.mcp_servers.processes import stdio
from tests.mcp_servers.toy import seat_in
from tests.world import toy
from trainee_bench.mcp_servers.serving.server import build_server
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world
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
