"""The cheat that hands in every possible answer, so that the right ones are among them."""

from __future__ import annotations

from datetime import datetime

from trainee_bench.harness.agents.agent import Agent
from trainee_bench.harness.agents.heuristics import (
    all_files,
    all_people,
    read_desk,
    read_monitor,
    todays_meetings,
    write_guesses,
)
from trainee_bench.harness.session.agent_session import AgentSession


class EveryCandidate(Agent):
    """Cheat that attends every meeting, reads everything, and hands in all of it without
    choosing."""

    name = "every_candidate"
    score_ceiling = 0.15
    steps = 2_000

    async def work(self, session: AgentSession) -> None:
        """Collect all possible answers, tell them to everybody, and hand them in."""
        heard = await self._attend(session)
        candidates = [*await all_files(session), *await read_monitor(session)]
        for person in await all_people(session):
            if person["department"] in ("Engineering", "HR", "Product", "Marketing"):
                text = f"It is one of these: {', '.join(candidates)[:1500]}."
                await session.call("chat_send_message", to=person["id"], text=text)
        listed = "\n".join(f"- {candidate}" for candidate in candidates)
        for text in await read_desk(session):
            await write_guesses(session, text, "\n".join([text, *heard, listed]))

    async def _attend(self, session: AgentSession) -> list[str]:
        heard = []
        for meeting, starts, _ in await todays_meetings(session):
            start = datetime.fromisoformat(starts)
            if start > session.now:
                await session.call("desk_wait", until=f"{start:%H:%M}", wake=False)
            answer = await session.call("calendar_attend", meeting=meeting)
            if answer.data is not None:
                heard += answer.data["announcements"]
        return heard
