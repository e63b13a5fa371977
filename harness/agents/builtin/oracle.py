"""The reference solver: honest work on all tasks in one session, through the tools alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from pydantic import JsonValue

from trainee_bench.harness.agents.agent import PrivilegedAgent
from trainee_bench.harness.agents.confidence import HONEST_CONFIDENCE, with_confidence
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.harness.testbench.work_plan import (
    honest_works,
    outline_of,
    without_submitted,
    work_tasks,
)
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.tool_client import ToolFailed, ToolResponse
from trainee_bench.meta_tasks.work.engine import ToolCaller
from trainee_bench.meta_tasks.work.explain import failure_in_words
from trainee_bench.meta_tasks.work.need import TaskWork
from trainee_bench.meta_tasks.work.outline import NO_PLAN, DayOutline


class OracleFailed(Exception):
    """Some tasks are not done; the message says which and why."""


class Oracle(PrivilegedAgent):
    """Agent that solves every task through the tools, with a plan; it is told only each task's
    family."""

    name = "oracle"
    steps = 2_000

    def __init__(
        self,
        composition: ComposedDay,
        works: Mapping[str, TaskWork],
        outline: DayOutline = NO_PLAN,
    ):
        self.composition = composition
        self.works = works
        """The work of each task, by id."""
        self.outline = outline

    @classmethod
    async def for_day(cls, composition: ComposedDay) -> Self:
        """Return the oracle for the tasks of *composition*, or for those of its best plan."""
        return cls(composition, honest_works(composition), outline_of(composition))

    async def work(self, session: AgentSession) -> None:
        """Do the tasks. Raises OracleFailed if any is not done."""
        failures = await self.work_with(SessionToolBackend(session), costs_in(session))
        if failures:
            told = {task: failure_in_words(error) for task, error in sorted(failures.items())}
            errors = "; ".join(f"{task}: {error}" for task, error in told.items())
            raise OracleFailed(errors) from next(iter(failures.values()))

    async def work_with(self, tools: ToolCaller, costs: Mapping[str, int]) -> dict[str, Exception]:
        """Do the tasks with *tools*, whose calls cost these minutes; return the errors, by task."""
        works = await without_submitted(tools, self.works, self.composition)
        return await work_tasks(tools, costs, works, self.outline)


def costs_in(session: AgentSession) -> dict[str, int]:
    """Return the minutes that a call of each tool costs."""
    return {tool.name: tool.minutes for tool in session.tools}


class SessionToolBackend:
    """An agent's session as a `ToolCaller`."""

    def __init__(self, session: AgentSession):
        self._session = session

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        """Make a turn of one call. Raises ToolFailed with the tool's text."""
        given = with_confidence(self._session.tools, tool, arguments, HONEST_CONFIDENCE)
        (answer,) = await self._session.turn([ToolCall(tool, given)])
        if answer.failed or answer.data is None or answer.time is None:
            raise ToolFailed(answer.text, answer.time, answer.notices)
        picture = answer.pictures[0].data if answer.pictures else None
        return ToolResponse(answer.text, answer.data, answer.time, picture, answer.notices)
