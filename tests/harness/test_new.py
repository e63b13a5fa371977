"""A skeleton is written into a clone, holds at once, and never over anything."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from trainee_bench.harness.new import app
from trainee_bench.harness.scaffolding.names import NameRefused, check_app_name, check_family_name
from trainee_bench.harness.scaffolding.skeletons import CannotWrite, new_family

ROOT = Path(__file__).parents[2]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A copy of this repository."""
    left_out = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", "runs", "corpus")
    copy = tmp_path / "clone"
    shutil.copytree(ROOT, copy, symlinks=True, ignore=left_out)
    return copy


def called(clone: Path, *arguments: str) -> str:
    """What a program says that runs from *clone*."""
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=clone,
        env={**os.environ, "PYTHONPATH": str(clone), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.timeout(600)
def test_a_new_family_certifies_and_passes_its_tests_at_once(clone: Path) -> None:
    said = called(clone, "harness.new", "family", "shelf_count")
    assert "wrote meta_tasks/families/shelf_count.py" in said
    for command in (
        "python -m harness.certify 'shelf_count.*' --seeds 3",
        "python -m harness.catalog_page",
        "python -m pytest -q tests/meta_tasks/families/test_shelf_count.py",
        "python -m pytest -q -m every_family",
    ):
        assert f"\n  {command}\n" in said
    certified = called(clone, "harness.certify", "shelf_count.*", "--seeds", "3")
    assert "holds  shelf_count.easy" in certified and "holds  shelf_count.hard" in certified
    called(clone, "harness.catalog_page")
    assert "`shelf_count.hard`" in (clone / "docs" / "rules.md").read_text(encoding="utf-8")
    called(clone, "pytest", "-q", "tests/meta_tasks/families/test_shelf_count.py")
    checks = ("tests/test_architecture.py", "tests/test_docs.py", "tests/harness/agents/cheats")
    called(clone, "pytest", "-q", "-m", "every_family", *checks)


@pytest.mark.timeout(600)
def test_a_new_app_passes_its_tests_at_once_and_every_tool_of_it_succeeds(clone: Path) -> None:
    said = called(clone, "harness.new", "app", "tickets")
    assert "wrote world/apps/tickets.py" in said and "wrote mcp_servers/tickets.py" in said
    assert "\n  python -m pytest -q -m every_app\n" in said
    called(clone, "pytest", "-q", "tests/mcp_servers/test_tickets.py")
    checks = ("tests/test_architecture.py", "tests/mcp_servers/test_office.py")
    called(clone, "pytest", "-q", "-m", "every_app", *checks)
    tried = called(clone, "pytest", "-q", "tests/mcp_servers/test_every_tool.py", "-k", "tickets")
    assert "passed" in tried and "failed" not in tried


@pytest.mark.parametrize("name", ["", "Shelf", "1st", "a b", "../up", "a__b", "_a", "class", "é"])
def test_a_family_name_that_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(NameRefused, match="such as stock_take"):
        check_family_name(name)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("sales", "There is a family sales already.*Choose another name"),
        ("utils", "says nothing"),
        ("a" * 25, "use 24 at most"),
    ],
)
def test_a_family_name_that_is_taken_or_says_nothing_is_refused(name: str, why: str) -> None:
    with pytest.raises(NameRefused, match=why):
        check_family_name(name)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("mail", "There is an app mail already"),
        ("terminal", "There is an app terminal already"),
        ("help_desk", "one word of small letters"),
        ("office", "code that all apps share"),
        ("serving", "code that all apps share"),
        ("base", "says nothing"),
    ],
)
def test_an_app_name_that_cannot_be_had_is_refused(name: str, why: str) -> None:
    with pytest.raises(NameRefused, match=why):
        check_app_name(name)


def test_the_command_refuses_in_words_and_writes_nothing() -> None:
    done = CliRunner().invoke(app, ["family", "sales"])
    assert done.exit_code == 2 and "There is a family sales already" in done.output


def test_nothing_is_written_where_there_is_no_clone(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="is not a clone of the repository.*pip install -e"):
        new_family("shelf_count", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_over(tmp_path: Path) -> None:
    for folder in ("meta_tasks/families", "mcp_servers", "world/apps", "tests/mcp_servers"):
        (tmp_path / folder).mkdir(parents=True)
    tests = tmp_path / "tests" / "meta_tasks" / "families"
    tests.mkdir(parents=True)
    mine = tests / "test_shelf_count.py"
    mine.write_text("mine")
    with pytest.raises(CannotWrite, match="exists already"):
        new_family("shelf_count", tmp_path)
    assert mine.read_text() == "mine"
    assert not (tmp_path / "meta_tasks" / "families" / "shelf_count.py").exists()
