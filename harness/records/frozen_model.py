"""The base of all records: immutable, and without fields that it does not know."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class FrozenModel(BaseModel):
    """A record that cannot be changed and raises ValidationError for an unknown field."""

    model_config = ConfigDict(frozen=True, extra="forbid")
