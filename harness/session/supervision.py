"""An agent at work: from its first turn to the end of its day, whatever it does.

What an agent brings about itself is graded as the world stands; only a fault of the
infrastructure breaks an episode. An agent that does not go when its day is ended is left
behind, wherever it waits; one that never waits cannot be reached from its own process.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Protocol

import anyio

from trainee_bench.harness.session.agent_session import AgentSession, EndReason, InfrastructureFault
from trainee_bench.harness.session.cancellation import CancellationGuard
from trainee_bench.harness.support.text import printable

__all__ = ["AgentProtocol"]

STOP_GRACE_SECONDS = 30.0
"""Real seconds that an agent has to go when its day is ended."""
_LEFT_BEHIND = "It did not stop when its day was ended, and was left behind."


class AgentProtocol(Protocol):
    """Whoever can work a day."""

    async def work(self, office: AgentSession) -> None:
        """Work until done; the harness ends it at the day's end or at a limit."""


@dataclass(frozen=True)
class AgentExit:
    """How a day's work ended; ``agent_error`` is what the agent's own code raised, if so."""

    ended: EndReason
    agent_error: str | None = None


async def run_agent(agent: AgentProtocol, office: AgentSession) -> AgentExit:
    """Let *agent* work in *office* until it is done or is stopped.

    Raises InfrastructureFault where a call could not be carried out.
    """
    conduct = await _watched(agent, office)
    office.ended = office.ended or conduct.ended  # nothing it left running can go on
    if isinstance(office.fault, InfrastructureFault):
        raise office.fault
    if office.fault is not None:
        raise InfrastructureFault(describe_error(office.fault)) from office.fault
    return conduct


async def _watched(agent: AgentProtocol, office: AgentSession) -> AgentExit:
    leash = CancellationGuard()
    # In a task of its own: an agent that cancels its task must not take ours with it.
    working = asyncio.ensure_future(_work(agent, office, leash))
    try:
        await _until_stopped(working, office)
        if not working.done():
            office.stop(EndReason.TIME_LIMIT)
            await _end(working, leash)
    except asyncio.CancelledError:  # we are to stop, not the agent alone
        working.cancel()
        with anyio.CancelScope(shield=True):
            await _end(working, leash)
        raise
    if leash.gone:
        return AgentExit(office.ended or EndReason.AGENT_ERROR, _LEFT_BEHIND)
    try:
        conduct = working.result()
    except asyncio.CancelledError as error:
        return AgentExit(office.ended or EndReason.AGENT_ERROR, describe_error(error))
    if isinstance(conduct, KeyboardInterrupt):
        raise conduct
    return conduct


async def _until_stopped(working: asyncio.Future[Any], office: AgentSession) -> None:
    """Until the agent is done, its day was ended, or its time is up."""
    stopped = asyncio.ensure_future(office.stopped.wait())
    try:
        await asyncio.wait(
            {working, stopped},
            timeout=office.limits.seconds,
            return_when=asyncio.FIRST_COMPLETED,
        )
    finally:
        stopped.cancel()


async def _end(working: asyncio.Future[Any], leash: CancellationGuard) -> None:
    """Wait until the agent has gone; leave it behind where it does not go."""
    await asyncio.wait({working}, timeout=STOP_GRACE_SECONDS)
    if not working.done():
        leash.abandon()
        working.cancel()
        await asyncio.wait({working})


async def _work(
    agent: AgentProtocol, office: AgentSession, leash: CancellationGuard
) -> AgentExit | KeyboardInterrupt:
    try:
        with office.scope:
            await leash.drive(agent.work(office))
    except asyncio.CancelledError:
        raise
    except KeyboardInterrupt as stop:  # raised in a task it would tear down the event loop
        return stop
    except BaseException as error:  # noqa: BLE001 - anybody's code: its own failure
        office.fault = office.fault or _fault_in(error)
        return AgentExit(office.ended or EndReason.AGENT_ERROR, describe_error(error))
    return AgentExit(office.ended or EndReason.AGENT)


def _fault_in(error: BaseException) -> InfrastructureFault | None:
    """The fault of the infrastructure that *error* is, or the first one in a group."""
    if isinstance(error, BaseExceptionGroup):
        found = [fault for inner in error.exceptions if (fault := _fault_in(inner))]
        return found[0] if found else None
    return error if isinstance(error, InfrastructureFault) else None


def describe_error(error: BaseException) -> str:
    """*error* in one line, of a group its first member."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return " ".join(printable(f"{type(error).__name__}: {error}").split())[:1000]
