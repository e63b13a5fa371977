"""The twelve levels, and the figures of a plan that they ask for."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class PlanMetric(StrEnum):
    """What a plan is measured by; the values are the fields of what is handed in."""

    INTEREST = "interest_score"
    COST = "cost_per_person"
    DISTANCE = "total_travel_distance"
    OVERALL = "overall_score"


SINGLE_METRICS = (PlanMetric.INTEREST, PlanMetric.COST, PlanMetric.DISTANCE)
"""Figures that one plan has by itself; the overall score needs all plans."""


class PlanningLevel(StrEnum):
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
        return self in (PlanningLevel.A4, PlanningLevel.B4)

    @property
    def best(self) -> PlanMetric | None:
        """The figure that the plan sought is the best in; None if none is sought."""
        return _BEST.get(self)

    @property
    def figures(self) -> tuple[PlanMetric, ...] | None:
        """The figures asked for; None where parameters or the seed choose among SINGLE."""
        if self.best is not None:
            return (self.best,)
        if self in (PlanningLevel.A1, PlanningLevel.A2, PlanningLevel.B1, PlanningLevel.B2):
            return None
        return tuple(PlanMetric)


_BEST: Mapping[PlanningLevel, PlanMetric] = {
    PlanningLevel.C1: PlanMetric.INTEREST,
    PlanningLevel.C2: PlanMetric.COST,
    PlanningLevel.C3: PlanMetric.DISTANCE,
    PlanningLevel.C4: PlanMetric.OVERALL,
}
