"""Running an agent from its first turn to the end of its session, whatever it does.

If an agent fails, its world is graded in the state it left; only a fault of the infrastructure
breaks an episode. An agent that does not stop when its session ends is abandoned where it waits.
One that never waits cannot be stopped from its own process.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import anyio

from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.cancellation import CancellationGuard, start_agent_task
from trainee_bench.harness.session.limits import EndReason
from trainee_bench.harness.session.turns import InfrastructureFault
from trainee_bench.harness.support.interrupts import interrupted
from trainee_bench.harness.support.text import describe_error

__all__ = ["AgentProtocol"]

STOP_GRACE_SECONDS = 30.0
"""Real seconds that an agent has to stop when its session is ended."""
_ABANDONED = "It did not stop when its day was ended, and was abandoned."


class AgentProtocol(Protocol):
    """An agent: anything that can work a day."""

    async def work(self, session: AgentSession) -> None:
        """Work until done; the session cancels this at the day's end or at a limit."""


@dataclass(frozen=True)
class AgentExit:
    """End of an agent's work; ``agent_error`` is the error of the agent's own code, if any."""

    ended: EndReason
    agent_error: str | None = None


async def run_agent(agent: AgentProtocol, session: AgentSession) -> AgentExit:
    """Let *agent* work in *session* until it is done or is stopped.

    Raises InfrastructureFault if the session has recorded a fault; no exception of the agent is
    one. Raises KeyboardInterrupt if the program is interrupted.
    """
    agent_exit = await _watched(agent, session)
    session.ended = (
        session.ended or agent_exit.ended
    )  # no task that the agent left running can make further calls
    raise_fault(session)
    return agent_exit


def raise_fault(session: AgentSession) -> None:
    """Raise the fault that *session* has recorded, if any, as an InfrastructureFault."""
    if isinstance(session.fault, InfrastructureFault):
        raise session.fault
    if session.fault is not None:
        raise InfrastructureFault(describe_error(session.fault)) from session.fault


async def run_aside(work: Coroutine[Any, Any, None], seconds: float | None) -> str | None:
    """Run *work*, an agent's code outside of its turns, for at most *seconds*; return its error.

    Returns None without an error. Raises KeyboardInterrupt if the program is interrupted meanwhile.
    """
    guard = CancellationGuard()
    working = start_agent_task(_outcome(guard.drive(work)))
    ended = asyncio.wait({working}, timeout=seconds)
    error = await _supervise(working, guard, ended, working.cancel)
    if guard.gone:
        return _ABANDONED
    return None if error is None else describe_error(error)


async def _watched(agent: AgentProtocol, session: AgentSession) -> AgentExit:
    guard = CancellationGuard()
    # In its own task: an agent that cancels its task must not cancel this one.
    working = start_agent_task(_outcome(_in_scope(agent, session, guard)))
    stopped = _until_stopped(working, session)
    error = await _supervise(working, guard, stopped, partial(session.stop, EndReason.TIME_LIMIT))
    if guard.gone:
        return AgentExit(session.ended or EndReason.AGENT_ERROR, _ABANDONED)
    if error is not None:
        return AgentExit(session.ended or EndReason.AGENT_ERROR, describe_error(error))
    return AgentExit(session.ended or EndReason.AGENT)


async def _supervise(
    working: asyncio.Task[BaseException | None],
    guard: CancellationGuard,
    enough: Awaitable[object],
    stop: Callable[[], object],
) -> BaseException | None:
    """Wait until *enough*, then *stop* the work if it is not done; return what it raised, if
    anything."""
    try:
        await enough
        if not working.done():
            stop()
            await _end(working, guard)
    except asyncio.CancelledError:  # the run is being stopped, not only the agent
        working.cancel()
        with anyio.CancelScope(shield=True):
            await _end(working, guard)
        raise
    if interrupted():
        raise KeyboardInterrupt
    return working.result()


async def _until_stopped(working: asyncio.Future[Any], session: AgentSession) -> None:
    """Wait until the agent is done, its session has ended, or its real time is up."""
    stopped = asyncio.ensure_future(session.stopped.wait())
    allowed, began = session.limits.seconds, time.monotonic()
    try:
        while True:
            # How long people made the agent wait is known only afterwards, so the rest is waited
            # for now.
            left = None
            if allowed is not None:
                left = max(0.0, allowed + session.waited() - (time.monotonic() - began))
            done, _ = await asyncio.wait(
                {working, stopped}, timeout=left, return_when=asyncio.FIRST_COMPLETED
            )
            if done or left == 0.0:
                break
    finally:
        stopped.cancel()


async def _end(working: asyncio.Future[Any], guard: CancellationGuard) -> None:
    """Wait until the agent has stopped; abandon it if it does not stop."""
    await asyncio.wait({working}, timeout=STOP_GRACE_SECONDS)
    if not working.done():
        guard.abandon()
        working.cancel()
        await asyncio.wait({working})


async def _in_scope(agent: AgentProtocol, session: AgentSession, guard: CancellationGuard) -> None:
    with session.scope:
        await guard.drive(agent.work(session))


async def _outcome(work: Awaitable[None]) -> BaseException | None:
    """Return what *work*, a user's code, raises: a task must not raise every type of exception."""
    try:
        await work
    except BaseException as error:  # noqa: BLE001 - even KeyboardInterrupt is the agent's own
        return error
    return None
