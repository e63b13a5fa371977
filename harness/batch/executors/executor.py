"""One interface to whatever carries out episodes, and the choice of one by its name.

    courses ──► executor (this process · worker processes · a Ray cluster) ──► tell(result)

Whichever it is, every episode's result is told once, in the process that called it. Only
that process writes the ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder

ResultCallback = Callable[[EpisodeResult], None]
"""Takes each result as it comes. What it raises ends the run."""

DaySequences = Sequence[tuple[EpisodeSpec, ...]]
"""Each is worked from its first order to its last by one recruit."""


class Executor(Protocol):
    """Whoever carries out courses."""

    async def run(
        self, courses: DaySequences, folder: RunFolder, concurrency: int, tell: ResultCallback
    ) -> None:
        """Work all *courses*, at most *concurrency* at a time, and *tell* each result once.

        An episode that breaks leaves the others alone. A bug of ours raises; when this
        returns or raises, nothing that it started runs any more.
        """
