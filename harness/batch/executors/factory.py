"""Creation of a run's executor by name. No other file in this folder imports this file."""

from __future__ import annotations

import importlib.util
import os

from trainee_bench.harness.batch.executors.executor import Executor
from trainee_bench.harness.batch.executors.process_executor import ProcessExecutor
from trainee_bench.harness.batch.executors.ray_executor import RayExecutor
from trainee_bench.harness.batch.executors.sequence_runner import AsyncExecutor
from trainee_bench.harness.records.plan import ExecutorName, PlanError


def available_cpus() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_executor_available(name: ExecutorName, workers: int | None) -> None:
    """Raise PlanError if the executor *name* is not installed or has no *workers*."""
    if name is ExecutorName.ASYNC and workers is not None:
        raise PlanError(
            "--workers needs --executor processes or ray; async uses this process alone."
        )
    if name is ExecutorName.RAY and importlib.util.find_spec("ray") is None:
        raise PlanError(
            "--executor ray needs Ray, which is not installed: pip install 'trainee-bench[ray]'."
        )


def create_executor(name: ExecutorName, workers: int | None = None) -> Executor:
    """Return the executor called *name* with *workers* workers (None: one for each processor).

    Raises PlanError if it is not available.
    """
    check_executor_available(name, workers)
    count = workers or available_cpus()
    if name is ExecutorName.PROCESSES:
        return ProcessExecutor(count)
    if name is ExecutorName.RAY:
        return RayExecutor(count)
    return AsyncExecutor()
