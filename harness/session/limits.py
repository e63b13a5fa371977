"""What an episode may take, and how it can end."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class EpisodeLimits(BaseModel):
    """What an episode may take. A step is one turn: thinking and up to so many calls."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    steps: int = Field(default=150, ge=1)
    calls_per_turn: int = Field(default=3, ge=1)
    tokens: int | None = Field(default=None, ge=1)
    """Of prompts and completions together; estimated where the model's service tells none."""
    cost_usd: float | None = Field(default=None, gt=0)
    """Never reached by a model whose price is unknown."""
    seconds: float | None = Field(default=None, gt=0)
    """Of real time, from when the agent is let in."""


class EndReason(StrEnum):
    """How an agent's day came to its end."""

    AGENT = "agent"
    """It said that it was done."""
    DAY_OVER = "day_over"
    """The simulated day ended."""
    STEP_LIMIT = "step_limit"
    TOKEN_LIMIT = "token_limit"  # noqa: S105 - of a model, not of a lock
    COST_LIMIT = "cost_limit"
    TIME_LIMIT = "time_limit"
    CONTEXT_OVERFLOW = "context_overflow"
    """What its model was to read had become too long for it."""
    GAVE_UP = "gave_up"
    """Its model said nothing that could be used, time and again."""
    AGENT_ERROR = "agent_error"
    """Its own code raised."""

    @property
    def limited(self) -> bool:
        """Whether a limit of the episode ended it."""
        return self.value.endswith("_limit")
