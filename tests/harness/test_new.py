"""A skeleton is written into a clone, holds at once, and never over anything."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.printed_samples import printed
from trainee_bench.harness.commands.new import command as new_command
from trainee_bench.harness.scaffolding.skeletons import (
    CannotWrite,
    NameRefused,
    check_app_name,
    check_family_name,
    new_family,
)

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def skeletons(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A copy of this repository with a new family and a new app, and what was said of each."""
    # bytecode is compiled for the original already; half-written files and pytest's own stay
    left_out = shutil.ignore_patterns(
        ".git", ".venv", ".*_cache", "runs", "corpus", "*.pyc.*", "*-pytest-*"
    )
    clone = tmp_path_factory.mktemp("new") / "clone"
    shutil.copytree(ROOT, clone, symlinks=True, ignore=left_out)
    family = called(clone, "harness", "new", "family", "shelf_count")
    return clone, family, called(clone, "harness", "new", "app", "tickets")


def called(clone: Path, *arguments: str) -> str:
    """What a program says that runs from *clone*, where it may keep its bytecode."""
    environment = {**os.environ, "PYTHONPATH": str(clone), "COLUMNS": "200"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_written_files_and_the_next_commands_are_printed(
    skeletons: tuple[Path, str, str],
) -> None:
    _, family, app = skeletons
    assert "wrote meta_tasks/families/shelf_count.py" in family
    for command in (
        "trainee-bench certify 'shelf_count.*' --seeds 3",
        "python -m trainee_bench.harness.generation.catalog_markdown",
        "python -m pytest -q tests/meta_tasks/families/test_shelf_count.py",
        "python -m pytest -q -m every_family",
    ):
        assert f"\n  {command}\n" in family
    assert "wrote world/apps/tickets.py" in app and "wrote mcp_servers/tickets.py" in app
    assert "\n  python -m pytest -q -m every_app\n" in app


def test_the_tutorials_show_what_is_printed(skeletons: tuple[Path, str, str]) -> None:
    _, family, app = skeletons
    for page, name, told in (
        ("your_family.md", "family stock_take", family.replace("shelf_count", "stock_take")),
        ("your_app.md", "app tickets", app),
    ):
        text = (ROOT / "docs" / "tutorials" / page).read_text(encoding="utf-8")
        shown = text.partition(f"$ trainee-bench new {name}\n")[2].partition("```")[0]
        sample = shown.partition("\n$ ")[0]
        assert "wrote " in sample
        assert printed.find_difference(sample, told) is None


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("rules", "seeds"),
    [(("hard",), 1), pytest.param(("easy", "hard"), 3, marks=pytest.mark.sweep)],
    ids=["one rule", "all rules"],
)
def test_a_new_family_certifies_at_once(
    skeletons: tuple[Path, str, str], rules: tuple[str, ...], seeds: int
) -> None:
    named = [f"shelf_count.{rule}" for rule in rules]
    certified = called(skeletons[0], "harness", "certify", *named, "--seeds", str(seeds))
    assert all(f"holds  {rule}" in certified for rule in named)


@pytest.mark.sweep
@pytest.mark.timeout(600)
def test_two_new_families_and_two_new_apps_pass_every_test_at_once_and_every_new_tool_succeeds(
    skeletons: tuple[Path, str, str],
) -> None:
    clone, _, _ = skeletons
    called(clone, "harness", "new", "family", "till_roll")
    called(clone, "harness", "new", "app", "parcels")
    called(clone, "harness.generation.catalog_markdown")
    assert "`shelf_count.hard`" in (clone / "docs" / "rules.md").read_text(encoding="utf-8")
    own = ("tests/meta_tasks/families/test_shelf_count.py", "tests/mcp_servers/test_tickets.py")
    checks = (
        *("tests/test_architecture.py", "tests/test_docs.py"),
        *("tests/mcp_servers/test_office.py", "tests/mcp_servers/test_every_tool.py"),
        "tests/mcp_servers/test_tool_facts.py",
    )
    chosen = "not test_every_tool or tickets or parcels"
    tried = called(clone, "pytest", "-v", *own, *checks, "-k", chosen)
    for file in (*own, *checks):
        assert f"\n{file}::" in tried
    assert "passed" in tried and "failed" not in tried and "skipped" not in tried


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
        ("help_desk", "one word of lower-case letters"),
        ("office", "code that all apps share"),
        ("serving", "code that all apps share"),
        ("base", "says nothing"),
    ],
)
def test_an_app_name_that_cannot_be_had_is_refused(name: str, why: str) -> None:
    with pytest.raises(NameRefused, match=why):
        check_app_name(name)


def test_the_command_refuses_in_words_and_writes_nothing() -> None:
    done = CliRunner().invoke(new_command, ["family", "sales"])
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
