"""Who answers a conversation: the contract of a model service."""

from __future__ import annotations

from collections import Counter
from typing import Protocol

from trainee_bench.harness.models.conversation import ModelReply, ModelRequest


class ContextOverflow(Exception):
    """The conversation is longer than the model can read. The agent's own affair."""


class ModelService(Protocol):
    """A model that can be asked. ``incident_grid`` counts what had to be tried again, by kind."""

    model: str
    incidents: Counter[str]

    async def reply(self, request: ModelRequest) -> ModelReply:
        """What the model says next.

        Raises ContextOverflow, and InfrastructureFault where the service cannot be had after
        a bounded number of tries.
        """
