"""Sandboxes for tests: real ones where this machine has them, and a client of a daemon that
there is none of."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from functools import cache
from itertools import count
from pathlib import Path
from threading import Event

import pytest

from trainee_bench.mcp_servers.sandbox.backend import SandboxLimits, SandboxUnavailable
from trainee_bench.mcp_servers.sandbox.bubblewrap import BubblewrapBackend
from trainee_bench.mcp_servers.sandbox.detection import SHELL, verify_backend
from trainee_bench.mcp_servers.sandbox.runner import SandboxJob, SandboxResult, run_in_sandbox

ROOT = Path(__file__).parents[3]
_NAPS = count()


@cache
def why_no_bubblewrap() -> str:
    """Why bubblewrap does not work on this machine, "" if it does."""
    try:
        verify_backend(BubblewrapBackend())
    except SandboxUnavailable as why:
        return f"needs bubblewrap: {why}"
    return ""


needs_bubblewrap = pytest.mark.skipif(bool(why_no_bubblewrap()), reason=why_no_bubblewrap())


def tried(
    command: str, files: dict[str, bytes] | None = None, limits: SandboxLimits | None = None
) -> SandboxResult:
    """What a shell command leaves in bubblewrap. Raises Discarded."""
    job = SandboxJob((SHELL, "-c", command), files or {})
    return run_in_sandbox(BubblewrapBackend(), job, limits or SandboxLimits(), Event())


def printed(command: str, files: dict[str, bytes] | None = None) -> str:
    """What a shell command prints in bubblewrap."""
    return tried(command, files).printed.decode()


def a_nap() -> str:
    """A shell command that sleeps for years and is told apart from all others' on this machine."""
    return f"sleep {os.getpid() * 10_000 + next(_NAPS)}s"


def running(marker: str) -> list[str]:
    """The command lines on this machine that hold *marker*, this process's own left out."""
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = process.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:  # it has ended meanwhile
            continue
        if marker in line and "pytest" not in line:
            found.append(line)
    return found


def until(holds: Callable[[], bool]) -> None:
    """Wait for what must come soon; the test's own time limit ends it if it never does."""
    waiting = Event()
    while not holds():
        waiting.wait(0.02)


_CLIENT = """\
#!{python}
import os, shutil, sys
from pathlib import Path
sys.path.insert(0, {root!r})
here, (verb, *arguments) = Path(__file__).parent, sys.argv[1:]
with (here / "asked").open("a") as asked:
    asked.write("\\n".join([verb, *arguments]) + "\\n--\\n")
if {refusal!r}:
    sys.exit({refusal!r})
if verb == "rm":
    os.kill(int((here / "running").read_text()), 9)
    sys.exit()
from trainee_bench.mcp_servers.sandbox import bubblewrap, seccomp
from trainee_bench.mcp_servers.sandbox.backend import SandboxLimits
Path(arguments[arguments.index("--cidfile") + 1]).write_text("f00d")
(here / "running").write_text(str(os.getpid()))
reading, writing = os.pipe()
os.write(writing, seccomp.seccomp_filter())
os.close(writing)
os.set_inheritable(reading, True)
os.execv("/usr/bin/bwrap", ["bwrap", *bubblewrap.bwrap_arguments(SandboxLimits(), reading)])
"""


def client_of_a_daemon(folder: Path, name: str = "docker", refusal: str = "") -> Path:
    """An executable in *folder* that stands for a client called *name*: it writes down what it is
    asked, and runs containers in bubblewrap, or says *refusal*."""
    script = folder / name
    script.write_text(_CLIENT.format(python=sys.executable, root=str(ROOT), refusal=refusal))
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return folder / "asked"
