"""The cheat that gives every task back, as if nobody had what it needs."""

from __future__ import annotations

from pydantic import JsonValue

from trainee_bench.harness.agents.agent import Agent
from trainee_bench.harness.agents.heuristics import all_people
from trainee_bench.harness.session.agent_session import AgentSession

_FIRST_POINT = 10_000
_MOST_ASKED, _LONGEST = 5, 400
"""The most colleagues that a return may name, and the characters of the task that it quotes."""


class ReturnsEverything(Agent):
    """Cheat that asks nobody, gives every task back as impossible, and names the people and an open
    point that it can think of."""

    name = "returns_everything"
    score_ceiling = 0.05

    async def work(self, session: AgentSession) -> None:
        """Give each task back at once, naming whom its text names."""
        everybody = await all_people(session)
        listed = await session.call("desk_tasks")
        for number, task in enumerate(listed.data["tasks"] if listed.data else ()):
            text = str(task["objective"] or task["title"])
            named: list[JsonValue] = [
                person["id"] for person in everybody if person["name"] in text
            ] or [person["id"] for person in everybody]
            missing = f"Open point OP-{_FIRST_POINT + number}: {text[:_LONGEST]}"
            await session.call(
                "desk_return", task=task["id"], missing=missing, asked=named[:_MOST_ASKED]
            )
