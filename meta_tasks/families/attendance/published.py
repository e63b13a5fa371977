"""Entries of this family in the original's configuration files."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, JsonValue

from trainee_bench.meta_tasks.authoring import PublishedEntry
from trainee_bench.meta_tasks.families.attendance.query import (
    AttendanceQueryType,
    DepartmentScope,
    PolicyLevel,
)


class _PublishedLevel(BaseModel, frozen=True, extra="forbid"):
    level: PolicyLevel
    rng_cfg: JsonValue = None


class PublishedAttendance(PublishedEntry):
    """An evaluation, and the level of its rules. The original's settings of its random numbers
    have no meaning here."""

    task_type_name: AttendanceQueryType
    task_params: dict[str, JsonValue]
    difficulty: _PublishedLevel
    rng_cfg: JsonValue = None

    def parameters(self) -> Mapping[str, object]:
        """Ours have the same names, but one department has another."""
        given = dict(self.task_params)
        if given.get("department") == "Human Resources":
            given["department"] = DepartmentScope.HR
        return given | {"type": self.task_type_name, "level": self.difficulty.level}
