"""A recorded run is made again, action by action; where it differs, the first step is named."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import anyio
import pytest
from click.testing import Result

from tests.harness.runs import call, invoke, read, run_day
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World

RULES = ("kb_fix.easy", "meeting_attend.sum.u1")
AGENTS = ("--agent", "oracle", "--agent", "nothing")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of oracle and nothing."""
    folder = tmp_path_factory.mktemp("run")
    return run_day(folder, *AGENTS, rules=RULES)


repeat = partial(call, "replay")


def world_of(ran: Path, agent: str) -> Path:
    return ran / "worlds" / f"one.day_1.{agent}.1.world"


def copied(world: Path, folder: Path, statement: str, *values: str) -> Path:
    """A copy of a world with one statement executed in it."""
    path = folder / "copy.world"
    path.write_bytes(world.read_bytes())
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(statement, values)
    return path


def test_a_run_is_made_again_to_the_same_digest(ran: Path) -> None:
    done = repeat(ran)
    assert "one.day_1.oracle.1: " in done.output
    assert "one.day_1.nothing.1: 0 actions, all the same" in done.output


def test_a_damaged_world_is_named_and_the_others_are_replayed_and_reported(
    ran: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(ran, folder)
    world = world_of(folder, "oracle")
    whole = world.read_bytes()
    world.write_bytes(whole[:20_480] + bytes(4_096) + whole[24_576:])
    done = repeat(folder, exits=1)
    assert "one.day_1.oracle.1: not replayed: one.day_1.oracle.1.world is damaged" in done.output
    assert "one.day_1.nothing.1: 0 actions, all the same" in done.output
    (folder / "report.html").unlink()
    invoke("--resume", folder)
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert "one.day_1.oracle.1.world is damaged" in report


def test_one_episode_or_one_world_file_can_be_replayed_alone(ran: Path) -> None:
    assert "oracle" not in repeat(ran, "--episode", "one.day_1.nothing.1").output
    repeat(world_of(ran, "oracle"))


async def test_a_changed_result_is_found_at_its_action(ran: Path, tmp_path: Path) -> None:
    statement = "UPDATE action SET text = 'Something else.' WHERE seq = 3"
    path = copied(world_of(ran, "oracle"), tmp_path, statement)
    async with await World.open(path) as world:
        log = await world.log()
    done = await run_in_thread(path, exits=1)
    assert f"copy: action 3 differs from its record: {log[2].tool}" in done.output


def test_a_changed_world_is_found_by_its_digest(ran: Path, tmp_path: Path) -> None:
    statement = "UPDATE person SET department = 'Elsewhere'"
    assert "digest" in repeat(copied(world_of(ran, "oracle"), tmp_path, statement), exits=1).output


async def run_in_thread(*arguments: object, exits: int = 0) -> Result:
    """The command, which runs a loop of its own."""
    return await anyio.to_thread.run_sync(lambda: repeat(*arguments, exits=exits))


@pytest.mark.parametrize("step", [0, 1, 7])
async def test_a_fork_stands_where_the_run_stood_after_that_step(
    ran: Path, tmp_path: Path, step: int
) -> None:
    fork = tmp_path / "fork.world"
    await run_in_thread(ran, "--episode", "one.day_1.oracle.1", "--to", step, "--fork", fork)
    async with await World.open(world_of(ran, "oracle")) as world:
        whole = await world.log()
    async with await World.open(fork) as world:
        assert await world.log() == whole[:step]
        assert await world.now() == (whole[step - 1].until if step else whole[0].at)


async def test_a_fork_without_a_step_is_the_end_and_can_be_worked_on(
    ran: Path, tmp_path: Path
) -> None:
    fork = tmp_path / "fork.world"
    await run_in_thread(ran, "--episode", "one.day_1.nothing.1", "--fork", fork)
    (recorded,) = [r.digest for r in read(ran) if r.agent == "nothing"]
    async with await World.open(fork) as world:
        assert await world.digest() == recorded
        assert await world.read(lambda tx: Transaction.fact(tx, "employee"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere"], "There is no run in nowhere"),
        (["RUN", "--episode", "one.day_1.orakel.1"], "try one.day_1.oracle.1"),
        (["RUN", "--to", "3"], "need one --episode"),
        (["RUN", "--episode", "one.day_1.nothing.1", "--to", "1"], "has 0 actions"),
        (["RUN", "--episode", "one.day_1.nothing.1", "--fork", "TAKEN"], "already exists"),
        (["TAKEN"], "not a world"),
    ],
)
def test_wrong_use_is_exit_2(ran: Path, tmp_path: Path, arguments: list[str], says: str) -> None:
    taken = tmp_path / "taken"
    taken.write_text("x", encoding="utf-8")
    names = {"RUN": str(ran), "TAKEN": str(taken)}
    done = repeat(*(names.get(argument, argument) for argument in arguments), exits=2)
    assert says in done.output


def test_a_world_of_another_generator_is_refused(ran: Path, tmp_path: Path) -> None:
    identity = json.dumps({"generator": 0, "versions": {}})
    statement = "UPDATE fact SET value = ? WHERE name = 'identity'"
    done = repeat(copied(world_of(ran, "nothing"), tmp_path, statement, identity), exits=2)
    assert "generator 0" in done.output


def test_a_run_in_which_nothing_was_finished_is_not_called_the_same(
    ran: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(ran, tmp_path / "run"))
    (folder / "results.jsonl").unlink()
    assert "no finished episode" in repeat(folder, exits=2).output
