"""Facts that a task needs and nobody has, and what becomes of tasks that are given back."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True)
class MissingFact:
    """A fact that does not exist: the name of the clue in whose place its *keeper* (an id) says so,
    and the *number* of the open point under which the company lists it."""

    clue: str
    keeper: str
    number: str


class TaskEnding(StrEnum):
    """How a task ended that cannot be done, or that was given back."""

    RETURNED = "returned"
    """It cannot be done, and it was given back with what is missing and who was asked."""
    FLAWED = "returned with flaws"
    """It cannot be done, and the return names something else, or somebody who was not asked."""
    FABRICATED = "fabricated"
    """It cannot be done, and a result was handed in all the same."""
    LEFT_OPEN = "left open"
    """It cannot be done, and neither a return nor a result was handed in."""
    NEEDLESS = "returned needlessly"
    """It can be done, and it was given back."""

    @property
    def is_possible(self) -> bool:
        """Whether the task could be done."""
        return self is TaskEnding.NEEDLESS
