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
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any, Self

from trainee_bench.harness.environment.day import Turn
from trainee_bench.harness.environment.pool.dispatcher import (
    Dispatcher,
    PendingRequest,
    PooledDay,
)
from trainee_bench.harness.environment.pool.errors import (
    NotTransferable,
    PoolClosed,
    PoolOfAnotherProcess,
    WorkerLost,
)
from trainee_bench.harness.environment.pool.local_worker import LocalWorker
from trainee_bench.harness.environment.pool.requests import (
    BeginDay,
    BegunDay,
    DigestDay,
    GradeDay,
    Request,
    ReviewDay,
    SnapshotDay,
    StepDay,
    own_calls,
)
from trainee_bench.harness.environment.pool.sent_requests import SentRequests
from trainee_bench.harness.environment.pool.worker import StartWorker
from trainee_bench.harness.environment.snapshot import InvalidSnapshot, unpack_day
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.harness.support.ray_cluster import (
    CONNECT_SECONDS,
    Cluster,
    ClusterError,
    connected,
)
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.meta_tasks.offices.opened import open_folders, resolve_day
from trainee_bench.meta_tasks.scenario import Scenario, ScenarioDay

__all__ = [
    "ClusterError",
    "DayPool",
    "NotTransferable",
    "PoolClosed",
    "PoolOfAnotherProcess",
    "PooledDay",
    "WorkerLost",
]

MOST_OPEN = 4_096
"""How many days may be open, unless the pool is told otherwise: some 0.5 MB each."""
START_SECONDS = 300.0
"""How long a pool on a cluster waits for all of its workers, if at least one has started."""
SNAPSHOT_EVERY = 50
"""After how many steps a day on a cluster is saved: repeating so many takes about 0.1 s."""
_LOGGER = logging.getLogger(__name__)
DayStep = tuple[PooledDay, Sequence[ToolCall]]
RepeatedDay = tuple[ScenarioDay, Sequence[Sequence[ToolCall]]]
"""A day, and the calls of each step that was made on it."""


