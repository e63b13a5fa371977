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
    """How a scripted model learns from the feedback on a day."""

    NOTHING = "nothing"
    BY_RULE = "by_rule"
    """It notes what was missed and observes that in later tasks."""
    BY_HEART = "by_heart"
    """It notes the values seen and hands them in again on a task that it fails."""


class NoteKeeping(StrEnum):
    """The place where a scripted model keeps notes for a task of several days."""

    OFFICE = "office"
    """In files of its workspace, as an honest worker does."""
    MEMORY = "memory"
    """In its memory: at the end of each day it says what must be remembered. Without a memory it
    has lost all of it on the next day."""
    NOWHERE = "nowhere"
    """It remembers until the day ends."""


@dataclass(frozen=True)
class ModelSkill:
    """All figures are shares from 0 to 1.

    ``easy`` and ``hard`` say how often a task of that difficulty succeeds on a day of two tasks;
    each further task reduces that by ``burden``. The share ``slips`` of the failing tasks is
    completed with a mistake; the others are abandoned, at once or half-way. ``quits`` is the share
    of days ended early, ``idle`` that of useless turns. A ``habitual`` model uses what it knew in
    the morning until the next morning, although it notes changes at once.
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
        """Return the probability that a task succeeds, among *tasks* tasks of its day.

        *hints* is the number of tiers of hints; *lessons* is the share of the task's checkpoints
        that the model's notes mention.
        """
        alone = self.easy if label is Difficulty.EASY else self.hard
        wrong = 1 - alone * max(0.0, 1 - self.burden * max(0, tasks - 2))
        return 1 - wrong * (1 - HINT_BENEFIT) ** hints * (1 - LESSON_BENEFIT * lessons)
