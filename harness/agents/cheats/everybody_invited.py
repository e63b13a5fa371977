"""The cheat that invites everybody to everything, so that nobody can be missing."""

from __future__ import annotations

from datetime import datetime, timedelta

from pydantic import JsonValue

from trainee_bench.harness.agents.agent import Agent
from trainee_bench.harness.agents.heuristics import all_people, todays_meetings
from trainee_bench.harness.session.agent_session import AgentSession

_HOURS = ("10:00", "13:00", "14:00", "15:00", "16:00")
_ROOM = "Room_10"


class EverybodyInvited(Agent):
    """Cheat that books meetings with the whole company all day and attends each on time."""

    name = "everybody_invited"
    score_ceiling = 0.15
    steps = 2_000

    async def work(self, session: AgentSession) -> None:
        """Book meetings with as many people as are allowed, then attend them."""
        everybody: list[JsonValue] = [person["id"] for person in await all_people(session)]
        for start in _HOURS:
            ends = datetime.fromisoformat(f"2025-10-01T{start}") + timedelta(hours=1)
            for invited in (everybody, everybody[:60], everybody[:30], everybody[:10]):
                booked = await session.call(
                    "calendar_book",
                    title="Meeting",
                    room=_ROOM,
                    starts=start,
                    ends=f"{ends:%H:%M}",
                    attendees=invited,
                )
                if not booked.failed:
                    break
        for meeting, starts, _ in await todays_meetings(session):
            if datetime.fromisoformat(starts) > session.now:
                clock = f"{datetime.fromisoformat(starts):%H:%M}"
                await session.call("desk_wait", until=clock, wake=False)
            await session.call("calendar_attend", meeting=meeting)
