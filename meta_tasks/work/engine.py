"""The build: it begins, resumes, verifies and restarts needs, and makes calls for them.

    roots ──need──► needs ──need──► sources ──call──► the office
      ▲                                                  │ notices
      └────────── stale ◄── changed ◄── looked at ◄──────┘

A cell is *stale* once something that it was made from may have changed. It is verified along its
trace, which costs nothing if the values still hold, and satisfied again if they do not.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol, runtime_checkable

from pydantic import JsonValue

from trainee_bench.meta_tasks.tool_client import ToolFailed, ToolResponse
from trainee_bench.meta_tasks.work.ledger import Cell, Ledger
from trainee_bench.meta_tasks.work.need import Call, JointCall, Need, Pause, Source, Wanted, Work

Way = Callable[[Work, Need[Any]], Awaitable[Any]]
"""The way to satisfy a need, with all habits around it."""
_MISSING = (ToolFailed, LookupError, ValueError)
"""The errors of a way that does not find what it looks for. Any other error is a fault."""
_MOST_ROUNDS = 100_000
"""The most times that a cell is resumed between two calls: more would never end."""


class ToolCaller(Protocol):
    """The object that makes the calls."""

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        """Call a tool. Raises ToolFailed with the tool's text."""


@runtime_checkable
class BatchToolCaller(ToolCaller, Protocol):
    """A caller that makes several calls in one turn."""

    async def call_many(
        self, calls: Sequence[tuple[str, Mapping[str, JsonValue]]]
    ) -> Sequence[ToolResponse | ToolFailed]:
        """Make *calls* in this order, and return the result of each."""


@dataclass(frozen=True)
class Act:
    """A call that was made: when, until when, which tool, with what arguments, the needs that it
    served, and why it came before all others ("" for waiting)."""

    at: datetime
    until: datetime
    tool: str
    arguments: Mapping[str, JsonValue]
    why: tuple[Need[Any], ...]
    priority: str = ""


Joiner = Callable[
    ["Engine", Cell, Sequence[Cell]],
    Awaitable[Sequence[tuple[Sequence[Cell], ToolResponse | ToolFailed]]],
]
"""A function that makes one call of several that are ready: the first, and others of its type. It
returns the cells that each answer served."""


