"""Records of what people did in an episode that an agent worked; part of plans and results."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from trainee_bench.harness.records.frozen_model import FrozenModel


class GuidanceKind(StrEnum):
    """Ways for people to guide an agent."""

    HINT = "hint"
    MESSAGE = "message"
    APPROVED = "approved"
    REFUSED = "refused"


class GivenGuidance(FrozenModel):
    """One act of guidance: the number of its action in the log; for a hint also its task and
    tier."""

    seq: int
    kind: GuidanceKind
    tier: int | None = None
    task: str | None = None


class ForkPoint(FrozenModel):
    """The origin of an episode that continues another: an episode of the run ``run``, after
    ``step``.

    Everything reached by then was reached by another agent.
    """

    run: str
    episode: str
    step: int = Field(ge=0)


class ForkedDay(FrozenModel):
    """The day of a forked run: its number (from 0) in the only scenario, and its origin."""

    day: int = Field(ge=0)
    point: ForkPoint
