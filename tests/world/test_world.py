"""A world comes into being whole, is acted on in transactions, copied, and closed."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys
import threading
from datetime import timedelta
from functools import partial
from itertools import pairwise
from pathlib import Path

import anyio
import pytest

from tests.world import toy
from tests.world.toy import EVENING, MORNING, OPENING, ROBIN, ThingAppears, at, put
from trainee_bench.world.errors import DayOver, Refused, WorldFileError
from trainee_bench.world.transaction import Event, Result, Transaction
from trainee_bench.world.world import World, WorldConfig


async def things(world: World) -> tuple[str, ...]:
    return (await world.read(toy.shelf)).things


# coming into being ------------------------------------------------------------------------


async def test_a_world_opens_with_the_facts_of_its_opening(world: World) -> None:
    def see(tx: Transaction) -> None:
        assert tx.employee == ROBIN
        assert (tx.day.starts, tx.day.ends, tx.now) == (MORNING, EVENING, MORNING)
        assert tx.actor == ""

    await world.read(see)


async def test_events_due_at_the_start_have_happened_when_a_world_opens() -> None:
    def stage(tx: Transaction) -> None:
        toy.populate(tx)
        tx.enqueue(MORNING, ThingAppears(thing="first"))
        tx.enqueue(MORNING + timedelta(minutes=1), ThingAppears(thing="later"))

    async with await World.create(None, OPENING, stage) as world:
        assert await things(world) == ("first",)


async def test_a_created_world_is_one_plain_file_when_it_is_closed(tmp_path: Path) -> None:
    async with await World.create(tmp_path / "w", OPENING, toy.populate) as world:
        await world.execute(ROBIN, "put", {}, partial(put, thing="cup"))
    assert [path.name for path in tmp_path.iterdir()] == ["w"]
    async with await World.open(tmp_path / "w") as again:
        assert await things(again) == ("cup",)


async def test_a_world_whose_staging_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    def stage(tx: Transaction) -> None:
        toy.populate(tx)
        raise ZeroDivisionError

    for path in (tmp_path / "w", None):
        with pytest.raises(ZeroDivisionError):
            await World.create(path, OPENING, stage)
    assert list(tmp_path.iterdir()) == []


def test_a_staging_that_is_killed_leaves_nothing_behind(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys, asyncio\n"
        "from pathlib import Path\n"
        "from tests.world import toy\n"
        "from trainee_bench.world import world_file\n"
        "from trainee_bench.world.world import World\n"
        "def die(*_, **__): os.kill(os.getpid(), signal.SIGKILL)\n"
        "os.link = die  # the file is complete, and not yet published\n"
        "asyncio.run(World.create(Path(sys.argv[1]), toy.OPENING, toy.populate))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path / "w")], check=False)
    assert done.returncode == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []


async def test_an_event_that_fails_at_the_start_fails_the_staging(tmp_path: Path) -> None:
    def stage(tx: Transaction) -> None:
        toy.populate(tx)
        tx.enqueue(MORNING, toy.ShelfBreaks())

    with pytest.raises(ZeroDivisionError):
        await World.create(tmp_path / "w", OPENING, stage)
    assert list(tmp_path.iterdir()) == []


async def test_an_existing_file_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "w"
    path.write_text("precious")
    with pytest.raises(WorldFileError, match="already exists"):
        await World.create(path, OPENING, toy.populate)
    assert path.read_text() == "precious"


async def test_if_two_create_one_world_at_once_one_wins_and_the_other_is_told(
    tmp_path: Path,
) -> None:
    path = tmp_path / "w"
    outcomes = await asyncio.gather(
        *(World.create(path, OPENING, toy.populate) for _ in range(4)), return_exceptions=True
    )
    worlds = [outcome for outcome in outcomes if isinstance(outcome, World)]
    refused = [outcome for outcome in outcomes if isinstance(outcome, WorldFileError)]
    assert (len(worlds), len(refused)) == (1, 3)
    await worlds[0].close()
    assert [path.name for path in tmp_path.iterdir()] == ["w"]


async def test_a_world_needs_a_folder_to_be_created_in(tmp_path: Path) -> None:
    with pytest.raises(WorldFileError, match="no folder"):
        await World.create(tmp_path / "nowhere" / "w", OPENING, toy.populate)


# opening ------------------------------------------------------------------------------------


async def test_a_file_that_is_not_a_world_is_not_opened(tmp_path: Path) -> None:
    with pytest.raises(WorldFileError, match="no world file"):
        await World.open(tmp_path / "missing")
    with pytest.raises(WorldFileError, match="no world file"):
        await World.open(tmp_path)
    text = tmp_path / "text"
    text.write_text("not a database at all, but long enough to have a header of its own" * 20)
    with pytest.raises(WorldFileError, match="not a world"):
        await World.open(text)
    other = tmp_path / "other"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE t (a)")
    db.close()
    with pytest.raises(WorldFileError, match="not a world"):
        await World.open(other)


async def test_a_world_that_cannot_be_written_is_refused_saying_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await (await World.create(tmp_path / "w", OPENING, toy.populate)).close()
    (tmp_path / "w-wal").mkdir()  # no journal can be made beside it
    with pytest.raises(WorldFileError, match="w must be readable and writable"):
        await World.open(tmp_path / "w")
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(WorldFileError, match="w must be readable and writable"):
        await World.open(tmp_path / "w")
    with pytest.raises(WorldFileError, match="may not write in the folder"):
        await World.create(tmp_path / "v", OPENING, toy.populate)


async def test_a_damaged_world_is_refused_by_name(tmp_path: Path) -> None:
    async with await World.create(tmp_path / "w", OPENING, toy.populate) as world:
        for number in range(400):
            await world.execute(ROBIN, "put", {}, partial(put, thing=f"thing {number} " * 20))
    whole = (tmp_path / "w").read_bytes()
    for name, content in {
        "cut": whole[: len(whole) // 2],
        "a layout of other letters": whole.replace(
            b"CREATE TABLE shelf", b"CREATE TAB\xfb\xfb shelf"
        ),
        "a page of zeros": whole[:8192] + bytes(4096) + whole[12288:],
        "pages exchanged": whole[:8192] + whole[12288:16384] + whole[8192:12288] + whole[16384:],
    }.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(WorldFileError, match=f"{name} is (damaged|not a world file)"):
            await World.open(tmp_path / name)


async def test_damage_that_is_met_while_reading_says_which_world(tmp_path: Path) -> None:
    async with await World.create(tmp_path / "w", OPENING, toy.populate) as world:
        await world.execute(ROBIN, "put", {}, partial(put, thing="cup"))
        await world.execute(
            ROBIN,
            "spoil",
            {},
            lambda tx: _spoil(tx, "UPDATE shelf SET thing = CAST(x'80' AS TEXT)"),
        )
        with pytest.raises(WorldFileError, match="w is damaged"):
            await things(world)


def _spoil(tx: Transaction, sql: str) -> Result[toy.Shelf]:
    tx.run(sql)
    return Result("spoilt", toy.Shelf(things=()))


async def test_precomputing_changes_nothing_and_lets_others_write(tmp_path: Path) -> None:
    async with (
        await World.create(tmp_path / "w", OPENING, toy.populate) as world,
        await World.open(tmp_path / "w") as other,
    ):
        reached, written = threading.Event(), threading.Event()

        def compute_then_put(tx: Transaction) -> Result[toy.Shelf]:
            reached.set()
            assert written.wait(20)  # another's write is done while this computes
            return put(tx, "what must not stay")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(world.precompute, ROBIN, compute_then_put)
            await anyio.to_thread.run_sync(reached.wait)
            await other.execute(ROBIN, "put", {}, partial(put, thing="cup"))
            written.set()
        assert await things(world) == ("cup",)
        await world.execute(ROBIN, "put", {}, partial(put, thing="saucer"))
        assert await things(other) == ("cup", "saucer")


def test_an_answer_for_a_closed_event_loop_is_dropped_quietly(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys, threading\n"
        "from pathlib import Path\n"
        "from tests.world import toy\n"
        "from trainee_bench.world.world import World\n"
        "go, done = threading.Event(), threading.Event()\n"
        "def slow(tx):\n"
        "    go.wait(); done.set()\n"
        "loop = asyncio.new_event_loop()\n"
        "made = World.create(Path(sys.argv[1]), toy.OPENING, toy.populate)\n"
        "world = loop.run_until_complete(made)\n"
        "task = loop.create_task(world.read(slow))\n"
        "loop.run_until_complete(asyncio.sleep(0.05))\n"
        "loop.close(); go.set(); done.wait()\n"
        "world._connection._thread.join(0.5)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, str(tmp_path / "w")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Event loop is closed" not in done.stderr, done.stderr


async def test_a_world_of_another_format_is_not_opened(tmp_path: Path) -> None:
    await (await World.create(tmp_path / "w", OPENING, toy.populate)).close()
    with sqlite3.connect(tmp_path / "w") as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(WorldFileError, match="format 99; .* stage its day again"):
        await World.open(tmp_path / "w")


async def test_closing_twice_does_no_harm(tmp_path: Path) -> None:
    world = await World.create(tmp_path / "w", OPENING, toy.populate)
    await world.close()
    await world.close()


# acting ---------------------------------------------------------------------------------------


async def test_an_action_takes_effect_at_its_start_and_lasts_its_minutes(world: World) -> None:
    await world.execute(ROBIN, "nothing", {}, toy.nothing, minutes=4)
    done = await world.execute(ROBIN, "put", {}, partial(put, thing="cup"), minutes=5)
    assert (done.at, done.now) == (at(8, 4), at(8, 9))
    assert await world.now() == at(8, 9)
    row = await world.read(lambda tx: tx.row("SELECT * FROM shelf"))
    assert row is not None and row["at"] == at(8, 4).isoformat()


async def test_a_scenario_may_set_other_costs(tmp_path: Path) -> None:
    opening = WorldConfig(ROBIN, MORNING, EVENING, minutes_by_tool={"put": 30, "free": 0})
    async with await World.create(None, opening, toy.populate) as world:
        assert (await world.execute(ROBIN, "put", {}, toy.nothing, minutes=5)).now == at(8, 30)
        assert (await world.execute(ROBIN, "free", {}, toy.nothing, minutes=5)).now == at(8, 30)
        assert (await world.execute(ROBIN, "other", {}, toy.nothing, minutes=5)).now == at(8, 35)


async def test_a_world_error_undoes_the_verb_and_costs_a_minute(world: World) -> None:
    waited = await world.fork()
    done = await world.execute(ROBIN, "refuse", {}, toy.put_and_refuse, minutes=45)
    assert isinstance(done.error, Refused) and done.result is None
    assert (done.at, done.now) == (MORNING, at(8, 1))
    await waited.execute(ROBIN, "wait", {}, toy.nothing, minutes=1)
    assert await world.digest() == await waited.digest()
    await waited.close()


async def test_events_happen_during_a_refused_action_too(world: World) -> None:
    await world.execute(
        ROBIN,
        "plan",
        {},
        lambda tx: (
            tx.enqueue(at(8, 1), ThingAppears(thing="x", loud=True)),
            toy.nothing(tx),
        )[1],
        minutes=0,
    )
    done = await world.execute(ROBIN, "refuse", {}, toy.put_and_refuse)
    assert await things(world) == ("x",)
    assert [notice.text for notice in done.notices] == ["x has appeared"]


async def test_any_other_error_undoes_everything_and_is_raised(world: World) -> None:
    before = await world.digest()
    with pytest.raises(ZeroDivisionError, match="a bug"):
        await world.execute(ROBIN, "break", {}, toy.put_and_break)
    assert await world.digest() == before
    assert await world.log() == []
    await world.execute(ROBIN, "put", {}, partial(put, thing="cup"))
    assert await things(world) == ("cup",)


async def test_an_event_that_fails_undoes_the_action_that_let_time_pass(world: World) -> None:
    def plan(tx: Transaction) -> Result[toy.Shelf]:
        tx.enqueue(at(8, 3), toy.ShelfBreaks())
        return toy.nothing(tx)

    await world.execute(ROBIN, "plan", {}, plan, minutes=1)
    before = await world.digest()
    with pytest.raises(ZeroDivisionError, match="shelf broke"):
        await world.execute(ROBIN, "put", {}, partial(put, thing="cup"), minutes=5)
    assert await world.digest() == before
    assert len(await world.log()) == 1


async def test_an_event_that_refuses_is_a_bug_and_no_answer(world: World) -> None:
    class ThingRefuses(Event):
        def fire(self, tx: Transaction) -> None:
            raise Refused("an event cannot refuse")

    def plan(tx: Transaction) -> Result[toy.Shelf]:
        tx.enqueue(at(8, 1), ThingRefuses())
        return toy.nothing(tx)

    with pytest.raises(Refused):
        await world.execute(ROBIN, "plan", {}, plan, minutes=1)
    assert await world.now() == MORNING


async def test_nothing_can_be_done_once_the_day_is_over(world: World) -> None:
    await world.execute(ROBIN, "sleep", {}, toy.nothing, minutes=10 * 60)
    before = await world.digest()
    done = await world.execute(ROBIN, "put", {}, partial(put, thing="cup"))
    assert isinstance(done.error, DayOver) and "18:00" in str(done.error)
    assert (done.at, done.now) == (EVENING, EVENING)
    assert await world.digest() == before
    assert [entry.ok for entry in await world.log()] == [True, False]


async def test_the_clock_stops_at_the_end_of_the_day(world: World) -> None:
    def plan(tx: Transaction) -> Result[toy.Shelf]:
        tx.enqueue(EVENING, ThingAppears(thing="just in time"))
        tx.enqueue(EVENING + timedelta(minutes=1), ThingAppears(thing="too late"))
        return toy.nothing(tx)

    done = await world.execute(ROBIN, "plan", {}, plan, minutes=3 * 24 * 60)
    assert done.now == EVENING
    assert await things(world) == ("just in time",)


async def test_looking_changes_nothing(world: World) -> None:
    before = await world.digest()
    await world.read(lambda tx: put(tx, "cup"))
    with pytest.raises(ZeroDivisionError):
        await world.read(toy.put_and_break)
    assert await world.digest() == before
    await world.execute(ROBIN, "put", {}, partial(put, thing="cup"))
    assert await things(world) == ("cup",)


# cancelled ------------------------------------------------------------------------------------


@pytest.mark.parametrize("yields", range(6))
async def test_a_cancelled_action_happens_wholly_or_not_at_all(kept: World, yields: int) -> None:
    async def acting() -> None:
        await kept.execute(ROBIN, "put", {}, partial(put, thing="cup"))

    task = asyncio.create_task(acting())
    for _ in range(yields):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    done = await kept.execute(ROBIN, "nothing", {}, toy.nothing)
    assert (await things(kept), done.seq) in (((), 1), (("cup",), 2))


async def test_an_action_under_a_cancelled_scope_is_finished_first(kept: World) -> None:
    with anyio.CancelScope() as scope:
        scope.cancel()
        done = await kept.execute(ROBIN, "put", {}, partial(put, thing="cup"))
        assert done.result is not None
    assert await things(kept) == ("cup",)


# copies ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", ["memory", "file"])
@pytest.mark.parametrize("copy", ["memory", "file"])
async def test_a_fork_is_the_same_world_with_its_log_and_goes_its_own_way(
    tmp_path: Path, origin: str, copy: str
) -> None:
    path = tmp_path / "w" if origin == "file" else None
    async with await World.create(path, OPENING, toy.populate) as world:
        await world.execute(ROBIN, "put", {"a": 1}, partial(put, thing="cup"))
        async with await world.fork(tmp_path / "fork" if copy == "file" else None) as fork:
            assert await fork.digest() == await world.digest()
            assert await fork.log() == await world.log()
            await fork.execute(ROBIN, "put", {}, partial(put, thing="saucer"))
            await world.execute(ROBIN, "put", {}, partial(put, thing="spoon"))
            assert await things(fork) == ("cup", "saucer")
            assert await things(world) == ("cup", "spoon")
        if copy == "file":
            async with await World.open(tmp_path / "fork") as again:
                assert await things(again) == ("cup", "saucer")
                mode = await again.read(lambda tx: tx.row("PRAGMA journal_mode"))
                assert mode is not None and mode[0] == "wal"
    assert {path.name for path in tmp_path.iterdir()} <= {"w", "fork"}


async def test_a_fork_overwrites_nothing(world: World, tmp_path: Path) -> None:
    (tmp_path / "w").write_text("precious")
    with pytest.raises(WorldFileError, match="already exists"):
        await world.fork(tmp_path / "w")
    assert (tmp_path / "w").read_text() == "precious"


async def test_two_handles_on_one_file_take_turns(kept: World) -> None:
    assert kept.path is not None
    async with await World.open(kept.path) as other:
        await asyncio.gather(
            *(
                handle.execute(ROBIN, "put", {}, partial(put, thing=f"{name}{i}"))
                for i in range(20)
                for name, handle in (("a", kept), ("b", other))
            )
        )
        assert sorted(await things(kept)) == sorted(f"{n}{i}" for n in "ab" for i in range(20))
        assert await kept.digest() == await other.digest()
        log = await other.log()
        assert [entry.seq for entry in log] == list(range(1, 41))
        assert all(a.until == b.at for a, b in pairwise(log))


def test_a_program_that_fails_before_it_closes_its_world_ends(tmp_path: Path) -> None:
    program = (
        "import asyncio, pathlib, sys\n"
        "from tests.world import toy\n"
        "from trainee_bench.world.world import World\n"
        "async def main():\n"
        "    world = await World.create(pathlib.Path(sys.argv[1]), toy.OPENING, toy.populate)\n"
        "    await world.execute('robin', 'put', {}, lambda tx: toy.put(tx, 'cup'))\n"
        "    raise SystemExit(3)\n"
        "asyncio.run(main())\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "w"],
        cwd=Path(__file__).parents[2],
        timeout=60,
        check=False,
    )
    assert ended.returncode == 3
