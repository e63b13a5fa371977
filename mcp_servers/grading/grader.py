"""Grades worlds in another process, so that grading always ends, whatever was handed in.

    the bytes of a world ──► grading process ──► its grade
                              │ took too long
                              └► ended; graded again, counting the slow check as failed

Some code, such as a regular expression that backtracks, holds the interpreter as long as it runs.
No Python thread or signal handler can end it.
"""

from __future__ import annotations

import atexit
import importlib
import os
import queue
import signal
import subprocess
import sys
import threading
from collections import Counter
from contextlib import suppress

import anyio
import anyio.to_thread

from trainee_bench.mcp_servers.grading.messages import (
    PLACES,
    GradingOutcome,
    GradingReport,
    GradingRequest,
    Surroundings,
    to_line,
)
from trainee_bench.mcp_servers.serving.log_replay import ReplayDiverged
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.world import World

CHECK_SECONDS = 20.0
"""Maximum processor time of a check. An honest check takes milliseconds."""
REPLAY_SECONDS = 600.0
"""Maximum processor time for composing a day, or for replaying it up to a deadline."""
PATIENCE = 6
"""How many times longer than its processor time a step may take by the clock, on a busy machine."""
_START_SECONDS = 20.0
_TRIES = 2
"""How often the process may end in the same step for an unknown reason."""
_CODE = """
import gc, json, sys
gc.disable()
surroundings = sys.argv[1]
sys.path[:] = json.loads(surroundings)["path"]
from trainee_bench.mcp_servers.grading.grading_process import main
gc.freeze()
gc.enable()
main(surroundings)
"""
"""The program of the grading process. It finds modules where this process does, and does not run
``__main__`` again. Modules are never garbage, so collection starts after the imports."""


OFFICES = "TRAINEE_BENCH_OFFICES"
"""The variable that names the folders of open offices."""


class GradingFault(Exception):
    """A world could not be graded, for a reason outside its checks."""


class _Ended(Exception):
    """The process ended, or was ended, before it gave an outcome."""

    def __init__(self, check: str | None, why: str, *, too_slow: bool):
        super().__init__(why)
        self.check = check
        self.too_slow = too_slow


class _Abandoned(Exception):
    """Nobody waits for the grade any more."""


