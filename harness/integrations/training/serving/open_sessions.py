"""The sessions that a server has open: each is saved, looked after and freed here."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import ParamSpec, TypeVar

from trainee_bench.harness.environment.pool.day_pool import (
    DayPool,
    PoolClosed,
    PooledDay,
    WorkerLost,
)
from trainee_bench.harness.integrations.training.serving.day_store import (
    DayStore,
    SessionTakenOver,
)
from trainee_bench.harness.integrations.training.serving.metrics import ServingMetrics
from trainee_bench.harness.integrations.training.serving.room import Room
from trainee_bench.harness.integrations.training.serving.saved_session import (
    UnreadableSession,
    sealed,
)
from trainee_bench.harness.integrations.training.serving.served_session import (
    NoSuchSession,
    ServedSession,
)

__all__ = ["OpenSessions", "StoreFailed"]

_LOGGER = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")


class StoreFailed(Exception):
    """The store of sessions failed; the text says what was done nevertheless."""


class OpenSessions:
    """The open sessions by tenant and token. Their days are in *pool*, and each has a place in
    *room*. Without a *store*, they are never saved."""

    def __init__(self, pool: DayPool, store: DayStore | None, room: Room, metrics: ServingMetrics):
        self._pool, self._store, self._room, self._metrics = pool, store, room, metrics
        self._open: dict[tuple[str, str], ServedSession] = {}

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[ServedSession]:
        return iter(list(self._open.values()))

    def __contains__(self, session: ServedSession) -> bool:
        return self.find(session.tenant, session.token) is session

    def find(self, tenant: str, token: str) -> ServedSession | None:
        """Return the session of this token, if it is open here."""
        return self._open.get((tenant, token))

    def add(self, session: ServedSession) -> ServedSession:
        """Note *session* as open, also in place of another with its token, and return it."""
        if self.find(session.tenant, session.token) is None:
            self._metrics.open.inc()
        self._open[session.tenant, session.token] = session
        return session

    def check_usable(self, session: ServedSession) -> None:
        """Raise NoSuchSession if *session* takes no more steps."""
        if session not in self or session.broken:
            raise NoSuchSession("this session was left; resume it with its token")

    async def save(self, session: ServedSession, why: str, *, always: bool = False) -> None:
        """Save what was done since the last time. A session that goes on elsewhere is closed here.

        Raises SessionTakenOver, and StoreFailed with the text *why*.
        """
        if self._store is None or session.hold is None:
            return
        if not (session.unsaved or session.save_failed or always):
            return
        content = sealed(session.lines)
        try:
            await self.stored(why, self._store.save, session.hold, content)
        except SessionTakenOver:
            await self.free(session)
            raise
        except StoreFailed:
            self._note_save(session, failed=True)
            raise
        self._note_save(session, failed=False)
        session.unsaved, session.saved = 0, time.monotonic()
        self._metrics.saved.inc()

    async def check_held(self, session: ServedSession, why: str) -> None:
        """Close *session* here if it goes on elsewhere. Raises as `save`."""
        if self._store is None or session.hold is None:
            return
        try:
            await self.stored(why, self._store.check_held, session.hold)
        except SessionTakenOver:
            await self.free(session)
            raise

    async def stored(self, why: str, do: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Let the store *do* something on a thread. Raises StoreFailed with the text *why*."""
        try:
            return await asyncio.to_thread(do, *args, **named)
        except (SessionTakenOver, UnreadableSession):
            raise
        except Exception as error:
            self._metrics.store_failures.inc()
            _LOGGER.warning("%s", why, exc_info=error)
            raise StoreFailed(why) from error

    async def free(self, session: ServedSession) -> None:
        """Close *session* here, whether it was saved or not."""
        del self._open[session.tenant, session.token]
        self._room.give_back(session.tenant)
        self._metrics.open.dec()
        self._note_save(session, failed=False)
        await self.close(session.day)

    async def close(self, day: PooledDay) -> None:
        """Free a day that belongs to no session."""
        with suppress(PoolClosed, WorkerLost):
            await self._pool.close_many_async([day])

    def _note_save(self, session: ServedSession, *, failed: bool) -> None:
        self._metrics.unsaved.inc(failed - session.save_failed)
        session.save_failed = failed
