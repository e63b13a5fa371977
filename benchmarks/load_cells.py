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

from pydantic import JsonValue

from benchmarks.load_clients import ClientPlan
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
from benchmarks.load_table import Cell, ClientResult, Row, Settings, limit_of

READY_SECONDS = 300.0
_ROOM_BESIDES = 64
_TICKS = os.sysconf("SC_CLK_TCK")


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
        row.stopped = (
            f"the clients ended, or were stopped after {settings.limit:g} s, in phase {phase!r}"
        )
        return
    row.clients = ClientResult.model_validate_json(result)
    row.rate = row.clients.steps / row.clients.window
    row.client = row.clients.cpu / row.clients.window
    row.elsewhere = max(row.elsewhere - row.client, 0.0)


def _machine_seconds() -> float:
    """CPU seconds that all processors have worked since the machine started."""
    fields = Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    user, nice, system, _, _, interrupts, soft, *_ = map(int, fields)
    return (user + nice + system + interrupts + soft) / _TICKS