class Engine:
    """One worker's ledger, and the build. `Planner` decides what it does next."""

    def __init__(
        self,
        tools: ToolCaller,
        way_of: Callable[[type[Need[Any]]], Way],
        roots: Sequence[Need[Any]],
        joiners: Mapping[type[JointCall], Joiner],
        trusts_notices: bool,
    ):
        self._tools = tools
        self._way_of = way_of
        self._joiners = joiners
        self.trusts_notices = trusts_notices
        self.ledger = Ledger()
        self._given = frozenset(roots)
        self.roots = [self.ledger.cell(root) for root in roots]
        self.now = self.ends = datetime(1, 1, 1)
        self.acts: list[Act] = []
        self.reason = ""
        """The reason why the next call comes before all others."""
        self._sleepers: dict[Cell, None] = {}

    # for ways to satisfy needs ----------------------------------------------------------------

    def note(self, need: Need[Any], value: Any) -> None:
        """Enter *value* for *need*, which is known without looking."""
        self.ledger.settle(self.ledger.cell(need), value, None, self.now)

    def wake(self, cell: Cell, time: datetime) -> None:
        """Have *cell* satisfied again at *time*."""
        cell.woken_at = time
        self._sleepers[cell] = None

    def look_again(self, source: Source[Any], since: datetime) -> None:
        """Have *source* looked at again, if it was seen before that time and may have changed
        without a notice."""
        cell = self.ledger.cell(source)
        if cell.clean and cell.seen < since and not (self.trusts_notices and not source.untold):
            self.outdate(cell)

    def has_root(self, need: Need[Any]) -> bool:
        """Return whether this *need* is one of the roots that the worker was given."""
        return need in self._given

    def promise(self, cell: Cell, time: datetime) -> None:
        """Treat what *cell* needs as if it were due at *time*."""
        cell.promised = time

    @property
    def next_waking(self) -> datetime | None:
        """The time when the next cell is to be satisfied again."""
        return min((cell.woken_at for cell in self._sleepers if cell.woken_at), default=None)

    # the build --------------------------------------------------------------------------------

    async def open(self) -> None:
        """Look at the clock."""
        clock = await self._tools.call("desk_now", {})
        self.now, self.ends = clock.time, datetime.fromisoformat(str(clock.data["day_ends"]))

    def advance(self) -> None:
        """Continue everything that needs no call."""
        for cell in [
            sleeper
            for sleeper in self._sleepers
            if sleeper.woken_at and sleeper.woken_at <= self.now
        ]:
            self._sleepers.pop(cell)
            cell.complete = False
            self.ledger.doubt(cell)
        self.ledger.touched.update(cell for cell in self.ledger.running if self._is_over(cell))
        for _ in range(_MOST_ROUNDS):
            moved = self._demand_all(self.roots)
            for cell in list(self.ledger.running):
                if cell.run is not None and cell in self.ledger.touched:
                    self.ledger.touched.discard(cell)
                    moved |= self._move(cell)
            if not moved:
                break
        else:
            raise RuntimeError("the work keeps beginning again without a call")
        self._stop_unwanted()

    def _demand_all(self, cells: Iterable[Cell]) -> bool:
        moved = False
        for cell in cells:
            moved |= self._demand(cell)
        return moved

    def _demand(self, cell: Cell) -> bool:
        """Have *cell* verified, or satisfied again. Return whether anything moved."""
        if cell.clean or cell.run is not None:
            return False
        if cell.complete:
            for group in cell.trace:
                moved = self._demand_all(used for used, _ in group)
                if not all(used.clean for used, _ in group):
                    return moved
                if any(used.version != version for used, version in group):
                    break
            else:
                self.ledger.confirm(cell)
                return True
        self._begin(cell)
        return True

    def _move(self, cell: Cell) -> bool:
        """Continue *cell* if possible. Return whether anything moved."""
        if cell.restart:
            self.ledger.stop(cell)
            self._begin(cell)
            return True
        moved = self._demand_all(list(cell.used))
        if moved or not cell.is_firm:
            return moved
        request = cell.request
        if isinstance(request, Wanted):
            moved = self._demand_all(cell.awaiting)
            if moved or not all(used.clean for used in cell.awaiting):
                return moved
            self._hand_over(cell, request)
            return True
        if isinstance(request, Pause) and self._is_over(cell):
            cell.on_time = request.appointment
            self.resume(cell, None)
            return True
        return False

    def _is_over(self, cell: Cell) -> bool:
        """Return whether the pause of *cell* is over."""
        return isinstance(cell.request, Pause) and self.now >= cell.request.until

    def _hand_over(self, cell: Cell, request: Wanted) -> None:
        """Give *cell* the values that it awaits, or raise in it the first error among them."""
        awaited = cell.awaiting
        cell.awaiting = ()
        if not request.tolerant:
            cell.trace.append([(used, used.version) for used in awaited])
            failed = next((used.error for used in awaited if used.error), None)
            if failed is not None:
                self.resume(cell, failed)
                return
        self.resume(cell, [used.value for used in awaited])

    def _begin(self, cell: Cell) -> None:
        cell.restart, cell.began, cell.promised = False, None, None
        cell.run = self._build(cell)
        self.ledger.running[cell] = None
        self.resume(cell, None)

    async def _build(self, cell: Cell) -> Any:
        self.ledger.forget_trace(cell)
        return await self._way_of(type(cell.need))(Work(self, cell), cell.need)

    def resume(self, cell: Cell, answer: Any) -> None:
        """Continue *cell* up to its next request. An exception is raised in it. If it raises an
        error about something missing, that error is raised in every cell that needs it."""
        run = cell.run
        assert run is not None
        cell.request = None
        self.ledger.touched.add(cell)
        try:
            request = run.throw(answer) if isinstance(answer, Exception) else run.send(answer)
        except StopIteration as done:
            self._end(cell, done.value, None)
        except _MISSING as failed:
            self._end(cell, None, failed)
        else:
            cell.request = request
            if isinstance(request, Wanted):
                cell.awaiting = tuple(self.ledger.cell(need) for need in request.needs)
                for used in cell.awaiting:
                    used.users[cell] = None

    def _end(self, cell: Cell, value: object, error: Exception | None) -> None:
        cell.run = None
        self.ledger.running.pop(cell, None)
        if cell.restart:
            self.ledger.forget_trace(cell)
            self._begin(cell)
            return
        cell.complete = error is None and bool(cell.trace)
        self.ledger.settle(cell, value, error, cell.began or self.now)
        if cell.outdated:
            self.outdate(cell)
        elif not cell.is_firm:  # its last call showed that something may have changed
            self.ledger.doubt(cell)

    def _stop_unwanted(self) -> None:
        """End the runs of cells that no root needs any more."""
        known: dict[Cell, frozenset[Cell]] = {}
        for cell in list(self.ledger.running):
            if not self.ledger.roots_of(cell, self.roots, known):
                self.ledger.stop(cell)

    # calls ------------------------------------------------------------------------------------

    def outdate(self, cell: Cell) -> None:
        """Have the source of *cell* looked at again before anything made from it is used."""
        cell.outdated = False
        cell.previous = cell.value
        self.ledger.doubt(cell)

    async def act(self, cell: Cell, ready: Sequence[Cell]) -> None:
        """Make the call that *cell* asks for, with those of *ready* that can be joined to it."""
        call = cell.request
        assert isinstance(call, Call)
        cell.on_time = False
        if call.joint is not None:
            kind = type(call.joint)
            same = [
                other
                for other in ready
                if isinstance(other.request, Call) and type(other.request.joint) is kind
            ]
            for served, answer in await self._joiners[kind](self, cell, same):
                for user in served:
                    user.acts.append(len(self.acts) - 1)
                    self.resume(user, answer)
            return
        if cell.began is None:
            cell.began = self.now
        answer = await self.make(call.tool, call.arguments, (cell.need,))
        cell.acts.append(len(self.acts) - 1)
        self.resume(cell, answer)

    async def act_together(self, cells: Sequence[Cell]) -> None:
        """Make the calls that *cells* ask for in one turn. The tools have to be a
        `BatchToolCaller`."""
        assert isinstance(self._tools, BatchToolCaller)
        calls = [cell.request for cell in cells if isinstance(cell.request, Call)]
        answers = await self._tools.call_many([(call.tool, call.arguments) for call in calls])
        for cell, call, answer in zip(cells, calls, answers, strict=True):
            cell.on_time, cell.began = False, cell.began or self.now
            self._hear(call.tool, call.arguments, (cell.need,), answer)
            cell.acts.append(len(self.acts) - 1)
            self.resume(cell, answer)

    async def make(
        self, tool: str, arguments: Mapping[str, JsonValue], why: tuple[Need[Any], ...]
    ) -> ToolResponse | ToolFailed:
        """Make one logged call, and heed the notices that come with its answer."""
        answer: ToolResponse | ToolFailed
        try:
            answer = await self._tools.call(tool, arguments)
        except ToolFailed as failed:
            answer = failed
        self._hear(tool, arguments, why, answer)
        return answer

    def _hear(
        self,
        tool: str,
        arguments: Mapping[str, JsonValue],
        why: tuple[Need[Any], ...],
        answer: ToolResponse | ToolFailed,
    ) -> None:
        at, self.now = self.now, answer.time or self.now
        self.acts.append(Act(at, self.now, tool, dict(arguments), why, self.reason if why else ""))
        told = {notice.kind for notice in answer.notices}
        for cell, need in self.ledger.changeable if told else ():
            if told & need.told:
                if cell.clean:
                    self.outdate(cell)
                elif cell.run is not None and cell.began is not None:
                    cell.outdated = True

    async def wait(self, until: datetime, wake: bool) -> bool:
        """Wait until then, in whole minutes; with *wake*, and where notices come, until the first
        of them. Return whether time has passed or a notice came."""
        minutes = -(-(until - self.now) // timedelta(minutes=1))
        upto = min(self.now + timedelta(minutes=minutes), self.ends)
        wake = wake and self.trusts_notices
        before = self.now
        waited = await self.make("desk_wait", {"until": f"{upto:%H:%M}", "wake": wake}, ())
        return self.now > before or bool(waited.notices)
