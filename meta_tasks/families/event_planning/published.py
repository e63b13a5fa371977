"""Entries of the original's files: what they fix, and the level that they mean."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import time
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from trainee_bench.meta_tasks.families.event_planning.deliverables import NamedPlan
from trainee_bench.meta_tasks.families.event_planning.levels import (
    SINGLE_METRICS,
    PlanMetric,
    PlanningLevel,
)

_LEVELS = {
    "highest_interest": PlanningLevel.C1,
    "lowest_cost": PlanningLevel.C2,
    "shortest_distance": PlanningLevel.C3,
    "highest_score": PlanningLevel.C4,
}


class _EntryModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FixedParameters(_EntryModel):
    """What an entry fixes of a task."""

    level: PlanningLevel
    department: str
    plan: NamedPlan | None = None
    metrics: tuple[PlanMetric, ...] | None = None
    end_time: time | None = None


class _General(_EntryModel):
    department: str
    n_loc: Literal[6]
    n_res: Literal[10]
    metrics: frozenset[PlanMetric] = Field(min_length=1)
    plan: NamedPlan | None = None
    end_time: time | None = None

    def fixed(self) -> FixedParameters:
        number = 4 if self.end_time else 3 if PlanMetric.OVERALL in self.metrics else 0
        if number and self.metrics != set(PlanMetric):
            raise ValueError(
                f"with an end_time or the overall_score all of {[*PlanMetric]} are asked"
            )
        metrics = tuple(figure for figure in SINGLE_METRICS if figure in self.metrics)
        level = PlanningLevel(
            f"{'A' if self.plan else 'B'}{number or (1 if len(metrics) < 3 else 2)}"
        )
        return FixedParameters(
            level=level,
            department=self.department,
            plan=self.plan,
            metrics=None if number else metrics,
            end_time=self.end_time,
        )


class _Optimal(_EntryModel):
    department: str
    n_loc: Literal[6]
    n_res: Literal[10]
    mode: Literal["highest_interest", "lowest_cost", "shortest_distance", "highest_score"]

    def fixed(self) -> FixedParameters:
        return FixedParameters(level=_LEVELS[self.mode], department=self.department)


class _GeneralEntry(_EntryModel):
    task_type_name: Literal["general_event_planning"]
    task_params: _General


class _OptimalEntry(_EntryModel):
    task_type_name: Literal["optimal_event_planning"]
    task_params: _Optimal


class PublishedEventPlanning(_EntryModel):
    entry: Annotated[_GeneralEntry | _OptimalEntry, Field(discriminator="task_type_name")]


def parse_fixed_parameters(arguments: Mapping[str, JsonValue]) -> FixedParameters:
    """What the arguments of an entry fix. Raises ValueError."""
    return PublishedEventPlanning.model_validate({"entry": arguments}).entry.task_params.fixed()
