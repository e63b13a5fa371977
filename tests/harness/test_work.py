"""A staged day or week worked by hand: staging, what is told, calls, and the next day."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from tests.harness.episodes.test_weeks import LINKS, week_file
from tests.harness.test_run import config, day
from trainee_bench.harness.commands import grade, stage, work


def called(command: Callable[..., None], *arguments: object, given: str = "") -> Result:
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=given)


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A staged week of three days."""
    path = tmp_path / "week.world"
    done = called(stage.command, week_file(tmp_path), "one", path)
    assert done.exit_code == 0, done.output
    return path


def answers(world: Path, *lines: str) -> list[dict[str, object]]:
    done = called(work.command, world, "call", given="\n".join(lines))
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.output.splitlines()]


def test_a_week_is_worked_call_by_call_and_day_by_day(world: Path) -> None:
    told = called(work.command, world, "prompt").output
    assert "It is Monday" in told and "T1: " in told and "T3: " not in told
    assert "turns" not in told
    note = json.dumps({"tool": "desk_write_note", "args": {"text": "remember the code"}})
    first, second = answers(world, note, '{"tool": "desk_now"}')
    assert (first["failed"], first["time"]) == (False, "2025-10-06T08:01:00")
    assert "Monday" in str(second["text"])
    assert called(work.command, world, "next-day").output == "It is Tuesday, 08:00.\n"
    assert "It is Tuesday" in called(work.command, world, "prompt").output
    (notes,) = answers(world, '{"tool": "desk_read_notes"}')
    assert "remember the code" in str(notes["text"])
    called(work.command, world, "next-day")
    over = called(work.command, world, "next-day")
    assert over.exit_code == 1 and "last working day" in over.output
    assert "Score 0.00 over 4 tasks" in called(grade.command, world).output


def test_a_line_that_is_no_call_is_answered_and_does_nothing(world: Path) -> None:
    lines = ("nonsense", '{"args": {}}', "", '{"tool": "desk_now", "args": {"x": 1}}')
    unreadable, unnamed, refused = answers(world, *lines)
    for one, word in ((unreadable, "JSON"), (unnamed, "tool"), (refused, "x")):
        assert one["failed"] and word in str(one["text"])
    assert unreadable["time"] is None and unnamed["time"] is None
    assert refused["time"] == "2025-10-06T08:01:00"


def test_the_tools_are_those_of_the_day(world: Path) -> None:
    listed = [json.loads(line) for line in called(work.command, world, "tools").output.splitlines()]
    names = {tool["name"]: tool["minutes"] for tool in listed}
    assert names["desk_tasks"] == 1 and names["desk_wait"] == 0
    assert not any(name.startswith("verifier") for name in names)


def test_any_day_of_a_scenario_can_be_staged(tmp_path: Path) -> None:
    path = config(tmp_path, one=[day(LINKS), {**day("sales.top_sales_employee"), "name": "two"}])
    assert called(stage.command, path, "one", tmp_path / "w", "--day", 2).exit_code == 0
    assert "Sales of" in called(work.command, tmp_path / "w", "prompt").output


@pytest.mark.parametrize(
    ("scenario", "options", "why"),
    [
        ("none", (), "there is no scenario 'none'"),
        ("one", ("--day", 2), "one is a week, which is staged as a whole; leave out --day."),
        ("one", ("--day", 4), "one is a week, which is staged as a whole; leave out --day."),
    ],
)
def test_what_cannot_be_staged_is_exit_2_and_leaves_nothing(
    tmp_path: Path, scenario: str, options: tuple[object, ...], why: str
) -> None:
    path = tmp_path / "w"
    done = called(stage.command, week_file(tmp_path), scenario, path, *options)
    assert done.exit_code == 2 and why in done.output
    assert not path.exists()


def test_a_day_that_a_scenario_does_not_have_is_refused_with_the_last_one(tmp_path: Path) -> None:
    path = config(tmp_path, one=[day(LINKS), {**day("sales.top_sales_employee"), "name": "two"}])
    done = called(stage.command, path, "one", tmp_path / "w", "--day", 4)
    assert done.exit_code == 2 and not (tmp_path / "w").exists()
    assert "one has no day 4; its last is 2, so write --day 2." in done.output


def test_a_world_that_is_there_is_not_staged_over(world: Path, tmp_path: Path) -> None:
    before = world.read_bytes()
    done = called(stage.command, week_file(tmp_path), "one", world)
    assert done.exit_code == 2
    assert world.read_bytes() == before


@pytest.mark.parametrize("step", ["prompt", "tools", "call", "next-day"])
def test_a_file_that_is_no_world_cannot_be_worked(tmp_path: Path, step: str) -> None:
    assert called(work.command, tmp_path / "none", step).exit_code == 2


def test_a_picture_is_saved_beside_the_world_and_named(tmp_path: Path) -> None:
    path = tmp_path / "ads.world"
    (tmp_path / "ads.json").write_text(
        json.dumps(
            {
                "name": "ads",
                "scenarios": [
                    {"name": "one", "days": [{"tasks": [{"rule": "ads_strategy.balanced.easy"}]}]}
                ],
            }
        )
    )
    assert called(stage.command, tmp_path / "ads.json", "one", path).exit_code == 0
    (listed,) = answers(path, '{"tool": "files_list", "args": {"folder": "drive:/"}}')
    find = '{"tool": "files_search", "args": {"query": ".png"}}'
    (found,) = answers(path, find)
    pictures = re.findall(r"(?:drive|workspace):/\S+?\.png", f"{listed} {found}")
    view = json.dumps({"tool": "files_view_image", "args": {"path": pictures[0]}})
    first, second = answers(path, view, view)
    assert first["pictures"] == [str(tmp_path / "ads-1.png")]
    assert second["pictures"] == [str(tmp_path / "ads-2.png")]
    assert (tmp_path / "ads-1.png").read_bytes().startswith(b"\x89PNG")
