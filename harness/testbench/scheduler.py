"""Several oracles in one session: which may call next, so that none misses an appointment.

Each oracle is a coroutine that pauses at every request to its tool client. The scheduler
answers the requests one at a time, by four rules:

1. An appointment (``wait_until``) is kept: at its time its oracle goes first.
2. No call is made that would run into the next appointment.
3. Of the possible calls, that of the task that is due first is made first, as far as deadlines
   are known; equal ones take turns. An appointment that an oracle has promised to keep
   (``promise``) counts as a deadline, and each task may be looked into first, for so many calls.
   Tasks that take a week go before them: what they want of a day is short, and often at an hour
   that they have to look up.
4. When no call is possible, the employee waits.

One listing of the tasks answers all oracles that want it at that moment. Oracles that trust
notices look again for tasks, messages and mails only after something was told or done: else they
are given what they saw last.

No event loop and no clock is involved, so the same oracles in the same world always make the
same calls in the same order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import (
    Collection,
    Container,
    Coroutine,
    Generator,
    Mapping,
    Sequence,
    Set,
)
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from pydantic import JsonValue

from trainee_bench.harness.testbench.tool_backend import BatchToolBackend, ToolBackend
from trainee_bench.meta_tasks.tool_client import Solver, ToolFailed, ToolResponse

_NEVER = datetime(9999, 1, 1)
_UNKNOWN = datetime(1, 1, 1)
"""A task that was not listed yet may be the most urgent: listing goes first."""


@dataclass(frozen=True)
class _Call:
    tool: str
    arguments: dict[str, JsonValue]

    def __await__(self) -> Generator[_Call, ToolResponse, ToolResponse]:
        return (yield self)


_LISTING = _Call("desk_tasks", {})
_LOOKING = ("desk_tasks", "chat_read_history", "mail_list", "mail_search", "mail_read")
"""Tools with which an oracle looks whether there is something new."""
_CHANGES_NO_NEWS = (
    "files_",
    "sheets_",
    "monitor_get",
    "chat_list",
    "desk_now",
    "desk_wait",
    *_LOOKING,
)
"""What the names of tools begin with that change nothing of what those show."""


@dataclass(frozen=True)
class _Pause:
    """Resume at *time* or after *minutes*; exactly at *time* if it is an appointment."""

    time: datetime | None
    minutes: int
    appointment: bool

    def __await__(self) -> Generator[_Pause, None, None]:
        yield self


@dataclass(frozen=True)
class _Promise:
    """Keep an appointment at *time*, and work on until then."""

    time: datetime

    def __await__(self) -> Generator[_Promise, None, None]:
        yield self


@dataclass(frozen=True)
class _ScheduledTools:
    task: str

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        return await _Call(tool, arguments)

    async def wait_until(self, time: datetime) -> None:
        await _Pause(time, 0, appointment=True)

    async def promise(self, time: datetime) -> None:
        await _Promise(time)

    async def wait_at_least(self, minutes: int) -> None:
        await _Pause(None, minutes, appointment=False)


@dataclass
class _Oracle:
    task: str
    work: Coroutine[Any, Any, None]
    request: _Call | None = None
    wakes: datetime | None = None
    appointment: bool = False
    promised: datetime | None = None
    calls: int = 0


@dataclass
class _Schedule:
    """The scheduler's state: the time, the waiting oracles, known deadlines, errors."""

    backend: ToolBackend
    costs: Mapping[str, int]
    now: datetime
    queue: deque[_Oracle] = field(default_factory=deque)
    failures: dict[str, Exception] = field(default_factory=dict)
    deadlines: dict[str, datetime] = field(default_factory=dict)
    first: Collection[str] = ()
    look_first: int = 0
    acted: dict[str, datetime] = field(default_factory=dict)
    reading: Set[str] = frozenset()
    trusts_notices: bool = False
    news: int = 0
    """Counts the notices, and the calls that may change what looking shows."""
    seen: dict[str, tuple[int, ToolResponse]] = field(default_factory=dict)
    """What a call that looks has shown, and after how many `news`."""

    def resume(self, oracle: _Oracle, answer: ToolResponse | None = None) -> None:
        """Resume *oracle* up to its next request."""
        try:
            self.take(oracle, oracle.work.send(answer))
        except StopIteration:
            self.queue.remove(oracle)
        except Exception as error:  # noqa: BLE001 - reported; the other oracles go on
            self.fail(oracle, error)

    def refuse(self, oracle: _Oracle, error: ToolFailed) -> None:
        """Raise *error* in *oracle*, whose call failed."""
        try:
            self.take(oracle, oracle.work.throw(error))
        except StopIteration:
            self.queue.remove(oracle)
        except Exception as again:  # noqa: BLE001 - as above
            self.fail(oracle, again)

    def fail(self, oracle: _Oracle, error: Exception) -> None:
        """Remove an oracle that gave up."""
        self.queue.remove(oracle)
        self.failures[oracle.task] = error

    def take(self, oracle: _Oracle, request: object) -> None:
        """Note the next *request* of *oracle*."""
        oracle.request, oracle.wakes, oracle.appointment = None, None, False
        if isinstance(request, _Call):
            oracle.request = request
        elif isinstance(request, _Pause):
            oracle.wakes = request.time or self.now + timedelta(minutes=request.minutes)
            oracle.appointment = request.appointment
        elif isinstance(request, _Promise):
            oracle.wakes, oracle.promised = self.now, request.time
        else:
            raise TypeError(
                f"the oracle of {oracle.task} awaited something else than its tool client"
            )

    def next_appointment(self) -> datetime | None:
        """The earliest appointment of any oracle."""
        times = [o.wakes for o in self.queue if o.appointment and o.wakes]
        return min(times, default=None)

    def due(self) -> _Oracle | None:
        """The oracle to resume whose pause is over: the earliest appointment, then others."""
        awake = [o for o in self.queue if o.wakes and o.wakes <= self.now]
        return min(awake, key=lambda o: (not o.appointment, o.wakes), default=None)

    def fitting(self, before: Sequence[_Oracle] = ()) -> _Oracle | None:
        """The oracle whose task is due first, of equal ones the first in the queue, among those
        whose calls end before the next appointment if made after those of *before*."""
        limit = self.next_appointment() or _NEVER
        taken = sum((self.lasts(o) for o in before), timedelta())
        fit = [
            o
            for o in self.queue
            if o.request and o not in before and self.now + taken + self.lasts(o) <= limit
        ]
        return min(fit, key=self.due_at, default=None)

    def due_at(self, oracle: _Oracle) -> datetime:
        """The known deadline of *oracle*'s task or an earlier appointment that it promised to keep;
        `_UNKNOWN` for tasks that go first, and as long as it looks into its task first."""
        known = self.deadlines.get(oracle.task, _UNKNOWN)
        if oracle.task in self.first or oracle.calls < self.look_first:
            return _UNKNOWN
        if oracle.promised is not None and oracle.promised > self.now:
            return min(known, oracle.promised)
        return known

    def lasts(self, oracle: _Oracle) -> timedelta:
        """How long the call of *oracle* would last."""
        assert oracle.request is not None
        return timedelta(minutes=self.costs.get(oracle.request.tool, 1))

    def learn(self, call: _Call, answer: ToolResponse) -> None:
        """Note the deadlines whenever an oracle lists the tasks."""
        if call.tool == "desk_tasks":
            for task in answer.data["tasks"]:
                self.deadlines[task["id"]] = datetime.fromisoformat(task["deadline"])

    async def grant(self, oracle: _Oracle) -> None:
        """Make the call of *oracle*, which then queues behind the others."""
        request = oracle.request
        assert request is not None
        if (known := self.shown_already(request)) is not None:
            self.settle(oracle, known)
            return
        try:
            answer = await self.backend.call(request.tool, request.arguments)
        except ToolFailed as error:
            self.hear(request, error)
            self.settle(oracle, error)
            return
        self.hear(request, answer)
        same = [one for one in self.queue if one.request == _LISTING == request]
        for one in same or [oracle]:
            self.settle(one, answer)

    def shown_already(self, request: _Call) -> ToolResponse | None:
        """What *request* would show, if nothing was told or done since it was made last."""
        after, shown = self.seen.get(str(request), (-1, None))
        if not self.trusts_notices or shown is None or after != self.news:
            return None
        return replace(shown, time=self.now, notices=0)

    def hear(self, request: _Call, answer: ToolResponse | ToolFailed) -> None:
        """Count the notices that came with *answer*, and remember what looking showed."""
        self.news += answer.notices
        if not request.tool.startswith(_CHANGES_NO_NEWS):
            self.news += 1
        if request.tool in _LOOKING and isinstance(answer, ToolResponse):
            self.seen[str(request)] = (self.news, answer)

    def settle(self, oracle: _Oracle, answer: ToolResponse | ToolFailed) -> None:
        """Give *oracle* the result of its call; it queues behind the others."""
        request = oracle.request
        assert request is not None
        oracle.calls += 1
        self.now = answer.time or self.now
        if isinstance(answer, ToolFailed):
            self.refuse(oracle, answer)
            return
        self.learn(request, answer)
        if request.tool not in self.reading:
            self.acted[oracle.task] = self.now
        self.queue.remove(oracle)
        self.queue.append(oracle)
        self.resume(oracle, answer)

    async def wait(self) -> None:
        """No call is possible: wait until the first oracle resumes.

        If the day ends before, all waiting oracles get the error.
        """
        waiting = [o for o in self.queue if o.wakes]
        first = min(o.wakes for o in waiting if o.wakes)
        try:
            answer = await self.backend.call(
                "desk_wait", {"until": f"{first:%H:%M}", "wake": False}
            )
            self.news += answer.notices
        except ToolFailed as error:
            self.now = error.time or self.now
            for oracle in waiting:
                self.refuse(oracle, error)
            return
        self.now = answer.time


