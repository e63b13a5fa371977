"""Jobs that compute the worth of an episode's steps, on request or when its page is opened.

    WorthJobs.begin(episode) ──► thread ──► separate process: store_worths ──► worth/ID.json
                     page ──stop──► the process ends after its current copy

A job does the same as `trainee-bench worth RUN --episode ID`. A separate process keeps pages quick
and the studio small. One episode is computed at a time; the others wait for their turn. An unasked
job yields to others: it has low priority, locks nothing and leaves the report unchanged. Only the
unasked job of the last opened page waits for its turn.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from pydantic import BaseModel

from trainee_bench.harness.analysis.report.store_worths import store_worth_aside, store_worths
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.results import ResultFileError
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.records.worth import EpisodeWorth
from trainee_bench.harness.studio.jobs import JobState
from trainee_bench.harness.studio.opened_run import ShownEpisode
from trainee_bench.harness.support.text import describe_error
from trainee_bench.harness.support.worker_processes import end_with_parent

_SPAWN = multiprocessing.get_context("spawn")
"""The studio has threads, and a process with threads must not be forked."""
_LOW_PRIORITY = 10
_PATIENCE = 5.0
"""The seconds that a process has to end by itself when the studio closes."""


class WorthJobLine(BaseModel):
    """The progress of the computation for one episode: ``share`` of its steps have a value.
    ``error`` says why it failed."""

    state: JobState
    share: float
    error: str


class WorthFailed(Exception):
    """Raised if the worth of an episode's steps cannot be computed; the message says why."""


class _Stopped(Exception):
    """Raised in the process when the computation is stopped."""


class WorthJob:
    """The computation for the episode *name* of the run in the folder *run*; *unasked* if nobody
    requested it."""

    def __init__(self, run: Path, name: str, unasked: bool):
        self._run = run
        self._name = name
        self.unasked = unasked
        self._share: float | None = None
        self._stopped = False
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None
        self._done: Future[None] = Future()

    def start(self, threads: ThreadPoolExecutor) -> None:
        """Begin as soon as one of *threads* is free."""
        self._done = threads.submit(self._follow)

    def line(self) -> WorthJobLine:
        """Return its current progress."""
        state, error = JobState.RUNNING, ""
        if self._done.cancelled() or (self._stopped and self._done.done()):
            state = JobState.STOPPED
        elif self._done.done():
            failure = self._done.exception()
            state = JobState.FAILED if failure is not None else JobState.DONE
            if failure is not None:
                known = isinstance(failure, WorthFailed)
                error = str(failure) if known else describe_error(failure)
        return WorthJobLine(state=state, share=self._share or 0.0, error=error)

    @property
    def runs(self) -> bool:
        """Whether it is not over yet."""
        return not self._done.done()

    @property
    def waits(self) -> bool:
        """Whether it has not begun."""
        return self.runs and not self._done.running()

    def stop(self) -> None:
        """Stop it. Do nothing if it is over."""
        if not self.runs:
            return
        self._stopped = True
        self._done.cancel()
        if self._process is None or self._pipe is None:
            return  # it has not begun
        if self._share is None:
            self._process.kill()  # it is still importing and has written nothing
        with suppress(OSError):  # it may just have ended
            self._pipe.send(None)

    def kill(self, seconds: float) -> None:
        """End its process by force if it has not ended by itself after so many *seconds*."""
        if self._process is not None:
            self._process.join(seconds)
            self._process.kill()

    def _follow(self) -> None:
        """Start the process and read its reports until it ends. Raises WorthFailed."""
        self._pipe, theirs = _SPAWN.Pipe()
        process = _SPAWN.Process(
            target=compute_in_subprocess,
            args=(self._run, self._name, self.unasked, theirs),
            daemon=True,
        )
        process.start()
        self._process = process
        theirs.close()  # so that the pipe ends with the process
        if self._stopped:
            self.stop()
        last: float | str | None = None
        with self._pipe as reports, suppress(EOFError, OSError):
            while True:
                last = reports.recv()
                if isinstance(last, float):
                    self._share = last
        process.join()
        if isinstance(last, str) and last:
            raise WorthFailed(last)
        if last != "" and not self._stopped:
            raise WorthFailed(f"The computation ended with the code {process.exitcode}.")


def compute_in_subprocess(run: Path, name: str, unasked: bool, pipe: Connection) -> None:
    """Compute in this process and report to *pipe*: the progress as numbers, and at the end the
    reason of a failure, "" without one. Any message from the pipe ends it without a last report. An
    *unasked* computation runs with low priority."""
    end_with_parent()
    if unasked and sys.platform != "win32":
        os.nice(_LOW_PRIORITY)

    def tell(share: float) -> None:
        if pipe.poll():
            raise _Stopped
        pipe.send(share)

    try:
        tell(0.0)
        folder = RunFolder.open(run)
        if unasked:
            worth = store_worth_aside(folder, name, tell)
        else:
            ((_, worth),) = store_worths(folder, name, 1, tell)
        pipe.send("" if isinstance(worth, EpisodeWorth) else worth)
    except _Stopped:
        return
    except (PlanError, ResultFileError) as error:
        pipe.send(str(error))
    except Exception as error:  # noqa: BLE001 - the page must report every failure
        pipe.send(describe_error(error))


class WorthJobs:
    """All computations that were requested in this studio, the last one for each episode."""

    def __init__(self) -> None:
        self._jobs: dict[str, WorthJob] = {}
        self._threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="worth")

    def begin(self, episode: ShownEpisode, *, unasked: bool = False) -> None:
        """Compute the worth of the steps of *episode*, unless that is running already. The new job
        replaces all *unasked* ones that have not begun."""
        known = self._jobs.get(episode.key)
        if known is not None and known.runs:
            return
        for key, waiting in list(self._jobs.items()):
            if waiting.unasked and waiting.waits:
                waiting.stop()
                del self._jobs[key]  # it starts again when its page is opened again
        job = WorthJob(episode.run.path, episode.name, unasked)
        self._jobs[episode.key] = job
        job.start(self._threads)

    def of(self, episode: ShownEpisode) -> WorthJobLine | None:
        """Return the progress of the computation for *episode*, None if nobody requested one."""
        job = self._jobs.get(episode.key)
        return job.line() if job is not None else None

    def stop(self, episode: ShownEpisode) -> None:
        """Stop the computation for *episode*, if there is one."""
        job = self._jobs.get(episode.key)
        if job is not None:
            job.stop()

    def close(self) -> None:
        """Stop all computations."""
        for job in self._jobs.values():
            job.stop()
        for job in self._jobs.values():
            if job.runs:
                job.kill(_PATIENCE)
        self._threads.shutdown(cancel_futures=True)
