"""What people did in an episode that an agent worked: records that stand in plans and results."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from trainee_bench.harness.records.frozen_model import FrozenModel


class GuidanceKind(StrEnum):
    """What somebody did to guide an agent."""

    HINT = "hint"
    MESSAGE = "message"
    APPROVED = "approved"
    REFUSED = "refused"


class GivenGuidance(FrozenModel):
    """One act of guidance: the number of its action in the log, and of a hint task and tier."""

    seq: int
    kind: GuidanceKind
    tier: int | None = None
    task: str | None = None


class ForkPoint(FrozenModel):
    """Where an episode went on from: another episode of the run called ``run``, after ``step``
    actions. What was reached by then, another agent has reached."""

    run: str
    episode: str
    step: int = Field(ge=0)


class ForkedDay(FrozenModel):
    """What a forked run goes on with: the day (from 0) of its only scenario, and from where."""

    day: int = Field(ge=0)
    point: ForkPoint
