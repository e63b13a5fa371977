"""Workers that may die, and the slots they fill: a dead worker is replaced.

    WorkQueue ──next──► worker ──► results ──► on_result
        ▲                 │ died
        └──────lost───────┘

A worker is a process or a Ray actor; the creator of the pool passes a function that starts one. A
worker that dies loses every episode it was running, though at most one of them killed it. Each of
them runs once more, alone in a worker. Innocent episodes then complete; an episode that kills its
worker again is given up.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Set
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from typing import Protocol

import anyio

from trainee_bench.harness.batch.executors.executor import BatchWork, DaySequences
from trainee_bench.harness.batch.executors.sequence_runner import RememberedDay, remembered_days
from trainee_bench.harness.episodes.result_builder import Tries, broken_result
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import EpisodeResult

MAX_WORKER_LOSSES = 2
"""How often an episode may lose its worker before that is recorded as its result."""


@dataclass(eq=False)
class SequenceJob:
    """The rest of a day sequence; its first episode is running or next.

    ``deaths`` says how each worker ended that died with the first episode. An ``isolated`` job
    shares its worker with no other.
    """

    episodes: tuple[EpisodeSpec, ...]
    deaths: tuple[str, ...] = ()
    isolated: bool = False

    @property
    def losses(self) -> int:
        """The number of workers that died with the first episode."""
        return len(self.deaths)

    def finish_episode(self) -> None:
        """Go on to the next episode after the result of the first one."""
        self.episodes = self.episodes[1:]
        self.deaths = ()


def _take(jobs: deque[SequenceJob], remembered: Set[RememberedDay]) -> SequenceJob | None:
    """Remove and return the first of *jobs* that has none of the *remembered* days."""
    for job in jobs:
        if not remembered_days(job.episodes) & remembered:
            jobs.remove(job)
            return job
    return None


class WorkQueue:
    """The day sequences of a run, from waiting to done."""

    def __init__(self, sequences: DaySequences):
        self._waiting = deque(SequenceJob(sequence) for sequence in sequences)
        self._suspects: deque[SequenceJob] = deque()
        self._open = len(self._waiting)
        self._finished = anyio.Event()
        self._changed = anyio.Event()
        self._close(0)

    @property
    def changed(self) -> anyio.Event:
        """An event that is set as soon as `next` may return a different job."""
        return self._changed

    async def wait_finished(self) -> None:
        """Wait until every episode has its result."""
        await self._finished.wait()

    def notify(self) -> None:
        """Wake all tasks that wait for a change."""
        self._changed.set()
        self._changed = anyio.Event()

    def next(
        self,
        running: Collection[SequenceJob],
        slots: int,
        remembered: Set[RememberedDay] = frozenset(),
    ) -> SequenceJob | None:
        """Return a job for a worker that runs *running* and has *slots* slots; None for the moment.

        No day of the job is among those *remembered* by the worker.
        """
        if any(job.isolated for job in running):
            return None
        if not running and (job := _take(self._suspects, remembered)):
            return job
        return _take(self._waiting, remembered) if len(running) < slots else None

    def needs_new_worker(self, remembered: Set[RememberedDay]) -> bool:
        """Whether jobs wait that a worker with these remembered days cannot do."""
        jobs = (*self._suspects, *self._waiting)
        return bool(jobs) and all(remembered_days(job.episodes) & remembered for job in jobs)

    def done(self, job: SequenceJob, result: EpisodeResult) -> EpisodeResult:
        """Finish the first episode of *job*; return its *result* with all tries counted.

        Raises ValueError for the result of any other episode.
        """
        if result.episode != job.episodes[0].id:
            raise ValueError(f"expected the result of {job.episodes[0].id}, got {result.episode}")
        counted = {
            "tries": result.tries + job.losses,
            "faults": (*(f"the worker died: {death}" for death in job.deaths), *result.faults),
        }
        job.finish_episode()
        self._close(0 if job.episodes else 1)
        return result.model_copy(update=counted)

    def lost(self, job: SequenceJob, death: str) -> EpisodeSpec | None:
        """Queue *job* again after its worker died, as *death* says.

        Returns the episode if it is given up, else None.
        """
        if not job.episodes:  # the worker died for another reason after the last result
            return None
        job.deaths += (death,)
        job.isolated = True
        given_up = None
        if job.losses >= MAX_WORKER_LOSSES:
            given_up = job.episodes[0]
            job.finish_episode()
        if job.episodes:
            self._suspects.append(job)
        else:
            self._close(1)
        return given_up

    def _close(self, sequences: int) -> None:
        self._open -= sequences
        if not self._open:
            self._finished.set()


MAX_START_ATTEMPTS = 3
"""The number of successive times that a worker may fail to start."""


class WorkerDied(Exception):
    """A worker is gone with all episodes it was running; the message says how it ended."""


class WorkerStartFailed(Exception):
    """A worker ended before it could take any work; the message says how."""


class WorkerHandle(Protocol):
    """A worker elsewhere that runs several day sequences at the same time."""

    @property
    def alive(self) -> bool:
        """Whether the worker can take more work."""

    def work(self, episodes: tuple[EpisodeSpec, ...]) -> AsyncGenerator[EpisodeResult, None]:
        """Yield a result for each of *episodes*. Raises WorkerDied, and WorkerCrash for a bug."""


StartWorker = Callable[[], AbstractAsyncContextManager[WorkerHandle]]
"""Function that starts a worker and ends it when the block is left.

It may raise WorkerStartFailed.
"""


def slots_per_worker(concurrency: int, workers: int, sequences: int) -> list[int]:
    """Return how many of *sequences* each of at most *workers* workers runs at the same time.

    The numbers add up to *concurrency*, or to all sequences if those are fewer; each is at least 1.
    """
    total = min(concurrency, sequences)
    count = min(workers, total)
    return [total // count + (number < total % count) for number in range(count)]


class WorkerPool:
    """Pool of the workers of one run."""

    def __init__(self, start_worker: StartWorker, work: BatchWork):
        self._start_worker = start_worker
        self._queue = WorkQueue(work.sequences)
        self._folder = work.folder
        self._on_result = work.on_result

    async def run(self, slots: Iterable[int]) -> None:
        """Keep a worker alive for each of *slots* until the queue is finished.

        Each number says how many sequences the worker runs at the same time.
        """
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
        """Give *worker* jobs until it dies, or remembers a day of each job that is left."""
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
        """Queue the rest of *job* again after its worker died, or give up its episode."""
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
