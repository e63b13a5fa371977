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

from harness.execution.agenda import LOSSES, Agenda, Assignment
from harness.execution.executor import Tell
from harness.outcome import broken
from harness.plan import Order
from harness.results import EpisodeResult
from harness.run_folder import RunFolder

STARTS = 3
"""How often in a row a post may try to begin with a worker."""


class WorkerDied(Exception):
    """A worker is gone and with it what it had in hand; says how it ended."""


class CannotBegin(Exception):
    """A worker ended before it could take any work; says how."""


class Worker(Protocol):
    """Somebody elsewhere who works courses, several at a time."""

    @property
    def alive(self) -> bool:
        """Whether it may be given more work."""

    def work(self, orders: tuple[Order, ...]) -> AsyncGenerator[EpisodeResult, None]:
        """A result for each of *orders*. Raises WorkerDied, and WorkerCrash for a bug of ours."""


Hire = Callable[[], AbstractAsyncContextManager[Worker]]
"""Starts a worker and ends it, however the block is left. May raise CannotBegin."""


def shares(concurrency: int, workers: int, courses: int) -> list[int]:
    """How many courses at a time each worker has, *concurrency* in all; no worker without any."""
    total = min(concurrency, courses)
    count = min(workers, total)
    return [total // count + (number < total % count) for number in range(count)]


@dataclass(frozen=True)
class Staff:
    """All that the posts of one run share."""

    hire: Hire
    agenda: Agenda
    folder: RunFolder
    tell: Tell

    async def work(self, slots: Iterable[int]) -> None:
        """Man a post for each of *slots*, its courses at a time, until the agenda is over."""
        async with anyio.create_task_group() as posts:
            for courses in slots:
                posts.start_soon(self._man, courses)
            await self.agenda.over()
            posts.cancel_scope.cancel()

    async def _man(self, slots: int) -> None:
        starts = 0
        while True:
            try:
                async with self.hire() as worker:
                    starts = 0
                    await self._busy(worker, slots)
            except CannotBegin:
                starts += 1
                if starts == STARTS:
                    raise

    async def _busy(self, worker: Worker, slots: int) -> None:
        """Give *worker* what there is until it dies."""
        in_hand: set[Assignment] = set()
        async with anyio.create_task_group() as group:
            while worker.alive:
                changed = self.agenda.changed
                assignment = self.agenda.next(in_hand, slots)
                if assignment is None:
                    await changed.wait()
                    continue
                in_hand.add(assignment)
                group.start_soon(self._carry_out, worker, assignment, in_hand)

    async def _carry_out(
        self, worker: Worker, assignment: Assignment, in_hand: set[Assignment]
    ) -> None:
        try:
            async with aclosing(worker.work(assignment.orders)) as coming:
                async for result in coming:
                    self.tell(self.agenda.done(assignment, result))
        except WorkerDied as death:
            self._lose(assignment, death)
        finally:
            in_hand.remove(assignment)
            self.agenda.stir()

    def _lose(self, assignment: Assignment, death: WorkerDied) -> None:
        """Have what the dead worker had of *assignment* begun again, or give it up."""
        if assignment.orders:
            self.folder.discard(assignment.orders[0])
        order = self.agenda.lost(assignment)
        if order is not None:
            said = f"the worker of this episode died {LOSSES} times, at last alone with it: {death}"
            self.folder.note_fault(order, said + "\n")
            self.tell(broken(order, said, LOSSES, time.monotonic()))
