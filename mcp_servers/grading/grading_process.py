"""The grading process: worlds come in on standard input, grades go out on standard output.

`grader.py` starts it and sets its limits. It ends when its standard input ends, and so with the
process that started it. A step that holds the interpreter ends at its deadline at the latest.
"""

from __future__ import annotations

import importlib
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Mapping
from typing import BinaryIO

import anyio

from trainee_bench.mcp_servers.grading.messages import (
    GradingOutcome,
    GradingReport,
    GradingRequest,
    GradingStep,
    Surroundings,
    to_line,
)
from trainee_bench.mcp_servers.serving.log_replay import ReplayDiverged
from trainee_bench.mcp_servers.verifier import DayGrade, grade_world
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.world import World

if sys.platform != "win32":
    import resource

_Work = tuple[GradingRequest, bytes]
MEMORY_BYTES = 4 << 30
"""Maximum address space of the process. Grading an honest week takes a third of one GiB."""


def main(surroundings: str) -> None:
    """Grade each requested world until standard input ends."""
    _prepare(Surroundings.model_validate_json(surroundings))
    requests, reports = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # keeps what a family prints out of the reports
    work: queue.SimpleQueue[_Work] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, work), daemon=True).start()
    _report(reports, GradingReport())
    while True:
        request, state = work.get()
        outcome = _grade(request, state, _Watch(request, reports))
        _limit_time(0)
        _report(reports, GradingReport(outcome=outcome))


def _prepare(surroundings: Surroundings) -> None:
    """Search modules where the parent does, ignore interrupts, and limit time and memory.

    The kernel ends this process when its time is up, even in code that holds the interpreter.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        _limit(resource.RLIMIT_CORE, 0)
    if sys.platform == "linux":  # other systems do not enforce this limit
        _limit(resource.RLIMIT_AS, MEMORY_BYTES)
    for package, folders in surroundings.places.items():
        importlib.import_module(package).__path__[:] = folders


def _limit(of: int, most: int) -> None:
    """Limit a resource to *most*, or to this process's hard limit if that is lower."""
    hard = resource.getrlimit(of)[1]
    resource.setrlimit(of, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _listen(requests: BinaryIO, work: queue.SimpleQueue[_Work]) -> None:
    """Pass on the requests, and end the process when no more can come."""
    try:
        while line := requests.readline():
            request = GradingRequest.model_validate_json(line)
            state = requests.read(request.size)
            if len(state) < request.size:  # its writer was killed while writing
                break
            work.put((request, state))
    except MemoryError:
        os._exit(1)
    os._exit(0)


def _report(reports: BinaryIO, report: GradingReport) -> None:
    try:
        reports.write(to_line(report))
        reports.flush()
    except BrokenPipeError:  # nobody waits for the report any more
        os._exit(0)


class _Watch:
    """Reports each step as it begins, and has the kernel end the process if it takes too long."""

    def __init__(self, request: GradingRequest, reports: BinaryIO):
        self._request = request
        self._reports = reports

    def replaying(self) -> None:
        """Note that the day is being composed, or replayed up to a deadline."""
        self._begin(GradingStep(), self._request.replay_seconds)

    def ruling(self, check: str) -> str | None:
        """Return why *check* has already failed, or None if it is to run."""
        failed: Mapping[str, str] = self._request.failed
        if check not in failed:
            self._begin(GradingStep(check=check), self._request.check_seconds)
        return failed.get(check)

    def _begin(self, step: GradingStep, seconds: float) -> None:
        _report(self._reports, GradingReport(step=step))
        _limit_time(seconds)


def _limit_time(seconds: float) -> None:
    """End this process after *seconds* of processor time; 0 for no limit.

    Processor time does not depend on what else the machine does.
    """
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _grade(request: GradingRequest, state: bytes, watch: _Watch) -> GradingOutcome:
    async def grade() -> DayGrade:
        watch.replaying()
        async with World.deserialize_inline(state) as world:
            return await grade_world(world, watch)

    try:
        return GradingOutcome(grade=anyio.run(grade).model_dump_json())
    except WorldFileError as error:
        return GradingOutcome(refused=str(error))
    except ReplayDiverged as error:
        return GradingOutcome(diverged=(error.seq, error.what))
    except Exception:  # noqa: BLE001 - the other process raises it
        return GradingOutcome(crash=traceback.format_exc())
