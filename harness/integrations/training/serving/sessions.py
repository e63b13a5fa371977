"""The sessions of a server: begun, stepped, saved, left and taken up again.

    client ──token──► Sessions ──► DayPool (steps, in worker processes)
                          └──────► DayStore (what was done, for another worker or after a restart)

A token is a secret of the client that got it. It opens nothing for another tenant.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from trainee_bench.harness.environment.day import Turn
from trainee_bench.harness.environment.pool.day_pool import DayPool, PooledDay
from trainee_bench.harness.integrations.training.serving.day_store import (
    DayStore,
    SavedCall,
    SavedSession,
    SessionTakenOver,
)
from trainee_bench.harness.integrations.training.serving.metrics import ServingMetrics
from trainee_bench.harness.integrations.training.splits import DayCard
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.meta_tasks.scenario import ScenarioDay

__all__ = ["NoSuchSession", "ServedSession", "ServerDraining", "ServerFull", "Sessions"]

T = TypeVar("T")
ANONYMOUS = ""
"""The tenant of clients of a server without tenants."""


class ServerFull(Exception):
    """No more sessions may be open now; ``retry_after`` is in seconds."""

    def __init__(self, text: str, retry_after: int):
        super().__init__(text)
        self.retry_after = retry_after


class ServerDraining(ServerFull):
    """The server ends, and takes no new sessions."""


class NoSuchSession(Exception):
    """The token belongs to no session of this tenant."""


@dataclass(eq=False)
class ServedSession:
    """A day that a client works. ``name`` is what the client calls the episode."""

    tenant: str
    token: str
    name: str
    card: DayCard
    day: PooledDay
    steps: list[tuple[ToolCall, ...]]
    rewards: float = 0.0
    rewarded: dict[int, float] = field(default_factory=dict)
    """The rewards of steps (from 1) that were made over this object, without those of 0."""
    used: float = field(default_factory=time.monotonic)
    unsaved: int = 1
    """Steps since it was saved; a new session counts as one."""
    owner: str = field(default_factory=lambda: secrets.token_hex(8))
    busy: asyncio.Lock = field(default_factory=asyncio.Lock)


class Sessions:
    """At most *limit* sessions, and *tenant_limit* for each tenant.

    A session is saved after every *save_every* steps, when it is left, when nobody has used it
    for *idle_seconds*, and by `drain`.

    Whatever is begun here goes on if its caller is cancelled, or a session would miss a step that
    its day has. A session whose `begin` is cancelled is left, and forgotten; one whose `resume` is
    cancelled is left, and kept.
    """

    def __init__(
        self,
        pool: DayPool,
        store: DayStore,
        *,
        limit: int,
        tenant_limit: int | None = None,
        save_every: int = 10,
        idle_seconds: float = 900.0,
    ):
        self._pool, self._store = pool, store
        self.limit, self._tenant_limit = limit, tenant_limit or limit
        self._save_every, self._idle_seconds = save_every, idle_seconds
        self._open: dict[tuple[str, str], ServedSession] = {}
        self._room = Counter[str]()
        """Sessions by tenant, those that just begin included."""
        self.metrics = ServingMetrics(limit)
        self._going_on = set[asyncio.Task[Any]]()
        """What is at work, with or without a caller."""
        self._resuming = WeakValueDictionary[tuple[str, str], asyncio.Lock]()
        self.draining = False

    def __len__(self) -> int:
        return len(self._open)

    def check_room(self, tenant: str = ANONYMOUS) -> None:
        """Raise ServerFull if *tenant* can have no further session now, and ServerDraining."""
        if self.draining:
            raise ServerDraining("the server is ending; come back in a minute", 60)
        if self._room.total() >= self.limit:
            self._refuse(f"all {self.limit} sessions are in use")
        if self._room[tenant] >= self._tenant_limit:
            self._refuse(f"all {self._tenant_limit} sessions of this tenant are in use")

    def _refuse(self, why: str) -> None:
        self.metrics.refused.inc()
        oldest = min((session.used for session in self._open.values()), default=time.monotonic())
        left = self._idle_seconds - (time.monotonic() - oldest)
        raise ServerFull(why, max(1, min(round(left), 60)))

    async def begin(
        self, given: ScenarioDay, card: DayCard, name: str, tenant: str = ANONYMOUS
    ) -> ServedSession:
        """Begin the day *given*. Raises ServerFull, and what `DayPool.reset_many` raises."""
        return await self._to_its_end(
            self._begun(given, card, name, tenant), self._leaving(keep=False)
        )

    async def _begun(
        self, given: ScenarioDay, card: DayCard, name: str, tenant: str
    ) -> ServedSession:
        session = await self._opened(tenant, secrets.token_urlsafe(18), given, card, name, [])
        await self._save(session)  # so that its token is known, whatever happens
        self.metrics.staged.inc()
        return session

    async def resume(self, token: str, tenant: str = ANONYMOUS) -> ServedSession:
        """Go on with the session of *token*, also if another worker had it.

        A connection that still has it loses it. Raises NoSuchSession, UnreadableSession and
        ServerFull.
        """
        return await self._to_its_end(self._taken_up(token, tenant), self._leaving(keep=True))

    async def _taken_up(self, token: str, tenant: str) -> ServedSession:
        async with self._resuming.setdefault((tenant, token), asyncio.Lock()):
            if (before := self._open.get((tenant, token))) is not None:
                await self._left(before, keep=True)
            return await self._resumed(token, tenant)

    async def _resumed(self, token: str, tenant: str) -> ServedSession:
        saved = await asyncio.to_thread(self._store.load, tenant, token)
        if saved is None:
            raise NoSuchSession("this token belongs to no session; reset begins one")
        steps = [_calls(step) for step in saved.steps]
        session = await self._opened(tenant, token, saved.given, saved.card, saved.name, steps)
        await self._save(session, takes_over=True)
        self.metrics.resumed.inc()
        return session

    async def step(self, session: ServedSession, calls: Sequence[ToolCall]) -> Turn:
        """Make *calls*, and save the session if that is due."""
        return await self._to_its_end(self._stepped(session, calls))

    async def _stepped(self, session: ServedSession, calls: Sequence[ToolCall]) -> Turn:
        async with session.busy:
            self._check_open(session)
            began = time.perf_counter()
            (turn,) = await self._pool.step_many_async([(session.day, calls)])
            session.steps.append(tuple(calls))
            session.rewards += turn.reward
            if turn.reward:
                session.rewarded[len(session.steps)] = turn.reward
            session.used = time.monotonic()
            session.unsaved += 1
            if session.unsaved >= self._save_every:
                await self._save(session)
            self.metrics.steps.observe(time.perf_counter() - began)
        return turn

    async def grade(self, session: ServedSession) -> tuple[DayGrade, str]:
        """Return the grade of the day as it stands, and the digest of its world."""
        async with session.busy:
            self._check_open(session)
            session.used = time.monotonic()
            (grade,) = await self._pool.grade_many_async([session.day])
            (digest,) = await self._pool.digest_many_async([session.day])
        return grade, digest

    async def leave(self, session: ServedSession, *, keep: bool) -> None:
        """Free the day. With *keep* it is saved first, else it is forgotten."""
        await self._to_its_end(self._left(session, keep=keep))

    async def _left(self, session: ServedSession, *, keep: bool) -> None:
        async with session.busy:
            if not self._taken_off(session):
                return
            try:
                if keep:
                    with suppress(SessionTakenOver):
                        await self._save(session)
                else:
                    await asyncio.to_thread(self._store.forget, session.tenant, session.token)
            finally:
                self._room[session.tenant] -= 1
                self._store.release(session.tenant, session.token)
                await self._pool.close_many_async([session.day])

    async def leave_idle(self) -> None:
        """Save and free every session that nobody has used for too long."""
        due = time.monotonic() - self._idle_seconds
        for session in [session for session in self._open.values() if session.used < due]:
            await self.leave(session, keep=True)

    async def drain(self) -> None:
        """Take no new sessions, and save all that are open."""
        self.draining = True
        for session in list(self._open.values()):
            async with session.busy:
                with suppress(SessionTakenOver):
                    await self._save(session)

    # the inside ----------------------------------------------------------------------------

    async def _to_its_end(
        self,
        work: Coroutine[Any, Any, T],
        unwanted: Callable[[asyncio.Task[T]], None] | None = None,
    ) -> T:
        """Return what *work* does. If the caller is cancelled it goes on; *unwanted* gets it then,
        once it has ended."""
        task = asyncio.ensure_future(work)
        self._going_on.add(task)
        task.add_done_callback(self._going_on.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if unwanted is not None:
                task.add_done_callback(unwanted)
            raise

    def _leaving(self, *, keep: bool) -> Callable[[asyncio.Task[ServedSession]], None]:
        """Return what leaves the session that a task has opened, if it has."""

        def leave(opening: asyncio.Task[ServedSession]) -> None:
            if not opening.cancelled() and opening.exception() is None:
                leaving = asyncio.ensure_future(self._left(opening.result(), keep=keep))
                self._going_on.add(leaving)
                leaving.add_done_callback(self._going_on.discard)

        return leave

    async def _opened(
        self,
        tenant: str,
        token: str,
        given: ScenarioDay,
        card: DayCard,
        name: str,
        steps: list[tuple[ToolCall, ...]],
    ) -> ServedSession:
        self.check_room(tenant)
        self._room[tenant] += 1
        try:
            (day,) = await self._pool.repeat_many_async([(given, steps)])
        except BaseException:
            self._room[tenant] -= 1
            raise
        session = ServedSession(tenant, token, name, card, day, steps)
        session.rewards = day.score
        self._open[tenant, token] = session
        self.metrics.open.inc()
        return session

    def _taken_off(self, session: ServedSession) -> bool:
        """Take *session* off the open ones; whether it was among them."""
        if self._open.get((session.tenant, session.token)) is not session:
            return False
        del self._open[session.tenant, session.token]
        self.metrics.open.dec()
        return True

    def _check_open(self, session: ServedSession) -> None:
        if self._open.get((session.tenant, session.token)) is not session:
            raise NoSuchSession("this session was left; resume it with its token")

    async def _save(self, session: ServedSession, *, takes_over: bool = False) -> None:
        """Save what was done since the last time. A session that another connection has taken over
        is closed here instead."""
        if not session.unsaved:
            return
        saved = SavedSession(
            owner=session.owner,
            takes_over=takes_over,
            given=session.day.given,
            card=session.card,
            name=session.name,
            steps=[
                [SavedCall(name=call.name, arguments=dict(call.arguments)) for call in step]
                for step in session.steps
            ],
        )
        try:
            await asyncio.to_thread(self._store.save, session.tenant, session.token, saved)
        except SessionTakenOver:
            if self._taken_off(session):
                self._room[session.tenant] -= 1
                await self._pool.close_many_async([session.day])
            raise
        session.unsaved = 0  # not before: a save that fails is repeated with the next
        self.metrics.saved.inc()


def _calls(step: Sequence[SavedCall]) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(call.name, call.arguments) for call in step)
