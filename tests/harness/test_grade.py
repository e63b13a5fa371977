"""Grading a world that was worked without a harness, with feedback in tiers."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from tests.harness.test_run import config, day, invoke
from trainee_bench.harness.commands import grade


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The worlds that oracle and nothing have left."""
    folder = tmp_path_factory.mktemp("run")
    path = config(folder, one=[day("kb_fix.easy", "meeting_attend.sum.u1")])
    agents = ("--agent", "oracle", "--agent", "nothing")
    assert invoke("--config", path, *agents, "--out", folder / "out").exit_code == 0
    return folder / "out" / "worlds"


def graded(*arguments: object) -> Result:
    app = typer.Typer()
    app.command()(grade.command)
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_honest_work_is_complete(worlds: Path) -> None:
    done = graded(worlds / "one.day_1.oracle.1.world")
    assert done.exit_code == 0, done.output
    assert "Score 1.00 over 2 tasks, 2 of them complete." in done.output


def test_what_was_missed_is_said_with_what_was_seen_and_more_in_each_tier(worlds: Path) -> None:
    path = worlds / "one.day_1.nothing.1.world"
    told = [graded(path, "--tier", tier).output for tier in (1, 2, 3)]
    assert "Score 0.00 over 2 tasks, 0 of them complete." in told[0]
    assert "seen: " in told[0] and "where: " not in told[0]
    assert "where: " in told[1] and "how: " not in told[1]
    assert "how: " in told[2]


def test_json_holds_every_checkpoint(worlds: Path) -> None:
    done = graded(worlds / "one.day_1.nothing.1.world", "--json")
    day_grade = json.loads(done.output)
    assert day_grade["score"] == 0
    assert {task["rule"] for task in day_grade["tasks"]} == {"kb_fix.easy", "meeting_attend.sum.u1"}
    assert all(not check["passed"] for task in day_grade["tasks"] for check in task["checkpoints"])


def test_a_file_that_is_no_world_is_exit_2(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("x", encoding="utf-8")
    done = graded(path)
    assert done.exit_code == 2
    assert "not a world" in done.output


def changed(world: Path, folder: Path, *statements: str) -> Path:
    """A copy of *world* in which the statements were executed past its tools."""
    path = folder / "copy.world"
    path.write_bytes(world.read_bytes())
    with closing(sqlite3.connect(path)) as db, db:
        for statement in statements:
            db.execute(statement)
    return path


def test_a_world_whose_content_was_changed_is_graded_as_its_log_repeats_it(
    worlds: Path, tmp_path: Path
) -> None:
    erased = "UPDATE file SET content = x'00' WHERE changed_by <> ''"
    done = graded(changed(worlds / "one.day_1.oracle.1.world", tmp_path, erased))
    assert done.exit_code == 0, done.output
    assert "copy.world is damaged or was changed past its tools" in done.output
    assert "Score 1.00 over 2 tasks" in done.output


def test_a_world_whose_log_does_not_repeat_is_not_graded(worlds: Path, tmp_path: Path) -> None:
    world = worlds / "one.day_1.oracle.1.world"
    for statement, said in (
        (
            "UPDATE action SET text = 'all is well' WHERE seq = 2",
            "action 2 differs from its record",
        ),
        ("UPDATE action SET arguments = '{' WHERE seq = 2", "copy.world is damaged"),
    ):
        done = graded(changed(world, tmp_path, statement))
        assert done.exit_code == 2
        assert said in done.output
