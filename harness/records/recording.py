"""A recorded run as part of an agent's settings: the place of the calls that the agent repeats."""

from __future__ import annotations

from pydantic import Field

from trainee_bench.harness.records.frozen_model import FrozenModel


class Recording(FrozenModel):
    """A run's folder, or the world file of one day, and a hash of the worlds that are used."""

    path: str
    digest: str = Field(pattern=r"^[0-9a-f]{64}$")
