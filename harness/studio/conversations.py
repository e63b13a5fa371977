"""The messages to and from a model in an episode, from the record of its trajectory.

    trajectory ──► RecordedConversation ──► a page of messages, each reply with its turn and usage

Texts are shown exactly as sent and received, even if empty or malformed. Pictures are only named.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.studio.thoughts import AgentThought

AT_ONCE = 40
"""The number of messages on a page."""
_ASSISTANT = "assistant"
_NOT_MADE = ("[not made: ", "[not read: ")

ChatMessage = dict[str, JsonValue]


class NoConversation(LookupError):
    """Raised if there is no conversation to show; the message says why."""


class ReplyUsage(BaseModel):
    """The tokens and cost of a reply; None if unknown."""

    model_config = ConfigDict(extra="ignore")
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None


class AskedCall(BaseModel):
    """A call as the model wrote it; ``flaw`` says why its arguments cannot be read."""

    name: str
    arguments: str
    flaw: str


class ShownMessage(BaseModel):
    """A message in a conversation, at index *place*.

    A reply has its ``turn`` (None if it belongs to no turn), the first ``step`` of that turn, and
    its usage. ``note`` says how the reply was flawed. ``lost`` has its calls that were not made, in
    their original text; later requests contain them in another form. ``raw`` is the record of it.
    """

    place: int
    role: str
    text: str
    calls: tuple[AskedCall, ...] = ()
    pictures: tuple[str, ...] = ()
    turn: int | None = None
    step: int | None = None
    model: str = ""
    usage: ReplyUsage | None = None
    note: str = ""
    lost: tuple[str, ...] = ()
    raw: ChatMessage


class ConversationLine(BaseModel):
    """A conversation in the list. A new one begins when a request does not continue the one before,
    for example after a summary. ``tools`` says whether the model was offered tools."""

    number: int
    messages: int
    replies: int
    tools: bool


class ShownConversation(BaseModel):
    """The list of an episode's conversations, and the messages of one of them from index ``top``.
    ``asked`` is the index of the requested reply, None if none was requested."""

    conversations: tuple[ConversationLine, ...]
    number: int
    top: int
    at_once: int
    messages: tuple[ShownMessage, ...]
    asked: int | None
    totals: ReplyUsage


class SentRequest(BaseModel):
    """A request that was sent to a model, as far as it is recorded."""

    messages: tuple[ChatMessage, ...]
    tools: tuple[JsonValue, ...]


class _Ignoring(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Step(_Ignoring):
    source: str
    message: str | list[JsonValue] = ""
    model_name: str = ""
    metrics: ReplyUsage | None = None


class _Aside(_Ignoring):
    message: str = ""
    model_name: str = ""
    metrics: ReplyUsage | None = None


class _Conversation(_Ignoring):
    tools: bool
    messages: tuple[int, ...]


class _Extra(_Ignoring):
    messages: tuple[ChatMessage, ...] = ()
    conversations: tuple[_Conversation, ...] = ()
    turns: tuple[int, ...] = ()
    asides: tuple[_Aside, ...] = ()


class _Agent(_Ignoring):
    tool_definitions: tuple[JsonValue, ...] = ()


class _Totals(_Ignoring):
    prompt_tokens: int | None = Field(None, alias="total_prompt_tokens")
    completion_tokens: int | None = Field(None, alias="total_completion_tokens")
    cached_tokens: int | None = Field(None, alias="total_cached_tokens")
    cost_usd: float | None = Field(None, alias="total_cost_usd")


class _Trajectory(_Ignoring):
    agent: _Agent
    steps: tuple[_Step, ...]
    extra: _Extra
    final_metrics: _Totals = Field(default_factory=lambda: _Totals.model_validate({}))


@dataclass(frozen=True)
class _Reply:
    """The facts about a reply besides its text."""

    turn: int | None
    model: str
    usage: ReplyUsage | None
    lost: tuple[str, ...] = ()


class RecordedConversation:
    """The conversations of the trajectory at *path*. Raises NoConversation if it has none, or if a
    conversation refers to a missing message."""

    def __init__(self, path: Path):
        try:
            read = _Trajectory.model_validate_json(path.read_bytes())
        except OSError as error:
            raise NoConversation(f"{path.name} cannot be read: {error.strerror}.") from None
        except ValidationError:
            raise NoConversation(f"{path.name} is not a trajectory of this version.") from None
        self._read = read
        self._messages = read.extra.messages
        self._conversations = read.extra.conversations
        if not self._conversations:
            raise NoConversation("No conversation is recorded: the agent uses no language model.")
        places = [
            *read.extra.turns,
            *(place for sent in self._conversations for place in sent.messages),
        ]
        if not all(0 <= place < len(self._messages) for place in places):
            raise NoConversation(f"{path.name} is damaged: it refers to missing messages.")

    def page(
        self,
        number: int,
        top: int,
        thoughts: Mapping[int, AgentThought],
        asked: int | None = None,
    ) -> ShownConversation:
        """Return the messages of conversation *number* from index *top* on, both counted from 0.
        Raises NoConversation if there is no such conversation."""
        places = self._conversation(number).messages
        steps = first_steps(thoughts)
        totals = self._read.final_metrics
        return ShownConversation(
            conversations=tuple(self._lines()),
            number=number,
            top=top,
            at_once=AT_ONCE,
            messages=tuple(
                self._sent(top + n, place, steps)
                for n, place in enumerate(places[top : top + AT_ONCE])
            ),
            asked=asked,
            totals=ReplyUsage.model_validate(totals.model_dump()),
        )

    def place_of(self, turn: int) -> tuple[int, int]:
        """Return the number of the first conversation that contains the reply of *turn*, and its
        index there. Raises NoConversation."""
        turns = self._read.extra.turns
        if not 1 <= turn <= len(turns):
            raise NoConversation(f"No turn {turn} is recorded; there are {len(turns)}.")
        for number, conversation in enumerate(self._conversations):
            if turns[turn - 1] in conversation.messages:
                return number, conversation.messages.index(turns[turn - 1])
        raise NoConversation(f"The reply of turn {turn} is in no conversation.")

    def request(self, number: int, reply: int) -> SentRequest:
        """Return the messages and tools that were sent to the model before message *reply* of
        conversation *number*. Raises NoConversation if there is no such message."""
        conversation = self._conversation(number)
        if not 0 <= reply < len(conversation.messages):
            messages = pluralize(len(conversation.messages), "message")
            raise NoConversation(f"This conversation has {messages}.")
        return SentRequest(
            messages=tuple(self._messages[place] for place in conversation.messages[:reply]),
            tools=self._read.agent.tool_definitions if conversation.tools else (),
        )

    def _conversation(self, number: int) -> _Conversation:
        if not 0 <= number < len(self._conversations):
            raise NoConversation(f"This episode has {len(self._conversations)} conversations.")
        return self._conversations[number]

    def _lines(self) -> Iterator[ConversationLine]:
        for number, conversation in enumerate(self._conversations):
            roles = [self._messages[place].get("role") for place in conversation.messages]
            yield ConversationLine(
                number=number,
                messages=len(roles),
                replies=roles.count(_ASSISTANT),
                tools=conversation.tools,
            )

    def _sent(self, number: int, place: int, steps: Mapping[int, int]) -> ShownMessage:
        message = self._messages[place]
        text, pictures = _content(message.get("content"))
        calls = tuple(_calls(message.get("tool_calls")))
        reply = self._replies.get(place)
        turn = reply.turn if reply else None
        return ShownMessage(
            place=number,
            role=str(message.get("role", "")),
            text=text,
            calls=calls,
            pictures=pictures,
            turn=turn,
            step=steps.get(turn) if turn is not None else None,
            model=reply.model if reply else "",
            usage=reply.usage if reply else None,
            note=_note(message, text, calls, reply),
            lost=reply.lost if reply else (),
            raw=message,
        )

    @cached_property
    def _replies(self) -> Mapping[int, _Reply]:
        """The replies by their place: those of turns, then those outside turns, which have the
        order of the asides. Replies of an earlier agent are left out."""
        extra = self._read.extra
        found = {
            place: _Reply(number, step.model_name, step.metrics, _lost(step, self._messages[place]))
            for number, (place, step) in enumerate(
                zip(extra.turns, self._agent_steps, strict=False), 1
            )
        }
        asides = list(extra.asides)
        for place, message in enumerate(self._messages):
            if place in found or message.get("role") != _ASSISTANT or not asides:
                continue
            if _content(message.get("content"))[0] == asides[0].message:
                aside = asides.pop(0)
                found[place] = _Reply(None, aside.model_name, aside.metrics)
        return found

    @property
    def _agent_steps(self) -> list[_Step]:
        return [step for step in self._read.steps if step.source == "agent"]


def first_steps(thoughts: Mapping[int, AgentThought]) -> Mapping[int, int]:
    """Return the first action of each turn, by the turn's number."""
    found: dict[int, int] = {}
    for step, thought in sorted(thoughts.items()):
        found.setdefault(thought.turn, step)
    return found


