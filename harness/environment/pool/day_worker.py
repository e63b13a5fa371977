"""The days of one worker: it steps them in the order of requests, and begins new ones beside that.

Composing and staging a day takes a hundred steps' time. A thread of its own does it, so that the
days that are open already go on meanwhile.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from trainee_bench.harness.environment.day import Day, DayNotBegun
from trainee_bench.harness.environment.morning import begun_morning
from trainee_bench.harness.environment.pool.errors import NotTransferable
from trainee_bench.harness.environment.pool.requests import (
    BeginDay,
    BegunDay,
    CloseDay,
    DayAnswer,
    DigestDay,
    GradeDay,
    PackedAnswer,
    PackedRequest,
    Request,
    ReviewDay,
    SnapshotDay,
    StepDay,
    pack_answer,
    unpack_request,
)
from trainee_bench.harness.support.collector import BEGUN, LongLivedObjects
from trainee_bench.meta_tasks.offices.opened import open_further

_SWITCH_SECONDS = 0.001
"""How long the thread that composes may keep the interpreter while another wants it."""


_SEND_SECONDS = 0.005
"""How long an answer may wait for those of the requests after it."""


class DayWorker:
    """Works the requests of a pool; *send* gets the answers, from any thread."""

    def __init__(self, send: Callable[[list[PackedAnswer]], None]):
        self._send = send
        self._days: dict[int, Day] = {}
        self._behind = Counter[int]()
        """How many requests of a day wait for the composer, because the day begins."""
        self._counting = Lock()
        self._composer = ThreadPoolExecutor(1, "composer")
        self._objects = LongLivedObjects()
        sys.setswitchinterval(_SWITCH_SECONDS)

    def work(self, requests: Iterable[PackedRequest]) -> None:
        """Answer *requests* in their order; days that begin are answered later.

        Answers are sent every few milliseconds, so the pool goes on while this works.
        """
        answers, sent = list[PackedAnswer](), time.monotonic()
        for number, packed in requests:
            if answers and time.monotonic() - sent > _SEND_SECONDS:
                self._send(answers)
                answers, sent = [], time.monotonic()
            try:
                request = unpack_request(packed)
            except NotTransferable as error:
                answers.append(pack_answer(DayAnswer(number, error=error)))
                continue
            if self._waits_for_composer(request):
                self._composer.submit(self._answer_behind, number, request)
            else:
                answers.append(self._answer(number, request))
        if answers:
            self._send(answers)

    def close(self) -> None:
        """Free all days."""
        self._composer.shutdown(cancel_futures=True)
        for day in self._days.values():
            day.close()
        self._days.clear()

    def _waits_for_composer(self, request: Request) -> bool:
        """Whether the composer answers *request*: it begins a day, or that day is not begun yet."""
        with self._counting:
            waits = isinstance(request, BeginDay) or self._behind[request.day] > 0
            self._behind[request.day] += waits
        return waits

    def _answer_behind(self, number: int, request: Request) -> None:
        answer = self._answer(number, request)
        with self._counting:
            self._behind[request.day] -= 1
            if not self._behind[request.day]:
                del self._behind[request.day]
        self._send([answer])

    def _begun(self, request: BeginDay) -> BegunDay:
        open_further(request.offices)
        if request.snapshot is None:
            morning = begun_morning(request.given)
            day, start = morning.day(rewards=request.rewards), morning.start
        else:
            day = Day.from_snapshot(request.snapshot)
            start = day.start()
        try:
            for calls in request.calls:
                day.step(calls)
        except BaseException:
            day.close()
            raise
        self._days[request.day] = day
        self._objects.grow(BEGUN + sum(map(len, request.calls)))
        score = (day.grade().score or 0.0) if request.rewards else 0.0
        return BegunDay(start, day.now, day.done, score)

    def _answer(self, number: int, request: Request) -> PackedAnswer:
        try:
            answer = DayAnswer(number, self._value(request))
        except Exception as error:  # noqa: BLE001 - it is raised where the call was asked for
            answer = DayAnswer(number, error=error)
        except BaseException as error:  # noqa: BLE001 - or a composer's request never ends
            answer = DayAnswer(number, error=RuntimeError(f"the day raised {error!r}"))
        return pack_answer(answer)

    def _value(self, request: Request) -> object:
        match request:
            case BeginDay():
                return self._begun(request)
            case StepDay(day, calls):
                self._objects.grow(len(calls))
                return self._open(day).step(calls)
            case GradeDay(day):
                return self._open(day).grade()
            case ReviewDay(day):
                found = self._open(day)
                return found.grade(), found.digest()
            case SnapshotDay(day):
                return self._open(day).snapshot()
            case DigestDay(day):
                return self._open(day).digest()
            case CloseDay(day):
                if (closed := self._days.pop(day, None)) is not None:
                    closed.close()
                return None
        raise TypeError(f"a worker has no answer to {type(request).__name__}")

    def _open(self, day: int) -> Day:
        if day not in self._days:
            raise DayNotBegun("this day is not open in its worker; reset_many begins another")
        return self._days[day]
