"""Run steps beside each other, and show the output of each in one piece when it has ended.

    python .ci/side_by_side.py [--at-once N] [--limit SECONDS] PROGRAM STEP …

It starts `PROGRAM STEP` for each step, in this order and at most N at once. All steps are run even
if one fails, so one run tells everything that is broken. A step fails if its exit code is not 0 or
if it takes longer than SECONDS. In the end a table shows the time and the processor time of each.
Exit code 1 if a step failed. Each step has a process group, and what it leaves running there is
ended with it. However this program fails, it ends the steps that are running.
"""

from __future__ import annotations

import argparse
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

POLL = 0.1
"""Seconds between two looks at the steps that are running."""
LIMIT, GRACE = 1800, 10
"""Seconds after which a step is told to end, and in which it may tidy up before it is killed."""


@dataclass(frozen=True)
class Ended:
    """A step that has ended; times are in seconds."""

    name: str
    failure: str
    """Why it failed; empty if it passed."""
    wall: float
    processor: float
    """Time of the processors, with all processes that the step waited for."""


class Running:
    """A step at work. It leads a group of processes, and its output goes to a file."""

    def __init__(self, program: str, name: str, limit: float):
        self.name = name
        self._limit = limit
        self._began = time.monotonic()
        self._stopped, self._killed_at = "", math.inf
        self._output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (show() closes it)
        self._process = subprocess.Popen(
            [program, name],
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def stop(self, why: str) -> None:
        """Tell the step to end, for this reason."""
        if not self._stopped:
            self._stopped, self._killed_at = why, time.monotonic() + GRACE
            self._signal(signal.SIGTERM)

    def look(self) -> Ended | None:
        """Return how the step ended; None while it is running."""
        wall = time.monotonic() - self._began
        if wall > self._limit:
            self.stop(f"took longer than {self._limit:g} s")
        if time.monotonic() > self._killed_at:
            self._signal(signal.SIGKILL)
        pid, status, used = os.wait4(self._process.pid, os.WNOHANG)
        if pid == 0:
            return None
        code = self._process.returncode = os.waitstatus_to_exitcode(status)
        self._signal(signal.SIGKILL)
        failure = self._stopped or (f"exit code {code}" if code else "")
        return Ended(self.name, failure, wall, used.ru_utime + used.ru_stime)

    def show(self, outcome: str) -> None:
        """Print the step's output under a title."""
        print(f"\n== {self.name}: {outcome}", flush=True)
        self._output.seek(0)
        for line in self._output:
            sys.stdout.buffer.write(line)
        sys.stdout.flush()
        self._output.close()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):  # nothing of it is left
            os.killpg(self._process.pid, number)


def run(program: str, names: Sequence[str], at_once: int, limit: float) -> list[Ended]:
    """Run all steps; return how they ended, in the order in which they did.

    If this process is interrupted, the running steps are stopped and their output is shown. Raises
    OSError if a step cannot be started or the output cannot be written.
    """
    waiting, running, ended = list(names), list[Running](), list[Ended]()
    interrupts: list[int] = []  # noted, as an exception could lose a step that is just starting
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
            signal.signal(number, lambda number, _: interrupts.append(number))
    try:
        while waiting or running:
            while waiting and len(running) < at_once and not interrupts:
                print(f"-- {waiting[0]} begins", flush=True)
                running.append(Running(program, waiting.pop(0), limit))
            ended += take_ended(running)
            if interrupts:
                waiting.clear()
                for step in running:
                    step.stop("was interrupted")
    finally:
        end_all(running)
    if interrupts:
        sys.exit(128 + interrupts[0])
    return ended


def take_ended(running: list[Running]) -> list[Ended]:
    """Wait a moment; then take out of *running* what has ended, show it and return it."""
    time.sleep(POLL)
    found = [(step, end) for step in running if (end := step.look()) is not None]
    for step, _ in found:
        running.remove(step)
    for step, end in found:
        step.show(f"FAILED: {end.failure}" if end.failure else "passed")
    return [end for _, end in found]


def end_all(running: list[Running]) -> None:
    """End all *running* steps, without a word."""
    for step in running:
        step.stop("was not needed any more")
    while running:
        running[:] = [step for step in running if step.look() is None]
        time.sleep(POLL)


def main() -> None:
    """Read the command line, run the steps, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--at-once", type=int, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("--limit", type=float, default=LIMIT, metavar="SECONDS")
    parser.add_argument("program")
    parser.add_argument("steps", nargs="+")
    options = parser.parse_args()
    if options.at_once < 1:
        parser.error("--at-once has to be 1 or more")
    if not options.limit > 0:
        parser.error("--limit has to be more than 0 seconds")
    began = time.monotonic()
    try:
        ended = run(options.program, options.steps, options.at_once, options.limit)
    except BrokenPipeError:  # nobody reads the output any more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit("nobody reads the output, so the steps were ended")
    except OSError as error:
        sys.exit(f"{error.filename or options.program}: {error.strerror}; the steps were ended")
    print(f"\n== {len(ended)} steps in {time.monotonic() - began:.0f} s, with processor time")
    for end in ended:
        print(f"{end.name:<20} {end.wall:6.0f} s {end.processor:6.0f} s  {end.failure or 'passed'}")
    if failed := [end.name for end in ended if end.failure]:
        sys.exit(f"failed: {' '.join(failed)}")


if __name__ == "__main__":
    main()
