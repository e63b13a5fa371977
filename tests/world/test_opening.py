"""Opening a world: what other handles have written, where actions run, and older programs."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from functools import partial
from pathlib import Path

import anyio
import pytest

from tests.world import toy
from tests.world.office import COMPANY, OPENING
from tests.world.toy import ROBIN, Shelf, ThingAppears, populate, put, put_and_refuse, shelf
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.world.apps.monitor import SCHEMA
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.connection import InlineConnection, connect
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.transaction import NoticeKind, Result, Transaction
from trainee_bench.world.trial import complete
from trainee_bench.world.world import World


def look(tx: Transaction) -> Result[Shelf]:
    """The shelf, and the mood, which is a fact."""
    return Result(tx.fact("mood"), shelf(tx))


def cheer(tx: Transaction) -> Result[Shelf]:
    """A fact, a notice and an event that others have to hear of."""
    tx.set_fact("mood", "good")
    tx.notify(ROBIN, NoticeKind.MAIL, "Cheer up")
    tx.enqueue(tx.now, ThingAppears(thing="flowers"))
    return Result("cheered", shelf(tx))


def cheer_and_break(tx: Transaction) -> Result[Shelf]:
    """What must not stay, for the reason of a bug."""
    cheer(tx)
    raise ZeroDivisionError("a bug")


async def test_writes_of_another_handle_hold_in_the_next_action(kept: World) -> None:
    assert kept.path is not None
    await kept.execute(ROBIN, "put", {}, partial(put, thing="cup"))
    async with await World.open(kept.path) as other:
        await other.execute("anna", "cheer", {}, cheer)
    done = await kept.execute(ROBIN, "look", {}, look)
    assert done.result is not None
    assert (done.result.text, done.result.data.things) == ("good", ("cup", "flowers"))
    assert [notice.text for notice in done.notices] == ["Cheer up"]


async def test_nothing_that_an_action_wrote_before_it_broke_is_kept(world: World) -> None:
    await world.execute(ROBIN, "put", {}, partial(put, thing="cup"))
    with pytest.raises(ZeroDivisionError):
        await world.execute(ROBIN, "cheer", {}, cheer_and_break)
    with pytest.raises(KeyError, match="mood"):
        await world.execute(ROBIN, "look", {}, look)
    done = await world.execute(ROBIN, "put", {}, partial(put, thing="plate"))
    assert done.result is not None
    assert (done.result.data.things, done.notices) == (("cup", "plate"), ())


async def test_nothing_that_a_refused_verb_wrote_is_kept(world: World) -> None:
    await world.execute(ROBIN, "put", {}, put_and_refuse)
    done = await world.execute(ROBIN, "put", {}, partial(put, thing="cup"))
    assert done.result is not None
    assert done.result.data.things == ("cup",)
    assert done.at.date() == toy.OPENING.starts.date()


async def test_writes_of_a_query_are_neither_kept_nor_missed(world: World) -> None:
    await world.execute(ROBIN, "cheer", {}, cheer)
    await world.read(lambda tx: tx.set_fact("mood", "bad"))
    done = await world.execute(ROBIN, "look", {}, look)
    assert done.result is not None
    assert done.result.text == "good"


def test_an_action_asks_only_once_for_what_nobody_else_has_changed() -> None:
    world = complete(World.create_inline(toy.OPENING, populate))
    assert isinstance(world._connection, InlineConnection)
    database: sqlite3.Connection = world._connection._db
    asked: list[str] = []
    database.set_trace_callback(asked.append)
    for _ in range(2):
        asked.clear()
        complete(world.execute(ROBIN, "shelf", {}, lambda tx: Result("", shelf(tx))))
    known = ("FROM fact", "FROM event", "FROM notice", "SAVEPOINT")
    assert [statement for statement in asked if any(one in statement for one in known)] == []
    complete(world.close())


# where actions run ------------------------------------------------------------------------


async def test_an_action_runs_at_once_on_its_callers_thread(kept: World) -> None:
    ran_on: list[int] = []

    def note(tx: Transaction) -> Result[toy.Shelf]:
        ran_on.append(threading.get_ident())
        return toy.nothing(tx)

    await kept.execute(ROBIN, "note", {}, note)
    assert ran_on == [threading.get_ident()]


async def test_an_action_during_a_long_read_waits_and_lets_other_tasks_run(kept: World) -> None:
    reached, go = threading.Event(), threading.Event()

    def read(tx: Transaction) -> tuple[str, ...]:
        before = toy.shelf(tx).things
        reached.set()
        assert go.wait(20)
        return before

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(kept.read, read)
        await anyio.to_thread.run_sync(reached.wait)
        tasks.start_soon(partial(kept.execute, ROBIN, "put", {}, partial(put, thing="cup")))
        await anyio.sleep(0.01)  # would never end if the action held the loop
        go.set()
    assert (await kept.read(toy.shelf)).things == ("cup",)


async def test_an_action_waits_for_another_writer_and_lets_other_tasks_run(kept: World) -> None:
    assert kept.path is not None
    other = sqlite3.connect(kept.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(partial(kept.execute, ROBIN, "put", {}, partial(put, thing="cup")))
        await anyio.sleep(0.01)  # the action would give up if it held the loop
        other.execute("ROLLBACK")
    other.close()
    assert (await kept.read(toy.shelf)).things == ("cup",)


async def test_opening_a_world_that_was_just_removed_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError):
        await connect(tmp_path / "removed.world")
    assert list(tmp_path.iterdir()) == []


async def test_a_task_cancelled_while_it_opens_a_world_opens_it_to_the_end(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "a.world").close()
    with anyio.CancelScope() as scope:
        scope.cancel()
        connection = await connect(tmp_path / "a.world")
    await connection.close()


# a world file and the apps of the program that opens it -----------------------------------


TABLES = ("incident", "maintenance", "wrong_code")
"""All tables of the app monitor."""


def populate_company(tx: Transaction) -> None:
    Directory(tx).add([*COMPANY.people, COMPANY.trainee])


async def world_before(path: Path, *changes: str) -> str:
    """A world at *path*, changed to what an older program would have left; its digest then."""
    async with await World.create(path, OPENING, populate_company) as world:
        digest = await world.digest()
    with closing(sqlite3.connect(path)) as db:
        for change in changes:
            db.execute(change)
        db.commit()
    return digest


def tables(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as db:
        return {name for (name,) in db.execute("SELECT name FROM sqlite_master")}


async def test_the_test_knows_all_tables_of_the_app() -> None:
    assert SCHEMA.count("CREATE TABLE") == len(TABLES)


async def test_a_world_older_than_an_app_gets_its_tables_and_means_what_it_meant(
    tmp_path: Path,
) -> None:
    path = tmp_path / "old.world"
    digest = await world_before(path, *(f"DROP TABLE {table}" for table in TABLES))
    assert not set(TABLES) & tables(path)
    async with await World.open(path) as world, await World.open(path) as beside:
        assert await world.digest() == await beside.digest() == digest
        seat = ToolDispatcher(world, COMPANY.trainee.id, discover_toolboxes().values())
        assert (await seat.call("monitor_list_services", {})).error is None
    assert set(TABLES) <= tables(path)


@pytest.mark.parametrize(
    "change",
    [
        "DROP TABLE wrong_code",
        "ALTER TABLE incident ADD COLUMN colour TEXT",
        "DROP INDEX message_recipient",
        "DROP TABLE fact",
    ],
)
async def test_a_world_in_which_a_table_looks_different_is_refused_in_words(
    tmp_path: Path, change: str
) -> None:
    path = tmp_path / "other.world"
    await world_before(path, change)
    with pytest.raises(WorldFileError, match=r"the tables of .* differ \(\w+\). .* stage its day"):
        await World.open(path)


async def test_tables_that_nobody_here_knows_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "newer.world"
    digest = await world_before(path, "CREATE TABLE unheard_of (id INTEGER) STRICT")
    async with await World.open(path) as world:
        assert await world.digest() == digest
    assert "unheard_of" in tables(path)
