"""Whatever a command uses too much of, it is stopped, told what it was, and nothing runs on."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event, Timer

import pytest

from tests.mcp_servers.sandbox.boxes import ROOT, a_nap, needs_bubblewrap, running, tried, until
from trainee_bench.mcp_servers.sandbox.backend import Limit, SandboxLimits
from trainee_bench.mcp_servers.sandbox.bubblewrap import BubblewrapBackend
from trainee_bench.mcp_servers.sandbox.detection import SHELL
from trainee_bench.mcp_servers.sandbox.process_monitor import descendants, exceeded_limit
from trainee_bench.mcp_servers.sandbox.runner import ResultDiscarded, SandboxJob, run_in_sandbox

pytestmark = needs_bubblewrap

SMALL = SandboxLimits(
    seconds=100,
    cpu_seconds=1,
    memory=200_000_000,
    processes=20,
    output=10_000,
    disk=5_000_000,
    scratch=5_000_000,
    file_size=2_000_000,
    files=50,
    changes=3_000_000,
)


def python(code: str) -> str:
    """A shell command that runs a Python program."""
    return f"python3 -c {shlex.quote(code)}"


def zeros(size: int, file: str) -> str:
    """A shell command that writes a file."""
    return f"head -c {size} /dev/zero > {file}"


DEAF = "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"
GREEDY = "import time\nx = [b'a' * 30_000_000 for _ in range(%d)]\ntime.sleep(9)"
THREADS = (
    "import threading, time\n"
    "for i in range(25): threading.Thread(target=time.sleep, args=(9,)).start()"
)
BIG = (
    "import contextlib\n"
    "with contextlib.suppress(OSError), open('big', 'wb') as f: f.write(bytes(3_000_000))"
)
PAGE_TABLES = (
    "import mmap\n"
    "wide = mmap.mmap(-1, 1 << 40, mmap.MAP_PRIVATE | 0x4000, mmap.PROT_READ)\n"
    "for place in range(0, 1 << 40, 1 << 21): wide[place]"
)
SOCKETS = (
    "import os, socket, time\n"
    "for i in range(8):\n"
    "    if os.fork() == 0: break\n"
    "pairs = [socket.socketpair() for _ in range(100)]\n"
    "for one, _ in pairs:\n"
    "    one.setblocking(False)\n"
    "    one.send(bytes(100_000))\n"
    "time.sleep(9)"
)
BOMB = """import os
while True:
    try:
        os.fork()
    except OSError:  # as many as there may be: it stays there
        pass"""
FLOODS = {
    "a loop": (Limit.CPU, "while :; do :; done"),
    "a loop in a child": (Limit.CPU, python("while True: pass") + "; echo went on"),
    "a loop that ignores the warning": (Limit.CPU, python(DEAF)),
    "memory at once": (Limit.MEMORY, python("x = b'a' * 10**10")),
    "memory of one process": (Limit.MEMORY, python(GREEDY % 8)),
    "memory of many": (Limit.MEMORY, f"for i in {{1..8}}; do {python(GREEDY % 1)} & done; wait"),
    "memory of tables of pages": (Limit.MEMORY, python(PAGE_TABLES)),
    "memory of sockets": (Limit.MEMORY, python(SOCKETS)),
    "a fork bomb": (Limit.PROCESSES, python(BOMB)),
    "children": (Limit.PROCESSES, "for i in {1..30}; do sleep 9 & done; wait"),
    "children left behind": (Limit.PROCESSES, "for i in {1..25}; do sleep 9 & done"),
    "threads": (Limit.PROCESSES, python(THREADS)),
    "output": (Limit.OUTPUT, "yes"),
    "output of a daemon": (Limit.OUTPUT, "yes & sleep 9"),
    "a file": (Limit.FILE_SIZE, zeros(3_000_000, "big")),
    "a file by a program that goes on": (Limit.FILE_SIZE, python(BIG)),
    "the disk": (Limit.DISK, f"for i in {{1..9}}; do {zeros(1_000_000, '$i')}; done"),
    "the disk of /tmp": (Limit.DISK, f"for i in {{1..9}}; do {zeros(1_000_000, '/tmp/$i')}; done"),
    "shared memory": (
        Limit.DISK,
        f"for i in {{1..20}}; do {zeros(1_000_000, '/dev/shm/$i')}; done; sleep 9",
    ),
    "files": (Limit.FILES, "touch {1..60}"),
    "files on and on": (Limit.FILES, "i=0; while :; do i=$((i+1)); > /tmp/$i; done"),
    "changes": (Limit.CHANGES, f"for i in 1 2; do {zeros(1_600_000, '$i')}; done"),
}


@pytest.mark.parametrize(("limit", "command"), FLOODS.values(), ids=FLOODS)
def test_too_much_of_it_is_stopped_and_told(limit: Limit, command: str) -> None:
    marker = a_nap()
    with pytest.raises(ResultDiscarded) as stopped:
        tried(f"{marker} & {command}", limits=SMALL)
    assert stopped.value.limit is limit
    assert str(stopped.value) == SMALL.message_for(limit)
    assert running(marker) == []


def test_less_of_everything_is_fine() -> None:
    command = """
        python3 -c 'x = b"a" * 20_000_000'
        for i in {1..9}; do sleep 0.01 & done; wait
        head -c 9000 /dev/zero | tr '\\0' 'x'
        head -c 1500000 /dev/zero > big
        touch {1..40}
    """
    left = tried(command, limits=SMALL)
    assert left.exit_code == 0 and left.printed == b"x" * 9000
    assert len(left.changed) == 41 and len(left.changed["big"]) == 1_500_000


SLEEPS = {
    "in front": "{}",
    "behind": "{} & wait",
    "in a session of its own": "setsid --wait {}",
    "deaf": "trap '' TERM INT HUP; {}",
    "twice removed": "(setsid {} &); {}",
}


@pytest.mark.parametrize("command", SLEEPS.values(), ids=SLEEPS)
def test_a_command_that_sleeps_past_the_end_is_ended_with_everything_it_started(
    command: str,
) -> None:
    marker = a_nap()
    with pytest.raises(ResultDiscarded) as stopped:
        tried(command.replace("{}", marker), limits=SandboxLimits(seconds=0.4))
    assert stopped.value.limit is Limit.TIME
    assert running(marker) == []


def test_threads_of_a_first_process_that_was_taken_over_count() -> None:
    first = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {THREADS!r}])"
    with subprocess.Popen([sys.executable, "-c", first], start_new_session=True) as holder:
        try:
            until(lambda: exceeded_limit(holder.pid, SMALL) is Limit.PROCESSES)
        finally:
            os.killpg(holder.pid, signal.SIGKILL)


def test_processes_left_when_nobody_watches_are_ended_and_not_waited_for() -> None:
    with BubblewrapBackend().start(SMALL) as box:
        until(lambda: any(descendants(box.process.pid)))
    with box.process as ended:  # closes its pipes
        assert ended.returncode == 128 + signal.SIGKILL


def test_processes_that_a_command_leaves_running_end_with_it_and_change_nothing_later() -> None:
    marker = a_nap()
    daemon = f"nohup setsid bash -c 'echo early > early; {marker}; echo late > late'"
    left = tried(f"{daemon} >/dev/null 2>&1 & disown; while [ ! -e early ]; do :; done")
    assert left.exit_code == 0 and set(left.changed) == {"early"}
    assert running(marker) == []


def test_called_off_it_ends_at_once() -> None:
    marker = a_nap()
    cancelled = Event()
    Timer(0.2, cancelled.set).start()
    with pytest.raises(ResultDiscarded, match="it was cancelled"):
        run_in_sandbox(
            BubblewrapBackend(), SandboxJob((SHELL, "-c", marker)), SandboxLimits(), cancelled
        )
    assert running(marker) == []


_KILLED_WHILE = """
from threading import Event
from trainee_bench.mcp_servers.sandbox.bubblewrap import BubblewrapBackend
from trainee_bench.mcp_servers.sandbox.backend import SandboxLimits
from trainee_bench.mcp_servers.sandbox.runner import SandboxJob, run_in_sandbox
job = SandboxJob(("/bin/bash", "-c", "{}"))
run_in_sandbox(BubblewrapBackend(), job, SandboxLimits(), Event())
"""


def test_when_our_own_process_is_killed_the_command_dies_with_it() -> None:
    marker = a_nap()
    code = _KILLED_WHILE.format(marker)
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT) as ours:
        until(lambda: any("python" not in line for line in running(marker)))
        ours.send_signal(signal.SIGKILL)
    until(lambda: not running(marker))


def test_nothing_is_left_in_folders_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    tried("echo > x; echo > /tmp/y", {"a/b": b"c"})
    with pytest.raises(ResultDiscarded):
        tried("echo > x; echo > /tmp/y; sleep 9", limits=SandboxLimits(seconds=0.2))
    assert list(tmp_path.iterdir()) == []


_HELD = """
import os
from trainee_bench.mcp_servers.sandbox.backend import SandboxLimits
from trainee_bench.mcp_servers.sandbox.runner import ResultDiscarded
from tests.mcp_servers.sandbox.boxes import tried
def held():
    return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))
def twice():
    tried("echo")
    try:
        tried("yes", limits=SandboxLimits(output=1_000))
    except ResultDiscarded:
        pass
twice()
before = held()
for _ in range(4):
    twice()
print(before == held())
"""


def test_descriptors_and_threads_do_not_pile_up() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _HELD], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "True\n"
