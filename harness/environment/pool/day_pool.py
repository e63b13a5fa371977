"""Many days at once, worked in several processes, from one thread, several, or an event loop.

    with DayPool(processes=2) as pool:
        begun = pool.reset_many(days)                     # [PooledDay, …]
        turns = pool.step_many([(day, [call]) for day in begun])
        grades = pool.grade_many(begun)

A day stays with its worker. If a worker dies, its days go on in another one: from their last
snapshot, if `snapshot_many` took one, and by the calls since then. So no step is lost.
"""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from functools import partial
from threading import Condition
from typing import Any, Generic, Protocol, Self, TypeVar

from trainee_bench.harness.environment.day import DayNotBegun, Start, Turn
from trainee_bench.harness.environment.pool.day_worker import NumberedRequest
from trainee_bench.harness.environment.pool.local_worker import LocalWorker
from trainee_bench.harness.environment.pool.requests import (
    Answer,
    BeginDay,
    CloseDay,
    DigestDay,
    GradeDay,
    Request,
    SnapshotDay,
    StepDay,
)
from trainee_bench.harness.environment.snapshot import unpack_day
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.meta_tasks.scenario import Scenario, ScenarioDay

__all__ = ["DayPool", "PoolClosed", "PooledDay", "WorkerLost"]

MOST_OPEN = 4_096
"""How many days may be open, unless the pool is told otherwise: some 0.5 MB each."""
_MOST_DEATHS = 3
"""How often a request is begun anew after its worker has died."""

_CLOSED = "the pool of days was closed"
_LOST = (
    f"{_MOST_DEATHS} workers died one after the other over this day. If none of them could start, "
    "begin the pool under `if __name__ == '__main__':`"
)
T = TypeVar("T")
DayStep = tuple["PooledDay", Sequence[ToolCall]]


class PoolClosed(RuntimeError):
    """The pool was closed."""


class WorkerLost(RuntimeError):
    """The workers of a day died again and again; the last request is likely to blame."""


class PoolWorker(Protocol):
    """A process with days, on this machine or another."""

    def send(self, requests: Sequence[NumberedRequest]) -> None:
        """Hand *requests* over."""

    def close(self) -> None:
        """End it with its days."""


StartWorker = Callable[[Callable[[Sequence[Answer]], None], Callable[[Any], None]], PoolWorker]
"""Starts a worker, given what gets its answers and what is called when it has died."""


@dataclass(eq=False)
class PooledDay:
    """A day of a pool, and what an agent is told at its start."""

    given: ScenarioDay
    start: Start = field(init=False)
    closed: bool = False
    _number: int = field(init=False, repr=False)
    _worker: PoolWorker = field(init=False, repr=False)
    _snapshot: bytes | None = field(default=None, repr=False)
    _calls: list[tuple[ToolCall, ...]] = field(default_factory=list, repr=False)
    """The steps since the snapshot, or since the morning."""
    _deaths: int = field(default=0, repr=False)
    """How many workers died in a row while something was asked of this day."""


@dataclass(eq=False)
class _Pending:
    """A request whose answer has not come."""

    day: PooledDay
    request: Request
    answer: Future[Any] = field(default_factory=Future)


