"""The reference solver: the oracles of all tasks in one session, through the tools alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import JsonValue

from trainee_bench.harness.agents.agent import PrivilegedAgent
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.tool_types import ToolCall
from trainee_bench.harness.testbench.scheduler import run_oracles, without_submitted
from trainee_bench.harness.testbench.tool_backend import ToolBackend
from trainee_bench.harness.testbench.work_plan import BY_DEADLINES, plan_for
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.meta_task import MetaTask
from trainee_bench.meta_tasks.tool_client import Solver, ToolFailed, ToolResponse


class OracleFailed(Exception):
    """The oracles of some tasks gave up; says which and why."""


class Oracle(PrivilegedAgent):
    """Solves every task through the tools, with a plan; it is told only each task's family."""

    name = "oracle"
    steps = 2_000
    plan = BY_DEADLINES
    """In which order it works on the tasks."""

    def __init__(
        self,
        families: Mapping[str, type[MetaTask[Any]]],
        carried_over: frozenset[str] = frozenset(),
    ):
        self.families = dict(families)
        self.carried_over = carried_over
        """The ids of tasks of earlier days; those that are submitted are done."""

    @classmethod
    async def for_day(cls, composition: ComposedDay) -> Self:
        """The oracle for the tasks of *composition*, or for those of its best plan."""
        families = {task.id: type(task.meta_task) for task in composition.worthwhile_tasks}
        oracle = cls(families, composition.carried_over)
        oracle.plan = plan_for(composition)
        return oracle

    async def work(self, session: AgentSession) -> None:
        """Let the oracles work. Raises OracleFailed if any gave up."""
        costs = {tool.name: tool.minutes for tool in session.tools}
        backend = SessionToolBackend(session)
        work = await self.open_tasks(backend)
        failures = await run_oracles(backend, costs, work, self.plan)
        if failures:
            errors = "; ".join(f"{task}: {error}" for task, error in sorted(failures.items()))
            raise OracleFailed(errors)

    async def open_tasks(self, backend: ToolBackend) -> dict[str, Solver]:
        """The oracle of each task that is not done yet."""
        oracles = {task: family.oracle for task, family in self.families.items()}
        return await without_submitted(backend, oracles, self.carried_over)


class SessionToolBackend:
    """An agent's session as a `ToolBackend`."""

    def __init__(self, session: AgentSession):
        self._session = session

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        """A turn of one call. Raises ToolFailed with the tool's text."""
        (answer,) = await self._session.turn([ToolCall(tool, arguments)])
        if answer.failed or answer.data is None or answer.time is None:
            raise ToolFailed(answer.text, answer.time, answer.notices)
        picture = answer.pictures[0].data if answer.pictures else None
        return ToolResponse(answer.text, answer.data, answer.time, picture, answer.notices)
