"""The OpenEnv server in processes of its own, which a benchmark starts, watches and ends.

Linux only.

benchmark ──► uvicorn (supervisor, with several workers) ──► event loops ──► day processes
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from pydantic import JsonValue

ROOT = Path(__file__).resolve().parent.parent
APP = "trainee_bench.harness.integrations.openenv.app:app"
OPTIONS_VARIABLE = "TRAINEE_BENCH_OPENENV"
GRACEFUL_SECONDS = 20
"""As in deploy/image/start."""
_FILES_BESIDES = 512
_TICKS = os.sysconf("SC_CLK_TCK")
_PR_SET_PDEATHSIG = 1
_POLL_SECONDS = 0.1


class ServerNotReady(Exception):
    """The server did not start in time, or ended; the message has the end of its log."""


class TooFewFiles(Exception):
    """This machine allows a process too few open files; the message names the remedy."""


@dataclass(frozen=True)
class ServerProcesses:
    """The process ids of a server by what they do."""

    loops: list[int]
    """The workers, whose event loops have the connections."""
    days: list[int]
    """The processes below them that step or draw days."""
    others: list[int]

    @property
    def all(self) -> list[int]:
        """All of them."""
        return [*self.loops, *self.days, *self.others]


def allow_files(sessions: int) -> None:
    """Raise the limit of open files of this process and those that it starts, for so many
    *sessions*.

    Raises TooFewFiles.
    """
    wanted = sessions + _FILES_BESIDES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise TooFewFiles(
            f"{sessions} sessions need {wanted} open files, but this process may have {hard}. "
            f"Raise the limit as root: `ulimit -Hn {wanted}` in the shell, or `LimitNOFILE` of "
            "its systemd unit; or measure fewer sessions with --sessions."
        )
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of one process so far; 0.0 if it has ended."""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS
    return 0.0


def shared_megabytes(pid: int) -> float:
    """Return the proportional share (PSS) of memory of one process; 0.0 if it has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


def free_port() -> int:
    """Return a port of the loopback that nobody listens at now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


class OfficeServer:
    """A server with so many *workers* on the loopback; *options* are those of `OpenEnvOptions`.

    Its log is ``server.log`` in *folder*. It ends with the block, or with this process.
    """

    def __init__(self, folder: Path, options: Mapping[str, JsonValue], workers: int):
        self._folder, self._workers = folder, workers
        self._options = dict(options)
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end(0)

    @property
    def url(self) -> str:
        """The address of the web socket."""
        return f"ws://127.0.0.1:{self.port}/ws"

    @property
    def root(self) -> int:
        """The id of the first process, which is the only worker or the supervisor of several."""
        assert self._process is not None
        return self._process.pid

    @property
    def runs(self) -> bool:
        """Whether the first process runs."""
        return self._process is not None and self._process.poll() is None

    def start(self, seconds: float) -> None:
        """Start it and wait for all workers. Raises ServerNotReady after *seconds*."""
        command = [
            *(sys.executable, "-m", "uvicorn", APP, "--host", "127.0.0.1"),
            *("--port", str(self.port), "--workers", str(self._workers), "--backlog", "4096"),
            *("--log-level", "warning", "--no-access-log"),
            *("--timeout-graceful-shutdown", str(GRACEFUL_SECONDS)),
        ]
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        given = {OPTIONS_VARIABLE: json.dumps(self._options), "PYTHONPATH": path}
        with (self._folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                command,
                cwd=self._folder,
                env={**os.environ, **given},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=end_with_parent,
            )
        self.wait_until_ready(seconds)

    def wait_until_ready(self, seconds: float) -> None:
        """Wait until all workers take sessions. Raises ServerNotReady."""
        ends = time.monotonic() + seconds
        while not (self._all_started() and self._is_ready()):
            if not self.runs or time.monotonic() > ends:
                why = "ended" if not self.runs else f"was not ready after {seconds:g} s"
                raise ServerNotReady(f"the server {why}; its log ends with:\n{self.log_end()}")
            time.sleep(_POLL_SECONDS)

    def log_end(self) -> str:
        """Return the last part of the log."""
        return (self._folder / "server.log").read_text(errors="replace")[-2000:].strip()

    def processes(self) -> ServerProcesses:
        """Return the processes that run now."""
        below, names = _process_tree()

        def spawned(parent: int) -> list[int]:
            return [pid for pid in below[parent] if "spawn_main" in names.get(pid, "")]

        loops = [self.root] if self._workers == 1 else spawned(self.root)
        days = [pid for loop in loops for pid in spawned(loop)]
        family, queue = list[int](), [self.root]
        while queue:
            family.append(queue.pop())
            queue += below[family[-1]]
        known = {*loops, *days}
        return ServerProcesses(loops, days, [pid for pid in family if pid not in known])

    def day_processes(self) -> list[int]:
        """Return the first process below each worker, which steps days as the pool starts it."""
        below, names = _process_tree()
        return [
            min(pid for pid in below[loop] if "spawn_main" in names.get(pid, ""))
            for loop in self.processes().loops
            if below[loop]
        ]

    def end(self, seconds: float) -> float:
        """Ask it to end with SIGTERM, and kill all of it after *seconds*; return how long it took.

        Its processes are gone afterwards.
        """
        if self._process is None:
            return 0.0
        began = time.monotonic()
        family = self.processes().all if self.runs else []
        if seconds and self.runs:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        _wait_until_gone(family)
        return time.monotonic() - began

    def _all_started(self) -> bool:
        if not self.runs:
            return False
        found = self.processes()
        return len(found.loops) == self._workers and len(found.days) >= self._workers

    def _is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5) as said:
                return bool(said.status == 200)
        except (OSError, urllib.error.URLError):
            return False


def end_with_parent() -> None:
    """Have the kernel send this process SIGTERM when the process that started it is gone."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _process_tree() -> tuple[dict[int, list[int]], dict[int, str]]:
    """Return the children of each process of this machine, and each one's command line."""
    below: dict[int, list[int]] = defaultdict(list)
    names: dict[int, str] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                if fields[0] == "Z":
                    continue
                below[int(fields[1])].append(int(folder.name))
                names[int(folder.name)] = (folder / "cmdline").read_text()
    return below, names


def _wait_until_gone(pids: list[int]) -> None:
    """Wait until the killed processes *pids* have ended; the kernel may need a moment."""
    while any(_lives(pid) for pid in pids):
        time.sleep(_POLL_SECONDS)


def _lives(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False
