"""What is still to be worked, and what becomes of an episode that was lost with its worker.

A worker that dies takes down every episode it had in hand, though at most one of them
killed it. Each is begun once more, alone in a worker: so an innocent one comes through, and
one that kills its worker again is given up.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass

import anyio

from trainee_bench.harness.batch.executors.executor import DaySequences
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import EpisodeResult

MAX_WORKER_LOSSES = 2
"""How often an episode may be lost with its worker before that is its result."""


@dataclass(eq=False)
class SequenceJob:
    """What is left of a course; the first order is in hand or next. ``losses`` are the first's."""

    orders: tuple[EpisodeSpec, ...]
    losses: int = 0
    isolated: bool = False

    def finish_episode(self) -> None:
        """The first order has its result."""
        self.orders = self.orders[1:]
        self.losses = 0


class WorkQueue:
    """The courses of a run, from waiting to done."""

    def __init__(self, courses: DaySequences):
        self._waiting = deque(SequenceJob(course) for course in courses)
        self._suspects: deque[SequenceJob] = deque()
        self._open = len(self._waiting)
        self._over = anyio.Event()
        self._changed = anyio.Event()
        self._close(0)

    @property
    def changed(self) -> anyio.Event:
        """Set as soon as `next` may answer otherwise than now."""
        return self._changed

    async def wait_finished(self) -> None:
        """Wait until every episode has its result."""
        await self._over.wait()

    def notify(self) -> None:
        """Let everybody who waits for a change look again."""
        self._changed.set()
        self._changed = anyio.Event()

    def next(self, in_hand: Collection[SequenceJob], slots: int) -> SequenceJob | None:
        """Something for a worker that has *in_hand* and room for *slots*; None for the moment."""
        if any(assignment.isolated for assignment in in_hand):
            return None
        if self._suspects and not in_hand:
            return self._suspects.popleft()
        if self._waiting and len(in_hand) < slots:
            return self._waiting.popleft()
        return None

    def done(self, assignment: SequenceJob, result: EpisodeResult) -> EpisodeResult:
        """*result* of the assignment's first order; as it is to be told, with all tries counted.

        Raises ValueError for the result of anything else.
        """
        if result.episode != assignment.orders[0].id:
            raise ValueError(f"{result.episode} came for {assignment.orders[0].id}")
        tries = result.tries + assignment.losses
        assignment.finish_episode()
        self._close(0 if assignment.orders else 1)
        return result.model_copy(update={"tries": tries})

    def lost(self, assignment: SequenceJob) -> EpisodeSpec | None:
        """The assignment's worker died. The order that is given up, if it was one too many."""
        if not assignment.orders:  # the worker died of something else: this was done
            return None
        assignment.losses += 1
        assignment.isolated = True
        given_up = None
        if assignment.losses >= MAX_WORKER_LOSSES:
            given_up = assignment.orders[0]
            assignment.finish_episode()
        if assignment.orders:
            self._suspects.append(assignment)
        else:
            self._close(1)
        return given_up

    def _close(self, courses: int) -> None:
        self._open -= courses
        if not self._open:
            self._over.set()
