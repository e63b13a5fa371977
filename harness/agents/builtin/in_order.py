"""The oracle without planning: one task after the other, in the order listed.

It never works on a second task while it waits for the first one's answers or meeting, so its
score shows how much planning a day requires.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from trainee_bench.harness.agents.builtin.oracle import Oracle, SessionToolBackend
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.testbench.scheduler import run_oracles
from trainee_bench.harness.testbench.tool_backend import ToolBackend
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.tool_client import ToolData, ToolFailed


class InOrder(Oracle):
    """Works honestly without a plan: on the first listed task not tried yet, then on the next."""

    name = "in_order"

    @classmethod
    async def for_day(cls, composition: ComposedDay) -> Self:
        """For all tasks of *composition*: it does not choose among them by their worth."""
        families = {task.id: type(task.meta_task) for task in composition.tasks}
        return cls(families, composition.carried_over)

    def choose(self, waiting: Sequence[ToolData]) -> ToolData:
        """Which of the listed tasks that are *waiting*, at least one, comes next."""
        return waiting[0]

    async def work(self, session: AgentSession) -> None:
        """Work one task after the other until the day is over; late tasks are left."""
        costs = {tool.name: tool.minutes for tool in session.tools}
        await self.work_through(SessionToolBackend(session), costs)

    async def work_through(self, backend: ToolBackend, costs: Mapping[str, int]) -> None:
        """The same with the tools of *backend*, which cost so many minutes."""
        tried = set[str]()
        ends = str((await backend.call("desk_now", {})).data["day_ends"])[11:16]
        work = await self.open_tasks(backend)
        while len(tried) < len(work):
            listed = (await backend.call("desk_tasks", {})).data["tasks"]
            waiting = [task for task in listed if task["id"] in work.keys() - tried]
            if waiting:
                task = str(self.choose(waiting)["id"])
                tried.add(task)
                await run_oracles(backend, costs, {task: work[task]})
                continue
            try:
                await backend.call("desk_wait", {"until": ends, "wake": True})
            except ToolFailed:  # the day is over
                return
