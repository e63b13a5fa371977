"""Work that goes on although nobody waits for it any more.

A request of a client may be cancelled at any moment. Its work with worker processes and the store
must not stop half way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

__all__ = ["Uncancelled"]

T = TypeVar("T")


class Uncancelled:
    """Runs work to its end on the event loop."""

    def __init__(self) -> None:
        self._working = set[asyncio.Future[Any]]()

    async def run(
        self,
        work: Coroutine[object, object, T],
        undo: Callable[[T], Awaitable[object]] | None = None,
    ) -> T:
        """Return what *work* returns. If the caller is cancelled it goes on, and *undo* gets what
        it returns."""
        task = self._kept(work)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if undo is not None:
                self._kept(_undone(task, undo))
            raise

    async def settled(self) -> None:
        """Return when no work goes on, whether it succeeded or not."""
        while working := [task for task in self._working if not task.done()]:
            await asyncio.wait(working)

    def _kept(self, work: Coroutine[object, object, T]) -> asyncio.Future[T]:
        """Begin *work*; the event loop itself would forget it."""
        task = asyncio.ensure_future(work)
        self._working.add(task)
        task.add_done_callback(self._working.discard)
        return task


async def _undone(task: Awaitable[T], undo: Callable[[T], Awaitable[object]]) -> None:
    """Undo what *task* did, unless it failed."""
    try:
        done = await task
    except Exception:  # noqa: BLE001 - nothing was done, and nobody waits for it
        return
    await undo(done)
