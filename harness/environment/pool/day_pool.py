"""Many days at once, worked in several processes or on the nodes of a Ray cluster, from one thread,
several, or an event loop.

    with DayPool(processes=2) as pool:
        begun = pool.reset_many(days)                     # [PooledDay, …]
        turns = pool.step_many([(day, [call]) for day in begun])
        grades = pool.grade_many(begun)

A day stays with its worker. If a worker dies, its days go on in another one: from their last
snapshot, if one was taken, and by the calls since then. So no step is lost.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, wait
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Self, TypeVar

from trainee_bench.harness.environment.day import DayNotBegun, Turn
from trainee_bench.harness.environment.pool.dispatcher import (
    Dispatcher,
    PendingRequest,
    PoolClosed,
    PooledDay,
    StartWorker,
    WorkerLost,
)
from trainee_bench.harness.environment.pool.local_worker import LocalWorker
from trainee_bench.harness.environment.pool.requests import (
    BeginDay,
    BegunDay,
    CloseDay,
    DigestDay,
    GradeDay,
    Request,
    ReviewDay,
    SnapshotDay,
    StepDay,
)
from trainee_bench.harness.environment.snapshot import unpack_day
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.harness.support.ray_cluster import (
    CONNECT_SECONDS,
    Cluster,
    ClusterError,
    connected,
)
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.meta_tasks.scenario import Scenario, ScenarioDay

__all__ = ["ClusterError", "DayPool", "PoolClosed", "PooledDay", "WorkerLost"]

MOST_OPEN = 4_096
"""How many days may be open, unless the pool is told otherwise: some 0.5 MB each."""
START_SECONDS = 300.0
"""How long a pool on a cluster waits for all of its workers, if at least one has started."""
SNAPSHOT_EVERY = 50
"""After how many steps a day on a cluster is saved: repeating so many takes about 0.1 s."""
_LOGGER = logging.getLogger(__name__)
T = TypeVar("T")
DayStep = tuple[PooledDay, Sequence[ToolCall]]
RepeatedDay = tuple[ScenarioDay, Sequence[Sequence[ToolCall]]]
"""A day, and the calls of each step that was made on it."""


@dataclass(frozen=True)
class _Asked(Generic[T]):
    """Requests that were sent, and what follows from their answers, in order.

    If one fails, *undo* is called with the days of the others, and its error is raised.
    """

    requests: Sequence[PendingRequest]
    finish: Callable[[list[Any]], T]
    undo: Callable[[list[PooledDay]], object] = lambda days: None

    def wait(self) -> T:
        """Return what follows, once all answers are there."""
        wait([pending.answer for pending in self.requests])
        return self._result()

    async def waited(self) -> T:
        """The same without holding up the event loop."""
        answers = [asyncio.wrap_future(pending.answer) for pending in self.requests]
        await asyncio.gather(*answers, return_exceptions=True)
        return self._result()

    def _result(self) -> T:
        errors = [pending.answer.exception() for pending in self.requests]
        first = next((error for error in errors if error is not None), None)
        if first is not None:
            pairs = zip(self.requests, errors, strict=True)
            self.undo([pending.day for pending, error in pairs if error is None])
            raise first
        return self.finish([pending.answer.result() for pending in self.requests])


class DayPool:
    """Days in so many *processes*, by default one for each processor.

    At most *most_open* days are open at once: `reset_many` waits until there is room. With
    *rewards*, each step says by how much it raised the score. With *snapshot_every*, a day is saved
    after so many steps; if its worker dies, only the steps since then are repeated. Any thread may
    use the pool; the methods that end in ``_async`` are for event loops of asyncio. Errors of a day
    (CompositionError, UnknownRuleError, NeedsEventLoop, InvalidSnapshot) are raised by the method
    that asked for it.
    """

    def __init__(
        self,
        processes: int | None = None,
        *,
        most_open: int = MOST_OPEN,
        rewards: bool = True,
        snapshot_every: int | None = None,
        start_worker: StartWorker = LocalWorker,
    ):
        if snapshot_every is not None and snapshot_every < 1:
            raise ValueError(f"snapshot_every={snapshot_every}: give 1 or more, or None for never")
        self._rewards, self._snapshot_every = rewards, snapshot_every
        self._leaving = ExitStack()
        workers = processes or os.cpu_count() or 1
        self._dispatcher = Dispatcher(start_worker, workers, most_open, self._begin_request)

    @classmethod
    def on_ray(
        cls,
        address: str | None = None,
        *,
        workers: int | None = None,
        cpus_per_worker: float = 1,
        snapshot_every: int | None = SNAPSHOT_EVERY,
        most_open: int = MOST_OPEN,
        rewards: bool = True,
        connect_seconds: float = CONNECT_SECONDS,
    ) -> Self:
        """Return a pool whose *workers* are actors of a Ray cluster, by default one for each
        processor of the nodes that can work.

        That is the cluster at *address* (HOST:PORT), by default the one to which this process is
        connected, or the one at RAY_ADDRESS, or a local one. Raises ClusterError if it is not
        reached in *connect_seconds* or no node can work, WorkerLost if no worker starts,
        ModuleNotFoundError without Ray, and ValueError for more workers than there are processors.
        """
        from trainee_bench.harness.environment.pool.node_test import POOL_TEST
        from trainee_bench.harness.environment.pool.ray_worker import RayWorkers

        with ExitStack() as leaving:
            local = workers or os.cpu_count() or 1
            ray = leaving.enter_context(connected(address, cpus=local, seconds=connect_seconds))
            cluster = Cluster(ray, POOL_TEST)
            room = cluster.processors()
            if (workers or 1) * cpus_per_worker > room:
                raise ValueError(
                    f"{workers or 1} workers with {cpus_per_worker:g} processors each, but the "
                    f"nodes that can work have {room}: ask for fewer, or for less in "
                    "cpus_per_worker"
                )
            pool = cls(
                workers or int(room / max(cpus_per_worker, 1)),
                most_open=most_open,
                rewards=rewards,
                snapshot_every=snapshot_every,
                start_worker=RayWorkers(cluster, cpus_per_worker),
            )
            pool._leaving = leaving.pop_all()
        try:
            pool._dispatcher.wait_for_start(START_SECONDS)
        except WorkerLost:
            pool.close()
            raise
        return pool

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # days ----------------------------------------------------------------------------------

    def reset_many(self, days: Iterable[ScenarioDay | Scenario]) -> list[PooledDay]:
        """Begin *days* as soon as there is room for all of them; a scenario means its first day.

        Raises ValueError for more days than may ever be open.
        """
        begun = _as_days(days)
        self._dispatcher.wait_for_room(len(begun))
        return self._begin(begun).wait()

    def step_many(self, steps: Iterable[DayStep]) -> list[Turn]:
        """Make the calls of each step on its day; the turns have the order of *steps*."""
        return self._step(steps).wait()

    def grade_many(self, days: Iterable[PooledDay]) -> list[DayGrade]:
        """Return the grade of each day as it stands."""
        return self._ask_each(days, GradeDay).wait()

    def digest_many(self, days: Iterable[PooledDay]) -> list[str]:
        """Return the digest of each day's world."""
        return self._ask_each(days, DigestDay).wait()

    def snapshot_many(self, days: Iterable[PooledDay]) -> list[bytes]:
        """Return a snapshot of each day. If its worker dies, the day goes on from there."""
        return self._snapshot(days).wait()

    def restore_many(self, snapshots: Iterable[bytes]) -> list[PooledDay]:
        """Go on with the days of *snapshots*, which this or another pool has made.

        Their starts say what an agent would be told now.
        """
        begun = _as_restored(snapshots)
        self._dispatcher.wait_for_room(len(begun))
        return self._begin(begun).wait()

    def repeat_many(self, days: Iterable[RepeatedDay]) -> list[PooledDay]:
        """Begin days and repeat the steps that were made on them, which gives the same worlds."""
        begun = _as_repeated(days)
        self._dispatcher.wait_for_room(len(begun))
        return self._begin(begun).wait()

    def close_many(self, days: Iterable[PooledDay]) -> None:
        """Free *days*, which makes room for others; closing a day twice does nothing."""
        self._close(days).wait()

    # the same for an event loop --------------------------------------------------------------

    async def reset_many_async(self, days: Iterable[ScenarioDay | Scenario]) -> list[PooledDay]:
        """As `reset_many`."""
        begun = _as_days(days)
        await asyncio.to_thread(self._dispatcher.wait_for_room, len(begun))
        return await self._begin(begun).waited()

    async def step_many_async(self, steps: Iterable[DayStep]) -> list[Turn]:
        """As `step_many`."""
        return await self._step(steps).waited()

    async def grade_many_async(self, days: Iterable[PooledDay]) -> list[DayGrade]:
        """As `grade_many`."""
        return await self._ask_each(days, GradeDay).waited()

    async def review_many_async(self, days: Iterable[PooledDay]) -> list[tuple[DayGrade, str]]:
        """Return the grade of each day and the digest of its world, with one request for both."""
        return await self._ask_each(days, ReviewDay).waited()

    async def digest_many_async(self, days: Iterable[PooledDay]) -> list[str]:
        """As `digest_many`."""
        return await self._ask_each(days, DigestDay).waited()

    async def snapshot_many_async(self, days: Iterable[PooledDay]) -> list[bytes]:
        """As `snapshot_many`."""
        return await self._snapshot(days).waited()

    async def restore_many_async(self, snapshots: Iterable[bytes]) -> list[PooledDay]:
        """As `restore_many`."""
        begun = _as_restored(snapshots)
        await asyncio.to_thread(self._dispatcher.wait_for_room, len(begun))
        return await self._begin(begun).waited()

    async def repeat_many_async(self, days: Iterable[RepeatedDay]) -> list[PooledDay]:
        """As `repeat_many`."""
        begun = _as_repeated(days)
        await asyncio.to_thread(self._dispatcher.wait_for_room, len(begun))
        return await self._begin(begun).waited()

    async def close_many_async(self, days: Iterable[PooledDay]) -> None:
        """As `close_many`."""
        await self._close(days).waited()

    def close(self) -> None:
        """End all workers with their days; requests that wait raise PoolClosed."""
        self._dispatcher.close()
        self._leaving.close()

    # the inside ----------------------------------------------------------------------------

    def _begin(self, days: Sequence[PooledDay]) -> _Asked[list[PooledDay]]:
        asked = self._dispatcher.begin(days, _note_begun)
        for pending in asked:
            pending.answer.add_done_callback(partial(self._release_failed, pending.day))
        return _Asked(asked, lambda _: list(days), self._close)

    def _release_failed(self, day: PooledDay, answer: Future[Any]) -> None:
        """Give back the room of *day* if it could not begin."""
        if answer.exception() is not None:
            self._dispatcher.release(day)

    def _step(self, steps: Iterable[DayStep]) -> _Asked[list[Turn]]:
        given = [(day, tuple(calls)) for day, calls in steps]
        return self._ask(
            PendingRequest(day, StepDay(day.number, calls), partial(self._note_step, day, calls))
            for day, calls in given
        )

    def _snapshot(self, days: Iterable[PooledDay]) -> _Asked[list[bytes]]:
        return self._ask(map(_snapshot_of, days))

    def _close(self, days: Iterable[PooledDay]) -> _Asked[None]:
        asked = [PendingRequest(day, CloseDay(day.number)) for day in days if not day.closed]
        self._dispatcher.ask(asked)
        for pending in asked:
            self._dispatcher.release(pending.day)
        return _Asked(asked, lambda _: None)

    def _ask_each(
        self, days: Iterable[PooledDay], request: Callable[[int], Request]
    ) -> _Asked[list[Any]]:
        return self._ask(PendingRequest(day, request(day.number)) for day in days)

    def _ask(self, requests: Iterable[PendingRequest]) -> _Asked[list[Any]]:
        asked = list(requests)
        for pending in asked:
            if pending.day.closed:
                raise DayNotBegun("this day of the pool was closed; reset_many begins another")
        self._dispatcher.ask(asked)
        return _Asked(asked, list)

    def _note_step(self, day: PooledDay, calls: tuple[ToolCall, ...], turn: Turn) -> None:
        """Keep the *calls* of a step, and save the day if that is due."""
        day.calls.append(calls)
        day.done = turn.done
        day.now = next((said.time for said in reversed(turn.answers) if said.time), day.now)
        every = self._snapshot_every
        if every is not None and len(day.calls) % every == 0 and not day.closed:
            pending = _snapshot_of(day)
            pending.answer.add_done_callback(partial(_warn_unsaved, day))
            with suppress(PoolClosed):
                self._dispatcher.ask([pending])

    def _begin_request(self, day: PooledDay) -> BeginDay:
        return BeginDay(day.number, day.given, self._rewards, day.snapshot, tuple(day.calls))


