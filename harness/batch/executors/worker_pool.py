"""Workers that may die, and the posts they hold: a post whose worker died gets another.

    Agenda ──next──► post ──► worker ──► results ──► tell
                      ▲          │ died
                      └──lost────┘

What a worker is, a process or a Ray actor, is settled by whoever hires it.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from typing import Protocol

import anyio

from trainee_bench.harness.batch.executors.executor import ResultCallback
from trainee_bench.harness.batch.executors.work_queue import (
    MAX_WORKER_LOSSES,
    SequenceJob,
    WorkQueue,
)
from trainee_bench.harness.episodes.result_builder import broken_result
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder

MAX_START_ATTEMPTS = 3
"""How often in a row a post may try to begin with a worker."""


class WorkerDied(Exception):
    """A worker is gone and with it what it had in hand; says how it ended."""


class WorkerStartFailed(Exception):
    """A worker ended before it could take any work; says how."""


class WorkerHandle(Protocol):
    """Somebody elsewhere who works courses, several at a time."""

    @property
    def alive(self) -> bool:
        """Whether it may be given more work."""

    def work(self, orders: tuple[EpisodeSpec, ...]) -> AsyncGenerator[EpisodeResult, None]:
        """A result for each of *orders*. Raises WorkerDied, and WorkerCrash for a bug of ours."""


StartWorker = Callable[[], AbstractAsyncContextManager[WorkerHandle]]
"""Starts a worker and ends it, however the block is left. May raise WorkerStartFailed."""


def slots_per_worker(concurrency: int, workers: int, courses: int) -> list[int]:
    """How many courses at a time each worker has, *concurrency* in all; no worker without any."""
    total = min(concurrency, courses)
    count = min(workers, total)
    return [total // count + (number < total % count) for number in range(count)]


@dataclass(frozen=True)
class WorkerPool:
    """All that the posts of one run share."""

    start_worker: StartWorker
    queue: WorkQueue
    folder: RunFolder
    tell: ResultCallback

    async def run(self, slots: Iterable[int]) -> None:
        """Man a post for each of *slots*, its courses at a time, until the agenda is over."""
        async with anyio.create_task_group() as posts:
            for courses in slots:
                posts.start_soon(self._run_worker, courses)
            await self.queue.wait_finished()
            posts.cancel_scope.cancel()

    async def _run_worker(self, slots: int) -> None:
        starts = 0
        while True:
            try:
                async with self.start_worker() as worker:
                    starts = 0
                    await self._feed_worker(worker, slots)
            except WorkerStartFailed:
                starts += 1
                if starts == MAX_START_ATTEMPTS:
                    raise

    async def _feed_worker(self, worker: WorkerHandle, slots: int) -> None:
        """Give *worker* what there is until it dies."""
        in_hand: set[SequenceJob] = set()
        async with anyio.create_task_group() as group:
            while worker.alive:
                changed = self.queue.changed
                assignment = self.queue.next(in_hand, slots)
                if assignment is None:
                    await changed.wait()
                    continue
                in_hand.add(assignment)
                group.start_soon(self._run_job, worker, assignment, in_hand)

    async def _run_job(
        self, worker: WorkerHandle, assignment: SequenceJob, in_hand: set[SequenceJob]
    ) -> None:
        try:
            async with aclosing(worker.work(assignment.orders)) as coming:
                async for result in coming:
                    self.tell(self.queue.done(assignment, result))
        except WorkerDied as death:
            self._requeue_or_give_up(assignment, death)
        finally:
            in_hand.remove(assignment)
            self.queue.notify()

    def _requeue_or_give_up(self, assignment: SequenceJob, death: WorkerDied) -> None:
        """Have what the dead worker had of *assignment* begun again, or give it up."""
        if assignment.orders:
            self.folder.discard(assignment.orders[0])
        order = self.queue.lost(assignment)
        if order is not None:
            said = f"the worker of this episode died {MAX_WORKER_LOSSES} times, at last alone with it: {death}"
            self.folder.write_traceback(order, said + "\n")
            self.tell(broken_result(order, said, MAX_WORKER_LOSSES, time.monotonic()))
