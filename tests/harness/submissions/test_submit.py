"""Only a whole, unchanged and honest run of a benchmark becomes a submission, or passes for one."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from tests.harness.test_run import config, day
from tests.harness.test_run import invoke as run
from trainee_bench.harness.cli import app
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.submissions.rules import rule_problems
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark


def submit(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["submit", *map(str, arguments)])


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of all the quickstart by an agent that knows no secrets."""
    out = tmp_path_factory.mktemp("submitted") / "run"
    assert run("--agent", "nothing", "--out", out).exit_code == 0
    return out


@pytest.fixture(scope="module")
def bundle(worked: Path) -> Path:
    made = worked.parent / "mine.zip"
    done = submit("prepare", worked, made, "--name", "Idle", "--about", "It does nothing.")
    assert done.exit_code == 0, done.output
    return made


def test_what_was_prepared_is_verified_with_the_run_s_figures(worked: Path, bundle: Path) -> None:
    done = submit("verify", bundle)
    count = len(RunFolder.open(worked).ledger.read())
    assert done.exit_code == 0, done.output
    assert "Idle: It does nothing." in done.output
    figures = f"quickstart, nothing: score 0.0000, success 0.0000 over {count} episode"
    assert figures in done.output
    assert "(standard)" in done.output


def test_the_same_run_makes_the_same_bundle(worked: Path, bundle: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.zip"
    submit("prepare", worked, again, "--name", "Idle", "--about", "It does nothing.")
    assert again.read_bytes() == bundle.read_bytes()


def changed(bundle: Path, out: Path, file: str, change: Callable[[bytes], bytes]) -> Path:
    with zipfile.ZipFile(bundle) as given, zipfile.ZipFile(out, "w") as made:
        for name in given.namelist():
            data = given.read(name)
            made.writestr(name, change(data) if name == file else data)
    return out


def better(lines: bytes) -> bytes:
    first, *rest = lines.splitlines(keepends=True)
    line = json.loads(first) | {"score": 1.0, "success": True}
    return json.dumps(line).encode() + b"\n" + b"".join(rest)


@pytest.mark.parametrize(
    ("file", "change", "says"),
    [
        ("results.jsonl", better, "the line says score 1.0, the repeated day gives 0.0"),
        ("results.jsonl", lambda lines: lines[: lines.index(b"\n") + 1], "it is not finished"),
        ("run.json", lambda plan: plan.replace(b'"epochs": 1', b'"epochs": 2'), "it was changed"),
    ],
)
def test_a_bundle_that_was_changed_is_no_submission(
    bundle: Path, tmp_path: Path, file: str, change: Callable[[bytes], bytes], says: str
) -> None:
    done = submit("verify", changed(bundle, tmp_path / "changed.zip", file, change))
    assert done.exit_code == 1
    assert says in done.output


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--agent", "nothing", "--limit", "1"), "not those of quickstart, whole and unchanged"),
        (("--agent", "oracle"), "knows secrets of the days"),
        (("--agent", "nothing", "--agent", "empty_files"), "has 2 agents"),
    ],
)
def test_a_thinned_run_and_who_knows_secrets_are_refused(
    tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    out = tmp_path / "run"
    assert run(*arguments, "--out", out).exit_code == 0
    refused = submit("prepare", out, tmp_path / "mine.zip", "--name", "Mine")
    assert refused.exit_code == 1
    assert says in refused.output
    assert not (tmp_path / "mine.zip").exists()


def test_results_under_different_conditions_are_not_mixed(worked: Path) -> None:
    folder = RunFolder.open(worked)
    first, *rest = folder.ledger.read()
    assert first.identity is not None
    other = first.identity.model_copy(update={"guidance": 3})
    mixed = [first.model_copy(update={"identity": other}), *rest]
    problems = rule_problems(folder.plan(), mixed, load_shipped_benchmark())
    assert [*problems] == ["its results were made under 2 different conditions"]


def test_a_board_may_hold_scenarios_of_its_own(tmp_path: Path) -> None:
    path, out = config(tmp_path, one=[day("kb_fix.easy")]), tmp_path / "run"
    assert run("--config", path, "--agent", "nothing", "--out", out).exit_code == 0
    made = tmp_path / "mine.zip"
    assert submit("prepare", out, made, "--name", "Mine", "--config", path).exit_code == 0
    assert submit("verify", made, "--config", path).exit_code == 0
    path.write_text(path.read_text().replace('"seed": ', '"seed": 1'))
    assert submit("verify", made, "--config", path).exit_code == 1


def test_what_is_no_submission_is_refused_in_words(bundle: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.zip"
    text.write_text("hello")
    escaping = tmp_path / "escaping.zip"
    shutil.copy(bundle, escaping)
    with zipfile.ZipFile(escaping, "a") as archive:
        archive.writestr("../outside.txt", "x")
    for file, says in ((text, "is no submission"), (escaping, "it holds ../outside.txt")):
        done = submit("verify", file)
        assert (done.exit_code, says in done.output) == (2, True), done.output
    assert not (tmp_path.parent / "outside.txt").exists()
