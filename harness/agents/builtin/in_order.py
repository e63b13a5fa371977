"""The oracle without planning: one task after the other, in the order listed.

It never works on a second task while it waits for the first one's answers or meeting, so its
score shows how much planning a day requires.
"""

from __future__ import annotations

from trainee_bench.harness.agents.builtin.oracle import Oracle, SessionToolBackend
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.testbench.scheduler import run_oracles
from trainee_bench.meta_tasks.tool_client import ToolFailed


class InOrder(Oracle):
    """Works on the first listed task that it has not tried yet, then on the next."""

    name = "in_order"

    async def work(self, session: AgentSession) -> None:
        """Work down the list until the day is over; late tasks are left."""
        costs = {tool.name: tool.minutes for tool in session.tools}
        backend, tried = SessionToolBackend(session), set[str]()
        ends = str((await backend.call("desk_now", {})).data["day_ends"])[11:16]
        work = await self.open_tasks(backend)
        while len(tried) < len(work):
            listed = (await backend.call("desk_tasks", {})).data["tasks"]
            waiting = [task["id"] for task in listed if task["id"] in work.keys() - tried]
            if waiting:
                tried.add(waiting[0])
                await run_oracles(backend, costs, {waiting[0]: work[waiting[0]]})
                continue
            try:
                await backend.call("desk_wait", {"until": ends, "wake": True})
            except ToolFailed:  # the day is over
                return
