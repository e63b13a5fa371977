"""Entries of the original's configuration files, as this family understands them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue, field_validator

from meta_tasks.families.attendance.asked import Level, Metric, Mode, Scope, Type


class _Published(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _PublishedParameters(_Published):
    department: Scope
    mode: Mode | None = None
    percent: Literal[5, 10, 15, 20] | None = None
    metric: Metric | None = None

    @field_validator("department", mode="before")
    @classmethod
    def _our_name(cls, name: JsonValue) -> JsonValue:
        """One department has another name here."""
        return Scope.HR.value if name == "Human Resources" else name


class _PublishedLevel(_Published):
    level: Level


class _PublishedEntry(_Published):
    """An entry's arguments in the original's files."""

    task_type_name: Type
    task_params: _PublishedParameters
    difficulty: _PublishedLevel


def parameters(arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The parameters that an entry's arguments mean. Raises ValueError."""
    entry = _PublishedEntry.model_validate(arguments)
    knobs: dict[str, JsonValue] = {"type": entry.task_type_name, "level": entry.difficulty.level}
    return knobs | entry.task_params.model_dump(mode="json")
