"""OpenAI's responses. The client sends the whole history; nothing is stored for it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

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
    "input_tokens": PROMPT_TOKENS,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": REPLY_TOKENS,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": PROMPT_TOKENS + REPLY_TOKENS,
}


_WITHIN = "/"
"""Separator between a namespace and a tool's name: some clients offer a server's tools that way."""


class ResponsesDialect(ModelDialect):
    """``POST …/responses``."""

    def speaks(self, path: str) -> bool:
        """Return whether *path* has the ending of this dialect."""
        return path.endswith("/responses")

    def read(self, path: str, body: Mapping[str, JsonValue]) -> DialectRequest:
        """Read a request: calls and results are items of the input."""
        items = members(body.get("input"))
        return DialectRequest(
            tools=tuple(_names(members(body.get("tools")))),
            calls=len(members(items, "function_call")),
            results={
                str(item.get("call_id")): text_of(item.get("output"))
                for item in members(items, "function_call_output")
            },
            pictures=count_objects(items, {"input_image"}),
            streamed=bool(body.get("stream")),
        )

    def reply(self, reply: DialectReply) -> JsonValue:
        """Return a complete response with one item."""
        return _response(reply, "completed", [_item(reply)])

    def stream(self, reply: DialectReply) -> Iterator[ServerEvent]:
        """Yield the events of a response with one item."""
        for number, (kind, data) in enumerate(_events(reply)):
            yield ServerEvent({"type": kind, "sequence_number": number, **data}, kind)


def _names(tools: Sequence[Mapping[str, JsonValue]], namespace: str = "") -> Iterator[str]:
    for tool in tools:
        if tool.get("type") == "function":
            yield f"{namespace}{tool['name']}"
        elif tool.get("type") == "namespace":
            yield from _names(members(tool.get("tools")), f"{tool['name']}{_WITHIN}")


def _response(reply: DialectReply, status: str, output: list[JsonValue]) -> dict[str, JsonValue]:
    return {
        "id": "resp_1", "object": "response", "created_at": 1, "model": reply.model,
        "status": status, "output": output, "parallel_tool_calls": False, "tool_choice": "auto",
        "tools": [], "error": None, "incomplete_details": None, "instructions": None,
        "metadata": {}, "usage": _USAGE if status == "completed" else None,
    }  # fmt: skip


def _item(reply: DialectReply, *, done: bool = True) -> dict[str, JsonValue]:
    """Return the finished item, or the item as it begins."""
    status = "completed" if done else "in_progress"
    if reply.call is None:
        content: list[JsonValue] = [_text(reply.text)] if done else []
        return {
            "id": "msg_1", "type": "message", "role": "assistant", "status": status,
            "content": content,
        }  # fmt: skip
    arguments = json.dumps(dict(reply.call.arguments)) if done else ""
    namespace, _, name = reply.call.name.rpartition(_WITHIN)
    within: dict[str, JsonValue] = {"namespace": namespace} if namespace else {}
    return {
        "id": f"fc_{reply.call.id}", "type": "function_call", "call_id": reply.call.id,
        "name": name, "arguments": arguments, "status": status, **within,
    }  # fmt: skip


def _text(text: str) -> dict[str, JsonValue]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _events(reply: DialectReply) -> Iterator[tuple[str, dict[str, JsonValue]]]:
    begun: dict[str, JsonValue] = {"response": _response(reply, "in_progress", [])}
    yield "response.created", begun
    yield "response.in_progress", begun
    item = _item(reply)
    yield "response.output_item.added", {"output_index": 0, "item": _item(reply, done=False)}
    place: dict[str, JsonValue] = {"item_id": item["id"], "output_index": 0}
    if reply.call is None:
        place["content_index"] = 0
        yield "response.content_part.added", {**place, "part": _text("")}
        for part in halves(reply.text):
            yield "response.output_text.delta", {**place, "delta": part, "logprobs": []}
        yield "response.output_text.done", {**place, "text": reply.text, "logprobs": []}
        yield "response.content_part.done", {**place, "part": _text(reply.text)}
    else:
        arguments = json.dumps(dict(reply.call.arguments))
        for part in halves(arguments):
            yield "response.function_call_arguments.delta", {**place, "delta": part}
        yield (
            "response.function_call_arguments.done",
            {**place, "name": item["name"], "arguments": arguments},
        )
    yield "response.output_item.done", {"output_index": 0, "item": item}
    yield "response.completed", {"response": _response(reply, "completed", [item])}
