"""The twelve levels, and which of the original's entries mean them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import time
from enum import StrEnum
from typing import Literal

from pydantic import Field, JsonValue, field_validator

from trainee_bench.meta_tasks.authoring import PublishedEntry
from trainee_bench.meta_tasks.families.event_planning.town import (
    SINGLE_METRICS,
    NamedPlan,
    PlanMetric,
)


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
    def metric_counts(self) -> tuple[int, int]:
        """How many of SINGLE_METRICS may be asked for, at least and at most; drawn are the most.
        (0, 0) where the level fixes its figures."""
        if self in (PlanningLevel.A1, PlanningLevel.B1):
            return 1, 2
        return (2, 3) if self in (PlanningLevel.A2, PlanningLevel.B2) else (0, 0)

    @property
    def figures(self) -> tuple[PlanMetric, ...] | None:
        """The figures asked for; None where parameters or the seed choose among SINGLE_METRICS."""
        if self.best is not None:
            return (self.best,)
        return tuple(PlanMetric) if self.metric_counts == (0, 0) else None


_BEST: Mapping[PlanningLevel, PlanMetric] = {
    PlanningLevel.C1: PlanMetric.INTEREST,
    PlanningLevel.C2: PlanMetric.COST,
    PlanningLevel.C3: PlanMetric.DISTANCE,
    PlanningLevel.C4: PlanMetric.OVERALL,
}


# the original's entries ---------------------------------------------------------------------


_OPTIMA = {
    "highest_interest": PlanningLevel.C1,
    "lowest_cost": PlanningLevel.C2,
    "shortest_distance": PlanningLevel.C3,
    "highest_score": PlanningLevel.C4,
}


class _Params(PublishedEntry):
    department: str
    n_loc: Literal[6]
    n_res: Literal[10]

    @field_validator("department")
    @classmethod
    def _ours(cls, given: str) -> str:
        """One department has another name here."""
        return "HR" if given == "Human Resources" else given


class _General(_Params):
    metrics: frozenset[PlanMetric] = Field(min_length=1)
    plan: NamedPlan | None = None
    end_time: time | None = None

    def parameters(self) -> Mapping[str, object]:
        number = 4 if self.end_time else 3 if PlanMetric.OVERALL in self.metrics else 0
        if number and self.metrics != set(PlanMetric):
            raise ValueError(f"end_time or overall_score is asked for with all of {[*PlanMetric]}")
        metrics = tuple(figure for figure in SINGLE_METRICS if figure in self.metrics)
        number = number or (1 if len(metrics) < len(SINGLE_METRICS) else 2)
        return {
            "level": f"{'A' if self.plan else 'B'}{number}",
            "department": self.department,
            "plan": self.plan,
            "metrics": metrics if number < 3 else None,
            "end_time": self.end_time,
        }


class _Optimal(_Params):
    mode: Literal["highest_interest", "lowest_cost", "shortest_distance", "highest_score"]

    def parameters(self) -> Mapping[str, object]:
        return {"level": _OPTIMA[self.mode], "department": self.department}


class PublishedEventPlanning(PublishedEntry):
    """The arguments of an entry, which are of two types."""

    task_type_name: Literal["general_event_planning", "optimal_event_planning"]
    task_params: dict[str, JsonValue]

    def parameters(self) -> Mapping[str, object]:
        """The level that the entry means, and what it fixes besides."""
        model = _General if self.task_type_name == "general_event_planning" else _Optimal
        return model.model_validate(self.task_params).parameters()
