"""The base of all records: immutable, with finite numbers and no unknown fields."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class FrozenModel(BaseModel):
    """A record that cannot be changed.

    Raises ValidationError for an unknown field, and for NaN and infinity: JSON cannot express
    these, and a record must read back as it was written.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
