"""What a scripted model is able to do: how often it does a task right, and how it goes wrong."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from trainee_bench.meta_tasks.meta_task import Difficulty

HINT_BENEFIT = 0.4
"""The share of what a model still gets wrong that each tier of hints puts right."""
LESSON_BENEFIT = 0.8
"""The same for knowing every checkpoint of a task that it missed before."""


class LearningMode(StrEnum):
    """What a model makes of the feedback on a day."""

    NOTHING = "nothing"
    BY_RULE = "by_rule"
    """It notes what was missed, and heeds that wherever it is asked for again."""
    BY_HEART = "by_heart"
    """It notes what was seen, and hands that in again where it knows nothing better."""


@dataclass(frozen=True)
class ModelSkill:
    """All figures are shares from 0 to 1.

    ``easy`` and ``hard`` say how often such a task is done right on a day of two;
    ``burden`` is what each further task of the day takes of that. Of the tasks that go wrong,
    ``slips`` are worked to their end with a mistake, the others are left, at once or half-way.
    ``quits`` are the days ended early, ``idle`` the turns spent with something of no use.
    """

    easy: float
    hard: float
    burden: float = 0.04
    slips: float = 0.6
    quits: float = 0.0
    idle: float = 0.05
    learning: LearningMode = LearningMode.NOTHING

    def chance(self, label: Difficulty, tasks: int, hints: int, lessons: float) -> float:
        """How likely a task is done right, of so many *tasks* on its day, with so many tiers of
        *hints*, where *lessons* is the share of its checkpoints that the model is warned of."""
        alone = self.easy if label is Difficulty.EASY else self.hard
        wrong = 1 - alone * max(0.0, 1 - self.burden * max(0, tasks - 2))
        return 1 - wrong * (1 - HINT_BENEFIT) ** hints * (1 - LESSON_BENEFIT * lessons)
