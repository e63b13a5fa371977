"""The days of all rollouts in this process: begun in a task's ``setup``, freed in ``finalize``.

    setup ──begin──► OfficeSeat ──► Sessions ──► DayPool (worker processes)
    OfficeHarness, or the tool server ──call──►
    finalize ──finish──► Standing

Worker processes compose, stage and step the days, so the event loop of verifiers never waits. A
running rollout is never closed to make room for another: the other waits in its setup.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from weakref import WeakKeyDictionary, ref

from pydantic import JsonValue
from verifiers import v1 as vf

from trainee_bench.harness.environment.pool.day_pool import DayPool
from trainee_bench.harness.integrations.training.serving.room import ServerDraining, ServerFull
from trainee_bench.harness.integrations.training.serving.served_session import (
    NoSuchSession,
    ServedSession,
)
from trainee_bench.harness.integrations.training.serving.sessions import Sessions
from trainee_bench.harness.integrations.training.splits import DayCard
from trainee_bench.harness.session.turns import ToolCall, ToolInfo, ToolResult
from trainee_bench.meta_tasks.grade import score_with_all
from trainee_bench.meta_tasks.scenario import ScenarioDay

__all__ = [
    "OfficeSeat",
    "RolloutWithoutDay",
    "Standing",
    "close_seat",
    "held_seat",
    "office_seat",
    "seat_of_rollout",
]

_CHECK_SECONDS = 1.0
"""How often a rollout that waits for room looks for days that failed rollouts left."""


class RolloutWithoutDay(RuntimeError):
    """Raised if a rollout has no open day here; says what to do."""

    def __init__(self, rollout: str):
        super().__init__(
            f"rollout {rollout or '(unnamed)'} has no open day. A day is open from Task.setup to "
            "Task.finalize of a task of this taskset; begin a new rollout to work it again"
        )


@dataclass(frozen=True)
class Standing:
    """The result of a rollout's day when it was freed."""

    score: float
    success: bool
    done: bool
    """Whether the working day was over."""
    digest: str
    calls: tuple[ToolCall, ...]
    """The calls that reached the office."""
    rewards: Mapping[int, float]
    """The change of the score by each call (from 1); calls without an entry changed nothing."""


@dataclass(eq=False)
class _Rollout:
    trace: ref[vf.Trace]
    session: ServedSession

    @property
    def abandoned(self) -> bool:
        """Whether the rollout failed or was cancelled, so that nobody finishes its day."""
        trace = self.trace()
        return trace is None or (trace.is_completed and not trace.ok and bool(trace.errors))


class OfficeSeat:
    """At most *most_open* days at once, stepped in so many *processes*."""

    def __init__(self, *, processes: int, most_open: int):
        self._pool = DayPool(processes, most_open=most_open)
        # A rollout cannot go on in another process, so its day is never saved.
        self._sessions = Sessions(self._pool, None, limit=most_open)
        self._rollouts: dict[str, _Rollout] = {}
        self._freed = asyncio.Event()
        self.closing: list[Callable[[], None]] = []
        """Called when this seat closes."""
        self.holders = 0
        """How many environments use it: see `held_seat`."""

    def __contains__(self, rollout: str) -> bool:
        return rollout in self._rollouts

    def __len__(self) -> int:
        return len(self._rollouts)

    async def begin(self, trace: vf.Trace, given: ScenarioDay, card: DayCard) -> None:
        """Begin the day of the rollout of *trace*, as soon as there is room for it.

        Raises what `Sessions.begin` raises, but never ServerFull.
        """
        while True:
            await self._free_abandoned()
            self._freed.clear()
            try:
                session = await self._sessions.begin(given, card, trace.id)
            except ServerDraining:
                raise
            except ServerFull:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._freed.wait(), _CHECK_SECONDS)
                continue
            self._rollouts[trace.id] = _Rollout(ref(trace), session)
            return

    async def call(self, rollout: str, name: str, arguments: Mapping[str, JsonValue]) -> ToolResult:
        """Make a call on the rollout's day. Raises RolloutWithoutDay and WorkerLost."""
        found = self._of(rollout)
        try:
            turn = await self._sessions.step(found.session, [ToolCall(name, arguments)])
        except NoSuchSession:
            raise RolloutWithoutDay(rollout) from None
        return turn.answers[0]

    def tools(self, rollout: str) -> tuple[ToolInfo, ...]:
        """Return the tools of the rollout's day. Raises RolloutWithoutDay."""
        return self._of(rollout).session.day.start.tools

    def is_over(self, rollout: str) -> bool:
        """Return whether the rollout's working day is over; False without a day."""
        found = self._rollouts.get(rollout)
        return found is not None and found.session.day.done

    async def finish(self, rollout: str) -> Standing:
        """Grade the rollout's day, and free it. Raises RolloutWithoutDay."""
        found = self._of(rollout)
        try:
            grade, digest = await self._sessions.grade(found.session)
            return Standing(
                score_with_all(grade.score, grade.tasks),
                grade.success,
                found.session.day.done,
                digest,
                tuple(call for step in found.session.steps for call in step),
                dict(found.session.rewarded),
            )
        finally:
            await self.release(rollout)

    async def release(self, rollout: str) -> None:
        """Free the rollout's day, if it has one."""
        found = self._rollouts.pop(rollout, None)
        if found is not None:
            await asyncio.shield(self._leave(found.session))

    def close(self) -> None:
        """Free all days, and end the worker processes."""
        self._rollouts.clear()
        for close in self.closing:
            close()
        self._pool.close()

    # the inside ----------------------------------------------------------------------------

    def _of(self, rollout: str) -> _Rollout:
        if rollout not in self._rollouts:
            raise RolloutWithoutDay(rollout)
        return self._rollouts[rollout]

    async def _leave(self, session: ServedSession) -> None:
        await self._sessions.leave(session, keep=False)
        self._freed.set()

    async def _free_abandoned(self) -> None:
        """Free the days of failed rollouts, for which verifiers does not call `finalize`."""
        for rollout in [name for name, found in self._rollouts.items() if found.abandoned]:
            await self.release(rollout)


_SEATS: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[int, int], OfficeSeat]] = (
    WeakKeyDictionary()
)


def office_seat(*, processes: int, most_open: int) -> OfficeSeat:
    """Return the seat of the running event loop with these options; the first call opens it."""
    seats = _SEATS.setdefault(asyncio.get_running_loop(), {})
    key = processes, most_open
    if key not in seats:
        seats[key] = OfficeSeat(processes=processes, most_open=most_open)
    return seats[key]


def seat_of_rollout(rollout: str) -> OfficeSeat:
    """Return the seat that has the rollout's day. Raises RolloutWithoutDay."""
    for seat in _SEATS.get(asyncio.get_running_loop(), {}).values():
        if rollout in seat:
            return seat
    raise RolloutWithoutDay(rollout)


@contextmanager
def held_seat(*, processes: int, most_open: int) -> Iterator[OfficeSeat]:
    """Keep the seat with these options open; the last of those who hold it closes it.

    So an environment that ends does not take the days of another one in the same event loop.
    """
    seat = office_seat(processes=processes, most_open=most_open)
    seat.holders += 1
    try:
        yield seat
    finally:
        seat.holders -= 1
        if not seat.holders:
            close_seat(seat)


def close_seat(seat: OfficeSeat) -> None:
    """Close *seat* of the running event loop, and no other; a second time does nothing."""
    seats = _SEATS.get(asyncio.get_running_loop(), {})
    for key in [key for key, found in seats.items() if found is seat]:
        del seats[key]
        seat.close()