@dataclass
class _BatchSchedule(_Schedule):
    """Makes up to ``at_once`` calls, each of another oracle, in a turn."""

    batch_backend: BatchToolBackend = field(kw_only=True)
    at_once: int = field(kw_only=True)

    async def grant(self, oracle: _Oracle) -> None:
        """Make the call of *oracle*, and those of others that fit after it and are due at the same
        time, so that no more urgent call waits for them."""
        chosen: list[_Oracle] = [oracle]
        while len(chosen) < self.at_once and (another := self.fitting(chosen)) is not None:
            if self.due_at(another) != self.due_at(oracle):
                break
            chosen.append(another)
        calls = [(o.request.tool, o.request.arguments) for o in chosen if o.request]
        answers = await self.batch_backend.call_many(calls)
        for one, answer in zip(chosen, answers, strict=True):
            self.settle(one, answer)


@dataclass(frozen=True)
class Watch:
    """When the oracle of each task (by id) last called a tool that is not among *reading*."""

    reading: Set[str]
    acted: dict[str, datetime] = field(default_factory=dict)


async def without_submitted(
    backend: ToolBackend, oracles: Mapping[str, Solver], carried_over: Container[str]
) -> dict[str, Solver]:
    """*oracles* without those of the tasks *carried_over* from an earlier day that have been
    submitted already."""
    work = dict(oracles)
    if any(task in carried_over for task in work):
        for task in (await backend.call("desk_tasks", {})).data["tasks"]:
            if task["submitted"] and task["id"] in carried_over:
                work.pop(task["id"], None)
    return work