def _content(content: JsonValue) -> tuple[str, tuple[str, ...]]:
    """Return the text of a message and the names of its pictures."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else "", ()
    parts = [part for part in content if isinstance(part, dict)]
    texts = [str(part["text"]) for part in parts if isinstance(part.get("text"), str)]
    sources = [part.get("source") for part in parts]
    pictures = [
        str(source.get("path", "a picture")) for source in sources if isinstance(source, dict)
    ]
    return "\n".join(texts), tuple(pictures)


def _calls(calls: JsonValue) -> Iterator[AskedCall]:
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            text = str(function.get("arguments", ""))
            yield AskedCall(name=str(function.get("name", "")), arguments=text, flaw=_flaw(text))


def _flaw(text: str) -> str:
    """Return why the arguments of a call cannot be read; "" if they can."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        return str(error)
    return "" if isinstance(given, dict) else "not a JSON object"


def _lost(step: _Step, message: ChatMessage) -> tuple[str, ...]:
    """Return the calls of a turn that were not made, as its record lists them."""
    if not isinstance(step.message, str):
        return ()
    text = _content(message.get("content"))[0].splitlines()
    lines = step.message.splitlines()
    return tuple(line for line in lines if line.startswith(_NOT_MADE) and line not in text)


def _note(message: ChatMessage, text: str, calls: Sequence[AskedCall], reply: _Reply | None) -> str:
    """Return the flaw of a reply, "" if it has none."""
    if message.get("role") != _ASSISTANT:
        return ""
    if any(call.flaw for call in calls) or (reply is not None and reply.lost):
        return "calls not made"
    if calls:
        return ""
    return "no call" if text.strip() else "empty reply"
