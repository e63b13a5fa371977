"""The cheat that goes to every meeting as soon as the day begins."""

from __future__ import annotations

from trainee_bench.harness.agents.agent import Agent
from trainee_bench.harness.agents.heuristics import read_desk, todays_meetings, write_guesses
from trainee_bench.harness.session.agent_session import AgentSession


class EarlyBird(Agent):
    """Cheat that attends all meetings in its calendar at 08:00 and writes guesses from the
    minutes."""

    name = "early_bird"
    score_ceiling = 0.15

    async def work(self, session: AgentSession) -> None:
        """Attend at once, then write guesses from the assignments."""
        for meeting, _, _ in await todays_meetings(session):
            await session.call("calendar_attend", meeting=meeting)
        for text in await read_desk(session):
            await write_guesses(session, text, text)
