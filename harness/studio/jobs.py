"""Runs that the studio has started: each has its own thread and event loop.

    StudioJobs.start(run) ──► thread: AsyncExecutor, AttendedServers ──► results, report
    page ──stop──► cancelled ──► finished episodes are kept, the rest is removed

So a busy agent does not block the pages, and a run continues while no page is open. It ends with
the studio; `trainee-bench run --resume` continues it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import StrEnum
from pathlib import Path

import anyio
from pydantic import BaseModel

from trainee_bench.harness.analysis.report.publish import publish_report
from trainee_bench.harness.batch.executors.executor import BatchWork, leaf_exceptions
from trainee_bench.harness.batch.executors.sequence_runner import AsyncExecutor
from trainee_bench.harness.batch.pipeline import Run, pending_sequences
from trainee_bench.harness.episodes.npcs import open_npc_model
from trainee_bench.harness.episodes.transports import ServerFactory
from trainee_bench.harness.records.plan import ModelSettings, PlanError, Transport
from trainee_bench.harness.records.results import EpisodeResult, ResultFileError
from trainee_bench.harness.studio.attended_servers import (
    AttendanceOptions,
    AttendedEpisode,
    AttendedServers,
)
from trainee_bench.harness.studio.opened_run import resolved, shown_path
from trainee_bench.harness.support.text import describe_error


class JobState(StrEnum):
    """The state of a run that the studio started."""

    RUNNING = "running"
    STOPPED = "stopped"
    DONE = "done"
    FAILED = "failed"


class NoSuchJob(LookupError):
    """Raised if the studio has started no run with this number."""


class WaitingEpisode(BaseModel):
    """An episode in which an agent waits for a person: its key, its agent, and the reason."""

    episode: str
    agent: str
    scenario: str
    why: str


class JobLine(BaseModel):
    """A run that the studio has started; ``error`` says why it failed."""

    job: int
    name: str
    state: JobState
    error: str
    episodes: int
    finished: int
    begun: bool
    """Whether people can reach one of its agents yet."""
    run: int | None = None
    """Its number among the shown runs."""
    waiting: tuple[WaitingEpisode, ...] = ()


class StudioJob:
    """One run, from its start to its end."""

    def __init__(self, number: int, run: Run, attendance: AttendanceOptions):
        self.number = number
        self.path = run.folder.path
        self.state = JobState.RUNNING
        self.error = ""
        self._run = run
        self._planned = sum(1 for _ in run.plan.episode_specs())
        self._finished = 0
        self._servers = AttendedServers(attendance)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._scope = anyio.CancelScope()
        self._stopped = False
        self._thread = threading.Thread(target=self._work, name=f"run {number}", daemon=True)

    def start(self) -> None:
        """Start its thread."""
        self._thread.start()

    def line(self) -> JobLine:
        """Return its current line in the list."""
        return JobLine(
            job=self.number,
            name=shown_path(Path(resolved(self.path).name)),
            state=self.state,
            error=self.error,
            episodes=self._planned,
            finished=self._finished,
            begun=self._servers.begun,
        )

    def attended(self, world: Path) -> AttendedEpisode | None:
        """Return the attended episode in *world*; None if it is not part of this run."""
        return self._servers.of(world)

    def stop(self) -> None:
        """Stop it, even if its agents are busy. Do nothing if it is over."""
        self._stopped = True
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._scope.cancel)

    def wait(self, seconds: float) -> None:
        """Wait until its thread has ended, for at most this many seconds."""
        self._thread.join(seconds)

    def _work(self) -> None:
        try:
            anyio.run(self._execute)
            self.state = JobState.STOPPED if self._stopped else JobState.DONE
        except BaseException as error:  # noqa: BLE001 - the page must report every failure
            known = [*leaf_exceptions(error, PlanError), *leaf_exceptions(error, ResultFileError)]
            self.error = str(known[0]) if known else describe_error(error)
            self.state = JobState.FAILED

    async def _execute(self) -> None:
        plan, folder = self._run.plan, self._run.folder
        self._loop = asyncio.get_running_loop()
        with folder.locked():
            done = folder.prepare_results()
            self._finished = len(done)
            sequences = pending_sequences(plan, {result.episode for result in done})
            work = BatchWork(sequences, folder, self._run.concurrency, self._count)
            with self._scope:
                if not self._stopped:
                    await AsyncExecutor(self._open).run(work)
            results = folder.prepare_results() if self._stopped else folder.ledger.read()
            if results:
                await publish_report(folder, plan, results)

    def _count(self, result: EpisodeResult) -> None:
        self._run.folder.add_result(result)
        self._finished += 1

    @asynccontextmanager
    async def _open(
        self, transport: Transport, model_settings: ModelSettings
    ) -> AsyncIterator[ServerFactory]:
        async with open_npc_model(model_settings) as side_effects:
            self._servers.side_effects = side_effects
            yield self._servers


class StudioJobs:
    """All runs that this studio has started."""

    def __init__(self) -> None:
        self._jobs: list[StudioJob] = []

    def start(self, run: Run, attendance: AttendanceOptions) -> StudioJob:
        """Start *run*, whose folder is new."""
        job = StudioJob(len(self._jobs), run, attendance)
        self._jobs.append(job)
        job.start()
        return job

    def all(self) -> tuple[StudioJob, ...]:
        """Return all runs, in the order of their start."""
        return tuple(self._jobs)

    def job(self, number: int) -> StudioJob:
        """Return the run with this number. Raises NoSuchJob."""
        if not 0 <= number < len(self._jobs):
            raise NoSuchJob("The studio has not started this run.")
        return self._jobs[number]

    def attended(self, world: Path) -> AttendedEpisode | None:
        """Return the attended episode in *world*; None if this studio did not start it."""
        found = (job.attended(world) for job in reversed(self._jobs))
        return next((attended for attended in found if attended is not None), None)

    def close(self, seconds: float = 20.0) -> None:
        """Stop all runs, and wait up to so many seconds for each to clean up its folder."""
        for job in self._jobs:
            job.stop()
        for job in self._jobs:
            job.wait(seconds)
