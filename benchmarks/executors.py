"""Episodes per minute and memory of each executor, for the same episodes on the same machine.

    python benchmarks/executors.py [--episodes 500] [--workers 2] [--concurrency 4]

The oracle works days of core-50. Each executor has its own run, including its start; "steady"
leaves out the time until the first result. Memory is the largest total resident memory of all
processes of the run, sampled ten times a second. Ratios are to async. Linux only.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from trainee_bench.harness.records.plan import ExecutorName

ROOT = Path(__file__).parent.parent
SCENARIOS = 50
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Figures:
    """The measurements of one run: seconds, and bytes."""

    episodes: int
    first: float
    whole: float
    peak: int
    processes: int

    @property
    def per_minute(self) -> float:
        return 60 * self.episodes / self.whole

    @property
    def steady(self) -> float:
        return 60 * (self.episodes - 1) / max(self.whole - self.first, 1e-9)


def resident(root: int) -> tuple[int, int]:
    """The resident bytes of a process and all its descendants, and the number of processes."""
    children: dict[int, list[int]] = defaultdict(list)
    pages: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            after_name = (folder / "stat").read_text().rpartition(")")[2].split()
            pages[int(folder.name)] = int((folder / "statm").read_text().split()[1])
        except OSError:  # it has ended meanwhile
            continue
        children[int(after_name[1])].append(int(folder.name))
    family, below = [], [root]
    while below:
        process = below.pop()
        family.append(process)
        below += children[process]
    return sum(pages.get(process, 0) for process in family) * PAGE, len(family)


def lines(ledger: Path) -> int:
    return ledger.read_bytes().count(b"\n") if ledger.exists() else 0


def measure(executor: ExecutorName, episodes: int, workers: int, concurrency: int) -> Figures:
    """Run the episodes by one executor."""
    limit = min(episodes, SCENARIOS)
    spread = [] if executor is ExecutorName.ASYNC else ["--workers", str(workers)]
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "run"
        command = [
            *(
                sys.executable,
                "-m",
                "trainee_bench.harness",
                "run",
                "--config",
                "core-50",
                "--agent",
                "oracle",
            ),
            *("--limit", str(limit), "--epochs", str(episodes // limit)),
            *("--executor", executor, *spread, "--max-concurrency", str(concurrency)),
            *("--out", str(out)),
        ]
        began = time.perf_counter()
        first = peak = most = 0.0
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as run:
            while run.poll() is None:
                held, count = resident(run.pid)
                peak, most = max(peak, held), max(most, count)
                if not first and lines(out / "results.jsonl"):
                    first = time.perf_counter() - began
                time.sleep(0.1)
        whole = time.perf_counter() - began
        if run.returncode:
            raise SystemExit(f"{executor}: the run ended with {run.returncode}")
        return Figures(lines(out / "results.jsonl"), first, whole, int(peak), int(most))


def main(episodes: int, workers: int, concurrency: int) -> None:
    """Print the table."""
    print(f"{len(os.sched_getaffinity(0))} processors, {workers} workers, {concurrency} at a time")
    heads = ("executor", "episodes", "first s", "whole s", "per min", "ratio")
    more = ("steady", "ratio", "peak MB", "ratio", "processes")
    widths = (-10, 8, 8, 8, 8, 6, 8, 6, 8, 6, 9)
    print(
        *(f"{h:{'<' if w < 0 else '>'}{abs(w)}}" for h, w in zip(heads + more, widths, strict=True))
    )
    base: Figures | None = None
    for executor in ExecutorName:
        if executor is ExecutorName.RAY and importlib.util.find_spec("ray") is None:
            print(f"{executor:<10} is not installed")
            continue
        seen = measure(executor, episodes, workers, concurrency)
        base = base or seen
        print(
            f"{executor:<10} {seen.episodes:>8} {seen.first:>8.1f} {seen.whole:>8.1f}"
            f" {seen.per_minute:>8.0f} {seen.per_minute / base.per_minute:>6.2f}"
            f" {seen.steady:>8.0f} {seen.steady / base.steady:>6.2f}"
            f" {seen.peak / 1e6:>8.0f} {seen.peak / base.peak:>6.2f} {seen.processes:>9}",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--episodes", type=int, default=500)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--concurrency", type=int, default=4)
    options = parser.parse_args()
    main(options.episodes, options.workers, options.concurrency)
