"""Gemini's ``generateContent``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from trainee_bench.harness.parity.dialect import (
    PROMPT_TOKENS,
    REPLY_TOKENS,
    Dialect,
    ModelReply,
    ModelRequest,
    ServerEvent,
    members,
)

_STREAM = ":streamGenerateContent"
_COUNT = ":countTokens"


class GeminiDialect(Dialect):
    """``POST …/models/MODEL:generateContent``, its stream, and the counting of tokens."""

    def speaks(self, path: str) -> bool:
        """Whether *path* ends as those of this dialect do."""
        return path.endswith((":generateContent", _STREAM, _COUNT))

    def read(self, path: str, body: Mapping[str, JsonValue]) -> ModelRequest:
        """Calls and results are parts of the contents; the path says whether to stream."""
        declared = [
            function
            for tool in members(body.get("tools"))
            for function in members(tool.get("functionDeclarations"))
        ]
        parts = [
            part for turn in members(body.get("contents")) for part in members(turn.get("parts"))
        ]
        answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
        return ModelRequest(
            tools=tuple(str(function["name"]) for function in declared),
            calls=sum("functionCall" in part for part in parts),
            results={
                str(answer.get("id")): "\n".join(_texts(answer.get("response")))
                for answer in answers
                if isinstance(answer, dict)
            },
            pictures=_pictures(body.get("contents")),
            streamed=path.endswith(_STREAM),
        )

    def reply(self, reply: ModelReply) -> JsonValue:
        """A response with one candidate."""
        part: dict[str, JsonValue] = {"text": reply.text}
        if reply.call is not None:
            call = reply.call
            part = {"functionCall": {"id": call.id, "name": call.name, "args": {**call.arguments}}}
        candidate: JsonValue = {
            "content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0,
        }  # fmt: skip
        usage: JsonValue = {
            "promptTokenCount": PROMPT_TOKENS, "candidatesTokenCount": REPLY_TOKENS,
            "totalTokenCount": PROMPT_TOKENS + REPLY_TOKENS,
        }  # fmt: skip
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": reply.model}

    def stream(self, reply: ModelReply) -> Iterator[ServerEvent]:
        """The response in one event: calls are not cut in pieces here."""
        yield ServerEvent(self.reply(reply))

    def counts_tokens(self, path: str) -> bool:
        """Whether *path* is that of counting."""
        return path.endswith(_COUNT)

    def token_count(self) -> JsonValue:
        """The same as every reply says."""
        return {"totalTokens": PROMPT_TOKENS}


def _pictures(value: JsonValue) -> int:
    """How many pictures there are in *value*: data that stand in a part of their own."""
    if isinstance(value, dict):
        return ("inlineData" in value) + sum(map(_pictures, value.values()))
    return sum(map(_pictures, value)) if isinstance(value, list) else 0


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
