"""Tasks in which an agent's code runs, kept from ending the program.

asyncio ends its loop if a task raises KeyboardInterrupt or SystemExit, and waits for the threads
of `asyncio.to_thread` before it closes. Neither is for an agent to decide.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, ContextVar, copy_context
from typing import Any, TypeVar

from trainee_bench.harness.support.error_text import describe_error
from trainee_bench.harness.support.interrupts import interrupted

_T = TypeVar("_T")
_IN_AGENT: ContextVar[bool] = ContextVar("in_agent", default=False)


class AgentTaskExit(Exception):
    """A task that an agent had started raised KeyboardInterrupt or SystemExit."""


def start_agent_task(work: Coroutine[Any, Any, _T]) -> asyncio.Task[_T]:
    """*work* as a task of the running loop; tasks that it starts end alone, whatever they raise."""
    loop = asyncio.get_running_loop()
    if not isinstance(loop.get_task_factory(), _TaskFactory):
        loop.set_task_factory(_TaskFactory(loop.get_task_factory()))
        loop.set_default_executor(_UnawaitedThreads())
    context = copy_context()
    context.run(_IN_AGENT.set, True)
    return loop.create_task(work, context=context)


class _UnawaitedThreads(ThreadPoolExecutor):
    """Threads for blocking calls; one that does not return holds up nobody."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more calls, and do not wait for those that run."""
        super().shutdown(wait=False, cancel_futures=True)


class _TaskFactory:
    """Makes tasks as before, but for those of agents."""

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
