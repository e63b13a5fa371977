"""`trainee-bench studio --episode` opens at an episode, and documents say the command for it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.harness.test_run import config, day, invoke
from trainee_bench.harness.cli import app

ORACLE, NOTHING = "one.day_1.oracle.1", "one.day_1.nothing.1"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of two agents."""
    home = tmp_path_factory.mktemp("runs")
    mine = config(home, one=[day("kb_fix.easy")])
    agents = ("--agent", "oracle", "--agent", "nothing")
    done = invoke("--config", mine, *agents, "--out", home / "a-run")
    assert done.exit_code == 0, done.output
    return home / "a-run"


def commands(text: str) -> set[str]:
    return set(re.findall(r"trainee-bench studio \. --episode ([\w.-]+)", text))


def test_each_day_of_a_report_has_the_command_that_opens_it(run: Path) -> None:
    page = (run / "report.html").read_text(encoding="utf-8")
    assert commands(page) == {ORACLE, NOTHING}
    assert "in the folder of the run" in page
    text = (run / "report.md").read_text(encoding="utf-8")
    assert "run trainee-bench studio . --episode ID in this folder" in text and NOTHING in text


def test_the_command_of_a_report_prints_an_address_that_leads_to_the_episode(run: Path) -> None:
    with subprocess.Popen(
        [
            *(sys.executable, "-m", "trainee_bench.harness", "studio", ".", "--no-browser"),
            *("--episode", NOTHING),
        ],
        cwd=run,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    ) as studio:
        assert studio.stdout is not None
        printed = "".join(studio.stdout.readline() for _ in range(3))
        studio.send_signal(signal.SIGINT)
        studio.wait(30)
    assert re.search(r"http://127\.0\.0\.1:\d+/\?token=[\w-]+#/episode/0-1\n", printed), printed


def test_an_episode_that_no_run_has_is_refused(run: Path) -> None:
    done = CliRunner().invoke(app, ["studio", str(run), "--no-browser", "--episode", "two.day_1"])
    assert done.exit_code == 2 and "no run here has such an episode" in done.stderr


def test_an_episode_that_several_runs_have_needs_its_run(run: Path, tmp_path: Path) -> None:
    for name in ("a-run", "b-run"):
        shutil.copytree(run, tmp_path / name)
    asked = ["studio", str(tmp_path), "--no-browser", "--episode", ORACLE]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 2 and "several runs have it" in done.stderr
    assert "b-run" in done.stderr


def test_the_page_of_an_experiment_has_the_command_too(tmp_path: Path, run: Path) -> None:
    out = tmp_path / "it"
    done = CliRunner().invoke(
        app, ["experiment", "workload", "--from", str(run), "--out", str(out)]
    )
    assert done.exit_code == 0, done.output
    page = (out / "experiment.html").read_text(encoding="utf-8")
    assert "run trainee-bench studio with the run that --from named" in page
