"""Keeps which worker has which day and which requests wait, and moves days if a worker dies.

DayPool ──ask──► Dispatcher ──requests──► PoolWorker, … ──answers──► futures
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from threading import RLock
from typing import Any

from trainee_bench.harness.environment.day import DayNotBegun, Start
from trainee_bench.harness.environment.pool.errors import (
    PoolClosed,
    PoolOfAnotherProcess,
    WorkerLost,
)
from trainee_bench.harness.environment.pool.requests import (
    BeginDay,
    CloseDay,
    PackedAnswer,
    PackedRequest,
    Request,
    pack_request,
    unpack_answer,
)
from trainee_bench.harness.environment.pool.room import DayRoom
from trainee_bench.harness.environment.pool.worker import Death, PoolWorker, StartWorker
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.meta_tasks.scenario import ScenarioDay

_MOST_DEATHS = 3
"""After so many deaths of workers over one request it is given up; over its beginning, a day."""
_POLL_SECONDS = 0.02
_DAY_LOST = f"{_MOST_DEATHS} workers died one after the other while they began this day"
_REQUEST_LOST = (
    f"{_MOST_DEATHS} workers died one after the other at this request, so it is given up; its day "
    "goes on from before it"
)
_NO_WORKERS = "all workers of this pool have died, so close it and make another"
_NEVER_STARTED = ". If none of them could start, begin the pool under `if __name__ == '__main__':`"
_CLOSED_DAY = "this day of the pool was closed; reset_many begins another"
_LOST_DAY = "this day of the pool was lost with its workers; reset_many begins another"


@dataclass(eq=False)
class PooledDay:
    """A day of a pool, and what an agent is told at its start."""

    given: ScenarioDay
    start: Start = field(init=False)
    now: datetime = field(init=False)
    """The simulated time after the last step."""
    done: bool = False
    """Whether the working day is over."""
    score: float = 0.0
    """The score when it began here; 0.0 for a new day, or without rewards."""
    closed: bool = False
    number: int = field(init=False, repr=False)
    worker: PoolWorker = field(init=False, repr=False)
    pool: Dispatcher | None = field(default=None, init=False, repr=False)
    """The request that began it."""
    snapshot: bytes | None = field(default=None, repr=False)
    calls: list[tuple[ToolCall, ...]] = field(default_factory=list, repr=False)
    """The steps since the snapshot, or since the morning."""
    deaths: set[object] = field(default_factory=set, repr=False)
    """The losses in a row while a worker began it: see `Death`."""
    lost: bool = False
    """Whether it was closed because it could not go on."""


def _future_that_is_answered() -> Future[Any]:
    """Return a future that nobody can cancel, since the worker answers in any case."""
    answer: Future[Any] = Future()
    answer.set_running_or_notify_cancel()
    return answer


@dataclass(eq=False)
class PendingRequest:
    """A request whose answer has not come. Raises NotTransferable."""

    day: PooledDay
    request: Request
    note: Callable[[Any], object] = lambda value: None
    """Called with the answer's value, before anybody who waits for it goes on."""
    answer: Future[Any] = field(default_factory=_future_that_is_answered)
    deaths: set[object] = field(default_factory=set)
    """The losses at this request: see `Death`."""
    packed: bytes = field(init=False)

    def __post_init__(self) -> None:
        self.packed = pack_request(self.request)


