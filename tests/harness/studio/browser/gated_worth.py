"""A computation of worth that begins once a test allows it, so that a page can be seen before."""

from __future__ import annotations

from multiprocessing.connection import Connection
from pathlib import Path
from time import sleep

from trainee_bench.harness.studio.worth_jobs import compute_apart
from trainee_bench.harness.support.worker_processes import end_with_parent


def gate_of(run: Path) -> Path:
    """The file beside the folder *run* whose presence allows the computation."""
    return run.with_name(f"{run.name}.allowed")


def compute_once_allowed(run: Path, name: str, unasked: bool, pipe: Connection) -> None:
    """Do as `compute_apart` does, once there is a gate."""
    end_with_parent()
    while not gate_of(run).exists():
        sleep(0.05)
    compute_apart(run, name, unasked, pipe)
