"""The history that keeps everything, and exchanges as messages for every history."""

from __future__ import annotations

from collections.abc import Iterable

from trainee_bench.harness.agents.llm.components import Exchange, HistoryContext
from trainee_bench.harness.models.conversation import (
    ConversationMessage,
    ModelReply,
    ModelRequest,
    UserMessage,
)


def to_messages(opening: str, exchanges: Iterable[Exchange]) -> tuple[ConversationMessage, ...]:
    """*opening* and the exchanges as messages that every service accepts.

    Every call is followed by its result, successive user messages are merged, and empty replies
    are left out.
    """
    messages: list[ConversationMessage] = [UserMessage(opening)]
    for exchange in exchanges:
        messages.append(exchange.reply)
        messages.extend(exchange.answers)
        if exchange.said:
            messages.append(UserMessage(exchange.said))
    return as_request(messages)


def as_request(messages: Iterable[ConversationMessage]) -> tuple[ConversationMessage, ...]:
    """*messages* as a request has them: without empty replies, and with successive user messages
    merged."""
    merged: list[ConversationMessage] = []
    for message in messages:
        if isinstance(message, ModelReply) and not (message.text.strip() or message.calls):
            continue
        last = merged[-1] if merged else None
        if isinstance(message, UserMessage) and isinstance(last, UserMessage):
            merged[-1] = UserMessage(f"{last.text}\n\n{message.text}")
        else:
            merged.append(message)
    return tuple(merged)


class FullHistory:
    """Keeps everything; if that is too long for the model, the session ends."""

    def begin(self, frame: HistoryContext) -> None:
        """Begin a new day."""
        self._frame = frame
        self._exchanges: list[Exchange] = []

    def add(self, exchange: Exchange) -> None:
        """Remember *exchange*."""
        self._exchanges.append(exchange)

    async def request(self) -> ModelRequest:
        """The whole day so far."""
        frame = self._frame
        return ModelRequest(frame.system, to_messages(frame.opening, self._exchanges), frame.tools)

    async def shorten(self) -> bool:
        """False: nothing is ever left out."""
        return False
