"""The cheat that learns by heart: it hands in what the feedback of another day said."""

from __future__ import annotations

from typing import Self

from harness.agents import Insider
from harness.guesswork import hand_in, read_desk
from harness.rehearsal import grade_of
from harness.workplace import Workplace
from meta_tasks.composition import Composition, compose
from meta_tasks.grade import feedback

OBSERVED = ("nothing", "every_candidate")
"""Whose days it got feedback of; neither has any part of the answer from its own work."""


class Memoriser(Insider):
    """Knows every word of the feedback on another day with the same rules, and all hints."""

    name = "memoriser"
    tolerated = 0.02

    def __init__(self, memory: str):
        self._memory = memory

    @classmethod
    async def for_day(cls, composition: Composition) -> Self:
        """The cheat that failed on the same day with another seed and was told why."""
        resolved = composition.resolved
        seed = resolved.scenario.seed + 1
        other = compose(resolved.scenario.model_copy(update={"seed": seed}), resolved.day)
        said = [
            feedback(grade, tier=3)
            for agent in OBSERVED
            for grade in (await grade_of(agent, other)).tasks
        ]
        hints = [task.scene.hints for task in other.tasks]
        said += [text for hint in hints for text in (hint.strategy, hint.where, hint.how)]
        return cls("\n".join(said))

    async def work(self, office: Workplace) -> None:
        """Hand in whatever of it looks like an answer."""
        for text in await read_desk(office):
            await hand_in(office, text, self._memory)
