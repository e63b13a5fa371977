"""An agent whose module some nodes of a cluster lack."""

from __future__ import annotations

import os

from trainee_bench.harness.session.agent_session import AgentSession

if os.environ.get("NODE_WITHOUT_DATA"):
    raise ImportError("this node has no data for the agent")


class Agent:
    async def work(self, session: AgentSession) -> None:
        await session.call("desk_now")
