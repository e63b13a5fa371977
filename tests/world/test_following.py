"""Whoever follows a world sees what others commit in it, changes nothing, and leaves one file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.world.office import OPENING, Nothing
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.recorded_reads import WorldFollower
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.world import World


def nothing(tx: Transaction) -> Result[Nothing]:
    return Result("done", Nothing())


async def staged(path: Path) -> World:
    return await World.create(path, OPENING, lambda tx: None)


async def test_actions_are_seen_once_they_are_committed_and_only_once(tmp_path: Path) -> None:
    async with await staged(tmp_path / "day.world") as world:
        with WorldFollower(tmp_path / "day.world") as follower:
            assert list(follower.news(0)) == []
            await world.execute("robin.hale", "look", {"at": "it"}, nothing)
            await world.execute("robin.hale", "look", {"at": "all"}, nothing)
            seen = follower.news(0)
            assert [(entry.seq, entry.arguments["at"]) for entry in seen] == [(1, "it"), (2, "all")]
            assert list(follower.news(2)) == []
            await world.execute("robin.hale", "look", {"at": "more"}, nothing)
            assert [entry.seq for entry in follower.news(2)] == [3]


async def test_actions_from_before_are_told_first(tmp_path: Path) -> None:
    async with await staged(tmp_path / "day.world") as world:
        await world.execute("robin.hale", "look", {}, nothing)
        with WorldFollower(tmp_path / "day.world") as follower:
            assert [entry.seq for entry in follower.news(0)] == [1]


async def test_the_world_is_one_file_again_when_all_have_left_whoever_is_last(
    tmp_path: Path,
) -> None:
    path = tmp_path / "day.world"
    world = await staged(path)
    follower = WorldFollower(path)
    await world.execute("robin.hale", "look", {}, nothing)
    await world.close()
    assert [entry.seq for entry in follower.news(0)] == [1]
    follower.close()
    assert [file.name for file in tmp_path.iterdir()] == ["day.world"]
    async with await World.open(path) as again:
        assert len(await again.log()) == 1


def test_where_there_is_no_world_nothing_is_followed(tmp_path: Path) -> None:
    with pytest.raises(WorldFileError, match=r"no world file none\.world"):
        WorldFollower(tmp_path / "none.world")
    (tmp_path / "junk.world").write_text("this is no database at all, only words")
    with (
        pytest.raises(WorldFileError, match="damaged"),
        WorldFollower(tmp_path / "junk.world") as follower,
    ):
        follower.news(0)
    assert [file.name for file in tmp_path.iterdir()] == ["junk.world"]


async def test_a_log_can_be_read_from_an_action_on(tmp_path: Path) -> None:
    async with await staged(tmp_path / "day.world") as world:
        for _ in range(3):
            await world.execute("robin.hale", "look", {}, nothing)
        assert [entry.seq for entry in await world.log(after=1)] == [2, 3]


async def test_a_query_can_ask_as_somebody_and_writes_nothing(tmp_path: Path) -> None:
    def scribble(tx: Transaction) -> str:
        tx.set_fact("scribbled", "yes")
        return f"{tx.actor} {tx.fact('scribbled')}"

    async with await staged(tmp_path / "day.world") as world:
        before = await world.digest()
        assert await world.read(scribble, "robin.hale") == "robin.hale yes"
        assert await world.digest() == before
