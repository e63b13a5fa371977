"""A course as it is worked, and as a worker elsewhere reports of it.

A report is one line of JSON. It carries a result, or why there will be none: a bug of ours
with its traceback, something that is lacking, or the wish that the whole run stop.
"""

from __future__ import annotations

import traceback
from collections.abc import AsyncGenerator, Sequence

from pydantic import BaseModel, ConfigDict

from trainee_bench.harness.agents.runtime.runner import AgentRunner
from trainee_bench.harness.episodes.orchestrator import run_episode
from trainee_bench.harness.episodes.transports import ServerFactory
from trainee_bench.harness.records.plan import EpisodeSpec, PlanError
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder


class WorkerCrash(Exception):
    """A bug of ours in a worker; the text is the traceback from there."""


class WorkerReport(BaseModel):
    """What a worker says of course number *course*."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    course: int
    result: EpisodeResult | None = None
    crash: str | None = None
    """The traceback of a bug."""
    refused: str | None = None
    """What the run lacks there, said to whoever started it."""
    interrupted: bool = False

    def to_line(self) -> bytes:
        """The report for a pipe, its end of line included."""
        return self.model_dump_json().encode() + b"\n"

    def unwrap(self) -> EpisodeResult:
        """The result. Raises WorkerCrash, PlanError or KeyboardInterrupt where there is none."""
        if self.interrupted:
            raise KeyboardInterrupt
        if self.refused is not None:
            raise PlanError(self.refused)
        if self.result is None:
            raise WorkerCrash(f"in a worker:\n{self.crash}")
        return self.result


async def run_sequence(
    course: Sequence[EpisodeSpec], folder: RunFolder, offices: ServerFactory
) -> AsyncGenerator[EpisodeResult, None]:
    """Work *course* day by day; each day's result when it is over."""
    recruit = AgentRunner(course[0].candidate, course[0].backing)
    for order in course:
        yield await run_episode(order, folder, recruit, offices)


async def sequence_reports(
    number: int, course: Sequence[EpisodeSpec], folder: RunFolder, offices: ServerFactory
) -> AsyncGenerator[WorkerReport, None]:
    """Work *course*, called *number*; a report for each day, and a last one if it fails."""
    try:
        async for result in run_sequence(course, folder, offices):
            yield WorkerReport(course=number, result=result)
    except (Exception, KeyboardInterrupt, BaseExceptionGroup) as error:  # noqa: BLE001
        yield failure_report(number, error)


def failure_report(number: int, error: BaseException) -> WorkerReport:
    """The report of what ends the run, wherever it happens: it is raised again where the run
    was started."""
    if leaf_exceptions(error, KeyboardInterrupt):  # an agent's: it would stop the run there, too
        return WorkerReport(course=number, interrupted=True)
    refused = leaf_exceptions(error, PlanError)
    if refused:
        return WorkerReport(course=number, refused=str(refused[0]))
    return WorkerReport(course=number, crash="".join(traceback.format_exception(error)))


def leaf_exceptions(error: BaseException, kind: type[BaseException]) -> list[BaseException]:
    """*error* itself, or those within a group, as far as they are of that kind."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in leaf_exceptions(inner, kind)]
    return [error] if isinstance(error, kind) else []
