"""The executor of a run, by name."""

from __future__ import annotations

import importlib.util
import os

from trainee_bench.harness.batch.executors.executor import Executor
from trainee_bench.harness.records.plan import ExecutorName, PlanError


def available_cpus() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_executor_available(name: ExecutorName, workers: int | None) -> None:
    """Raise PlanError if this executor lacks what it needs, or would have no use for *workers*."""
    if name is ExecutorName.ASYNC and workers is not None:
        raise PlanError(
            "--workers is for --executor processes or ray; async works in this process alone."
        )
    if name is ExecutorName.RAY and importlib.util.find_spec("ray") is None:
        raise PlanError(
            "--executor ray needs Ray, which is not installed: pip install 'trainee-bench[ray]'."
        )


def create_executor(name: ExecutorName, workers: int | None = None) -> Executor:
    """The executor of that name, of *workers* workers (None: one for each processor).

    Raises PlanError if it is not to be had here.
    """
    # Each is imported only where it is used: worker processes import this file, too.
    check_executor_available(name, workers)
    count = workers or available_cpus()
    if name is ExecutorName.PROCESSES:
        from trainee_bench.harness.batch.executors.process_executor import ProcessExecutor

        return ProcessExecutor(count)
    if name is ExecutorName.RAY:
        from trainee_bench.harness.batch.executors.ray_executor import RayExecutor

        return RayExecutor(count)
    from trainee_bench.harness.batch.executors.async_executor import AsyncExecutor

    return AsyncExecutor()
