"""The conversion between our conversations and Inspect's messages, and a model service for the
sample's model.

ModelRequest ──messages──► Inspect's model ──ModelOutput──► ModelReply
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentReasoning,
    Model,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.tool import ToolCall, ToolInfo
from pydantic import JsonValue

from trainee_bench.harness.agents.llm.components import (
    ConversationHistory,
    Exchange,
    HistoryContext,
)
from trainee_bench.harness.integrations.inspect_ai.native_tools import tool_content
from trainee_bench.harness.models.conversation import (
    ContextOverflow,
    ConversationMessage,
    FinishReason,
    ModelReply,
    ModelRequest,
    ModelToolCall,
    ToolMessage,
    UserMessage,
)
from trainee_bench.harness.session.turns import Thought

_FINISH: Mapping[str, FinishReason] = {
    "max_tokens": FinishReason.LENGTH,
    "content_filter": FinishReason.REFUSAL,
}


@dataclass(frozen=True)
class InspectReply(ModelReply):
    """A reply with its original Inspect message, which goes back to the model unchanged."""

    message: ChatMessageAssistant | None = None


class MessageBook:
    """Our messages as Inspect messages. Each message always gives the same object, so that
    Inspect's log stores it once."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[ConversationMessage, ChatMessage]] = {}
        self._texts: dict[str, ChatMessage] = {}

    def chat_message(self, message: ConversationMessage) -> ChatMessage:
        """Return *message* as an Inspect message."""
        if isinstance(message, UserMessage):
            return self._texts.setdefault(message.text, ChatMessageUser(content=message.text))
        if id(message) not in self._made:
            made = _answered(message) if isinstance(message, ToolMessage) else _said(message)
            self._made[id(message)] = (
                message,
                made,
            )  # the reference keeps *message* alive, so its id stays unique
        return self._made[id(message)][1]

    def chat_messages(self, request: ModelRequest) -> list[ChatMessage]:
        """Return the messages of *request*, the system prompt first."""
        system = [self.system(request.system)] if request.system else []
        return [*system, *map(self.chat_message, request.messages)]

    def system(self, text: str) -> ChatMessage:
        """Return the system prompt as an Inspect message."""
        return self._texts.setdefault(f"system\0{text}", ChatMessageSystem(content=text))


class InspectModelService:
    """The model that Inspect evaluates, for our loop. Inspect handles the errors of its service and
    its limits."""

    def __init__(self, model: Model, tools: Sequence[ToolInfo], book: MessageBook):
        self._model = model
        self._tools = list(tools)
        self._book = book
        self.incidents: Counter[str] = Counter()
        self.latest = ModelOutput(model=str(model))
        """The latest output of the model."""
        self.calls: list[ToolCall] = []
        """The calls of the latest reply."""

    @property
    def model(self) -> str:
        """The model's name."""
        return str(self._model)

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Return the model's next message. Raises ContextOverflow."""
        tools = self._tools if request.tools else []
        output = await self._model.generate(self._book.chat_messages(request), tools=tools)
        if output.stop_reason == "model_length":
            raise ContextOverflow
        self.latest = output
        self.calls = list(output.message.tool_calls or []) if output.choices else []
        return _reply(output)


class RecordingHistory:
    """The history *inner*, which also records for the sample every message of its day."""

    def __init__(self, inner: ConversationHistory, book: MessageBook, record: list[ChatMessage]):
        self._inner = inner
        self._book = book
        self._record = record

    def begin(self, frame: HistoryContext) -> None:
        """Begin a new day."""
        self._inner.begin(frame)
        self._record.append(self._book.system(frame.system))
        self._record.append(self._book.chat_message(UserMessage(frame.opening)))

    def add(self, exchange: Exchange) -> None:
        """Remember *exchange*."""
        self._inner.add(exchange)
        messages: list[ConversationMessage] = [exchange.reply, *exchange.answers]
        messages += [UserMessage(exchange.said)] if exchange.said else []
        for message in messages:
            self._record.append(self._book.chat_message(message))

    async def request(self) -> ModelRequest:
        """Return the next request."""
        return await self._inner.request()

    async def shorten(self) -> bool:
        """Make the next request shorter, if that is possible."""
        return await self._inner.shorten()


def _reply(output: ModelOutput) -> InspectReply:
    message = output.message if output.choices else ChatMessageAssistant(content="")
    reasoning = [
        part.reasoning
        for part in (message.content if isinstance(message.content, list) else [])
        if isinstance(part, ContentReasoning)
    ]
    thought = Thought(
        message=message.text,
        reasoning="\n".join(reasoning) or None,
        model=output.model,
    )
    calls = tuple(_call(call) for call in message.tool_calls or ())
    finish = _FINISH.get(output.stop_reason, FinishReason.DONE)
    counted = _with_usage(thought, output.usage)
    return InspectReply(message.text, calls, finish, counted, message)


def _with_usage(thought: Thought, usage: ModelUsage | None) -> Thought:
    """Return *thought* with Inspect's token counts."""
    if usage is None:
        return thought
    cached = usage.input_tokens_cache_read or 0
    prompt = usage.input_tokens + cached + (usage.input_tokens_cache_write or 0)
    return replace(
        thought,
        prompt_tokens=prompt,
        completion_tokens=_output_tokens(usage, prompt),
        cached_tokens=cached,
    )


def _output_tokens(usage: ModelUsage, prompt: int) -> int:
    """Return the tokens that the model wrote, its reasoning included.

    Inspect's output tokens include the reasoning for most services; for some, only the total does.
    """
    reasoning = usage.reasoning_tokens or 0
    apart = usage.total_tokens == prompt + usage.output_tokens + reasoning
    return usage.output_tokens + (reasoning if apart else 0)


def _call(call: ToolCall) -> ModelToolCall:
    """Return *call*. If its arguments are not a JSON object, its text is Inspect's error about
    them."""
    if call.parse_error:
        return ModelToolCall(call.id, call.function, call.parse_error, None)
    arguments: dict[str, JsonValue] = call.arguments
    return ModelToolCall(
        call.id, call.function, json.dumps(arguments, ensure_ascii=False), arguments
    )


def _said(reply: ModelReply) -> ChatMessage:
    """Return the message of *reply*, with the ids that our loop has given its calls."""
    message = reply.message if isinstance(reply, InspectReply) else None
    if message is None:
        return ChatMessageAssistant(content=reply.text)
    calls = message.tool_calls or []
    if [call.id for call in calls] == [call.id for call in reply.calls]:
        return message
    renamed = [replace(old, id=new.id) for old, new in zip(calls, reply.calls, strict=True)]
    return message.model_copy(update={"tool_calls": renamed})


def _answered(message: ToolMessage) -> ChatMessage:
    """Return the result for the model to read. It has no `ToolCallError`, since some providers put
    their own words before its text; the event of the call has it."""
    call, content = message.call, tool_content(message.answer)
    if call.arguments is None:
        content = f"{call.text}\n\n{message.answer.text}"
    return ChatMessageTool(
        content=list(content) if isinstance(content, list) else content,
        tool_call_id=call.id,
        function=call.name,
    )
