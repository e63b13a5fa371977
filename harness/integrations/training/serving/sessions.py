"""The sessions of a server: begun, stepped, saved, left and taken up again.

    client ──token──► Sessions ──► DayPool (steps, in worker processes)
                          └──────► DayStore (what was done, for another worker or after a restart)

A token is a secret of the client that got it. It opens nothing for another tenant. A step that was
answered is saved, or is one of the last *save_every* - 1 of its session. A session ends here only
when it is saved, given up by its client, or goes on elsewhere.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from weakref import WeakValueDictionary

from trainee_bench.harness.environment.day import Turn
from trainee_bench.harness.environment.pool.day_pool import (
    DayPool,
)
from trainee_bench.harness.integrations.training.serving.day_store import (
    DayStore,
    SessionTakenOver,
)
from trainee_bench.harness.integrations.training.serving.metrics import ServingMetrics
from trainee_bench.harness.integrations.training.serving.open_sessions import (
    OpenSessions,
    StoreFailed,
)
from trainee_bench.harness.integrations.training.serving.room import (
    ANONYMOUS,
    Room,
    ServerDraining,
    ServerFull,
)
from trainee_bench.harness.integrations.training.serving.saved_session import (
    sealed,
    session_line,
    step_line,
)
from trainee_bench.harness.integrations.training.serving.served_session import (
    NoSuchSession,
    ServedSession,
    SessionFull,
)
from trainee_bench.harness.integrations.training.serving.uncancelled import Uncancelled
from trainee_bench.harness.integrations.training.splits import DayCard
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.meta_tasks.offices.opened import resolve_day
from trainee_bench.meta_tasks.scenario import ScenarioDay

__all__ = [
    "NoSuchSession",
    "ServedSession",
    "ServerDraining",
    "ServerFull",
    "SessionFull",
    "Sessions",
    "StoreFailed",
]

MOST_STEPS, MOST_BYTES = 10_000, 16 * 1024**2
"""The size of a session, unless a server is told otherwise. A day has some hundred steps."""
_UNSAVED = "the store of sessions failed: the session stays open here, and is saved later"
_NOT_MADE = "the store of sessions fails, so this step was not made; step again in a moment"
_MADE = (
    "the step was made, but the store of sessions failed to save it. The session stays open, and "
    "is saved with the next step; state tells how many steps were made"
)
_NOT_BEGUN = "the store of sessions failed, so no day was begun; reset again in a moment"


class Sessions:
    """At most *limit* sessions, and *tenant_limit* for each tenant.

    A session is saved after every *save_every* steps, when it is left, when nobody has used it
    for *idle_seconds*, and by `drain`. It has at most *session_steps* steps and *session_bytes*
    bytes. Without a *store*, sessions are never saved and end with their connection.
    """

    def __init__(
        self,
        pool: DayPool,
        store: DayStore | None,
        *,
        limit: int,
        tenant_limit: int | None = None,
        save_every: int = 10,
        idle_seconds: float = 900.0,
        session_steps: int = MOST_STEPS,
        session_bytes: int = MOST_BYTES,
    ):
        self._pool, self._store = pool, store
        self.room = Room(limit, tenant_limit)
        self._save_every, self._idle_seconds = save_every, idle_seconds
        self._most_steps, self._most_bytes = session_steps, session_bytes
        self.metrics = ServingMetrics(limit)
        self._open = OpenSessions(pool, store, self.room, self.metrics)
        self._resuming = WeakValueDictionary[tuple[str, str], asyncio.Lock]()
        self._uncancelled = Uncancelled()
        self.draining = False

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[ServedSession]:
        """The sessions that are open now."""
        return iter(self._open)

    def __contains__(self, session: ServedSession) -> bool:
        return session in self._open

    def check_room(self, tenant: str = ANONYMOUS, replacing: ServedSession | None = None) -> None:
        """Raise ServerFull if *tenant* can have no further session now, and ServerDraining.

        The place of the session *replacing* counts as free.
        """
        if self.draining:
            raise ServerDraining("the server is ending; come back in a minute", 60)
        lends = replacing is not None and replacing.tenant == tenant and replacing in self._open
        try:
            self.room.check(tenant, int(lends))
        except ServerFull as full:
            self.metrics.refused.inc()
            oldest = min((session.used for session in self._open), default=time.monotonic())
            left = self._idle_seconds - (time.monotonic() - oldest)
            raise ServerFull(str(full), max(1, min(round(left), 60))) from None

    async def next_number(self) -> int:
        """Return the next number of a day that no client of the store has had. Raises
        StoreFailed."""
        assert self._store is not None
        return await self._open.stored(_NOT_BEGUN, self._store.next_number)

    async def begin(
        self,
        given: ScenarioDay,
        card: DayCard,
        name: str,
        tenant: str = ANONYMOUS,
        *,
        replacing: ServedSession | None = None,
    ) -> ServedSession:
        """Begin the day *given*; the caller then leaves *replacing*. If the caller is cancelled,
        the day is freed.

        Raises ServerFull, NotSavable, StoreFailed, and what `DayPool.reset_many` raises.
        """
        work = self._begin(given, card, name, tenant, replacing)
        return await self._uncancelled.run(work, partial(self._leave, keep=False))

    async def resume(
        self, token: str, tenant: str = ANONYMOUS, *, replacing: ServedSession | None = None
    ) -> ServedSession:
        """Go on with the session of *token*, also if another worker has it.

        A connection that still has it loses it. The caller then leaves *replacing*. Raises
        NoSuchSession, UnreadableSession, ServerFull and StoreFailed.
        """
        work = self._resume(token, tenant, replacing)
        return await self._uncancelled.run(work, partial(self._leave, keep=True))

    async def step(self, session: ServedSession, calls: Sequence[ToolCall]) -> Turn:
        """Make *calls*, and save the session if that is due. A step is made and noted as a whole,
        also if the caller is cancelled.

        Raises, before the step is made, NotSavable, SessionFull and NoSuchSession. Raises
        SessionTakenOver and StoreFailed; the text says whether the step was made.
        """
        return await self._uncancelled.run(self._step(session, tuple(calls)))

    async def grade(self, session: ServedSession) -> tuple[DayGrade, str]:
        """Return the grade of the day as it stands, and the digest of its world."""
        async with session.busy:
            self._open.check_usable(session)
            session.used = time.monotonic()
            (reviewed,) = await self._pool.review_many_async([session.day])
        return reviewed

    async def leave(self, session: ServedSession, *, keep: bool) -> None:
        """Free the day. With *keep* it is saved first, else it is deleted.

        If the store fails to save it, it stays open, and `leave_idle` tries again.
        """
        await self._uncancelled.run(self._leave(session, keep=keep))

    async def leave_idle(self) -> None:
        """Save and free every session that nobody has used for too long, or that was left.

        Each is tried; what failed is raised together as an ExceptionGroup.
        """
        works = [self._leave_if_idle(session) for session in self._open]
        await self._uncancelled.run(self._each(works))

    async def drain(self) -> None:
        """Take no new sessions, and save all that are open.

        Each is tried; what failed is raised together as an ExceptionGroup, and may be tried again.
        """
        self.draining = True
        works = [self._drain(session) for session in self._open]
        try:
            await self._uncancelled.run(self._each(works))
        finally:
            await self._uncancelled.settled()  # such as the sessions that are just left

    async def delete_older(self, seconds: float) -> None:
        """Delete what was saved of sessions that nobody has used for so long. Raises
        StoreFailed."""
        if self._store is not None:
            why = "not all old sessions could be deleted"
            self.metrics.deleted.inc(
                await self._open.stored(why, self._store.forget_older, seconds)
            )

    # beginning -----------------------------------------------------------------------------

    async def _begin(
        self,
        given: ScenarioDay,
        card: DayCard,
        name: str,
        tenant: str,
        replacing: ServedSession | None,
    ) -> ServedSession:
        given = resolve_day(given)
        token, lines, hold = secrets.token_urlsafe(18), [session_line(given, card, name)], None
        self.check_room(tenant, replacing)
        with self.room.taking(tenant):
            (day,) = await self._pool.repeat_many_async([(given, [])])
            if self._store is not None:
                try:
                    hold = await self._open.stored(
                        _NOT_BEGUN, self._store.begin, tenant, token, sealed(lines)
                    )
                except BaseException:
                    await self._open.close(day)
                    raise
        self.metrics.staged.inc()
        return self._open.add(ServedSession(tenant, token, name, card, day, [], lines, hold))

    async def _resume(
        self, token: str, tenant: str, replacing: ServedSession | None
    ) -> ServedSession:
        async with self._resuming.setdefault((tenant, token), asyncio.Lock()):
            before = self._open.find(tenant, token)
            session = None if before is None else await self._handed_over(before)
            if session is None:
                session = await self._taken_over(token, tenant, replacing)
            self.metrics.resumed.inc()
            return session

    async def _handed_over(self, before: ServedSession) -> ServedSession | None:
        """Give a session that is open here to another connection; None if it has to be loaded."""
        async with before.busy:
            if before not in self._open:
                return None
            with suppress(SessionTakenOver):
                if not (before.broken or before.day.closed):
                    await self._open.check_held(before, _UNSAVED)
                    session = replace(before, used=time.monotonic(), left=False)
                    return self._open.add(session)
                await self._open.save(before, _UNSAVED)
                await self._open.free(before)
            return None

    async def _taken_over(
        self, token: str, tenant: str, replacing: ServedSession | None
    ) -> ServedSession:
        unknown = NoSuchSession("this token belongs to no session; reset begins one")
        if self._store is None:
            raise unknown
        self.check_room(tenant, replacing)
        with self.room.taking(tenant):
            found = await self._open.stored(_NOT_BEGUN, self._store.take_over, tenant, token)
            if found is None:
                raise unknown
            hold, saved = found
            (day,) = await self._pool.repeat_many_async([(saved.given, saved.steps)])
        return self._open.add(
            ServedSession(
                tenant, token, saved.name, saved.card, day, saved.steps, saved.lines, hold,
                rewards=day.score,
            )
        )  # fmt: skip

    # stepping ------------------------------------------------------------------------------

    async def _step(self, session: ServedSession, calls: tuple[ToolCall, ...]) -> Turn:
        async with session.busy:
            self._open.check_usable(session)
            line = self._line(session, calls)
            is_due = self.draining or session.unsaved + 1 >= self._save_every
            began = time.perf_counter()
            if session.save_failed:
                await self._open.save(session, _NOT_MADE)
            elif not is_due:  # a save looks by itself
                await self._open.check_held(session, _NOT_MADE)
            turn = await self._made(session, calls)
            session.steps.append(calls)
            session.lines += line
            session.rewards += turn.reward
            if turn.reward:
                session.rewarded[len(session.steps)] = turn.reward
            session.used = time.monotonic()
            session.unsaved += 1
            if is_due:
                await self._open.save(session, _MADE)
            self.metrics.steps.observe(time.perf_counter() - began)
        return turn

    def _line(self, session: ServedSession, calls: tuple[ToolCall, ...]) -> list[bytes]:
        """Return what is saved of a step. Raises NotSavable and SessionFull."""
        if self._store is None:
            return []
        line = step_line(calls)
        for has, most, what in (
            (len(session.steps) + 1, self._most_steps, "steps"),
            (session.size + len(line), self._most_bytes, "bytes"),
        ):
            if has > most:
                raise SessionFull(
                    f"a session has at most {most:,} {what}, so this step was not made; ask for "
                    "the state, and reset to begin another day"
                )
        return [line]

    async def _made(self, session: ServedSession, calls: tuple[ToolCall, ...]) -> Turn:
        try:
            (turn,) = await self._pool.step_many_async([(session.day, calls)])
        except Exception:
            if self._store is not None:  # whether the world has the step is unknown
                session.broken = True
                await self._set_aside(session)
            raise
        return turn

    # saving and leaving --------------------------------------------------------------------

    async def _leave(self, session: ServedSession, *, keep: bool) -> None:
        async with session.busy:
            if session not in self._open:
                return
            if keep:
                await self._set_aside(session)
                return
            await self._open.free(session)
            if self._store is not None and session.hold is not None:
                why = "a session that is over could not be deleted; its age will delete it"
                with suppress(SessionTakenOver, StoreFailed):
                    await self._open.stored(why, self._store.forget, session.hold)
                    self.metrics.deleted.inc()

    async def _set_aside(self, session: ServedSession) -> None:
        """Save *session* and free its day. If the store fails, it stays open until it is saved."""
        session.left = True
        with suppress(SessionTakenOver, StoreFailed):
            await self._open.save(session, _UNSAVED)
            await self._open.free(session)

    async def _leave_if_idle(self, session: ServedSession) -> None:
        if session.busy.locked():
            return  # it is in use
        async with session.busy:
            due = time.monotonic() - self._idle_seconds
            if session not in self._open:
                return
            with suppress(SessionTakenOver):
                if session.left or session.used < due:
                    await self._open.save(session, _UNSAVED)
                    await self._open.free(session)
                elif session.save_failed or session.saved < due:  # in use, so its age must not grow
                    await self._open.save(session, _UNSAVED, always=True)

    async def _drain(self, session: ServedSession) -> None:
        async with session.busy:
            if session in self._open:
                with suppress(SessionTakenOver):
                    await self._open.save(session, _UNSAVED)

    async def _each(self, works: Iterable[Coroutine[object, object, None]]) -> None:
        """Try all *works* at once, and raise what failed together."""
        results = await asyncio.gather(*works, return_exceptions=True)
        if errors := [result for result in results if isinstance(result, Exception)]:
            raise ExceptionGroup(f"{len(errors)} sessions could not be saved", errors)
