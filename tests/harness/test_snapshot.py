"""A world that is being worked in is copied whole, and goes on unchanged."""

from __future__ import annotations

from asyncio import to_thread
from pathlib import Path

from click.testing import Result
from typer.testing import CliRunner

from tests.mcp_servers.processes import stdio
from trainee_bench.harness.cli import app
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.world.world import World


async def snapshot(*arguments: Path) -> Result:
    """The command, in a thread that has no event loop yet."""
    return await to_thread(CliRunner().invoke, app, ["snapshot", *map(str, arguments)])


async def test_a_world_that_a_client_works_in_is_copied_as_it_is_at_that_moment(
    tmp_path: Path,
) -> None:
    path, out = tmp_path / "day.world", tmp_path / "copy.world"
    await (await create_world(path, find_scenario())).close()
    async with stdio("desk", "--world", path) as client:
        await client.call_tool("desk_wait", {"until": "09:00", "wake": False})
        alone = tmp_path / "alone.world"  # what a plain copy of the open file would be
        alone.write_bytes(path.read_bytes())
        done = await snapshot(path, out)
        await client.call_tool("desk_now")
    assert done.exit_code == 0, done.output
    assert done.output == f"{out}: the world on Wednesday at 09:00, after 1 action\n"
    assert {file.name for file in tmp_path.glob("copy*")} == {"copy.world"}
    async with await World.open(out) as copy, await World.open(path) as world:
        assert [entry.tool for entry in await copy.log()] == ["desk_wait"]
        assert [entry.tool for entry in await world.log()] == ["desk_wait", "desk_now"]
    async with await World.open(alone) as torn:
        assert await torn.log() == []


async def test_what_cannot_be_copied_is_refused_and_nothing_is_overwritten(tmp_path: Path) -> None:
    path, junk = tmp_path / "day.world", tmp_path / "junk"
    await (await create_world(path, find_scenario())).close()
    junk.write_text("no world")
    for source, target, why in (
        (tmp_path / "none.world", tmp_path / "a", "There is no world file none.world"),
        (junk, tmp_path / "a", "junk is not a world file"),
        (path, junk, "junk exists already"),
        (path, tmp_path / "no" / "a", "There is no folder"),
    ):
        done = await snapshot(source, target)
        assert done.exit_code == 2 and why in done.stderr
    assert junk.read_text() == "no world" and not (tmp_path / "a").exists()
