"""A conversation with a model, through any service.

ModelRequest (system, messages, tools) ──ModelService──► ModelReply (text, calls)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from pydantic import JsonValue

from trainee_bench.harness.session.turns import NO_THOUGHT, Thought, ToolInfo, ToolResult


class FinishReason(StrEnum):
    """Why a model's reply ended."""

    DONE = "done"
    """The reply is complete, with or without calls."""
    LENGTH = "length"
    """The reply was cut at the token limit; its last call may be incomplete."""
    REFUSAL = "refusal"
    """The model, or a filter of its service, refused."""


@dataclass(frozen=True)
class ModelToolCall:
    """A call as a model wrote it; ``arguments`` is None if ``text`` is not a JSON object."""

    id: str
    name: str
    text: str
    arguments: Mapping[str, JsonValue] | None


@dataclass(frozen=True)
class UserMessage:
    """A message to the model that is not a tool result."""

    text: str


@dataclass(frozen=True)
class ModelReply:
    """A model's message. ``thought`` has the same text, with tokens and cost."""

    text: str
    calls: tuple[ModelToolCall, ...] = ()
    finish: FinishReason = FinishReason.DONE
    thought: Thought = NO_THOUGHT


@dataclass(frozen=True)
class ToolMessage:
    """The result of one of the model's calls, including pictures."""

    call: ModelToolCall
    answer: ToolResult


ConversationMessage = UserMessage | ModelReply | ToolMessage


@dataclass(frozen=True)
class ModelRequest:
    """A request to a model; each reply with calls is followed by the results of all of them."""

    system: str
    messages: tuple[ConversationMessage, ...]
    tools: tuple[ToolInfo, ...] = ()


class ContextOverflow(Exception):
    """The conversation is longer than the model can read; the agent has to handle it."""


class ModelService(Protocol):
    """A service that answers requests with a model. ``incidents`` counts retries, by kind."""

    @property
    def model(self) -> str:
        """The model's name."""

    @property
    def incidents(self) -> Counter[str]:
        """The number of times that a request was sent again, by reason."""

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Return the model's next message.

        Raises ContextOverflow, and InfrastructureFault if the service is still unavailable after a
        bounded number of retries.
        """
