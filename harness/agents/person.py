"""A person as an agent: each call comes from outside and is one turn.

    page or terminal ──call──► PersonAgent ──turn([call])──► AgentSession

Limits, costs, trajectory, grade and report are the same as for any agent. On the last day the
person is asked a question before the score is shown; `leave` delivers the answer and ends the day.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from trainee_bench.harness.agents.agent import Agent
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EndReason
from trainee_bench.harness.session.turns import Thought, ToolCall, ToolResult
from trainee_bench.mcp_servers.desk import FINISH_DAY_TOOL


class PersonHasLeft(Exception):
    """No call can be made: the day is over, or the person has left; the message says which."""


@dataclass(frozen=True)
class _Asked:
    call: ToolCall
    answer: asyncio.Future[ToolResult]

    def fail(self) -> None:
        """Set an error: there will be no answer."""
        self.answer.set_exception(PersonHasLeft("The day was broken off."))
        self.answer.exception()  # nobody may be waiting any more


class PersonAgent(Agent):
    """Agent whose calls a person makes. Use it on the event loop on which the episode runs.

    ``session`` is the session of the current day, None before the first morning; ``begun`` is set
    when the first morning begins. ``day_over`` says that the person can make no further call and is
    only asked to `leave`. After calls of an interrupted day were restored, the agent goes on after
    them. A person who leaves on a day of a week has left for all its days.
    """

    name = "person"

    def __init__(self) -> None:
        self.session: AgentSession | None = None
        self.begun = asyncio.Event()
        self.day_over = False
        self._asked: asyncio.Queue[_Asked | None] = asyncio.Queue()
        self._left = asyncio.Event()
        self._remark = ""

    @property
    def has_left(self) -> bool:
        """Whether the person has left."""
        return self._left.is_set()

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResult:
        """Make a call in its own turn; return its answer. Raises PersonHasLeft."""
        if self.day_over or self._left.is_set():
            raise PersonHasLeft("The day is over: no further call can be made.")
        answer: asyncio.Future[ToolResult] = asyncio.get_running_loop().create_future()
        self._asked.put_nowait(_Asked(ToolCall(tool, arguments), answer))
        return await asyncio.shield(answer)

    def leave(self, remark: str = "") -> None:
        """End the day, or the question after it; *remark* is kept in the trajectory."""
        self._remark = remark
        self._left.set()
        self._asked.put_nowait(None)

    async def work(self, session: AgentSession) -> None:
        """Make the calls that arrive until the day is over or the person leaves."""
        try:
            await self._work(session)
        except asyncio.CancelledError:
            if not (session.another_day_follows and (session.over or _used_up(session))):
                self._close()
            raise

    def _close(self) -> None:
        """Take no more calls; calls that still wait get no answer."""
        self.day_over = True
        while not self._asked.empty():
            asked = self._asked.get_nowait()
            if asked is not None:
                asked.fail()

    async def _work(self, session: AgentSession) -> None:
        self.session = session
        self.begun.set()
        while not (self._left.is_set() or session.over or _used_up(session)):
            asked = await self._asked.get()
            if asked is None:
                break
            await self._make(session, asked)
        if session.another_day_follows:
            await self._end(session)
            return
        self._close()
        await self._left.wait()
        if self._remark:
            await session.aside(Thought(message=self._remark))
        await self._end(session)

    async def _make(self, session: AgentSession, asked: _Asked) -> None:
        try:
            (answer,) = await session.turn([asked.call])
            asked.answer.set_result(answer)
        finally:
            if not asked.answer.done():  # the session ends within turns
                asked.fail()

    async def _end(self, session: AgentSession) -> None:
        """End the session if a limit or the clock ended it; otherwise the person finished the
        day."""
        if session.over and not _finished(session):
            await session.end(EndReason.DAY_OVER)
        if not session.over and _used_up(session):
            await session.end(EndReason.STEP_LIMIT)


def _finished(session: AgentSession) -> bool:
    """Whether the last call finished the day; it may have been made before an interruption."""
    calls = [call for turn in session.record for call in turn.calls]
    return bool(calls) and calls[-1].name == FINISH_DAY_TOOL


def _used_up(session: AgentSession) -> bool:
    """Whether no step is left."""
    return session.counts.steps >= session.limits.steps
