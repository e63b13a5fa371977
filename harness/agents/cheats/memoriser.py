"""The cheat that learns by heart: it hands in what the feedback of another day said."""

from __future__ import annotations

from typing import Self

from trainee_bench.harness.agents.agent import PrivilegedAgent
from trainee_bench.harness.agents.heuristics import read_desk, write_guesses
from trainee_bench.harness.agents.runtime.in_process_episode import cached_grade
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.grade import feedback

OBSERVED_AGENTS = ("nothing", "every_candidate")
"""Whose days it got feedback of; neither has any part of the answer from its own work."""


class Memoriser(PrivilegedAgent):
    """Knows every word of the feedback on another day with the same rules, and all hints."""

    name = "memoriser"
    score_ceiling = 0.02

    def __init__(self, memory: str):
        self._memory = memory

    @classmethod
    async def for_day(cls, composition: ComposedDay) -> Self:
        """The cheat that failed on the same day with another seed and was told why."""
        resolved = composition.scenario_day
        seed = resolved.scenario.seed + 1
        other = compose_day(resolved.scenario.model_copy(update={"seed": seed}), resolved.day)
        said = [
            feedback(grade, tier=3)
            for agent in OBSERVED_AGENTS
            for grade in (await cached_grade(agent, other)).tasks
        ]
        hints = [task.instance.hints for task in other.tasks]
        said += [text for hint in hints for text in (hint.strategy, hint.where, hint.how)]
        return cls("\n".join(said))

    async def work(self, office: AgentSession) -> None:
        """Hand in whatever of it looks like an answer."""
        for text in await read_desk(office):
            await write_guesses(office, text, self._memory)
