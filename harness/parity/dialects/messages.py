"""Anthropic's messages."""

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


class MessagesDialect(ModelDialect):
    """``POST …/v1/messages``, and ``…/count_tokens`` below it."""

    def speaks(self, path: str) -> bool:
        """Return whether *path* has an ending of this dialect."""
        return path.endswith(("/messages", "/messages/count_tokens"))

    def read(self, path: str, body: Mapping[str, JsonValue]) -> DialectRequest:
        """Read a request: calls and results are blocks of the messages."""
        messages = members(body.get("messages"))
        blocks = [block for message in messages for block in members(message.get("content"))]
        return DialectRequest(
            tools=tuple(str(tool["name"]) for tool in members(body.get("tools"))),
            calls=len(members(blocks, "tool_use")),
            results={
                str(block.get("tool_use_id")): text_of(block.get("content"))
                for block in members(blocks, "tool_result")
            },
            pictures=count_objects(messages, {"image"}),
            streamed=bool(body.get("stream")),
        )

    def reply(self, reply: DialectReply) -> JsonValue:
        """Return a message with one block."""
        usage: JsonValue = {"input_tokens": PROMPT_TOKENS, "output_tokens": REPLY_TOKENS}
        return {
            **_message(reply), "content": [_block(reply)], "stop_reason": _stop(reply),
            "usage": usage,
        }  # fmt: skip

    def stream(self, reply: DialectReply) -> Iterator[ServerEvent]:
        """Yield the events of a message with one block."""
        for kind, data in _events(reply):
            yield ServerEvent({"type": kind, **data}, kind)

    def counts_tokens(self, path: str) -> bool:
        """Return whether *path* is the one for counting."""
        return path.endswith("/count_tokens")

    def token_count(self) -> JsonValue:
        """Return the same number as in every reply."""
        return {"input_tokens": PROMPT_TOKENS}


def _message(reply: DialectReply) -> dict[str, JsonValue]:
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": reply.model,
        "content": [], "stop_reason": None, "stop_sequence": None,
        "usage": {"input_tokens": PROMPT_TOKENS, "output_tokens": 0},
    }  # fmt: skip


def _block(reply: DialectReply, *, done: bool = True) -> dict[str, JsonValue]:
    """Return the finished block, or the block as it begins."""
    if reply.call is None:
        return {"type": "text", "text": reply.text if done else ""}
    given: JsonValue = dict(reply.call.arguments) if done else {}
    return {"type": "tool_use", "id": reply.call.id, "name": reply.call.name, "input": given}


def _stop(reply: DialectReply) -> str:
    return "end_turn" if reply.call is None else "tool_use"


def _events(reply: DialectReply) -> Iterator[tuple[str, dict[str, JsonValue]]]:
    yield "message_start", {"message": _message(reply)}
    yield "content_block_start", {"index": 0, "content_block": _block(reply, done=False)}
    if reply.call is None:
        deltas = [{"type": "text_delta", "text": part} for part in halves(reply.text)]
    else:
        parts = halves(json.dumps(dict(reply.call.arguments)))
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in parts]
    for delta in deltas:
        yield "content_block_delta", {"index": 0, "delta": {**delta}}
    yield "content_block_stop", {"index": 0}
    yield (
        "message_delta",
        {
            "delta": {"stop_reason": _stop(reply), "stop_sequence": None},
            "usage": {"output_tokens": REPLY_TOKENS},
        },
    )
    yield "message_stop", {}
