"""The base of all records: immutable, with finite numbers, and without fields that it does not
know."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class FrozenModel(BaseModel):
    """A record that cannot be changed. It raises ValidationError for an unknown field, and for NaN
    and infinity, which JSON cannot express: a record has to be read as it was written."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
