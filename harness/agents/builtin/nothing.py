"""The baseline: its score is what a day gives without any work."""

from __future__ import annotations

from trainee_bench.harness.agents.agent import Agent
from trainee_bench.harness.session.agent_session import AgentSession


class Nothing(Agent):
    """Agent that does nothing; its score is that of an untouched day."""

    name = "nothing"
    score_ceiling = 0.0

    async def work(self, session: AgentSession) -> None:
        """Make no call."""
