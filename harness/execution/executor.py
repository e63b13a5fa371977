"""One interface to whatever carries out episodes, and the choice of one by its name.

    courses ──► executor (this process · worker processes · a Ray cluster) ──► tell(result)

Whichever it is, every episode's result is told once, in the process that called it. Only
that process writes the ledger.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Sequence
from typing import Protocol

from harness.plan import ExecutorName, Order, PlanError
from harness.results import EpisodeResult
from harness.run_folder import RunFolder

Tell = Callable[[EpisodeResult], None]
"""Takes each result as it comes. What it raises ends the run."""

Courses = Sequence[tuple[Order, ...]]
"""Each is worked from its first order to its last by one recruit."""


class Executor(Protocol):
    """Whoever carries out courses."""

    async def run(self, courses: Courses, folder: RunFolder, concurrency: int, tell: Tell) -> None:
        """Work all *courses*, at most *concurrency* at a time, and *tell* each result once.

        An episode that breaks leaves the others alone. A bug of ours raises; when this
        returns or raises, nothing that it started runs any more.
        """


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def refuse_unavailable(name: ExecutorName, workers: int | None) -> None:
    """Raise PlanError if this executor lacks what it needs, or would have no use for *workers*."""
    if name is ExecutorName.ASYNC and workers is not None:
        raise PlanError(
            "--workers is for --executor processes or ray; async works in this process alone."
        )
    if name is ExecutorName.RAY and importlib.util.find_spec("ray") is None:
        raise PlanError(
            "--executor ray needs Ray, which is not installed: pip install 'trainee-bench[ray]'."
        )


def chosen(name: ExecutorName, workers: int | None = None) -> Executor:
    """The executor of that name, of *workers* workers (None: one for each processor).

    Raises PlanError if it is not to be had here.
    """
    # Each is imported only where it is used: worker processes import this file, too.
    refuse_unavailable(name, workers)
    count = workers or processors()
    if name is ExecutorName.PROCESSES:
        from harness.execution.processes import Processes

        return Processes(count)
    if name is ExecutorName.RAY:
        from harness.execution.on_ray import OnRay

        return OnRay(count)
    from harness.execution.in_this_process import InThisProcess

    return InThisProcess()
