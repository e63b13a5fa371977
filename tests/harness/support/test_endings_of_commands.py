"""A command that is ended ends: on SIGTERM wherever it was started, and its workers with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import anyio
import pytest

from trainee_bench.harness.support.terminal import sigterm_as_interrupt
from trainee_bench.harness.support.worker_processes import worker_processes

ROOT = Path(__file__).parents[3]
NAP = 60.0
WORKERS = """
import os, sys, time
from trainee_bench.harness.support import worker_processes as module
if sys.argv[1] == "portable":
    module._ask_kernel = lambda: None
with module.worker_processes(2) as pool:
    print(*{pool.submit(os.getpid).result() for _ in range(20)}, flush=True)
    for _ in range(2):
        pool.submit(time.sleep, 60)
    time.sleep(60)
"""


@pytest.mark.parametrize("ignored", [False, True], ids=["foreground", "background"])
def test_sigterm_ends_a_command_also_where_interrupts_are_ignored(ignored: bool) -> None:
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.SIG_IGN if ignored else signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            _end_oneself()
    finally:
        signal.signal(signal.SIGINT, before)


def _end_oneself() -> None:
    with sigterm_as_interrupt():
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(NAP)


@pytest.mark.parametrize("ignored", [False, True], ids=["foreground", "background"])
def test_sigterm_lets_what_is_running_close_its_things(ignored: bool) -> None:
    closed = []

    async def work() -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            await anyio.sleep(NAP)
        finally:
            closed.append(True)

    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.SIG_IGN if ignored else signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), sigterm_as_interrupt():
            anyio.run(work)
    finally:
        signal.signal(signal.SIGINT, before)
    assert closed == [True]


def is_running(process: int) -> bool:
    """Whether *process* exists and is no zombie."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text("utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("way", ["kernel", "portable"])
def test_workers_end_with_a_parent_that_is_killed(way: str) -> None:
    command = [sys.executable, "-c", WORKERS, way]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        workers = [int(id) for id in parent.stdout.readline().split()]
        parent.kill()
    assert workers
    while any(map(is_running, workers)):  # the time limit of tests ends this if they stay
        time.sleep(0.02)


def test_workers_are_killed_when_the_block_is_left_by_an_interrupt() -> None:
    workers = []

    def interrupted() -> None:
        with worker_processes(1) as pool:
            workers.append(pool.submit(os.getpid).result())
            pool.submit(time.sleep, NAP)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not is_running(workers[0])


START = """
import os, signal, sys
class Interrupting:
    def find_spec(self, name, *rest):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
import runpy
module, sys.argv[1:] = sys.argv[2], sys.argv[3:]
runpy.run_module(module, run_name="__main__")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    "words",
    [
        ("typer", "trainee_bench.harness", "catalog"),
        ("mcp", "trainee_bench.mcp_servers", "--help"),
    ],
)
def test_an_interrupt_during_start_up_is_quiet(words: tuple[str, ...]) -> None:
    command = [sys.executable, "-c", START.replace("sys.argv[1]", repr(words[0])), *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")