def _as_days(days: Iterable[ScenarioDay | Scenario]) -> list[PooledDay]:
    return [
        PooledDay(day if isinstance(day, ScenarioDay) else ScenarioDay(scenario=day, day=0))
        for day in days
    ]


def _as_repeated(days: Iterable[RepeatedDay]) -> list[PooledDay]:
    return [PooledDay(given, calls=[tuple(calls) for calls in steps]) for given, steps in days]


def _as_restored(snapshots: Iterable[bytes]) -> list[PooledDay]:
    return [PooledDay(unpack_day(kept).day, snapshot=kept) for kept in snapshots]


def _note_begun(day: PooledDay, begun: BegunDay) -> None:
    day.start, day.now = begun.start, begun.now
    day.done, day.score = begun.done, begun.score


def _snapshot_of(day: PooledDay) -> PendingRequest:
    return PendingRequest(day, SnapshotDay(day.number), partial(_note_snapshot, day))


def _note_snapshot(day: PooledDay, snapshot: bytes) -> None:
    day.snapshot, day.calls = snapshot, []


def _warn_unsaved(day: PooledDay, answer: Future[Any]) -> None:
    """Warn if a snapshot that nobody waits for failed; the day still goes on by its calls."""
    error = answer.exception()
    if error is not None and not day.closed and not isinstance(error, PoolClosed | WorkerLost):
        _LOGGER.warning("A day could not be saved, so a lost worker costs more: %s", error)