@dataclass(frozen=True)
class _Asked(Generic[T]):
    """Requests that were sent, and what follows from their answers, in order.

    If one fails, *undo* is called with the days of the others, and its error is raised.
    """

    requests: Sequence[_Pending]
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
    *rewards*, each step says by how much it raised the score. Any thread may use the pool; the
    methods that end in ``_async`` are for event loops of asyncio. What a day raises
    (CompositionError, UnknownRuleError, NeedsEventLoop, InvalidSnapshot) is raised by the method
    that asked for it.
    """

    def __init__(
        self,
        processes: int | None = None,
        *,
        most_open: int = MOST_OPEN,
        rewards: bool = True,
        start_worker: StartWorker = LocalWorker,
    ):
        self._rewards, self._most_open, self._start_worker = rewards, most_open, start_worker
        self._changed = Condition()
        self._numbers = itertools.count()
        self._pending: dict[int, _Pending] = {}
        self._open: dict[PoolWorker, set[PooledDay]] = {}
        """The workers, with the days that each has."""
        self._taken = 0
        """How many days are open or begin."""
        self._fruitless = 0
        """How many workers died in a row without an answer of any."""
        self._closed = False
        for _ in range(processes or os.cpu_count() or 1):
            self._add_worker()

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
        self._wait_for_room(len(begun))
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
        self._wait_for_room(len(begun))
        return self._begin(begun).wait()

    def close_many(self, days: Iterable[PooledDay]) -> None:
        """Free *days*, which makes room for others; closing a day twice does nothing."""
        self._close(days).wait()

    # the same for an event loop --------------------------------------------------------------

    async def reset_many_async(self, days: Iterable[ScenarioDay | Scenario]) -> list[PooledDay]:
        """As `reset_many`."""
        begun = _as_days(days)
        await asyncio.to_thread(self._wait_for_room, len(begun))
        return await self._begin(begun).waited()

    async def step_many_async(self, steps: Iterable[DayStep]) -> list[Turn]:
        """As `step_many`."""
        return await self._step(steps).waited()

    async def grade_many_async(self, days: Iterable[PooledDay]) -> list[DayGrade]:
        """As `grade_many`."""
        return await self._ask_each(days, GradeDay).waited()

    async def digest_many_async(self, days: Iterable[PooledDay]) -> list[str]:
        """As `digest_many`."""
        return await self._ask_each(days, DigestDay).waited()

    async def snapshot_many_async(self, days: Iterable[PooledDay]) -> list[bytes]:
        """As `snapshot_many`."""
        return await self._snapshot(days).waited()

    async def restore_many_async(self, snapshots: Iterable[bytes]) -> list[PooledDay]:
        """As `restore_many`."""
        begun = _as_restored(snapshots)
        await asyncio.to_thread(self._wait_for_room, len(begun))
        return await self._begin(begun).waited()

    async def close_many_async(self, days: Iterable[PooledDay]) -> None:
        """As `close_many`."""
        await self._close(days).waited()

    # the pool ------------------------------------------------------------------------------

    def close(self) -> None:
        """End all workers with their days; requests that wait raise PoolClosed."""
        with self._changed:
            self._closed = True
            waiting, self._pending = list(self._pending.values()), {}
            workers = list(self._open)
            self._changed.notify_all()
        for pending in waiting:
            pending.answer.set_exception(PoolClosed(_CLOSED))
        for worker in workers:
            worker.close()

    def _wait_for_room(self, count: int) -> None:
        if count > self._most_open:
            raise ValueError(
                f"{count} days at once, but at most {self._most_open} may be open: begin fewer, "
                "or raise most_open"
            )
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._taken + count <= self._most_open)
            self._taken += count

    def _begin(self, days: Sequence[PooledDay]) -> _Asked[list[PooledDay]]:
        with self._changed:
            for day in days:
                day._number = next(self._numbers)
                self._place(day)
            asked = self._send([(day, self._begin_request(day)) for day in days])
        for pending in asked:
            pending.answer.add_done_callback(partial(self._begun, pending.day))
        return _Asked(asked, lambda _: list(days), self._close)

    def _begun(self, day: PooledDay, answer: Future[Any]) -> None:
        """Keep the start of *day*, or give its room back if it could not begin."""
        if answer.exception() is None:
            day.start = answer.result()
        else:
            self._release(day)

    def _step(self, steps: Iterable[DayStep]) -> _Asked[list[Turn]]:
        given = [(day, tuple(calls)) for day, calls in steps]
        asked = self._ask([(day, StepDay(day._number, calls)) for day, calls in given])
        for pending, (day, calls) in zip(asked, given, strict=True):
            pending.answer.add_done_callback(partial(_note_step, day, calls))
        return _Asked(asked, list)

    def _snapshot(self, days: Iterable[PooledDay]) -> _Asked[list[bytes]]:
        asked = self._ask([(day, SnapshotDay(day._number)) for day in days])
        for pending in asked:
            pending.answer.add_done_callback(partial(_note_snapshot, pending.day))
        return _Asked(asked, list)

    def _close(self, days: Iterable[PooledDay]) -> _Asked[None]:
        asked = self._ask([(day, CloseDay(day._number)) for day in days if not day.closed])
        for pending in asked:
            self._release(pending.day)
        return _Asked(asked, lambda _: None)

    def _ask_each(
        self, days: Iterable[PooledDay], request: Callable[[int], Request]
    ) -> _Asked[list[Any]]:
        return _Asked(self._ask([(day, request(day._number)) for day in days]), list)

    def _ask(self, requests: Sequence[tuple[PooledDay, Request]]) -> list[_Pending]:
        for day, _ in requests:
            if day.closed:
                raise DayNotBegun("this day of the pool was closed; reset_many begins another")
        with self._changed:
            return self._send(requests)

    # workers -------------------------------------------------------------------------------

    def _add_worker(self) -> None:
        self._open[self._start_worker(self._answered, self._died)] = set()

    def _place(self, day: PooledDay) -> None:
        """Give *day* to the worker that has the fewest days."""
        worker = min(self._open, key=lambda candidate: len(self._open[candidate]))
        day._worker = worker
        self._open[worker].add(day)

    def _release(self, day: PooledDay) -> None:
        with self._changed:
            if not day.closed:
                day.closed = True
                self._open.get(day._worker, set()).discard(day)
                self._taken -= 1
                self._changed.notify_all()

    def _begin_request(self, day: PooledDay) -> BeginDay:
        return BeginDay(day._number, day.given, self._rewards, day._snapshot, tuple(day._calls))

    def _send(self, requests: Sequence[tuple[PooledDay, Request]]) -> list[_Pending]:
        """Send each request to its day's worker, all of one worker together."""
        if self._closed:
            raise PoolClosed(_CLOSED)
        asked = [_Pending(day, request) for day, request in requests]
        self._dispatch(asked)
        return asked

    def _dispatch(self, asked: Iterable[_Pending]) -> None:
        by_worker: dict[PoolWorker, list[NumberedRequest]] = {}
        for pending in asked:
            number = next(self._numbers)
            self._pending[number] = pending
            by_worker.setdefault(pending.day._worker, []).append((number, pending.request))
        for worker, numbered in by_worker.items():
            worker.send(numbered)

    def _answered(self, answers: Sequence[Answer]) -> None:
        with self._changed:
            self._fruitless = 0
            found = [(self._pending.pop(one.number, None), one) for one in answers]
        for pending, answer in found:
            if pending is None:
                continue
            pending.day._deaths = 0
            if answer.error is not None:
                pending.answer.set_exception(answer.error)
            else:
                pending.answer.set_result(answer.value)

    def _died(self, worker: PoolWorker) -> None:
        """Begin the days of *worker* again in other workers, and repeat what was asked of them."""
        with self._changed:
            if self._closed or worker not in self._open:
                return
            days = self._open.pop(worker)
            waiting = self._taken_back(worker)
            self._fruitless += 1
            if self._fruitless < _MOST_DEATHS:
                self._add_worker()
            blamed = {pending.day for pending in waiting}
            for day in blamed:
                day._deaths += 1
            lost = {day for day in days if day._deaths >= _MOST_DEATHS or not self._open}
            self._move(days - lost, [one for one in waiting if one.day not in lost])
        for day in lost:
            self._release(day)
        for pending in waiting:
            if pending.day in lost:
                pending.answer.set_exception(WorkerLost(_LOST))

    def _taken_back(self, worker: PoolWorker) -> list[_Pending]:
        """Return the requests that *worker* has not answered; nobody expects it to any more."""
        numbers = [number for number, one in self._pending.items() if one.day._worker is worker]
        return [self._pending.pop(number) for number in numbers]

    def _move(self, days: Iterable[PooledDay], waiting: Sequence[_Pending]) -> None:
        """Give *days* to other workers, which begin them again and answer what is *waiting*."""
        beginning = {one.day for one in waiting if isinstance(one.request, BeginDay)}
        again = []
        for day in days:
            self._place(day)
            if day not in beginning:
                again.append(_Pending(day, self._begin_request(day)))
        self._dispatch([*again, *waiting])


def _as_days(days: Iterable[ScenarioDay | Scenario]) -> list[PooledDay]:
    return [
        PooledDay(day if isinstance(day, ScenarioDay) else ScenarioDay(scenario=day, day=0))
        for day in days
    ]


def _as_restored(snapshots: Iterable[bytes]) -> list[PooledDay]:
    return [PooledDay(unpack_day(kept).day, _snapshot=kept) for kept in snapshots]


def _note_step(day: PooledDay, calls: tuple[ToolCall, ...], answer: Future[Any]) -> None:
    if answer.exception() is None:
        day._calls.append(calls)


def _note_snapshot(day: PooledDay, answer: Future[Any]) -> None:
    if answer.exception() is None:
        day._snapshot, day._calls = answer.result(), []
