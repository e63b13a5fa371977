"""The OpenEnv server under load: sessions, thinking and workers. Linux, loopback only.

    python -m benchmarks.load [--sessions N,N …] [--thinking S,S …] [--workers N,N …] [--json FILE]

For each cell it starts the server in a fresh folder and lets so many sessions work over web
sockets: `reset`, the oracle's calls of eight days of core-50, and another day after the last call.
At the end of each day, and of the cell, a session compares the server's number of steps and the
digest with its own. A step that was answered and that the server does not have is lost.

All sessions are in one client process. Its CPU time is reported, and each row says what limits it.
A session thinks from an answer to its next step. P50 and P99 are the client's times of a step.
Exit code 1 if a step is lost, or a cell is not complete.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.load_cells import measure
from benchmarks.load_days import SPLIT, scripted_days
from benchmarks.load_server import ROOT, TooFewFiles, allow_files
from benchmarks.load_table import Cell, Conditions, LoadTable, Row, Settings, markdown, row_cells
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION

SESSIONS = (1, 50, 500, 1_000, 2_000, 4_000)
THINKING = (0.0, 5.0)
WORKERS = (1, 2)
LIMIT_MINUTES = 120.0
_PACKAGES = ("openenv", "uvicorn", "websockets", "starlette", "pydantic")


def conditions(settings: Settings, calls: dict[str, int]) -> Conditions:
    """Return the present conditions."""
    return Conditions(
        measured=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        commit=_commit(),
        generator_version=GENERATOR_VERSION,
        score_version=SCORE_VERSION,
        split=SPLIT,
        python=platform.python_version(),
        packages={name: importlib.metadata.version(name) for name in _PACKAGES},
        processors=len(os.sched_getaffinity(0)),
        megabytes=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20,
        load=os.getloadavg()[0],
        calls=calls,
        settings=settings,
    )


def _commit() -> str:
    """The commit of the sources, with a plus sign if files differ from it; empty without git."""
    try:
        ask = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+", "--exclude=*"]
        return subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def numbers(text: str) -> list[float]:
    """Read numbers that are separated by commas. Raises ValueError, also for negative ones."""
    found = [float(part) for part in text.split(",")]
    if min(found) < 0:
        raise ValueError(text)
    return found


def counts(text: str) -> list[int]:
    """Read whole numbers from 1 that are separated by commas. Raises ValueError."""
    found = [int(part) for part in text.split(",")]
    if min(found) < 1:
        raise ValueError(text)
    return found


def arguments(given: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    usual = Settings()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=counts, default=[*SESSIONS])
    parser.add_argument("--thinking", type=numbers, default=[*THINKING], help="seconds")
    parser.add_argument("--workers", type=counts, default=[*WORKERS])
    parser.add_argument("--seconds", type=float, default=usual.seconds, help="work of a cell")
    parser.add_argument("--steps", type=int, default=usual.steps, help="at most, of a session")
    parser.add_argument("--processes", type=int, default=usual.processes, help="for each worker")
    parser.add_argument("--save-every", type=int, default=usual.save_every)
    parser.add_argument("--cell-limit", type=float, default=usual.limit, help="seconds")
    parser.add_argument("--limit", type=float, default=LIMIT_MINUTES, help="minutes in all")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Measure the cells and print the table; return the exit code."""
    options = arguments(given)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    settings = Settings(
        seconds=options.seconds, steps=options.steps, processes=options.processes,
        save_every=options.save_every, limit=options.cell_limit,
    )  # fmt: skip
    try:
        allow_files(max(options.sessions))
    except TooFewFiles as error:
        print(error, file=sys.stderr)
        return 2
    ends = time.monotonic() + 60 * options.limit
    days, calls = scripted_days()
    table = LoadTable(conditions=conditions(settings, calls))
    cells = [
        Cell(sessions=sessions, thinking=thinking, workers=workers)
        for workers in options.workers
        for thinking in options.thinking
        for sessions in options.sessions
    ]
    for number, cell in enumerate(cells, start=1):
        left = ends - time.monotonic()
        if left <= 0:
            row = Row(cell=cell, stopped=f"the time limit of {options.limit:g} minutes")
        else:
            limit = min(left, settings.limit)
            row = measure(cell, settings.model_copy(update={"limit": limit}), days)
        table.rows.append(row)
        print(f"{number}/{len(cells)} {' | '.join(row_cells(row))}", file=sys.stderr, flush=True)
        for said in row.clients.said:
            print(f"  {said}", file=sys.stderr, flush=True)
        if options.json:
            options.json.write_text(table.model_dump_json(indent=2) + "\n", encoding="utf-8")
    print(markdown(table.rows))
    return 0 if all(row.holds for row in table.rows) else 1


if __name__ == "__main__":
    sys.exit(main())
