"""What an OpenEnv server of the office tells: observations and its state."""

from __future__ import annotations

from openenv.core.env_server.mcp_types import CallToolObservation
from openenv.core.env_server.types import Observation, State
from pydantic import BaseModel, Field

from trainee_bench.harness.integrations.training.splits import DayCard

__all__ = ["OpenEnvAnswer", "OpenEnvMorning", "OpenEnvPicture", "OpenEnvState"]


class OpenEnvMorning(Observation):
    """What `reset` tells: the prompt for the agent, and which day it is."""

    prompt: str = Field(description="What the agent is told, with its tasks word for word")
    time: str = Field(description="The simulated time, as in 2025-10-01T08:00:00")
    day: DayCard = Field(description="The day's place in its split, and its rules")


class OpenEnvPicture(BaseModel):
    """A picture that a tool showed."""

    mime_type: str
    data: str = Field(description="Base64")


class OpenEnvAnswer(CallToolObservation):
    """The answer to a call. ``reward`` is by how much the score rose; all of them add up to it."""

    text: str = Field(default="", description="The answer for a model; a refusal, too")
    failed: bool = Field(default=False, description="Whether the call was refused")
    time: str | None = Field(default=None, description="The simulated time after the call")
    pictures: list[OpenEnvPicture] = Field(default_factory=list)


class OpenEnvState(State):
    """The day as it stands. Nothing here is for the agent."""

    day: DayCard | None = None
    score: float = Field(default=0.0, description="Of the day as it stands, from 0 to 1")
    success: bool = Field(default=False, description="Whether every task is complete")
    done: bool = Field(default=False, description="Whether the working day is over")
    digest: str = Field(default="", description="A hash of the world's state")
