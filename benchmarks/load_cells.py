"""One cell of `benchmarks/load.py`: a server in a fresh folder, its clients, and their figures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Timer

from pydantic import BaseModel, JsonValue

from benchmarks.load_clients import ClientPlan, ClientResult
from benchmarks.load_days import ScriptedDay
from benchmarks.load_server import (
    GRACEFUL_SECONDS,
    ROOT,
    OfficeServer,
    ServerNotReady,
    cpu_seconds,
    end_with_parent,
    shared_megabytes,
)

READY_SECONDS = 90.0
FULL = 0.9
"""From this share of a processor on, it limits the row."""
_ROOM_BESIDES = 64
_TICKS = os.sysconf("SC_CLK_TCK")


class Cell(BaseModel):
    """How many sessions work, how many seconds each thinks before a step, and the workers."""

    sessions: int
    thinking: float
    workers: int


class Settings(BaseModel):
    """What all cells have in common. Times are in seconds."""

    seconds: float = 30.0
    """How long the sessions of a cell work."""
    steps: int = 10_000
    """The most steps of one session."""
    at_once: int = 32
    """How many sessions begin or are checked at the same time."""
    processes: int = 1
    """Processes that step the days, for each worker of the server."""
    save_every: int = 1
    limit: float = 420.0
    """After so long a cell is stopped."""


class Row(BaseModel):
    """The figures of a cell. CPU figures are processors in use on average while sessions worked."""

    cell: Cell
    stopped: str = ""
    """Why there are no figures, or they are not complete; empty otherwise."""
    rate: float = 0.0
    """Steps answered a second."""
    clients: ClientResult = ClientResult()
    megabytes: float = 0.0
    """Memory of all processes of the server: proportional shares, after the work."""
    server: float = 0.0
    busiest_loop: float = 0.0
    busiest_days: float = 0.0
    """The busiest process that steps days."""
    client: float = 0.0
    elsewhere: float = 0.0
    """Processors used by other programs."""
    processors: int = 0
    limit: str = ""
    """What limits the row."""
    whole_seconds: float = 0.0

    @property
    def holds(self) -> bool:
        """Whether all sessions worked, were checked, and lost nothing."""
        told = self.clients
        return not (self.stopped or told.broken or told.unchecked or told.lost or told.differing)


class _Usage:
    """CPU seconds of the machine and of a server's processes, from now on."""

    def __init__(self, server: OfficeServer):
        self._processes, self._began = server.processes(), time.perf_counter()
        self._cpu = {pid: cpu_seconds(pid) for pid in self._processes.all}
        self._machine = _machine_seconds()

    def fill(self, row: Row) -> None:
        """Write the use since then into *row*."""
        passed = time.perf_counter() - self._began
        used = {pid: max(cpu_seconds(pid) - had, 0) / passed for pid, had in self._cpu.items()}
        row.server = sum(used.values())
        row.busiest_loop = max(used[pid] for pid in self._processes.loops)
        row.busiest_days = max(used[pid] for pid in self._processes.days)
        row.elsewhere = (_machine_seconds() - self._machine) / passed - row.server
        row.megabytes = sum(shared_megabytes(pid) for pid in self._processes.all)


def measure(cell: Cell, settings: Settings, days: Sequence[ScriptedDay]) -> Row:
    """Measure *cell*. Nothing of it runs afterwards."""
    began = time.monotonic()
    row = Row(cell=cell, processors=len(os.sched_getaffinity(0)))
    with tempfile.TemporaryDirectory(prefix="load-") as scratch:
        folder = Path(scratch)
        options: dict[str, JsonValue] = {
            "store": str(folder / "days"),
            "max_sessions": cell.sessions + _ROOM_BESIDES,
            "processes": settings.processes,
            "save_every": settings.save_every,
        }
        with OfficeServer(folder, options, cell.workers) as server:
            try:
                server.start(READY_SECONDS)
                _work(row, server, settings, days, settings.limit + began - time.monotonic())
            except ServerNotReady as error:
                row.stopped = str(error)
            if row.clients.said or row.stopped:
                print(server.log_end(), file=sys.stderr)
            server.end(GRACEFUL_SECONDS + 10)
    row.limit = limit_of(row)
    row.whole_seconds = time.monotonic() - began
    return row


def _work(
    row: Row,
    server: OfficeServer,
    settings: Settings,
    days: Sequence[ScriptedDay],
    seconds: float,
) -> None:
    """Let the clients of *row* work at *server*, for at most so many *seconds*."""
    cell, phase, result = row.cell, "start", ""
    plan = ClientPlan(
        url=server.url, sessions=cell.sessions, thinking=cell.thinking, seconds=settings.seconds,
        steps=settings.steps, at_once=settings.at_once, days=list(days),
    )  # fmt: skip
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.load_clients"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=end_with_parent,
    ) as clients:
        stopping = Timer(max(seconds, 0), clients.kill)
        stopping.start()
        try:
            assert clients.stdin is not None and clients.stdout is not None
            with suppress(BrokenPipeError):
                clients.stdin.write(plan.model_dump_json())
                clients.stdin.close()
            usage: _Usage | None = None
            for line in clients.stdout:
                told = json.loads(line)
                if "phase" not in told:
                    result = line
                    continue
                phase = told["phase"]
                if phase == "work":
                    usage = _Usage(server)
                elif phase == "finish" and usage is not None:
                    usage.fill(row)
        finally:
            stopping.cancel()
            clients.kill()
    if not result:
        row.stopped = f"the clients ended or were stopped after {seconds:.0f} s, phase {phase!r}"
        return
    row.clients = ClientResult.model_validate_json(result)
    row.rate = row.clients.steps / row.clients.window
    row.client = row.clients.cpu / row.clients.window
    row.elsewhere = max(row.elsewhere - row.client, 0.0)


def limit_of(row: Row) -> str:
    """Say what limits *row*: the process or the processors that are in use all the time, or the
    waiting of the sessions themselves."""
    if row.stopped:
        return "stopped"
    cell, told = row.cell, row.clients
    if row.client >= FULL:
        return f"the client ({row.client:.0%} of a processor)"
    if row.busiest_days >= FULL:
        return f"a day process ({row.busiest_days:.0%})"
    if row.busiest_loop >= FULL:
        return f"an event loop ({row.busiest_loop:.0%})"
    used = row.server + row.client
    if used + row.elsewhere >= FULL * row.processors:
        others = f", other programs {row.elsewhere:.1f}" if row.elsewhere > 0.1 else ""
        return (
            f"{row.processors} processors: server {row.server:.1f}, client {row.client:.1f}{others}"
        )
    if cell.thinking and row.rate >= FULL * cell.sessions / (cell.thinking + told.median):
        return "thinking"
    return "waiting for each other: no process is busy all the time"


def _machine_seconds() -> float:
    """CPU seconds that all processors have worked since the machine started."""
    fields = Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    user, nice, system, _, _, interrupts, soft, *_ = map(int, fields)
    return (user + nice + system + interrupts + soft) / _TICKS
