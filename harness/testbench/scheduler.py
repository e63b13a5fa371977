"""Several oracles in one session: which may call next, so that none misses an appointment.

Each oracle is a coroutine that pauses at every request to its tool client. The scheduler
answers the requests one at a time, by five rules:

1. An appointment (``wait_until``) is kept: at its time its oracle goes first.
2. No call is made that would run into the next appointment.
3. Of the possible calls, that of the task that is due first is made first, as far as deadlines
   are known; equal ones take turns. An appointment that an oracle has promised to keep
   (``promise``) counts as a deadline, and each task may be looked into first, for so many calls.
   Tasks that take a week go before them: what they want of a day is short, and often at an hour
   that they have to look up.
4. Who gives way (``give_way``) goes on when no other call is possible.
5. When nobody can go on, the employee waits.

A notice about a task has the tasks listed: those who wait for theirs wake, and a deadline that has
moved is known.

Oracles that trust notices look again only where something was told or done that may have changed
what is there: else they are given what they saw last (`OfficeMemory`).

No event loop and no clock is involved, so the same oracles in the same world always make the
same calls in the same order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Coroutine, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from trainee_bench.harness.testbench.office_memory import OfficeMemory
from trainee_bench.harness.testbench.scheduled_tools import (
    CallRequest,
    GiveWayRequest,
    PauseRequest,
    PromiseRequest,
    ScheduledTools,
)
from trainee_bench.harness.testbench.tool_backend import BatchToolBackend, ToolBackend
from trainee_bench.harness.testbench.work_plan import BY_DEADLINES, WorkPlan
from trainee_bench.meta_tasks.alert_client import SETTLED_BEFORE
from trainee_bench.meta_tasks.tool_client import Solver, ToolFailed, ToolResponse
from trainee_bench.world.transaction import Notice, NoticeKind

_NEVER = datetime(9999, 1, 1)
_LATE = datetime(9998, 1, 1)
"""From here on backwards tasks that have a place in a plan count as due, after all appointments."""
_UNKNOWN = datetime(1, 1, 1)
"""A task that was not listed yet may be the most urgent: listing goes first."""


_LISTING = CallRequest("desk_tasks", {})
_NEAR = timedelta(minutes=30)
"""Who has promised to be somewhere so soon goes first, so as to leave in time."""


@dataclass
class _Oracle:
    task: str
    work: Coroutine[Any, Any, None]
    request: CallRequest | None = None
    wakes: datetime | None = None
    appointment: bool = False
    gives_way: bool = False
    promised: datetime | None = None
    on_time: bool = False
    """Whether its appointment is now."""
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
    plan: WorkPlan = BY_DEADLINES
    due_soon: dict[str, datetime] = field(default_factory=dict)
    """On a day with an order, the deadlines themselves."""
    acted: dict[str, datetime] = field(default_factory=dict)
    reading: Set[str] = frozenset()
    outdated: bool = False
    """Whether a deadline may have moved since the tasks were listed."""
    memory: OfficeMemory | None = None
    """What was seen, if oracles trust notices."""

    def resume(self, oracle: _Oracle, answer: ToolResponse | bool | None = None) -> None:
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
        oracle.gives_way = False
        if isinstance(request, CallRequest):
            oracle.request = request
        elif isinstance(request, PauseRequest):
            oracle.wakes = request.time or self.now + timedelta(minutes=request.minutes)
            oracle.appointment = request.appointment
        elif isinstance(request, GiveWayRequest):
            self.let_wait(oracle, request.until)
        elif isinstance(request, PromiseRequest):
            oracle.wakes, oracle.promised = self.now, request.time
        else:
            raise TypeError(
                f"the oracle of {oracle.task} awaited something else than its tool client"
            )

    def let_wait(self, oracle: _Oracle, until: datetime) -> None:
        """Note that *oracle* gives way until then, or go on with it if it need not."""
        settled = self.plan.settled.get(oracle.task)
        if not self.plan.order or (settled is not None and settled <= self.now):
            self.resume(oracle, True)
        else:
            oracle.gives_way, oracle.wakes = True, min(until, settled or until)

    def idle(self) -> _Oracle | None:
        """The oracle that gives way in vain, now that nobody has anything to do: of several the one
        whose task is due first."""
        vain = [o for o in self.queue if o.gives_way and o.task not in self.plan.settled]
        return min(vain, key=lambda o: self.deadlines.get(o.task, _UNKNOWN), default=None)

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
        known, plan = self.deadlines.get(oracle.task, _UNKNOWN), self.plan
        if self.due_soon.get(oracle.task, _NEVER) <= self.now + SETTLED_BEFORE:
            known = self.due_soon[oracle.task]
        if oracle.on_time or oracle.task in plan.first:
            return _UNKNOWN
        if oracle.calls < plan.look_first.get(oracle.task, 0):
            return _UNKNOWN
        if plan.order and not self.lasts(oracle):
            return _UNKNOWN
        if oracle.promised is not None and oracle.promised > self.now:
            near = oracle.promised <= self.now + _NEAR
            return _UNKNOWN if plan.order and near else min(known, oracle.promised)
        return known

    def lasts(self, oracle: _Oracle) -> timedelta:
        """How long the call of *oracle* would last."""
        assert oracle.request is not None
        return timedelta(minutes=self.costs.get(oracle.request.tool, 1))

    def learn(self, call: CallRequest, answer: ToolResponse) -> None:
        """Note the deadlines whenever an oracle lists the tasks."""
        if call.tool == "desk_tasks":
            for task in answer.data["tasks"]:
                self.deadlines[task["id"]] = datetime.fromisoformat(task["deadline"])
            for place, task in enumerate(reversed(self.plan.order)):
                if task in self.deadlines:
                    self.due_soon[task] = self.deadlines[task]
                    self.deadlines[task] = _LATE - place * timedelta(minutes=1)

    async def grant(self, oracle: _Oracle) -> None:
        """Make the call of *oracle*, which then queues behind the others."""
        request = oracle.request
        assert request is not None
        memory = self.memory
        if memory and (known := memory.recall(request.tool, request.arguments)) is not None:
            self.settle(oracle, replace(known, time=self.now, notices=()))
            return
        try:
            answer = await self.backend.call(request.tool, request.arguments)
        except ToolFailed as error:
            self.remember(request, error)
            self.settle(oracle, error)
            return
        self.remember(request, answer)
        self.settle(oracle, answer)

    def remember(self, request: CallRequest, answer: ToolResponse | ToolFailed) -> None:
        """Note what *request* showed and what was told with it, if oracles trust notices."""
        if self.memory is not None:
            self.memory.note(request.tool, request.arguments, answer)

    def hear(self, notices: Sequence[Notice]) -> None:
        """After a notice about a task, wake those who wait for theirs, or else see to it that the
        tasks are listed: a deadline may have moved."""
        if any(notice.kind is NoticeKind.TASK for notice in notices):
            waiting = [
                oracle
                for oracle in self.queue
                if oracle.wakes and not oracle.appointment and oracle.task not in self.deadlines
            ]
            for oracle in waiting:
                oracle.wakes = self.now
            self.outdated = not waiting

    def can_look(self) -> bool:
        """Whether a listing of the tasks ends before the next appointment."""
        lasts = timedelta(minutes=self.costs.get(_LISTING.tool, 1))
        return self.now + lasts <= (self.next_appointment() or _NEVER)

    async def look(self) -> None:
        """List the tasks for their deadlines, unless the day is over."""
        self.outdated = False
        try:
            answer = await self.backend.call(_LISTING.tool, _LISTING.arguments)
        except ToolFailed as error:
            self.now = error.time or self.now
            return
        self.remember(_LISTING, answer)
        self.learn(_LISTING, answer)
        self.now = answer.time
        self.hear(answer.notices)

    def settle(self, oracle: _Oracle, answer: ToolResponse | ToolFailed) -> None:
        """Give *oracle* the result of its call; it queues behind the others."""
        request = oracle.request
        assert request is not None
        oracle.calls += oracle.task in self.deadlines  # not while it waits for its task
        oracle.on_time = False
        self.now = answer.time or self.now
        if isinstance(answer, ToolFailed):
            self.refuse(oracle, answer)
            self.hear(answer.notices)
            return
        self.learn(request, answer)
        if request.tool not in self.reading:
            self.acted[oracle.task] = self.now
        self.queue.remove(oracle)
        self.queue.append(oracle)
        self.resume(oracle, answer)
        self.hear(answer.notices)

    async def wait(self) -> None:
        """No call is possible: wait until the first oracle resumes.

        If the day ends before, all waiting oracles get the error.
        """
        waiting = [o for o in self.queue if o.wakes]
        first = min(o.wakes for o in waiting if o.wakes)
        request = CallRequest("desk_wait", {"until": f"{first:%H:%M}", "wake": False})
        try:
            answer = await self.backend.call(request.tool, request.arguments)
            self.remember(request, answer)
        except ToolFailed as error:
            self.remember(request, error)
            self.now = error.time or self.now
            for oracle in waiting:
                self.refuse(oracle, error)
            return
        self.now = answer.time
        self.hear(answer.notices)


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
    plan: WorkPlan = BY_DEADLINES,
    watch: Watch | None = None,
) -> dict[str, Exception]:
    """Let the oracle of each task (by id) work to its end; the errors, by task.

    *costs* gives the minutes of tools; those not named cost one. *watch* notes when each did
    something last.
    """
    start = await backend.call("desk_now", {})
    schedule = _Schedule(backend, costs, start.time, plan=plan)
    schedule.memory = OfficeMemory() if plan.trusts_notices else None
    if watch is not None:
        schedule.acted, schedule.reading = watch.acted, watch.reading
    return await _run(schedule, oracles)


async def run_oracles_batched(
    batch_backend: BatchToolBackend,
    costs: Mapping[str, int],
    oracles: Mapping[str, Solver],
    at_once: int,
    plan: WorkPlan = BY_DEADLINES,
) -> dict[str, Exception]:
    """As `run_oracles`, with the calls of up to *at_once* oracles in one turn."""
    start = await batch_backend.call("desk_now", {})
    schedule = _BatchSchedule(
        batch_backend, costs, start.time, plan=plan, batch_backend=batch_backend, at_once=at_once
    )
    return await _run(schedule, oracles)


async def _run(schedule: _Schedule, oracles: Mapping[str, Solver]) -> dict[str, Exception]:
    for task, work in oracles.items():
        schedule.queue.append(_Oracle(task, work(ScheduledTools(task))))
    for oracle in list(schedule.queue):
        schedule.resume(oracle)
    while schedule.queue:
        if (oracle_due := schedule.due()) is not None:
            if oracle_due.appointment:
                schedule.queue.remove(oracle_due)
                schedule.queue.appendleft(oracle_due)
                oracle_due.on_time = True
            schedule.resume(oracle_due, False)
        elif schedule.outdated and schedule.can_look():
            await schedule.look()
        elif (fitting := schedule.fitting()) is not None:
            await schedule.grant(fitting)
        elif (idle := schedule.idle()) is not None:
            schedule.resume(idle, True)
        else:
            await schedule.wait()
    return schedule.failures
