"""The interface of everything that executes episodes.

    BatchWork ──► executor (this process · worker processes · a Ray cluster) ──► on_result

Every result is reported once, in the process that called the executor; only that process
writes the result file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder

ResultCallback = Callable[[EpisodeResult], None]
"""Takes each result as it comes. An exception from it ends the run."""

DaySequences = Sequence[tuple[EpisodeSpec, ...]]
"""One agent works each sequence, from its first episode to its last."""


@dataclass(frozen=True)
class BatchWork:
    """Day sequences to execute for the run in ``folder``, ``concurrency`` at the same time."""

    sequences: DaySequences
    folder: RunFolder
    concurrency: int
    on_result: ResultCallback


class Executor(Protocol):
    """Executes day sequences."""

    async def run(self, work: BatchWork) -> None:
        """Execute all sequences of *work* and report each result once.

        A broken episode leaves the others alone. A bug of this program raises. When this
        returns or raises, nothing that it started is still running.
        """
