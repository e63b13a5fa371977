"""Entries of the original's configuration files, as this family understands them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue, field_validator

from trainee_bench.meta_tasks.families.attendance.query import (
    AttendanceQueryType,
    DepartmentScope,
    PolicyLevel,
    RankingMetric,
    RankingMode,
)


class _PublishedModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _PublishedParameters(_PublishedModel):
    department: DepartmentScope
    mode: RankingMode | None = None
    percent: Literal[5, 10, 15, 20] | None = None
    metric: RankingMetric | None = None

    @field_validator("department", mode="before")
    @classmethod
    def _our_name(cls, name: JsonValue) -> JsonValue:
        """One department has another name here."""
        return DepartmentScope.HR.value if name == "Human Resources" else name


class _PublishedLevel(_PublishedModel):
    level: PolicyLevel


class PublishedAttendance(_PublishedModel):
    """An entry's arguments in the original's files."""

    task_type_name: AttendanceQueryType
    task_params: _PublishedParameters
    difficulty: _PublishedLevel


def parse_parameters(arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The parameters that an entry's arguments mean. Raises ValueError."""
    entry = PublishedAttendance.model_validate(arguments)
    knobs: dict[str, JsonValue] = {"type": entry.task_type_name, "level": entry.difficulty.level}
    return knobs | entry.task_params.model_dump(mode="json")
