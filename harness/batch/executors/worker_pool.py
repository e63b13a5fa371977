"""Workers that may die, and the slots they fill: a dead worker is replaced.

    WorkQueue ──next──► worker ──► results ──► on_result
        ▲                 │ died
        └──────lost───────┘

A worker is a process or a Ray actor; whoever creates the pool says how one is started.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, aclosing
from typing import Protocol

import anyio

from trainee_bench.harness.batch.executors.executor import BatchWork
from trainee_bench.harness.batch.executors.sequence_runner import RememberedDay, remembered_days
from trainee_bench.harness.batch.executors.work_queue import (
    MAX_WORKER_LOSSES,
    SequenceJob,
    WorkQueue,
)
from trainee_bench.harness.episodes.result_builder import Tries, broken_result
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import EpisodeResult

MAX_START_ATTEMPTS = 3
"""How often in a row a worker may fail to start."""


class WorkerDied(Exception):
    """A worker is gone with all episodes it was running; says how it ended."""


class WorkerStartFailed(Exception):
    """A worker ended before it could take any work; says how."""


class WorkerHandle(Protocol):
    """A worker elsewhere that runs several day sequences at the same time."""

    @property
    def alive(self) -> bool:
        """Whether it can take more work."""

    def work(self, episodes: tuple[EpisodeSpec, ...]) -> AsyncGenerator[EpisodeResult, None]:
        """A result for each of *episodes*. Raises WorkerDied, and WorkerCrash for a bug."""


StartWorker = Callable[[], AbstractAsyncContextManager[WorkerHandle]]
"""Starts a worker and ends it, however the block is left. May raise WorkerStartFailed."""


def slots_per_worker(concurrency: int, workers: int, sequences: int) -> list[int]:
    """How many of *sequences* each of at most *workers* workers runs at the same time.

    They add up to *concurrency*, or to all sequences if those are fewer; each is 1 at least.
    """
    total = min(concurrency, sequences)
    count = min(workers, total)
    return [total // count + (number < total % count) for number in range(count)]


class WorkerPool:
    """The workers of one run."""

    def __init__(self, start_worker: StartWorker, work: BatchWork):
        self._start_worker = start_worker
        self._queue = WorkQueue(work.sequences)
        self._folder = work.folder
        self._on_result = work.on_result

    async def run(self, slots: Iterable[int]) -> None:
        """Keep a worker alive for each of *slots*, which says how many sequences it runs at the
        same time, until the queue is finished."""
        async with anyio.create_task_group() as workers:
            for count in slots:
                workers.start_soon(self._run_worker, count)
            await self._queue.wait_finished()
            workers.cancel_scope.cancel()
        self._folder.remove_drafts()

    async def _run_worker(self, slots: int) -> None:
        starts = 0
        while True:
            try:
                async with self._start_worker() as worker:
                    starts = 0
                    await self._feed_worker(worker, slots)
            except WorkerStartFailed:
                starts += 1
                if starts == MAX_START_ATTEMPTS:
                    raise

    async def _feed_worker(self, worker: WorkerHandle, slots: int) -> None:
        """Give *worker* jobs until it dies, or knows a day of each that is left."""
        running: set[SequenceJob] = set()
        remembered: set[RememberedDay] = set()
        async with anyio.create_task_group() as group:
            while worker.alive:
                changed = self._queue.changed
                job = self._queue.next(running, slots, remembered)
                if job is None:
                    if not running and self._queue.needs_new_worker(remembered):
                        return
                    await changed.wait()
                    continue
                running.add(job)
                remembered |= remembered_days(job.episodes)
                group.start_soon(self._run_job, worker, job, running)

    async def _run_job(
        self, worker: WorkerHandle, job: SequenceJob, running: set[SequenceJob]
    ) -> None:
        try:
            async with aclosing(worker.work(job.episodes)) as results:
                async for result in results:
                    self._on_result(self._queue.done(job, result))
        except WorkerDied as death:
            self._requeue_or_give_up(job, death)
        finally:
            running.remove(job)
            self._queue.notify()

    def _requeue_or_give_up(self, job: SequenceJob, death: WorkerDied) -> None:
        """Queue what the dead worker was running of *job* again, or give its episode up."""
        if job.episodes:
            self._folder.discard(job.episodes[0])
            self._folder.write_traceback(job.episodes[0], f"The worker died: {death}")
        episode = self._queue.lost(job, str(death))
        if episode is not None:
            error = (
                f"the worker of this episode died {MAX_WORKER_LOSSES} times, the last time running "
                f"nothing else: {death}"
            )
            self._folder.write_traceback(episode, error + "\n")
            self._on_result(
                broken_result(episode, error, Tries(MAX_WORKER_LOSSES, time.monotonic()))
            )
