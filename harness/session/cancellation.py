"""Somebody's coroutine on a leash: driven step by step, and let go where it does not end.

A coroutine that catches its cancellation cannot be ended from outside, and whoever waits for
its task waits for ever. On a leash the task can end without it.
"""

from __future__ import annotations

import asyncio
import ctypes
import types
from collections.abc import AsyncIterator, Coroutine, Generator
from contextlib import asynccontextmanager
from typing import Any

import anyio

CLEANUP_SECONDS = 5.0
"""Real seconds that tasks which agents left running have to end when the last one has gone."""


class CancellationGuard:
    """Holds one coroutine. ``gone`` says whether it was left where it waited."""

    def __init__(self) -> None:
        self.gone = False
        self._let_go = False

    def abandon(self) -> None:
        """Leave the coroutine behind as soon as its task is cancelled."""
        self._let_go = True

    @types.coroutine
    def drive(self, work: Coroutine[Any, Any, Any]) -> Generator[Any, Any, None]:
        """Do *work* as if it were awaited; what it returns is dropped."""
        thrown: BaseException | None = None
        while True:
            try:
                awaited = work.send(None) if thrown is None else work.throw(thrown)
            except StopIteration:
                return
            thrown = None
            try:
                yield awaited
            except GeneratorExit:
                work.close()
                raise
            except BaseException as error:  # whatever comes is the work's to handle
                if self._let_go:
                    self._leave(work)
                    raise
                thrown = error

    def _leave(self, work: Coroutine[Any, Any, Any]) -> None:
        self.gone = True
        chain = _chain(work)
        try:
            work.close()
        except BaseException:  # noqa: BLE001 - it goes on all the same; nobody runs it again
            for one in chain:
                _keep(one)


@asynccontextmanager
async def cleanup_tasks() -> AsyncIterator[None]:
    """End what the block left running, which somebody's agents may have begun.

    A task that does not end is forgotten: whoever closes the event loop would wait for it.
    """
    others = asyncio.all_tasks()
    try:
        yield
    finally:
        left = asyncio.all_tasks() - others
        for task in left:
            task.cancel()
        with anyio.CancelScope(shield=True):
            unending = (await asyncio.wait(left, timeout=CLEANUP_SECONDS))[1] if left else set()
        for task in unending:
            asyncio.tasks._unregister_task(task)
            task._log_destroy_pending = False  # type: ignore[attr-defined]
            _keep(task)


def _keep(one: object) -> None:
    """Never clear *one* away, not even at the end of the process: to be cleared away it would be
    run once more, and might not stop."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(one))


def _chain(work: object) -> list[object]:
    """*work*, what it awaits, what that awaits, and so on."""
    chain = [work]
    while (inner := getattr(chain[-1], "cr_await", None)) is not None:
        chain.append(inner)
    return chain
