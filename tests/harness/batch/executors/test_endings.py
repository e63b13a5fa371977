"""A run of several processes that is ended from outside: no process is left, and it goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.harness.batch.executors.test_executors import (
    ENOUGH,
    LINKS,
    MORTAL,
    alive,
    eventually,
    marks,
)
from tests.harness.runs import config, day, invoke, process, read

ROOT = Path(__file__).parents[4]
PROCESSES = ("--executor", "processes")
pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="signals"),
    pytest.mark.timeout(300),  # processes that start processes, each waited for up to ENOUGH
]
__all__ = ["marks"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return config(tmp_path, one=[day(LINKS)], two=[day(LINKS)])


def begun(path: Path, out: Path, agent: str, *spread: str) -> subprocess.Popen[str]:
    named = ("--agent", f"{MORTAL}:{agent}")
    return subprocess.Popen(
        process("run", "--config", path, "--out", out, *named, *spread),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=ROOT,
    )


@pytest.fixture
def workers(marks: Path) -> Iterator[Callable[[], list[Path]]]:
    """The marks that agents left in workers; whoever is left in the end is ended."""

    def found() -> list[Path]:
        return [mark for mark in marks.glob("waits-*") if mark.read_text()]

    yield found
    for mark in found():
        if alive(mark):
            os.kill(int(mark.read_text()), signal.SIGKILL)


def gone_on_with(out: Path, marks: Path) -> None:
    (marks / "enough").touch()
    invoke("--resume", out, "--executor", "async")
    assert sorted(result.scenario for result in read(out)) == ["one", "two"]
    assert len(list((out / "worlds").iterdir())) == 2


@pytest.mark.sweep  # that workers end with a run that was killed, the next test shows, too
@pytest.mark.parametrize(
    ("ending", "count"),
    [
        (signal.SIGINT, 2),
        (signal.SIGTERM, 1),
        (signal.SIGKILL, 1),
        (signal.SIGTERM, 2),
        (signal.SIGKILL, 2),
    ],
)
def test_with_the_run_its_workers_end_and_it_can_be_gone_on_with(
    tmp_path: Path,
    marks: Path,
    path: Path,
    workers: Callable[[], list[Path]],
    ending: signal.Signals,
    count: int,
) -> None:
    out = tmp_path / "out"
    with begun(path, out, "Waits", *PROCESSES, "--workers", str(count)) as run:
        eventually(lambda: len(workers()) == 2)
        assert len({mark.read_text() for mark in workers()}) == count
        run.send_signal(ending)
        said, _ = run.communicate(timeout=ENOUGH)
    if ending != signal.SIGKILL:
        assert run.returncode == 130
        assert "continue with --resume" in said
        assert not any(map(alive, workers()))
    eventually(lambda: not any(map(alive, workers())))
    gone_on_with(out, marks)


def test_while_a_worker_still_writes_nobody_takes_up_the_run_of_its_dead_parent(
    tmp_path: Path, marks: Path, path: Path, workers: Callable[[], list[Path]]
) -> None:
    out = tmp_path / "out"
    with begun(path, out, "Blocks", *PROCESSES, "--workers", "1") as run:
        eventually(lambda: len(workers()) == 1)
        run.kill()
        run.wait()
        (stuck,) = workers()
        if alive(stuck):
            refused = invoke("--resume", out, exits=2)
            assert "Another process works on the run" in refused.output
        eventually(lambda: not alive(stuck))
    gone_on_with(out, marks)


@pytest.mark.parametrize(
    "spread",
    [
        pytest.param((), id="async"),
        pytest.param((*PROCESSES, "--workers", "1"), id="processes", marks=pytest.mark.sweep),
    ],
)
def test_an_agent_that_raises_an_interrupt_ends_its_own_day_and_not_the_run(
    tmp_path: Path, path: Path, spread: tuple[str, ...]
) -> None:
    agent = ("--agent", f"{MORTAL}:RaisesInterrupt")
    invoke("--config", path, "--out", tmp_path / "out", *agent, *spread)
    assert [one.agent_error for one in read(tmp_path / "out")] == ["KeyboardInterrupt:"] * 2
