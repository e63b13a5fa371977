"""The longest pause of the garbage collector while thousands of days are open in one process.

    python benchmarks/collector_pauses.py [--days N] [--steps N] [--rewards] [--plain]

A worker of a pool opens days of the quickstart, and makes a call on each in turn, so many times. A
pause is the CPU time from the start to the end of a collection, on its thread. With ``--plain`` the
worker never freezes its objects: the same days in a program of one's own.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import time
from collections.abc import Iterable
from threading import Event

from trainee_bench.harness.environment.pool.day_worker import DayWorker
from trainee_bench.harness.environment.pool.requests import (
    BeginDay,
    DayAnswer,
    Request,
    StepDay,
)
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.harness.support import collector
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.scenario import ScenarioDay

WANTED_MS = 50.0


class Pauses:
    """The collections since the last `report`."""

    def __init__(self) -> None:
        self._began = 0.0
        self._took: list[tuple[float, int]] = []

    def __call__(self, phase: str, info: dict[str, int]) -> None:
        """Be told of the start or end of a collection."""
        if phase == "start":
            self._began = time.thread_time()
        else:
            self._took.append((time.thread_time() - self._began, info["generation"]))

    def report(self, what: str) -> None:
        """Print the longest pause, and how many collections of each generation there were."""
        longest = 1000 * max((took for took, _ in self._took), default=0.0)
        counts = [sum(at == generation for _, at in self._took) for generation in range(3)]
        verdict = "held" if longest < WANTED_MS else "MISSED"
        print(f"{what:<32} {longest:>8.1f} ms < {WANTED_MS:g} {verdict:<6} {counts}", flush=True)
        self._took.clear()


class Answers:
    """Waits until the worker has answered."""

    def __init__(self) -> None:
        self._open, self._done = 0, Event()
        self._error: BaseException | None = None

    def __call__(self, answers: list[DayAnswer]) -> None:
        """Take *answers*."""
        errors = [answer.error for answer in answers if answer.error is not None]
        self._error = self._error or next(iter(errors), None)
        self._open -= len(answers)
        if not self._open:
            self._done.set()

    def await_all(self, worker: DayWorker, requests: Iterable[Request]) -> None:
        """Let *worker* work *requests*, and return when all are answered. Raises what an answer
        has."""
        numbered = list(enumerate(requests))
        self._open = len(numbered)
        self._done.clear()
        worker.work(numbered)
        self._done.wait()
        if self._error is not None:
            raise self._error


def main() -> None:
    """Print the longest pauses while days are opened, worked, and worked again."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, default=5_000)
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--rewards", action="store_true")
    parser.add_argument("--plain", action="store_true")
    given = parser.parse_args()
    if given.plain:
        collector.FREEZE_EVERY = 10**9
    day = ScenarioDay(scenario=find_scenario(), day=0)
    pauses, answers = Pauses(), Answers()
    worker = DayWorker(answers)
    gc.callbacks.append(pauses)
    answers.await_all(
        worker, [BeginDay(id, day, rewards=given.rewards) for id in range(given.days)]
    )
    pauses.report(f"opening {given.days} days")
    call = (ToolCall("desk_tasks", {}),)
    for step in range(given.steps):
        answers.await_all(worker, [StepDay(id, call) for id in range(given.days)])
        pauses.report(f"call {step + 1} on each day")
    if given.plain:
        gc.collect()
        pauses.report("a full collection")
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{megabytes:.0f} MB; load {os.getloadavg()[0]:.1f}")
    worker.close()


if __name__ == "__main__":
    main()