class _Process:
    """A grading process, and the reports it has sent."""

    def __init__(self, surroundings: Surroundings):
        self.surroundings = surroundings
        self._process = subprocess.Popen(  # noqa: S603 - our own code
            [sys.executable, "-c", _CODE, surroundings.model_dump_json()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for this process
            env={**os.environ, OFFICES: surroundings.offices},
        )
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def wait_until_ready(self) -> None:
        """Wait until it can grade. Raises GradingFault."""
        try:
            self._next(None, _START_SECONDS)
        except _Ended as error:
            raise GradingFault(f"the grading process does not start: {error}") from None

    def grade(self, state: bytes, request: GradingRequest) -> GradingOutcome:
        """Return the outcome for the world in *state*. Raises _Ended."""
        assert self._process.stdin is not None
        check, seconds = None, request.replay_seconds
        try:
            self._process.stdin.write(to_line(request) + state)
            self._process.stdin.flush()
        except BrokenPipeError:
            raise _Ended(None, self._how_it_ended(), too_slow=False) from None
        while True:
            report = self._next(check, seconds)
            if report.outcome is not None:
                return report.outcome
            check = report.step.check if report.step else None
            seconds = request.replay_seconds if check is None else request.check_seconds

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()

    def close(self) -> None:
        """End the process, and wait until it has ended."""
        self.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):  # part of a request was still to be written
                pipe.close()

    def let_go(self) -> None:
        """Close our end of its input after a fork, so that the process ends with its parent."""
        assert self._process.stdin is not None
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, self._process.stdin.fileno(), inheritable=False)
        os.close(nothing)

    def _listen(self) -> None:
        """Pass on what it writes. Runs in a thread, since pipes have no deadlines."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _next(self, check: str | None, seconds: float) -> GradingReport:
        """Return the next report, within a step of at most *seconds*. Raises _Ended."""
        try:
            line = self._lines.get(timeout=PATIENCE * seconds)
        except queue.Empty:
            self.kill()
            raise _Ended(check, f"no answer for {PATIENCE * seconds:g} s", too_slow=False) from None
        if not line.endswith(b"\n"):
            raise _Ended(check, self._how_it_ended(), too_slow=self._ran_out_of_time())
        return GradingReport.model_validate_json(line)

    def _ran_out_of_time(self) -> bool:
        return sys.platform != "win32" and self._process.wait() == -signal.SIGPROF

    def _how_it_ended(self) -> str:
        code = self._process.wait()
        return f"it ended with signal {-code}" if code < 0 else f"it ended with exit code {code}"


class _Grading:
    """One world to be graded, while somebody waits for it."""

    def __init__(self, state: bytes):
        self.state = state
        self.failed: dict[str, str] = {}
        self.deaths: Counter[str | None] = Counter()
        self.abandoned = False

    def request(self) -> GradingRequest:
        """Return the next request to the process."""
        return GradingRequest(
            size=len(self.state),
            failed=self.failed,
            check_seconds=CHECK_SECONDS,
            replay_seconds=REPLAY_SECONDS,
        )

    def take(self, end: _Ended) -> None:
        """Decide how to go on after an *end* of the process. Raises GradingFault."""
        self.deaths[end.check] += 1
        if not end.too_slow and self.deaths[end.check] < _TRIES:
            return
        if end.check is not None:
            self.failed[end.check] = (
                f"the check took longer than {CHECK_SECONDS:g} s on what was handed in"
                if end.too_slow
                else f"the check ended the grading process on what was handed in ({end})"
            )
        elif end.too_slow:
            raise GradingFault(f"replaying the day for grading took over {REPLAY_SECONDS:g} s")
        else:
            raise GradingFault(f"the grading process broke: {end}")


class Grader:
    """The grading process of this process, started on first use and again after a deadline has
    ended it.

    It grades one world at a time; any thread and event loop may ask.
    """

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._process: _Process | None = None
        self._graded: _Grading | None = None
        self._inherited: list[_Process] = []

    async def grade(self, world: World) -> str:
        """Return the grade of *world*, as JSON.

        Raises WorldFileError for a world that cannot be graded here, ReplayDiverged if its log does
        not lead to it, and GradingFault if something broke outside of its checks.
        """
        grading = _Grading(await world.serialize())
        alone = anyio.CapacityLimiter(1)  # waiting for a turn takes no thread from others
        try:
            outcome = await anyio.to_thread.run_sync(
                self._grade, grading, abandon_on_cancel=True, limiter=alone
            )
        except anyio.get_cancelled_exc_class():
            self._abandon(grading)
            raise
        if outcome.refused is not None:
            raise WorldFileError(outcome.refused)
        if outcome.diverged is not None:
            raise ReplayDiverged(*outcome.diverged)
        if outcome.grade is None:
            raise GradingFault(f"in the grading process:\n{outcome.crash}")
        return outcome.grade

    def close(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def forget(self) -> None:
        """Leave the process to the parent after a fork, and start another when needed."""
        self._turn = threading.Lock()
        self._graded = None
        if self._process is not None:
            self._process.let_go()
            self._inherited.append(self._process)
            self._process = None

    def _grade(self, grading: _Grading) -> GradingOutcome:
        with self._turn:
            self._graded = grading
            try:
                while not grading.abandoned:
                    try:
                        return self._running().grade(grading.state, grading.request())
                    except _Ended as end:
                        self.close()
                        if not grading.abandoned:
                            grading.take(end)
                raise _Abandoned
            finally:
                self._graded = None

    def _abandon(self, grading: _Grading) -> None:
        """Stop *grading*, for which nobody waits any more: end the process if it is grading this
        world."""
        grading.abandoned = True
        process = self._process
        if self._graded is grading and process is not None:
            process.kill()

    def _running(self) -> _Process:
        """Return the process, whose module search paths match this one's now. Raises
        GradingFault."""
        here = _surroundings()
        if self._process is not None and self._process.surroundings != here:
            self.close()
        if self._process is None:
            self._process = _Process(here)
            try:
                self._process.wait_until_ready()
            except GradingFault:
                self.close()
                raise
        return self._process


def _surroundings() -> Surroundings:
    places = {name: tuple(importlib.import_module(name).__path__) for name in PLACES}
    path = tuple(folder for folder in sys.path if isinstance(folder, str))  # others are ignored
    return Surroundings(path=path, places=places, offices=os.environ.get(OFFICES, ""))


GRADER = Grader()
atexit.register(GRADER.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=GRADER.forget)
