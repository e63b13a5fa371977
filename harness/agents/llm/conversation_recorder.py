"""Recording the conversation with a model, without repeating what each request repeats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from trainee_bench.harness.agents.llm.histories import as_request
from trainee_bench.harness.models.chat_format import to_chat_messages
from trainee_bench.harness.models.conversation import (
    ConversationMessage,
    ModelReply,
    ModelRequest,
    ToolMessage,
    UserMessage,
)
from trainee_bench.harness.session.agent_session import (
    ChatMessage,
    SentConversation,
    SentConversations,
)

_Unit = tuple[ConversationMessage, ...]


class ConversationRecorder:
    """Recorder of the conversation with a model: each request, reply and answer.

    An empty reply and the answer to it are recorded although no request repeats them.
    """

    def __init__(self, record: SentConversations):
        self._record = record
        self._current = SentConversation(tools=True)
        self._system: str | None = None
        self._messages: list[ConversationMessage] = []
        self._places: dict[tuple[int, ...], list[int]] = {}
        # the keys of `_places` are ids of these objects, which must stay alive
        self._kept: list[_Unit] = []
        self._systems: dict[str, list[int]] = {}

    def sent(self, request: ModelRequest) -> None:
        """Record *request*, which the model was sent and has answered."""
        if request.system == self._system and as_request(self._messages) == request.messages:
            return
        self._system, self._messages = request.system, []
        self._current = self._begun(request)
        self._messages += request.messages

    def said(self, reply: ModelReply) -> None:
        """Record a reply of the model before it is answered."""
        self._add([reply])
        if reply.calls or reply.text.strip():
            self._record.turns += self._current.places[-1:]

    def answered(self, answers: Sequence[ToolMessage], said: str) -> None:
        """Record the answers to the model's reply."""
        self._add([*answers, *([UserMessage(said)] if said else [])])

    def aside(self, request: ModelRequest, reply: ModelReply) -> None:
        """Record a request outside of the day's turns, such as for a summary, with its reply."""
        begun = self._begun(request)
        begun.places += self._placed([reply])

    def _begun(self, request: ModelRequest) -> SentConversation:
        begun = SentConversation(tools=bool(request.tools))
        self._record.conversations.append(begun)
        if request.system:
            if request.system not in self._systems:
                system: ChatMessage = {"role": "system", "content": request.system}
                self._systems[request.system] = self._record.keep([system])
            begun.places += self._systems[request.system]
        begun.places += self._placed(request.messages)
        return begun

    def _add(self, messages: Sequence[ConversationMessage]) -> None:
        self._messages += messages
        self._current.places += self._placed(messages)

    def _placed(self, messages: Iterable[ConversationMessage]) -> list[int]:
        """Return the positions of *messages*; record those that are new."""
        found: list[int] = []
        for unit in _units(messages):
            key = tuple(map(id, unit))
            if key not in self._places:
                self._kept.append(unit)
                self._places[key] = self._record.keep(_written(unit))
            found += self._places[key]
        return found


def _units(messages: Iterable[ConversationMessage]) -> Iterable[_Unit]:
    """Group *messages*: each alone, but the results of a turn together, because pictures follow
    them."""
    results: list[ConversationMessage] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            results.append(message)
            continue
        if results:
            yield tuple(results)
            results = []
        yield (message,)
    if results:
        yield tuple(results)


def _written(unit: _Unit) -> list[ChatMessage]:
    """Return *unit* as it is sent; a reply without text and calls stays empty."""
    written = cast("list[ChatMessage]", to_chat_messages(ModelRequest("", unit)))
    if isinstance(unit[0], ModelReply) and not unit[0].calls:
        written[0]["content"] = unit[0].text
    return written
