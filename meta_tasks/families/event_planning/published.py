"""Entries of the original's files: what they fix, and the level that they mean."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import time
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from meta_tasks.families.event_planning.handed_in import NamedPlan
from meta_tasks.families.event_planning.levels import SINGLE, Figure, Level

_LEVELS = {
    "highest_interest": Level.C1,
    "lowest_cost": Level.C2,
    "shortest_distance": Level.C3,
    "highest_score": Level.C4,
}


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Fixed(_Entry):
    """What an entry fixes of a task."""

    level: Level
    department: str
    plan: NamedPlan | None = None
    metrics: tuple[Figure, ...] | None = None
    end_time: time | None = None


class _General(_Entry):
    department: str
    n_loc: Literal[6]
    n_res: Literal[10]
    metrics: frozenset[Figure] = Field(min_length=1)
    plan: NamedPlan | None = None
    end_time: time | None = None

    def fixed(self) -> Fixed:
        number = 4 if self.end_time else 3 if Figure.OVERALL in self.metrics else 0
        if number and self.metrics != set(Figure):
            raise ValueError(f"with an end_time or the overall_score all of {[*Figure]} are asked")
        metrics = tuple(figure for figure in SINGLE if figure in self.metrics)
        level = Level(f"{'A' if self.plan else 'B'}{number or (1 if len(metrics) < 3 else 2)}")
        return Fixed(
            level=level,
            department=self.department,
            plan=self.plan,
            metrics=None if number else metrics,
            end_time=self.end_time,
        )


class _Optimal(_Entry):
    department: str
    n_loc: Literal[6]
    n_res: Literal[10]
    mode: Literal["highest_interest", "lowest_cost", "shortest_distance", "highest_score"]

    def fixed(self) -> Fixed:
        return Fixed(level=_LEVELS[self.mode], department=self.department)


class _GeneralEntry(_Entry):
    task_type_name: Literal["general_event_planning"]
    task_params: _General


class _OptimalEntry(_Entry):
    task_type_name: Literal["optimal_event_planning"]
    task_params: _Optimal


class _Published(_Entry):
    entry: Annotated[_GeneralEntry | _OptimalEntry, Field(discriminator="task_type_name")]


def fixed_by(arguments: Mapping[str, JsonValue]) -> Fixed:
    """What the arguments of an entry fix. Raises ValueError."""
    return _Published.model_validate({"entry": arguments}).entry.task_params.fixed()
