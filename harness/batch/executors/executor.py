"""The interface of all executors of episodes.

    BatchWork ──► executor (this process · worker processes · a Ray cluster) ──► on_result

Every result is reported once, in the process that called the executor; only that process writes the
result file.
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
"""Callback for each result as it arrives. An exception from it ends the run."""

DaySequences = Sequence[tuple[EpisodeSpec, ...]]
"""Day sequences; one agent works each sequence, from its first episode to its last."""


@dataclass(frozen=True)
class BatchWork:
    """Day sequences to execute for the run in ``folder``, ``concurrency`` at the same time."""

    sequences: DaySequences
    folder: RunFolder
    concurrency: int
    on_result: ResultCallback


class Executor(Protocol):
    """An executor of day sequences."""

    async def run(self, work: BatchWork) -> None:
        """Execute all sequences of *work* and report each result once.

        A broken episode does not affect the others; a bug of this program raises. When this returns
        or raises, it has stopped everything that it started.
        """


class WorkerCrash(Exception):
    """A bug of this program in a worker; the text is the worker's traceback."""


class WorkerTask(BaseModel):
    """A day sequence to execute, and the number for its reports."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sequence: int
    episodes: tuple[EpisodeSpec, ...]


class WorkerReport(BaseModel):
    """The result of an episode of sequence number *sequence*, or the reason why the worker
    stopped."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sequence: int
    result: EpisodeResult | None = None
    crash: str | None = None
    """The traceback of a bug."""
    refused: str | None = None
    """The text of a PlanError."""
    interrupted: bool = False

    def unwrap(self) -> EpisodeResult:
        """Return the result. Raises WorkerCrash, PlanError or KeyboardInterrupt if there is
        none."""
        if self.interrupted:
            raise KeyboardInterrupt
        if self.refused is not None:
            raise PlanError(self.refused)
        if self.result is None:
            raise WorkerCrash(f"in a worker:\n{self.crash}")
        return self.result


def to_line(message: BaseModel) -> bytes:
    """Return *message* as one line of JSON, including its line end."""
    return message.model_dump_json().encode() + b"\n"


def failure_report(sequence: int, error: BaseException) -> WorkerReport:
    """Return the report of an *error* that ends the run; the run's own process raises it again."""
    # raised by an agent: in this process it ends the run, too
    if leaf_exceptions(error, KeyboardInterrupt):
        return WorkerReport(sequence=sequence, interrupted=True)
    refused = leaf_exceptions(error, PlanError)
    if refused:
        return WorkerReport(sequence=sequence, refused=str(refused[0]))
    return WorkerReport(sequence=sequence, crash="".join(traceback.format_exception(error)))


def leaf_exceptions(error: BaseException, kind: type[BaseException]) -> list[BaseException]:
    """Return the exceptions of *kind*: *error* itself, or members of a group at any depth."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in leaf_exceptions(inner, kind)]
    return [error] if isinstance(error, kind) else []
