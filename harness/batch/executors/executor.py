"""The interface of everything that executes episodes.

    BatchWork ──► executor (this process · worker processes · a Ray cluster) ──► on_result

Every result is reported once, in the process that called the executor; only that process
writes the result file.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from trainee_bench.harness.records.plan import EpisodeSpec, PlanError
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


class WorkerCrash(Exception):
    """A bug of this program in a worker; the text is the worker's traceback."""


class WorkerTask(BaseModel):
    """A day sequence to execute, and the number that its reports carry."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sequence: int
    episodes: tuple[EpisodeSpec, ...]


class WorkerReport(BaseModel):
    """One episode of sequence number *sequence*, or why the worker stopped."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sequence: int
    result: EpisodeResult | None = None
    crash: str | None = None
    """The traceback of a bug."""
    refused: str | None = None
    """The text of a PlanError."""
    interrupted: bool = False

    def unwrap(self) -> EpisodeResult:
        """The result. Raises WorkerCrash, PlanError or KeyboardInterrupt if there is none."""
        if self.interrupted:
            raise KeyboardInterrupt
        if self.refused is not None:
            raise PlanError(self.refused)
        if self.result is None:
            raise WorkerCrash(f"in a worker:\n{self.crash}")
        return self.result


def to_line(message: BaseModel) -> bytes:
    """*message* as one line of JSON, its line end included."""
    return message.model_dump_json().encode() + b"\n"


def failure_report(sequence: int, error: BaseException) -> WorkerReport:
    """The report of an *error* that ends the run; the run's own process raises it again."""
    if leaf_exceptions(error, KeyboardInterrupt):  # from an agent: in process it ends the run, too
        return WorkerReport(sequence=sequence, interrupted=True)
    refused = leaf_exceptions(error, PlanError)
    if refused:
        return WorkerReport(sequence=sequence, refused=str(refused[0]))
    return WorkerReport(sequence=sequence, crash="".join(traceback.format_exception(error)))


def leaf_exceptions(error: BaseException, kind: type[BaseException]) -> list[BaseException]:
    """The exceptions of *kind*: *error* itself, or the members of a group, however deep."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in leaf_exceptions(inner, kind)]
    return [error] if isinstance(error, kind) else []
