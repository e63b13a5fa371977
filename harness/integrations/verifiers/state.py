"""What the tool server and the scoring of a rollout tell each other."""

from __future__ import annotations

from pydantic import Field, JsonValue
from verifiers import v1 as vf

__all__ = ["OfficeState"]


class OfficeState(vf.State):
    """A rollout's day: set before its first call, and brought up to date with every one."""

    rollout: str = ""
    """Which rollout it is; "" before it is set up."""
    day: str = ""
    """The `ScenarioDay` as JSON."""
    calls: int = 0
    """How many calls the office got."""
    rewards: dict[int, float] = Field(default_factory=dict)
    """By how much the score rose or fell with which call (from 1); calls that are missing changed
    nothing."""
    score: float = 0.0
    """Of the day as it stands: the sum of the rewards."""
    success: bool = False
    """Whether every task is complete."""
    done: bool = False
    """Whether the working day is over."""
    digest: str = ""
    """A hash of the world's state, if the tool server is asked for it."""
    arrived: list[tuple[str, dict[str, JsonValue]]] = Field(default_factory=list)
    """The calls that the office got, if the tool server is asked for the digest."""
