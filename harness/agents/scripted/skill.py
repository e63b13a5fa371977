"""The skill of a scripted model: how often a task succeeds, and how it fails."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from trainee_bench.meta_tasks.meta_task import Difficulty

HINT_BENEFIT = 0.4
"""The share of the remaining failures that each tier of hints prevents."""
LESSON_BENEFIT = 0.8
"""The share that notes on every checkpoint of a task prevent."""


class LearningMode(StrEnum):
    """What a scripted model learns from the feedback on a day."""

    NOTHING = "nothing"
    BY_RULE = "by_rule"
    """It notes what was missed and observes that in later tasks."""
    BY_HEART = "by_heart"
    """It notes the values seen and hands them in again where it fails."""


class NoteKeeping(StrEnum):
    """Where a scripted model keeps what a task of several days needs later."""

    OFFICE = "office"
    """In files of its workspace, as an honest worker does."""
    MEMORY = "memory"
    """In its memory: it says at the end of each day what is to be remembered. Without a memory it
    has nothing of it on the next day."""
    NOWHERE = "nowhere"
    """It knows it until the day ends."""


@dataclass(frozen=True)
class ModelSkill:
    """All figures are shares from 0 to 1.

    ``easy`` and ``hard`` say how often a task of that difficulty succeeds on a day of two tasks;
    each further task reduces that by ``burden``. Of the failing tasks, ``slips`` are completed
    with a mistake, and the others abandoned, at once or half-way. ``quits`` are the days ended
    early, ``idle`` the useless turns. Who is ``habitual`` goes by what they knew in the morning
    until the next morning, although they note at once what has changed.
    """

    easy: float
    hard: float
    burden: float = 0.04
    slips: float = 0.6
    quits: float = 0.0
    idle: float = 0.05
    learning: LearningMode = LearningMode.NOTHING
    notes: NoteKeeping = NoteKeeping.OFFICE
    habitual: bool = False

    def chance(self, label: Difficulty, tasks: int, hints: int, lessons: float) -> float:
        """The probability that a task succeeds, among *tasks* tasks of its day, with *hints* tiers
        of hints; *lessons* is the share of its checkpoints that the model's notes mention."""
        alone = self.easy if label is Difficulty.EASY else self.hard
        wrong = 1 - alone * max(0.0, 1 - self.burden * max(0, tasks - 2))
        return 1 - wrong * (1 - HINT_BENEFIT) ** hints * (1 - LESSON_BENEFIT * lessons)
