"""Keeps which worker has which day and which requests wait, and moves days if a worker dies.

DayPool ──ask──► Dispatcher ──requests──► PoolWorker, … ──answers──► futures
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from threading import Condition
from typing import Any, Protocol

from trainee_bench.harness.environment.day import Start
from trainee_bench.harness.environment.pool.day_worker import NumberedRequest
from trainee_bench.harness.environment.pool.requests import BeginDay, DayAnswer, Request
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.meta_tasks.scenario import ScenarioDay

_MOST_DEATHS = 3
"""After so many deaths of workers in a row over one day, that day is given up."""
_POLL_SECONDS = 0.02
_CLOSED = "the pool of days was closed"
_LOST = f"{_MOST_DEATHS} workers died one after the other over this day"
_NEVER_STARTED = ". If none of them could start, begin the pool under `if __name__ == '__main__':`"


class PoolClosed(RuntimeError):
    """The pool was closed."""


class WorkerLost(RuntimeError):
    """The workers of a day died again and again; the last request is likely to blame."""


class PoolWorker(Protocol):
    """A process with days, on this machine or a node of a cluster."""

    @property
    def started(self) -> bool:
        """Whether it works requests at once. Otherwise they wait until it does."""

    def send(self, requests: Sequence[NumberedRequest]) -> None:
        """Hand *requests* over."""

    def close(self) -> None:
        """End it with its days."""


@dataclass(frozen=True)
class Death:
    """The loss of a worker that died by itself, and the reason, if it is known.

    ``lost`` is the worker alone, or something that it shared with others, such as the id of its
    node: their deaths then count as one.
    """

    lost: object
    reason: str = ""


class Died(Protocol):
    """Called with a worker that has died; without a *death*, the worker alone is lost."""

    def __call__(self, worker: Any, death: Death | None = None, /) -> None:
        """Begin the days of *worker* in other workers."""


class StartWorker(Protocol):
    """Starts a worker at once, given what gets its answers and what is called when it has died."""

    def __call__(
        self, answered: Callable[[Sequence[DayAnswer]], None], died: Died, /
    ) -> PoolWorker:
        """Return the worker, which may still be starting."""


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
    snapshot: bytes | None = field(default=None, repr=False)
    calls: list[tuple[ToolCall, ...]] = field(default_factory=list, repr=False)
    """The steps since the snapshot, or since the morning."""
    deaths: set[object] = field(default_factory=set, repr=False)
    """The losses in a row while a request for this day waited: see `Death`."""


def _future_that_is_answered() -> Future[Any]:
    """Return a future that nobody can cancel, since the worker answers in any case."""
    answer: Future[Any] = Future()
    answer.set_running_or_notify_cancel()
    return answer


@dataclass(eq=False)
class PendingRequest:
    """A request whose answer has not come."""

    day: PooledDay
    request: Request
    note: Callable[[Any], object] = lambda value: None
    """Called with the answer's value, before anybody who waits for it goes on."""
    answer: Future[Any] = field(default_factory=_future_that_is_answered)


class Dispatcher:
    """Hands the requests of a pool to its workers. Any thread may use it.

    *begin_request* makes the request that brings a day to where it is.
    """

    def __init__(
        self,
        start_worker: StartWorker,
        workers: int,
        most_open: int,
        begin_request: Callable[[PooledDay], BeginDay],
    ):
        self._start_worker, self._workers, self._most_open = start_worker, workers, most_open
        self._begin_request = begin_request
        self._changed = Condition()
        self._numbers = itertools.count()
        self._pending: dict[int, PendingRequest] = {}
        self._open: dict[PoolWorker, set[PooledDay]] = {}
        """The workers, with the days that each has."""
        self._taken = 0
        """How many days are open or begin."""
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
            with self._changed:
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

    def wait_for_room(self, count: int) -> None:
        """Return when *count* more days may be open, and take that room.

        Raises ValueError for more days than may ever be open.
        """
        if count > self._most_open:
            raise ValueError(
                f"{count} days at once, but at most {self._most_open} may be open: begin fewer, "
                "or raise most_open"
            )
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._taken + count <= self._most_open)
            self._taken += count

    def begin(
        self, days: Sequence[PooledDay], note: Callable[[PooledDay, Any], object]
    ) -> list[PendingRequest]:
        """Give each of *days* a worker, and have it begin there; *note* gets each answer.

        Raises PoolClosed.
        """
        with self._changed:
            self._check_open()
            for day in days:
                day.number = next(self._numbers)
                self._place(day)
            asked = [
                PendingRequest(day, self._begin_request(day), partial(note, day)) for day in days
            ]
            self._dispatch(asked)
        return asked

    def ask(self, asked: Sequence[PendingRequest]) -> None:
        """Send each request to its day's worker, all of one worker together. Raises PoolClosed."""
        with self._changed:
            self._check_open()
            self._dispatch(asked)

    def release(self, day: PooledDay) -> None:
        """Give back the room of *day*; a second time does nothing."""
        with self._changed:
            if not day.closed:
                day.closed = True
                self._open.get(day.worker, set()).discard(day)
                self._taken -= 1
                self._changed.notify_all()

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

    # the inside ----------------------------------------------------------------------------

    def _check_open(self) -> None:
        if self._closed:
            raise PoolClosed(_CLOSED)

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
        by_worker: dict[PoolWorker, list[NumberedRequest]] = {}
        for pending in asked:
            number = next(self._numbers)
            self._pending[number] = pending
            by_worker.setdefault(pending.day.worker, []).append((number, pending.request))
        for worker, numbered in by_worker.items():
            worker.send(numbered)

    def _answered(self, answers: Sequence[DayAnswer]) -> None:
        with self._changed:
            if self._fruitless and not self._closed:
                self._fruitless.clear()
                self._add_workers()
            found = [(self._pending.pop(answer.number, None), answer) for answer in answers]
        for pending, answer in found:
            if pending is None:
                continue
            pending.day.deaths.clear()
            if answer.error is not None:
                pending.answer.set_exception(answer.error)
            else:
                pending.note(answer.value)
                pending.answer.set_result(answer.value)

    def _died(self, worker: PoolWorker, death: Death | None = None) -> None:
        """Begin the days of *worker* again in other workers, and repeat what was asked of them."""
        death = death or Death(worker)
        with self._changed:
            if self._closed or worker not in self._open:
                return
            days = self._open.pop(worker)
            waiting = self._taken_back(worker)
            self._fruitless.add(death.lost)
            self._reason = death.reason
            if len(self._fruitless) < _MOST_DEATHS:
                self._add_workers()
            for day in {pending.day for pending in waiting}:
                day.deaths.add(death.lost)
            lost = {day for day in days if len(day.deaths) >= _MOST_DEATHS or not self._open}
            self._move(days - lost, [pending for pending in waiting if pending.day not in lost])
        for day in lost:
            self.release(day)
        for pending in waiting:
            if pending.day in lost:
                why = f". The last one: {death.reason}" if death.reason else _NEVER_STARTED
                pending.answer.set_exception(WorkerLost(_LOST + why))

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
                again.append(PendingRequest(day, self._begin_request(day)))
        self._dispatch([*again, *waiting])
