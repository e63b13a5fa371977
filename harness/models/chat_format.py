"""A conversation as messages of the chat completions API, and parsing of call arguments.

    system · user · assistant (tool_calls) · tool · tool · user (the pictures of both)

Tool messages can only hold text, so pictures follow in a user message.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from typing import NoReturn, cast

from openai.types.chat import (
    ChatCompletionAssistantMessageParam,
    ChatCompletionContentPartParam,
    ChatCompletionFunctionToolParam,
    ChatCompletionMessageFunctionToolCallParam,
    ChatCompletionMessageParam,
)
from pydantic import JsonValue

from trainee_bench.harness.models.conversation import (
    ModelReply,
    ModelRequest,
    ModelToolCall,
    ToolMessage,
    UserMessage,
)
from trainee_bench.harness.session.turns import ToolInfo

_NOT_A_NAME = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME = 64
_LONGEST_QUOTE = 500
_NOTHING = "(nothing said)"
"""Text of an empty assistant message: servers refuse one with neither text nor calls."""


def to_chat_messages(request: ModelRequest) -> list[ChatCompletionMessageParam]:
    """Return *request* as messages; each assistant message with calls is followed by their
    results."""
    messages: list[ChatCompletionMessageParam] = []
    if request.system:
        messages.append({"role": "system", "content": request.system})
    shown: list[ToolMessage] = []
    for message in request.messages:
        if not isinstance(message, ToolMessage):
            messages += _pictures(shown)
            shown = []
        match message:
            case UserMessage(text):
                messages.append({"role": "user", "content": text or _NOTHING})
            case ModelReply():
                messages.append(_said(message))
            case ToolMessage():
                messages.append(_answered(message))
                shown.append(message)
    return messages + _pictures(shown)


def to_chat_tools(tools: Sequence[ToolInfo]) -> list[ChatCompletionFunctionToolParam]:
    """Return *tools* as functions; not strict, because a strict schema forbids optional
    arguments."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.input_schema),
                "strict": False,
            },
        }
        for tool in tools
    ]


def parse_arguments(text: str) -> Mapping[str, JsonValue] | None:
    """Return the arguments in *text*, as a model wrote them; None if it is not a JSON object.

    An empty text means no arguments.
    """
    try:
        meant: JsonValue = json.loads(text or "{}", parse_constant=_no_json)
    except (ValueError, RecursionError):
        return None
    return meant if isinstance(meant, dict) else None


def _no_json(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _said(reply: ModelReply) -> ChatCompletionAssistantMessageParam:
    if not reply.calls:
        return {"role": "assistant", "content": reply.text or _NOTHING}
    message: ChatCompletionAssistantMessageParam = {
        "role": "assistant",
        "content": reply.text or None,
        "tool_calls": [_called(call) for call in reply.calls],
    }
    if reply.thought.reasoning:
        # This field is not in the SDK's types, but some servers require it in later requests.
        thought = {"reasoning_content": reply.thought.reasoning}
        return cast("ChatCompletionAssistantMessageParam", {**message, **thought})
    return message


def _called(call: ModelToolCall) -> ChatCompletionMessageFunctionToolCallParam:
    """Return *call* as it was written, but replace what servers would refuse."""
    name = _NOT_A_NAME.sub("_", call.name)[:_LONGEST_NAME] or "unnamed"
    written = call.text if call.arguments is not None and call.text else "{}"
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": name, "arguments": written},
    }


def _answered(message: ToolMessage) -> ChatCompletionMessageParam:
    call, text = message.call, message.answer.text
    if call.arguments is None:
        text = (
            "The arguments of this call were not a JSON object and appear above as {}. They were: "
            f"{_quoted(call.text)}\n{text}"
        )
    if message.answer.pictures:
        text = f"{text}\n{_see_below(len(message.answer.pictures))}"
    return {"role": "tool", "tool_call_id": call.id, "content": text or "(nothing)"}


def _pictures(shown: Sequence[ToolMessage]) -> list[ChatCompletionMessageParam]:
    """Return the pictures of a turn's results in one user message; none without pictures."""
    parts: list[ChatCompletionContentPartParam] = []
    for message in shown:
        if not message.answer.pictures:
            continue
        parts.append({"type": "text", "text": f"Shown by {message.call.name}:"})
        for picture in message.answer.pictures:
            data = base64.b64encode(picture.data).decode("ascii")
            url = f"data:{picture.mime_type};base64,{data}"
            parts.append({"type": "image_url", "image_url": {"url": url}})
    return [{"role": "user", "content": parts}] if parts else []


def _see_below(count: int) -> str:
    return "(See the picture below.)" if count == 1 else f"(See the {count} pictures below.)"


def _quoted(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…"
