"""Chat completions, OpenAI's format that most endpoints support."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from trainee_bench.harness.parity.dialect import (
    PROMPT_TOKENS,
    REPLY_TOKENS,
    DialectReply,
    DialectRequest,
    ModelDialect,
    ServerEvent,
    count_objects,
    halves,
    members,
    text_of,
)

_USAGE: JsonValue = {
    "prompt_tokens": PROMPT_TOKENS,
    "completion_tokens": REPLY_TOKENS,
    "total_tokens": PROMPT_TOKENS + REPLY_TOKENS,
}


class ChatCompletionsDialect(ModelDialect):
    """``POST …/chat/completions``."""

    def speaks(self, path: str) -> bool:
        """Return whether *path* has the ending of this dialect."""
        return path.endswith("/chat/completions")

    def read(self, path: str, body: Mapping[str, JsonValue]) -> DialectRequest:
        """Read a request: tools are functions, results are messages of the role tool."""
        functions = [tool.get("function") for tool in members(body.get("tools"))]
        messages = members(body.get("messages"))
        return DialectRequest(
            tools=tuple(
                str(function["name"]) for function in functions if isinstance(function, dict)
            ),
            calls=sum(len(members(message.get("tool_calls"))) for message in messages),
            results={
                str(message.get("tool_call_id")): text_of(message.get("content"))
                for message in members(messages, "tool", "role")
            },
            pictures=count_objects(messages, {"image_url"}),
            streamed=bool(body.get("stream")),
        )

    def reply(self, reply: DialectReply) -> JsonValue:
        """Return a completion with one choice."""
        message: dict[str, JsonValue] = {"role": "assistant", "content": reply.text or None}
        if reply.call is not None:
            function: JsonValue = {"name": reply.call.name, "arguments": _arguments(reply)}
            message["tool_calls"] = [
                {"id": reply.call.id, "type": "function", "function": function}
            ]
        choice: JsonValue = {"index": 0, "message": message, "finish_reason": _finish(reply)}
        return {**_frame(reply, "chat.completion"), "choices": [choice], "usage": _USAGE}

    def stream(self, reply: DialectReply) -> Iterator[ServerEvent]:
        """Yield chunks: the role, the text or the call in two halves, the end, the usage."""
        yield _chunk(reply, {"role": "assistant", "content": ""})
        for delta in _deltas(reply):
            yield _chunk(reply, delta)
        yield _chunk(reply, {}, _finish(reply))
        yield ServerEvent({**_frame(reply), "choices": [], "usage": _USAGE})
        yield ServerEvent("[DONE]")


def _frame(reply: DialectReply, kind: str = "chat.completion.chunk") -> dict[str, JsonValue]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": reply.model}


def _finish(reply: DialectReply) -> str:
    return "stop" if reply.call is None else "tool_calls"


def _arguments(reply: DialectReply) -> str:
    return "" if reply.call is None else json.dumps(dict(reply.call.arguments))


def _chunk(
    reply: DialectReply, delta: Mapping[str, JsonValue], finish: str | None = None
) -> ServerEvent:
    choice: JsonValue = {"index": 0, "delta": dict(delta), "finish_reason": finish}
    return ServerEvent({**_frame(reply), "choices": [choice]})


def _deltas(reply: DialectReply) -> Iterator[dict[str, JsonValue]]:
    if reply.call is None:
        for part in halves(reply.text):
            yield {"content": part}
        return
    first, second = halves(_arguments(reply))
    function: JsonValue = {"name": reply.call.name, "arguments": first}
    yield {
        "tool_calls": [{"index": 0, "id": reply.call.id, "type": "function", "function": function}]
    }
    yield {"tool_calls": [{"index": 0, "function": {"arguments": second}}]}