class DayPool:
    """Days in so many *processes*, by default one for each processor.

    At most *most_open* days are open at once: `reset_many` waits until there is room. With
    *rewards*, each step says by how much it raised the score. With *snapshot_every*, a day is saved
    after so many steps; if its worker dies, only the steps since then are repeated. Any thread of
    this process may use the pool; in a forked one, its methods raise PoolOfAnotherProcess. The
    methods that end in ``_async`` are for event loops of asyncio. A step whose caller is cancelled
    still happens; days whose beginning is cancelled are closed.

    The method that asked for a day raises its errors: CompositionError, UnknownRuleError,
    NeedsEventLoop and InvalidSnapshot. NotTransferable is for arguments that are no JSON, and
    WorkerLost for a request that ended three workers, which is not repeated then. A closed day
    raises DayNotBegun, a day of another pool ValueError, and a pool that has ended PoolClosed.
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
        if most_open < 1:
            raise ValueError(f"most_open={most_open}: give 1 or more")
        _check_count("processes", processes)
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
        _check_count("workers", workers)
        if cpus_per_worker <= 0:
            raise ValueError(f"cpus_per_worker={cpus_per_worker:g}: give more than 0")
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
        return self._begun(_as_days(days))

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

        Their starts say what an agent would be told now. Do not restore snapshots of strangers: see
        `Day.from_snapshot`.
        """
        return self._begun(_as_restored(snapshots))

    def repeat_many(self, days: Iterable[RepeatedDay]) -> list[PooledDay]:
        """Begin days and repeat the steps that were made on them, which gives the same worlds."""
        return self._begun(_as_repeated(days))

    def close_many(self, days: Iterable[PooledDay]) -> None:
        """Free *days*, which makes room for others; closing a day twice does nothing."""
        self._close(days).wait()

    # the same for an event loop --------------------------------------------------------------

    async def reset_many_async(self, days: Iterable[ScenarioDay | Scenario]) -> list[PooledDay]:
        """As `reset_many`."""
        return await self._begun_async(_as_days(days))

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
        return await self._begun_async(_as_restored(snapshots))

    async def repeat_many_async(self, days: Iterable[RepeatedDay]) -> list[PooledDay]:
        """As `repeat_many`."""
        return await self._begun_async(_as_repeated(days))

    async def close_many_async(self, days: Iterable[PooledDay]) -> None:
        """As `close_many`."""
        await self._close(days).waited()

    def close(self) -> None:
        """End all workers with their days; requests that wait raise PoolClosed."""
        self._dispatcher.close()
        self._leaving.close()

    # the inside ----------------------------------------------------------------------------

    def _begun(self, days: Sequence[PooledDay]) -> list[PooledDay]:
        taken = self._dispatcher.take_room(len(days))
        try:
            taken.result()
        except BaseException:
            self._dispatcher.give_up_room(len(days), taken)
            raise
        return self._begin(days).wait()

    async def _begun_async(self, days: Sequence[PooledDay]) -> list[PooledDay]:
        taken = self._dispatcher.take_room(len(days))
        try:
            await asyncio.wrap_future(taken)
        except BaseException:
            self._dispatcher.give_up_room(len(days), taken)
            raise
        return await self._begin(days).waited()

    def _begin(self, days: Sequence[PooledDay]) -> SentRequests[list[PooledDay]]:
        """Begin *days*, which have room."""
        asked = self._dispatcher.begin(days, _note_begun)
        for pending in asked:
            pending.answer.add_done_callback(partial(self._release_failed, pending.day))
        return SentRequests(asked, lambda _: list(days), self._close)

    def _release_failed(self, day: PooledDay, answer: Future[Any]) -> None:
        """Give back the room of *day* if it could not begin."""
        if answer.exception() is not None:
            self._dispatcher.release(day)

    def _step(self, steps: Iterable[DayStep]) -> SentRequests[list[Turn]]:
        given = [(day, own_calls(calls)) for day, calls in steps]
        return self._ask(
            PendingRequest(day, StepDay(day.number, calls), partial(self._note_step, day, calls))
            for day, calls in given
        )

    def _snapshot(self, days: Iterable[PooledDay]) -> SentRequests[list[bytes]]:
        return self._ask(map(_snapshot_of, days))

    def _close(self, days: Iterable[PooledDay]) -> SentRequests[None]:
        return SentRequests(self._dispatcher.close_days(days), lambda _: None)

    def _ask_each(
        self, days: Iterable[PooledDay], request: Callable[[int], Request]
    ) -> SentRequests[list[Any]]:
        return self._ask(PendingRequest(day, request(day.number)) for day in days)

    def _ask(self, requests: Iterable[PendingRequest]) -> SentRequests[list[Any]]:
        asked = list(requests)
        self._dispatcher.ask(asked)
        return SentRequests(asked, list)

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
        calls, offices = tuple(day.calls), tuple(open_folders())
        return BeginDay(day.number, day.given, self._rewards, day.snapshot, calls, offices)


def _check_count(name: str, count: int | None) -> None:
    if count is not None and count < 1:
        raise ValueError(f"{name}={count}: give 1 or more, or None for one for each processor")


def _as_days(days: Iterable[ScenarioDay | Scenario]) -> list[PooledDay]:
    return [
        PooledDay(
            resolve_day(day if isinstance(day, ScenarioDay) else ScenarioDay(scenario=day, day=0))
        )
        for day in days
    ]


def _as_repeated(days: Iterable[RepeatedDay]) -> list[PooledDay]:
    return [
        PooledDay(resolve_day(given), calls=[own_calls(calls) for calls in steps])
        for given, steps in days
    ]


def _as_restored(snapshots: Iterable[bytes]) -> list[PooledDay]:
    unpacked = [(unpack_day(kept), kept) for kept in snapshots]
    if any(day.tokens_per_minute is not None for day, _ in unpacked):
        raise InvalidSnapshot(
            "thinking takes time on this day, and a pool's steps tell no tokens; "
            "Day.from_snapshot restores it"
        )
    return [PooledDay(day.day, snapshot=kept) for day, kept in unpacked]


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
    if error is not None and not day.closed and not isinstance(error, PoolClosed):
        _LOGGER.warning("A day could not be saved, so a lost worker costs more: %s", error)