class Dispatcher:
    """Hands the requests of a pool to its workers. Any thread of its process may use it.

    *begin_request* makes the request that brings a day to where it is. All methods but `close`
    raise PoolOfAnotherProcess in a forked process, whose parent has the workers.
    """

    def __init__(
        self,
        start_worker: StartWorker,
        workers: int,
        most_open: int,
        begin_request: Callable[[PooledDay], BeginDay],
    ):
        self._start_worker, self._workers = start_worker, workers
        self._begin_request = begin_request
        self._process = os.getpid()
        self._lock = RLock()
        self._numbers = itertools.count()
        self._pending: dict[int, PendingRequest] = {}
        self._open: dict[PoolWorker, set[PooledDay]] = {}
        """The workers, with the days that each has."""
        self._room = DayRoom(most_open)
        self._fruitless: set[object] = set()
        """The losses in a row without an answer of any worker."""
        self._reason = ""
        """Why the last worker died, if it is known."""
        self._closed = False
        self._add_workers()

    def wait_for_start(self, seconds: float) -> None:
        """Return when all workers have started, or some have after *seconds*.

        Raises WorkerLost if none has by then, or all have died.
        """
        ends = time.monotonic() + seconds
        while True:
            with self._lock:
                workers, reason = list(self._open), self._reason
            started = [worker.started for worker in workers]
            if not started:
                raise WorkerLost(f"No worker could start. {reason}")
            if all(started):
                return
            if time.monotonic() > ends:
                break
            time.sleep(_POLL_SECONDS)
        if not any(started):
            raise WorkerLost(
                f"None of {len(started)} workers has started within {seconds:g} seconds: perhaps "
                "no processor is free. End other jobs, or ask for fewer workers."
            )

    def take_room(self, count: int) -> Future[None]:
        """Return a future that is done once *count* more days may be open, which take that room.

        Raises ValueError for more days than may ever be open.
        """
        self._check_process()
        return self._room.take(count)

    def give_up_room(self, count: int, taken: Future[None]) -> None:
        """Undo a `take_room` for which nobody waits any more."""
        self._room.give_up(count, taken)

    def begin(
        self, days: Sequence[PooledDay], note: Callable[[PooledDay, Any], object]
    ) -> list[PendingRequest]:
        """Give each of *days*, which have room, a worker that begins it; *note* gets each answer.

        If this raises, their room is free again. Raises PoolClosed, WorkerLost if no worker is
        left, and NotTransferable.
        """
        self._check_process()
        with self._lock:
            try:
                self._check_open()
                asked = []
                for day in days:
                    day.number, day.pool = next(self._numbers), self
                    request = self._begin_request(day)
                    asked.append(PendingRequest(day, request, partial(note, day)))
            except BaseException:
                self._room.give_back(len(days))
                raise
            for day in days:
                self._place(day)
            self._dispatch(asked)
        return asked

    def ask(self, asked: Sequence[PendingRequest]) -> None:
        """Send each request to its day's worker, all of one worker together.

        Raises PoolClosed, DayNotBegun for a day that was closed, and ValueError for one of another
        pool. Then nothing was sent.
        """
        self._check_process()
        with self._lock:
            if self._closed:
                raise PoolClosed
            for day in {pending.day for pending in asked}:
                self._check_day(day)
            self._dispatch(asked)

    def close_days(self, days: Iterable[PooledDay]) -> list[PendingRequest]:
        """Close those of *days* that are open, and give back their room.

        Raises PoolClosed, and ValueError for a day of another pool.
        """
        self._check_process()
        with self._lock:
            if self._closed:
                raise PoolClosed
            still = [day for day in dict.fromkeys(days) if not day.closed]
            for day in still:
                self._check_day(day)
            asked = [PendingRequest(day, CloseDay(day.number)) for day in still]
            self._dispatch(asked)
            for day in still:
                self.release(day)
        return asked

    def release(self, day: PooledDay, *, lost: bool = False) -> None:
        """Give back the room of *day*; a second time does nothing."""
        with self._lock:
            if not day.closed:
                day.closed, day.lost = True, lost
                self._open.get(day.worker, set()).discard(day)
                self._room.give_back(1)

    def close(self) -> None:
        """End all workers with their days; requests that wait raise PoolClosed.

        In a forked process this does nothing.
        """
        if os.getpid() != self._process:
            return
        with self._lock:
            self._closed = True
            waiting, self._pending = list(self._pending.values()), {}
            workers = list(self._open)
        self._room.close()
        for pending in waiting:
            pending.answer.set_exception(PoolClosed())
        for worker in workers:
            worker.close()

    # the inside ----------------------------------------------------------------------------

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            raise PoolOfAnotherProcess

    def _check_open(self) -> None:
        if self._closed:
            raise PoolClosed
        if not self._open:
            raise WorkerLost(_NO_WORKERS + _last(self._reason))

    def _check_day(self, day: PooledDay) -> None:
        if day.pool is not self:
            raise ValueError(
                "this day belongs to another pool: use the pool that began it, or take a snapshot "
                "there and restore it here"
            )
        if day.closed:
            raise DayNotBegun(_LOST_DAY if day.lost else _CLOSED_DAY)

    def _add_workers(self) -> None:
        """Start the workers that are missing."""
        while len(self._open) < self._workers:
            self._open[self._start_worker(self._answered, self._died)] = set()

    def _place(self, day: PooledDay) -> None:
        """Give *day* to the worker that has the fewest days, among those that have started."""
        started = [worker for worker in self._open if worker.started]
        day.worker = min(started or self._open, key=lambda worker: len(self._open[worker]))
        self._open[day.worker].add(day)

    def _dispatch(self, asked: Iterable[PendingRequest]) -> None:
        by_worker: dict[PoolWorker, list[PackedRequest]] = {}
        for pending in asked:
            number = next(self._numbers)
            self._pending[number] = pending
            by_worker.setdefault(pending.day.worker, []).append((number, pending.packed))
        for worker, numbered in by_worker.items():
            worker.send(numbered)

    def _answered(self, answers: Sequence[PackedAnswer]) -> None:
        read = [unpack_answer(answer) for answer in answers]
        found = []
        with self._lock:
            if self._fruitless and not self._closed:
                self._fruitless.clear()
                self._add_workers()
            for answer in read:
                pending = self._pending.pop(answer.number, None)
                if pending is None:
                    continue
                if isinstance(pending.request, BeginDay):
                    pending.day.deaths.clear()
                if answer.error is None:
                    pending.note(answer.value)  # under the lock, or a death might come between
                found.append((pending, answer))
        for pending, answer in found:
            if answer.error is not None:
                pending.answer.set_exception(answer.error)
            else:
                pending.answer.set_result(answer.value)

    def _died(self, worker: PoolWorker, death: Death | None = None) -> None:
        """Begin the days of *worker* again in other workers, and repeat what was asked of them.

        The first request without an answer is blamed, since a worker answers in order. If several
        came together, another may have been at work, so they are repeated one by one.
        """
        death = death or Death(worker)
        with self._lock:
            if self._closed or worker not in self._open:
                return
            days = self._open.pop(worker)
            waiting = self._taken_back(worker)
            self._fruitless.add(death.lost)
            self._reason = death.reason
            if len(self._fruitless) < _MOST_DEATHS:
                self._add_workers()
            if waiting:
                _blamed(waiting[0]).add(death.lost)
            lost = {day for day in days if len(day.deaths) >= _MOST_DEATHS or not self._open}
            for day in lost:
                self.release(day, lost=True)
            ended = [pending for pending in waiting if _is_given_up(pending)]
            self._move(days - lost, [pending for pending in waiting if pending not in ended])
        for pending in ended:
            _end(pending, death.reason)

    def _taken_back(self, worker: PoolWorker) -> list[PendingRequest]:
        """Return the requests that *worker* has not answered; nobody expects it to any more."""
        numbers = [
            number for number, pending in self._pending.items() if pending.day.worker is worker
        ]
        return [self._pending.pop(number) for number in numbers]

    def _move(self, days: Iterable[PooledDay], waiting: Sequence[PendingRequest]) -> None:
        """Give *days* to other workers, which begin them again and answer what is *waiting*."""
        beginning = {pending.day for pending in waiting if isinstance(pending.request, BeginDay)}
        again = []
        for day in days:
            self._place(day)
            if day not in beginning:
                pending = PendingRequest(day, self._begin_request(day))
                pending.answer.add_done_callback(partial(self._lose_unbegun, day))
                again.append(pending)
        for pending in (*again, *waiting):
            self._dispatch([pending])

    def _lose_unbegun(self, day: PooledDay, answer: Future[Any]) -> None:
        """Close *day* if no worker can bring it to where it was."""
        if answer.exception() is not None:
            self.release(day, lost=True)


def _blamed(pending: PendingRequest) -> set[object]:
    """Return where the losses at *pending* count."""
    return pending.day.deaths if isinstance(pending.request, BeginDay) else pending.deaths


def _is_given_up(pending: PendingRequest) -> bool:
    return pending.day.closed or len(pending.deaths) >= _MOST_DEATHS


def _end(pending: PendingRequest, reason: str) -> None:
    """Answer a request that no worker will."""
    day, last = pending.day, _last(reason)
    if not day.closed:
        pending.answer.set_exception(WorkerLost(_REQUEST_LOST + last))
    elif day.lost:
        pending.answer.set_exception(WorkerLost(_DAY_LOST + (last or _NEVER_STARTED)))
    elif isinstance(pending.request, CloseDay):
        pending.answer.set_result(None)  # it ended with its worker
    else:
        pending.answer.set_exception(DayNotBegun(_CLOSED_DAY))


def _last(reason: str) -> str:
    return f". The last one: {reason}" if reason else ""
