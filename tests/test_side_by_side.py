"""Steps that run beside each other lose neither a failure nor a line of output."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SIDE_BY_SIDE = ROOT / ".ci" / "side_by_side.py"
STEPS = """#!/usr/bin/env bash
set -euo pipefail
passes() { echo "all is well"; }
fails() { echo "this broke"; false; echo "never said"; }
complains() { echo "on the other stream" >&2; exit 3; }
meets() { touch "$1.here"; until [ -e "$2.here" ]; do sleep 0.05; done; echo "$1 met $2"; }
one() { meets one two; }
two() { meets two one; }
hangs() {
    trap 'echo "tidied up"; touch tidied' EXIT
    echo "is stuck"; touch hangs.here; sleep 600
}
leaves() { sleep 600 & echo $! > left.pid; }
speaks_late() { until [ -e closed ]; do sleep 0.05; done; }
"$1"
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program with steps that pass, fail, wait for each other, and never end."""
    path = tmp_path / "steps"
    path.write_text(STEPS)
    path.chmod(0o755)
    return path


def side_by_side(program: Path, *words: str) -> subprocess.CompletedProcess[str]:
    options = [word for word in words if word.startswith("--")]
    steps = [word for word in words if not word.startswith("--")]
    return subprocess.run(
        [sys.executable, SIDE_BY_SIDE, *options, program, *steps],
        cwd=program.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_steps_that_pass_show_their_output_and_make_a_run_that_passes(program: Path) -> None:
    done = side_by_side(program, "passes")
    assert done.returncode == 0, done.stderr
    assert "== passes: passed\nall is well\n" in done.stdout


@pytest.mark.parametrize(
    ("step", "code", "said"),
    [("fails", 1, "this broke"), ("complains", 3, "on the other stream")],
)
def test_a_step_that_fails_fails_the_run_and_is_shown_and_the_others_are_still_run(
    program: Path, step: str, code: int, said: str
) -> None:
    done = side_by_side(program, "--at-once=1", step, "passes")
    assert done.returncode == 1
    assert f"== {step}: FAILED: exit code {code}\n{said}\n" in done.stdout
    assert "never said" not in done.stdout
    assert "== passes: passed\nall is well\n" in done.stdout
    assert done.stderr.strip() == f"failed: {step}"


def test_two_steps_run_at_once_and_their_outputs_are_kept_apart(program: Path) -> None:
    done = side_by_side(program, "--at-once=2", "one", "two")  # each waits for the other
    assert done.returncode == 0, done.stdout
    assert "== one: passed\none met two\n" in done.stdout
    assert "== two: passed\ntwo met one\n" in done.stdout


@pytest.mark.parametrize("at_once", [1, 2, 3])
def test_no_more_steps_run_at_once_than_was_said(program: Path, at_once: int) -> None:
    done = side_by_side(program, f"--at-once={at_once}", "passes", "fails", "complains")
    running = [0]
    for line in done.stdout.splitlines():
        if line.startswith("-- "):
            running.append(running[-1] + 1)
        elif re.match("== [a-z]+: ", line):
            running.append(running[-1] - 1)
    assert max(running) == at_once and len(running) == 7, done.stdout


def test_a_step_over_its_limit_tidies_up_and_fails_with_what_it_has_printed(program: Path) -> None:
    done = side_by_side(program, "--limit=0.5", "hangs")
    assert done.returncode == 1
    assert "== hangs: FAILED: took longer than 0.5 s\nis stuck\n" in done.stdout
    assert "tidied up" in done.stdout


def test_what_a_step_leaves_running_ends_with_it(program: Path) -> None:
    assert side_by_side(program, "leaves").returncode == 0
    left = int((program.parent / "left.pid").read_text())
    ends_by = time.monotonic() + 60
    with suppress(ProcessLookupError):
        while True:  # until the system has taken the killed process away
            os.kill(left, 0)
            assert time.monotonic() < ends_by
            time.sleep(0.05)


def test_steps_end_in_good_order_if_nobody_reads_the_output(program: Path) -> None:
    folder = program.parent
    with subprocess.Popen(
        [sys.executable, SIDE_BY_SIDE, "--at-once=2", program, "hangs", "speaks_late"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as runner:
        assert runner.stdout is not None and runner.stderr is not None
        while not (folder / "hangs.here").exists():
            assert runner.poll() is None
        runner.stdout.close()
        (folder / "closed").touch()
        assert runner.wait(60) == 1
        assert runner.stderr.read() == "nobody reads the output, so the steps were ended\n"
    assert (folder / "tidied").exists()


def test_a_program_that_cannot_be_started_is_named(program: Path) -> None:
    program.chmod(0o644)
    done = side_by_side(program, "passes")
    assert done.returncode == 1
    assert done.stderr == f"{program}: Permission denied; the steps were ended\n"


@pytest.mark.parametrize("option", ["--at-once=0", "--limit=0", "--limit=-1", "--limit=nan"])
def test_a_limit_that_no_step_can_keep_is_refused(program: Path, option: str) -> None:
    done = side_by_side(program, option, "passes")
    assert done.returncode == 2 and f"{option.partition('=')[0]} has to be" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_ends_its_steps_and_shows_what_they_have_printed(
    program: Path, number: signal.Signals
) -> None:
    here = program.parent / "hangs.here"
    hangup = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # as without nohup
    with subprocess.Popen(
        [sys.executable, SIDE_BY_SIDE, program, "hangs"],
        cwd=program.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as runner:
        signal.signal(signal.SIGHUP, hangup)
        while not here.exists():
            assert runner.poll() is None
        runner.send_signal(number)
        said, _ = runner.communicate(timeout=60)
    assert runner.returncode
    assert "== hangs: FAILED: was interrupted\nis stuck\n" in said
    assert "tidied up" in said


def test_no_step_is_named_that_the_run_does_not_have() -> None:
    done = subprocess.run(
        [ROOT / ".ci" / "run", "no_such_step"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "no_such_step is no step; there are " in done.stderr


def test_every_step_of_the_run_is_a_function_in_it() -> None:
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    code = re.sub(r" #.*", "", text)
    lists = re.findall(r"^(?:ALONE|BESIDE)=\(([^)]*)\)", code, re.MULTILINE)
    named = " ".join(lists).split()
    made = re.findall(r"^(\w+)\(\) \{", text, re.MULTILINE)
    assert len(lists) == 2 and len(set(named)) == len(named)
    assert {*named, "ray", "doors"} == {*made} - {"npm_install", "main"}
