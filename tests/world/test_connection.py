"""Where actions on a world's database run: on the caller's thread, unless that is busy."""

from __future__ import annotations

import sqlite3
import threading
from functools import partial
from pathlib import Path

import anyio
import pytest

from tests.world import toy
from tests.world.toy import ROBIN, put
from trainee_bench.world.connection import connect
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.world import World


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


async def test_who_is_cancelled_while_a_world_opens_opens_it_to_the_end(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "a.world").close()
    with anyio.CancelScope() as scope:
        scope.cancel()
        connection = await connect(tmp_path / "a.world")
    await connection.close()
