"""Ending a user's coroutine, even one that catches its cancellation.

A task that runs such a coroutine never ends. `CancellationGuard` drives the coroutine step by step,
so that the task can end and abandon the coroutine.
"""

from __future__ import annotations

import asyncio
import ctypes
import types
from collections.abc import AsyncIterator, Coroutine, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from contextvars import Context, ContextVar, copy_context
from typing import Any, TypeVar

import anyio

from trainee_bench.harness.support.interrupts import AgentStep, interrupted
from trainee_bench.harness.support.text import describe_error

CLEANUP_SECONDS = 5.0
"""Real seconds after which tasks that agents left running are abandoned."""


class CancellationGuard:
    """Driver of one coroutine; ``gone`` is set once the coroutine was abandoned where it waited."""

    def __init__(self) -> None:
        self.gone = False
        self._let_go = False

    def abandon(self) -> None:
        """Abandon the coroutine as soon as its task is cancelled."""
        self._let_go = True

    @types.coroutine
    def drive(self, work: Coroutine[Any, Any, Any]) -> Generator[Any, Any, None]:
        """Run *work* as if it were awaited; its return value is dropped."""
        thrown: BaseException | None = None
        while True:
            try:
                with AgentStep():
                    awaited = work.send(None) if thrown is None else work.throw(thrown)
            except StopIteration:
                return
            thrown = None
            try:
                yield awaited
            except GeneratorExit:
                work.close()
                raise
            except BaseException as error:  # *work* may handle anything
                if self._let_go:
                    self._leave(work)
                    raise
                thrown = error

    def _leave(self, work: Coroutine[Any, Any, Any]) -> None:
        self.gone = True
        chain = _chain(work)
        try:
            work.close()
        except BaseException:  # noqa: BLE001 - it refuses to end; nothing runs it again
            for link in chain:
                _keep(link)


@asynccontextmanager
async def cleanup_tasks() -> AsyncIterator[None]:
    """Cancel the tasks that the block left running, such as those of users' agents.

    A task that does not end is hidden from the event loop, whose closing would wait for it.
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


def _keep(kept: object) -> None:
    """Never free *kept*, not even when the process ends.

    Freeing a coroutine runs it once more, and it might not stop.
    """
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))


def _chain(work: object) -> list[object]:
    """Return *work*, what it awaits, what that awaits, and so on."""
    chain = [work]
    while (inner := getattr(chain[-1], "cr_await", None)) is not None:
        chain.append(inner)
    return chain


_T = TypeVar("_T")
_IN_AGENT: ContextVar[bool] = ContextVar("in_agent", default=False)


class AgentTaskExit(Exception):
    """A task that an agent had started raised KeyboardInterrupt or SystemExit."""


def start_agent_task(work: Coroutine[Any, Any, _T]) -> asyncio.Task[_T]:
    """Start *work* as a task of the running loop.

    A task that it starts ends alone, whatever it raises.
    """
    loop = asyncio.get_running_loop()
    if not isinstance(loop.get_task_factory(), _TaskFactory):
        loop.set_task_factory(_TaskFactory(loop.get_task_factory()))
        loop.set_default_executor(_UnawaitedThreads())
    context = copy_context()
    context.run(_IN_AGENT.set, True)
    return loop.create_task(work, context=context)


class _UnawaitedThreads(ThreadPoolExecutor):
    """Thread pool for blocking calls; a call that does not return blocks nobody else."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more calls, and do not wait for running ones."""
        super().shutdown(wait=False, cancel_futures=True)


class _TaskFactory:
    """Task factory that contains the tasks of agents and leaves all others alone."""

    def __init__(self, before: Any):
        self._before = before

    def __call__(
        self,
        loop: asyncio.AbstractEventLoop,
        work: Coroutine[Any, Any, _T] | Generator[Any, None, _T],
        /,
        **options: Any,
    ) -> asyncio.Future[_T]:
        context: Context | None = options.get("context")
        of_agent = _IN_AGENT.get() if context is None else context.get(_IN_AGENT, False)
        if of_agent and asyncio.iscoroutine(work):
            work = _contained(work)
        if self._before is not None:
            made: asyncio.Future[_T] = self._before(loop, work, **options)
            return made
        return asyncio.Task(work, loop=loop, **options)


async def _contained(work: Coroutine[Any, Any, _T]) -> _T:
    try:
        return await work
    except (KeyboardInterrupt, SystemExit) as stop:
        if interrupted():
            raise
        raise AgentTaskExit(describe_error(stop)) from stop