async def run_oracles(
    backend: ToolBackend,
    costs: Mapping[str, int],
    oracles: Mapping[str, Solver],
    first: Collection[str] = (),
    look_first: int = 0,
    trusts_notices: bool = False,
    watch: Watch | None = None,
) -> dict[str, Exception]:
    """Let the oracle of each task (by id) work to its end; the errors, by task.

    *costs* gives the minutes of tools; those not named cost one. *first* are the ids of tasks that
    take a week. The first *look_first* calls of each oracle go before all others. With
    *trusts_notices* none looks again before something was told or done, which takes a day that
    tells everything (`Verbosity.ALL`). *watch* notes when each did something last.
    """
    start = await backend.call("desk_now", {})
    schedule = _Schedule(backend, costs, start.time, first=first, look_first=look_first)
    schedule.trusts_notices = trusts_notices
    if watch is not None:
        schedule.acted, schedule.reading = watch.acted, watch.reading
    return await _run(schedule, oracles)


async def run_oracles_batched(
    batch_backend: BatchToolBackend,
    costs: Mapping[str, int],
    oracles: Mapping[str, Solver],
    at_once: int,
    first: Collection[str] = (),
) -> dict[str, Exception]:
    """As `run_oracles`, with the calls of up to *at_once* oracles in one turn."""
    start = await batch_backend.call("desk_now", {})
    schedule = _BatchSchedule(
        batch_backend,
        costs,
        start.time,
        first=first,
        batch_backend=batch_backend,
        at_once=at_once,
    )
    return await _run(schedule, oracles)


async def _run(schedule: _Schedule, oracles: Mapping[str, Solver]) -> dict[str, Exception]:
    for task, work in oracles.items():
        schedule.queue.append(_Oracle(task, work(_ScheduledTools(task))))
    for oracle in list(schedule.queue):
        schedule.resume(oracle)
    while schedule.queue:
        if (oracle_due := schedule.due()) is not None:
            if oracle_due.appointment:
                schedule.queue.remove(oracle_due)
                schedule.queue.appendleft(oracle_due)
            schedule.resume(oracle_due)
        elif (fitting := schedule.fitting()) is not None:
            await schedule.grant(fitting)
        else:
            await schedule.wait()
    return schedule.failures
