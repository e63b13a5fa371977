"""The log holds every action as it was; others follow it, and reads that hold are not repeated."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tests.world import toy
from tests.world.office import MARA, NILS, OPENING, Nothing, act, office
from tests.world.toy import MORNING, ROBIN, ThingAppears, at, put
from trainee_bench.world.apps.chat import Chat
from trainee_bench.world.apps.files import Files
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.errors import NotFound, WorldFileError
from trainee_bench.world.recorded_reads import WorldFollower
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.world import World

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


async def test_an_action_is_logged_as_it_happened(world: World) -> None:
    def verb(tx: Transaction) -> Result[toy.Shelf]:
        tx.enqueue(at(8, 3), ThingAppears(thing="saucer", loud=True))
        return put(tx, "cup")

    done = await world.execute(ROBIN, "put", {"thing": "cup"}, verb, minutes=5)
    (entry,) = await world.log()
    assert entry.seq == done.seq == 1
    assert (entry.actor, entry.tool, entry.arguments) == (ROBIN, "put", {"thing": "cup"})
    assert (entry.at, entry.until) == (MORNING, at(8, 5))
    assert entry.ok and entry.text == "put cup" and entry.data == {"things": ["cup"]}
    assert entry.notices == done.notices
    assert [notice.text for notice in entry.notices] == ["saucer has appeared"]


async def test_a_refusal_is_logged_with_what_was_said(world: World) -> None:
    done = await world.execute(ROBIN, "refuse", {}, toy.put_and_refuse, minutes=45)
    (entry,) = await world.log()
    assert not entry.ok and entry.data is None
    assert entry.text == str(done.error) == "The shelf is full; take something away first."
    assert (entry.at, entry.until) == (MORNING, at(8, 1))


async def test_the_log_is_in_the_order_of_acting_and_its_times_join(world: World) -> None:
    for number in range(5):
        await world.execute(ROBIN, f"put{number}", {}, partial(put, thing="x"), minutes=number)
    log = await world.log()
    assert [entry.seq for entry in log] == [1, 2, 3, 4, 5]
    assert [entry.tool for entry in log] == [f"put{number}" for number in range(5)]
    assert all(one.until == next.at for one, next in pairwise(log))


async def test_a_look_is_not_logged(world: World) -> None:
    await world.read(toy.shelf)
    await world.digest()
    await world.now()
    assert await world.log() == []


@given(arguments=st.dictionaries(st.text(max_size=5), JSON, max_size=4))
async def test_arguments_and_effects_come_back_as_they_were(
    arguments: dict[str, JsonValue],
) -> None:
    async with await World.create(None, toy.OPENING, toy.populate) as world:
        await world.execute(ROBIN, "nothing", arguments, toy.nothing, effects=arguments)
        (entry,) = await world.log()
    assert entry.arguments == arguments and entry.effects == arguments


# following a world that others change -----------------------------------------------------


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


def test_nothing_is_followed_without_a_world(tmp_path: Path) -> None:
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


# reads that would give the same again -----------------------------------------------------


PATH = "workspace:/report.md"


def read_file(tx: Transaction) -> str | None:
    try:
        return Files(tx).text(PATH)
    except NotFound:
        return None


def read_fact(tx: Transaction) -> str:
    try:
        return tx.fact("mood")
    except KeyError:
        return ""


def let_pass(tx: Transaction) -> None:
    """Let a minute pass."""


@pytest.mark.parametrize(
    ("query", "verb", "holds"),
    [
        (read_file, lambda tx: Files(tx).write_text(PATH, "new"), False),
        (read_file, lambda tx: Files(tx).write_text(PATH, "old"), True),
        (read_file, lambda tx: Files(tx).delete(PATH), False),
        (read_file, lambda tx: Files(tx).write_text("workspace:/other.md", "new"), True),
        (read_file, lambda tx: Chat(tx).send(NILS, "Hello."), True),
        (lambda tx: Chat(tx).history(), lambda tx: Chat(tx).send(NILS, "Hello."), False),
        (lambda tx: Chat(tx).history(MARA), lambda tx: Chat(tx).send(NILS, "Hello."), True),
        (read_fact, lambda tx: tx.set_fact("mood", "good"), False),
        (read_fact, lambda tx: tx.set_fact("weather", "good"), True),
        (lambda tx: tx.fact("employee"), let_pass, True),
        (lambda tx: tx.now, let_pass, False),
    ],
)
async def test_reads_hold_as_long_as_they_give_the_same(
    query: Callable[[Transaction], Any], verb: Callable[[Transaction], Any], holds: bool
) -> None:
    async with await office() as world:
        await act(world, lambda tx: Files(tx).write_text(PATH, "old"))
        plain = await world.read(query)
        result, reads = await world.read_recorded(query)
        assert result == plain
        world.take_changed_tables()
        await act(world, verb)
        changed = world.take_changed_tables()
        assert await world.read(lambda tx: reads.still_hold(tx, changed)) is holds


async def test_a_recorded_query_asks_the_database_once_for_the_same_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    rows = Transaction.rows

    def counted(tx: Transaction, sql: str, *values: Any) -> list[sqlite3.Row]:
        asked.append(sql)
        return rows(tx, sql, *values)

    def query(tx: Transaction) -> list[Any]:
        people = Directory(tx).everybody()
        people.clear()
        return Directory(tx).everybody()

    async with await office() as world:
        monkeypatch.setattr(Transaction, "rows", counted)
        found, _ = await world.read_recorded(query)
    assert found
    assert len(asked) == 1
