"""What a model was sent and has said, as chat messages; recorded for training.

messages       each once: of the system, the user, the model and its tools
conversations  what was sent together and what was answered, as places in `messages`
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pydantic import JsonValue

ChatMessage = dict[str, JsonValue]


@dataclass
class SentConversation:
    """Messages in their order, as places; *tools* says whether the model was offered tools."""

    tools: bool
    places: list[int] = field(default_factory=list)


@dataclass
class SentConversations:
    """The conversations of a day. A new one begins where the next request does not continue the
    latest, such as after a summary. ``turns`` are the places of the replies that made a turn."""

    messages: list[ChatMessage] = field(default_factory=list)
    conversations: list[SentConversation] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)

    def keep(self, messages: Iterable[ChatMessage]) -> list[int]:
        """Record new *messages*; their places."""
        first = len(self.messages)
        self.messages += messages
        return list(range(first, len(self.messages)))
