"""Chat: messages between people and in groups, and colleagues who answer them.

A message to a colleague enqueues their reply for a time when they are at work. If they are away or
have left for today, an automatic reply comes at once. In a group, the people addressed by name
reply.
"""

from trainee_bench.world.apps.chat.conversations import (
    MAX_ADDRESSEES,
    MAX_MESSAGE_LENGTH,
    SCHEMA,
    Chat,
    ChatGroup,
    ChatMessage,
    SentChat,
)
from trainee_bench.world.apps.chat.unasked import (
    ClueHandedOver,
    ClueRevised,
    MessageArrives,
    SmallTalk,
)

__all__ = [
    "MAX_ADDRESSEES",
    "MAX_MESSAGE_LENGTH",
    "SCHEMA",
    "Chat",
    "ChatGroup",
    "ChatMessage",
    "ClueHandedOver",
    "ClueRevised",
    "MessageArrives",
    "SentChat",
    "SmallTalk",
]
