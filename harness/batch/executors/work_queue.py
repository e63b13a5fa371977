"""What is still to execute, and what becomes of an episode whose worker died.

A worker that dies loses every episode it was running, though at most one of them killed it.
Each runs once more, alone in a worker: an innocent one then completes, and one that kills
its worker again is given up.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Set
from dataclasses import dataclass

import anyio

from trainee_bench.harness.batch.executors.executor import DaySequences
from trainee_bench.harness.batch.executors.sequence_runner import RememberedDay, remembered_days
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import EpisodeResult

MAX_WORKER_LOSSES = 2
"""How often an episode may lose its worker before that is its result."""


@dataclass(eq=False)
class SequenceJob:
    """What is left of a day sequence; its first episode is running or next.

    ``deaths`` says how each worker ended that died with the first episode. An ``isolated`` job
    shares its worker with no other.
    """

    episodes: tuple[EpisodeSpec, ...]
    deaths: tuple[str, ...] = ()
    isolated: bool = False

    @property
    def losses(self) -> int:
        """How many workers died with the first episode."""
        return len(self.deaths)

    def finish_episode(self) -> None:
        """Go on to the next episode: the first one has its result."""
        self.episodes = self.episodes[1:]
        self.deaths = ()


def _take(jobs: deque[SequenceJob], remembered: Set[RememberedDay]) -> SequenceJob | None:
    """The first of *jobs* that has none of the *remembered* days, removed from them."""
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
        """Set as soon as `next` may return something else than now."""
        return self._changed

    async def wait_finished(self) -> None:
        """Wait until every episode has its result."""
        await self._finished.wait()

    def notify(self) -> None:
        """Wake everybody who waits for a change."""
        self._changed.set()
        self._changed = anyio.Event()

    def next(
        self,
        running: Collection[SequenceJob],
        slots: int,
        remembered: Set[RememberedDay] = frozenset(),
    ) -> SequenceJob | None:
        """A job for a worker that runs *running* and has *slots* slots; None for the moment.

        No day of the job is among those *remembered* by the worker.
        """
        if any(job.isolated for job in running):
            return None
        if not running and (job := _take(self._suspects, remembered)):
            return job
        return _take(self._waiting, remembered) if len(running) < slots else None

    def needs_new_worker(self, remembered: Set[RememberedDay]) -> bool:
        """Whether jobs wait of which a worker that remembers these days can do none."""
        jobs = (*self._suspects, *self._waiting)
        return bool(jobs) and all(remembered_days(job.episodes) & remembered for job in jobs)

    def done(self, job: SequenceJob, result: EpisodeResult) -> EpisodeResult:
        """Finish the first episode of *job*; its *result* with all tries counted.

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
        """The worker of *job* died, as *death* says: queue it again; the episode that is given up,
        if any."""
        if not job.episodes:  # the worker died of something else after the last result
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
