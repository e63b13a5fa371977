"""An agent at work: from its first turn to the end of its day, whatever it does.

What an agent brings about itself is graded as the world stands; only a fault of the
infrastructure breaks an episode.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Protocol

from harness.workplace import Ending, InfrastructureFault, Workplace


class Worker(Protocol):
    """Whoever can work a day."""

    async def work(self, office: Workplace) -> None:
        """Work until done; the harness ends it at the day's end or the step limit."""


@dataclass(frozen=True)
class Conduct:
    """How a day's work ended; ``agent_error`` is what the agent's own code raised, if so."""

    ended: Ending
    agent_error: str | None = None


async def let_work(agent: Worker, office: Workplace) -> Conduct:
    """Let *agent* work in *office* until it is done or is stopped.

    Raises InfrastructureFault where a call could not be carried out.
    """
    conduct = await _watched(agent, office)
    if isinstance(office.fault, InfrastructureFault):
        raise office.fault
    if office.fault is not None:
        raise InfrastructureFault(describe(office.fault)) from office.fault
    return conduct


async def _watched(agent: Worker, office: Workplace) -> Conduct:
    # In a task of its own: an agent that cancels its task must not take ours with it.
    working = asyncio.ensure_future(_work(agent, office))
    try:
        conduct = await working
    except asyncio.CancelledError as error:
        ours = asyncio.current_task()
        if ours is None or ours.cancelling():  # we are to stop, not the agent alone
            raise
        return Conduct(office.ended or Ending.AGENT_ERROR, describe(error))
    if isinstance(conduct, KeyboardInterrupt):
        raise conduct
    return conduct


async def _work(agent: Worker, office: Workplace) -> Conduct | KeyboardInterrupt:
    try:
        with office.scope:
            await agent.work(office)
    except InfrastructureFault as fault:
        office.fault = office.fault or fault
        return Conduct(Ending.AGENT_ERROR, describe(fault))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - anybody's code: its own failure
        return Conduct(office.ended or Ending.AGENT_ERROR, describe(error))
    except KeyboardInterrupt as stop:  # raised in a task it would tear down the event loop
        return stop
    return Conduct(office.ended or Ending.AGENT)


def describe(error: BaseException) -> str:
    """*error* in one line, of a group its first member."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    said = " ".join(f"{type(error).__name__}: {error}".split())[:1000]
    return said.encode(errors="replace").decode()  # half a character could not be recorded
