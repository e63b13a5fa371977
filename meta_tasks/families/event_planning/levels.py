"""The twelve levels, and the figures of a plan that they ask for."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Figure(StrEnum):
    """What a plan is measured by; the values are the fields of what is handed in."""

    INTEREST = "interest_score"
    COST = "cost_per_person"
    DISTANCE = "total_travel_distance"
    OVERALL = "overall_score"


SINGLE = (Figure.INTEREST, Figure.COST, Figure.DISTANCE)
"""Figures that one plan has by itself; the overall score needs all plans."""


class Level(StrEnum):
    """A: figures of a given plan. B: figures of a plan of one's own. C: the best plan."""

    A1 = "A1"
    A2 = "A2"
    A3 = "A3"
    A4 = "A4"
    B1 = "B1"
    B2 = "B2"
    B3 = "B3"
    B4 = "B4"
    C1 = "C1_interest"
    C2 = "C2_cost"
    C3 = "C3_distance"
    C4 = "C4_score"

    @property
    def given(self) -> bool:
        """Whether the plan is given."""
        return self.value.startswith("A")

    @property
    def timed(self) -> bool:
        """Whether the team has to be back by a time."""
        return self in (Level.A4, Level.B4)

    @property
    def best(self) -> Figure | None:
        """The figure that the plan sought is the best in; None if none is sought."""
        return _BEST.get(self)

    @property
    def figures(self) -> tuple[Figure, ...] | None:
        """The figures asked for; None where parameters or the seed choose among SINGLE."""
        if self.best is not None:
            return (self.best,)
        if self in (Level.A1, Level.A2, Level.B1, Level.B2):
            return None
        return tuple(Figure)


_BEST: Mapping[Level, Figure] = {
    Level.C1: Figure.INTEREST,
    Level.C2: Figure.COST,
    Level.C3: Figure.DISTANCE,
    Level.C4: Figure.OVERALL,
}
