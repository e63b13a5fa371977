"""Requests to the workers of a pool, and how a thread or a task waits for their answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from trainee_bench.harness.environment.pool.dispatcher import PendingRequest, PooledDay
from trainee_bench.harness.environment.pool.errors import PoolClosed

T = TypeVar("T")


@dataclass(frozen=True)
class SentRequests(Generic[T]):
    """Requests that were sent, and what follows from their answers, in order.

    If one fails, *undo* is called with the days of the others, and its error is raised. If nobody
    waits any more, *undo* is called with all days.
    """

    requests: Sequence[PendingRequest]
    finish: Callable[[list[Any]], T]
    undo: Callable[[list[PooledDay]], object] = lambda days: None

    def wait(self) -> T:
        """Return what follows, once all answers are there."""
        with self._undone_if_interrupted():
            wait([pending.answer for pending in self.requests])
        return self._result()

    async def waited(self) -> T:
        """The same without holding up the event loop."""
        answers = [asyncio.wrap_future(pending.answer) for pending in self.requests]
        with self._undone_if_interrupted():
            await asyncio.gather(*answers, return_exceptions=True)
        return self._result()

    @contextmanager
    def _undone_if_interrupted(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            with suppress(PoolClosed):
                self.undo([pending.day for pending in self.requests])
            raise

    def _result(self) -> T:
        errors = [pending.answer.exception() for pending in self.requests]
        first = next((error for error in errors if error is not None), None)
        if first is not None:
            pairs = zip(self.requests, errors, strict=True)
            self.undo([pending.day for pending, error in pairs if error is None])
            raise first
        return self.finish([pending.answer.result() for pending in self.requests])
