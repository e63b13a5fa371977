"""The baseline: its score is what a task gives away for nothing."""

from __future__ import annotations

from trainee_bench.harness.agents.agent import Agent
from trainee_bench.harness.session.agent_session import AgentSession


class Nothing(Agent):
    """Does nothing at all: what a day is worth untouched."""

    name = "nothing"
    score_ceiling = 0.0

    async def work(self, session: AgentSession) -> None:
        """Make no call."""
