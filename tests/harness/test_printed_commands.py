"""Commands that are printed to be typed into a shell work there, whatever a folder is called."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.harness.test_run import config, day
from trainee_bench.harness.cli import app
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.run_folder import RunFolder

ROOT = Path(__file__).resolve().parents[2]
AWKWARD = "Eve's $days; new"
_COMMAND = re.compile(r"(?:trainee-bench [a-z]+|--resume|--log-dir|harbor run -p) $")


def test_connect_prints_how_to_grade_a_world_with_an_awkward_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    world = tmp_path / f"{AWKWARD}.world"
    told = CliRunner().invoke(app, ["connect", "cursor", "--world", str(world)])
    command = told.stderr.rpartition("Grade the day: ")[2]
    assert shlex.split(command) == ["trainee-bench", "grade", str(world)]


def test_a_day_that_was_left_says_how_to_go_on_in_a_folder_with_an_awkward_name(
    tmp_path: Path,
) -> None:
    folder = tmp_path / AWKWARD
    mine = config(tmp_path, one=[day("kb_fix.easy")])
    left = CliRunner().invoke(
        app, ["play", "one", "--config", str(mine), "--out", str(folder)], input=""
    )
    command = left.stderr.rpartition("To continue: ")[2]
    run = folder / "mine-person-001"
    assert shlex.split(command) == ["trainee-bench", "play", "--resume", str(run)]


def test_a_folder_that_is_taken_is_named_as_a_shell_reads_it(tmp_path: Path) -> None:
    folder = tmp_path / AWKWARD
    (folder / "episodes").mkdir(parents=True)
    (folder / "results.jsonl").touch()
    with pytest.raises(PlanError) as refused:
        RunFolder(folder)._refuse_taken()
    command = (
        str(refused.value)
        .rpartition("Continue it with ")[2]
        .removesuffix(", or give --out another folder.")
    )
    assert shlex.split(command) == ["--resume", str(folder)]


def test_no_printed_command_holds_a_value_that_is_not_quoted() -> None:
    """Quoted values are those that `shlex` has made, in place or under the name `folder`."""
    bare = [
        f"{path.relative_to(ROOT)}:{text.lineno}"
        for package in ("harness", "mcp_servers", "meta_tasks")
        for path in (ROOT / package).rglob("*.py")
        for text in ast.walk(ast.parse(path.read_text()))
        if isinstance(text, ast.JoinedStr)
        for said, value in zip(text.values, text.values[1:], strict=False)
        if isinstance(said, ast.Constant)
        and _COMMAND.search(str(said.value))
        and isinstance(value, ast.FormattedValue)
        and not re.match(r"shlex\.|folder$|.*_word$", ast.unparse(value.value))
    ]
    assert bare == []
