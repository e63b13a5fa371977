"""Limits of an episode on each of its days, and how it can end."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["EndReason", "EpisodeLimits"]


class EpisodeLimits(BaseModel):
    """Limits of an episode for its day, or for each day of its week.

    A step is one turn of at most ``calls_per_turn`` calls.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    steps: int = Field(default=150, ge=1)
    calls_per_turn: int = Field(default=3, ge=1)
    tokens: int | None = Field(default=None, ge=1)
    """Tokens of prompts and completions together, estimated if the model's service does not
    count."""
    cost_usd: float | None = Field(default=None, gt=0)
    """Cost in US dollars. A model whose price is unknown never reaches it."""
    seconds: float | None = Field(default=None, gt=0)
    """Real time from the agent's start."""
    tokens_per_minute: int | None = Field(
        default=None, ge=1, exclude_if=lambda tokens: tokens is None
    )
    """The pace of thinking: this many output tokens take one simulated minute.

    None means that thinking takes no time.
    """


class EndReason(StrEnum):
    """Why an agent's session ended."""

    AGENT = "agent"
    """The agent finished the day."""
    DAY_OVER = "day_over"
    """The simulated day ended."""
    STEP_LIMIT = "step_limit"
    TOKEN_LIMIT = "token_limit"  # noqa: S105 - of a model, not of a lock
    COST_LIMIT = "cost_limit"
    TIME_LIMIT = "time_limit"
    CONTEXT_OVERFLOW = "context_overflow"
    """The conversation had become too long for the model."""
    GAVE_UP = "gave_up"
    """The model gave no usable reply several times in a row."""
    AGENT_ERROR = "agent_error"
    """The agent's own code raised an exception."""

    @property
    def limited(self) -> bool:
        """Whether this is a limit of the episode."""
        return self.value.endswith("_limit")
