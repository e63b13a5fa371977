"""The cheat that memorises: it hands in the answers from the feedback on another day."""

from __future__ import annotations

from typing import Self

from trainee_bench.harness.agents.agent import PrivilegedAgent
from trainee_bench.harness.agents.heuristics import read_desk, write_guesses
from trainee_bench.harness.agents.runtime.in_process_episode import cached_grade
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.testbench.other_seeds import days_with_seeds
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.grade import feedback

OBSERVED_AGENTS = ("nothing", "every_candidate")
"""The agents on whose days it got feedback; neither finds any part of an answer itself."""
_SEARCHED = 10
"""The number of seeds to search for the other day: it may not compose at the next one."""


class Memoriser(PrivilegedAgent):
    """Cheat that hands in what it memorised: all feedback on the same day with another seed.

    It memorises all hints, too.
    """

    name = "memoriser"
    score_ceiling = 0.02

    def __init__(self, memory: str):
        self._memory = memory

    @classmethod
    async def for_day(cls, composition: ComposedDay) -> Self:
        """Return the cheat with the feedback on the same day with another seed."""
        resolved = composition.scenario_day
        scenario = resolved.scenario
        seeds = range(scenario.seed + 1, scenario.seed + 1 + _SEARCHED)
        others = days_with_seeds(scenario, resolved.day, seeds, 1)
        texts = [
            feedback(grade, tier=3)
            for other in others
            for agent in OBSERVED_AGENTS
            for grade in (await cached_grade(agent, other)).tasks
        ]
        hints = [task.instance.told.hints for other in others for task in other.tasks]
        texts += [text for hint in hints for text in (hint.strategy, hint.where, hint.how)]
        return cls("\n".join(texts))

    async def work(self, session: AgentSession) -> None:
        """Hand in everything in the feedback that looks like an answer."""
        for text in await read_desk(session):
            await write_guesses(session, text, self._memory)
