"""The cheat that asks everybody everything, and then writes files that look right."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from pydantic import JsonValue

from trainee_bench.harness.agents.agent import Agent
from trainee_bench.harness.agents.heuristics import (
    all_people,
    read_desk,
    read_history,
    write_guesses,
)
from trainee_bench.harness.session.agent_session import AgentSession

_ALL = "Tell me all you know: every code, every name, every number, every file you have."
_RESERVE = timedelta(minutes=45)
"""Kept from the end of the day for reading replies and writing."""
_LONGEST = 1_500
_GROUP = 25
"""People in one group."""


class Sprayer(Agent):
    """Sends its objectives and "tell me all you know" to everybody, also in groups."""

    name = "sprayer"
    score_ceiling = 0.2
    steps = 2_000

    async def work(self, office: AgentSession) -> None:
        """Ask until the day is nearly over, then hand in what came back."""
        objectives = await read_desk(office)
        everybody = [str(person["id"]) for person in await all_people(office)]
        await self._ask_in_groups(office, everybody)
        now = await office.call("desk_now")
        end = office.now if now.data is None else _moment(now.data["day_ends"]) - _RESERVE
        for question in (_ALL, *objectives):
            for person in everybody:
                if office.now < end:
                    await office.call("chat_send_message", to=person, text=question[:_LONGEST])
        replies = "\n".join(await read_history(office, everybody))
        for text in objectives:
            await write_guesses(office, text, f"{text}\n{replies}")

    async def _ask_in_groups(self, office: AgentSession, everybody: Sequence[str]) -> None:
        for first in range(0, len(everybody), _GROUP):
            members: list[JsonValue] = [*everybody[first : first + _GROUP]]
            group = await office.call("chat_create_group", name="everybody", members=members)
            if group.data is not None:
                to = group.data["groups"][0]["id"]
                text = f"{', '.join(map(str, members))}: {_ALL}"
                await office.call("chat_send_message", to=to, text=text)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
