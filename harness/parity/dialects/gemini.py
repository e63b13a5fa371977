"""Gemini's ``generateContent``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from trainee_bench.harness.parity.dialect import (
    PROMPT_TOKENS,
    REPLY_TOKENS,
    DialectReply,
    DialectRequest,
    ModelDialect,
    ServerEvent,
    members,
)

_STREAM = ":streamGenerateContent"
_COUNT = ":countTokens"


class GeminiDialect(ModelDialect):
    """``POST …/models/MODEL:generateContent``, its stream, and the counting of tokens."""

    def speaks(self, path: str) -> bool:
        """Return whether *path* has an ending of this dialect."""
        return path.endswith((":generateContent", _STREAM, _COUNT))

    def read(self, path: str, body: Mapping[str, JsonValue]) -> DialectRequest:
        """Read a request: calls and results are parts of the contents; the path says whether to
        stream."""
        declared = [
            function
            for tool in members(body.get("tools"))
            for function in members(tool.get("functionDeclarations"))
        ]
        parts = [
            part for turn in members(body.get("contents")) for part in members(turn.get("parts"))
        ]
        answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
        return DialectRequest(
            tools=tuple(str(function["name"]) for function in declared),
            calls=sum("functionCall" in part for part in parts),
            results={
                # Some clients leave out ids; then the order identifies the results.
                str(answer.get("id") or f"_{place}"): "\n".join(_texts(answer.get("response")))
                for place, answer in enumerate(answers)
                if isinstance(answer, dict)
            },
            pictures=_pictures(body.get("contents")),
            streamed=path.endswith(_STREAM),
            schema=_schema(body.get("generationConfig")),
        )

    def reply(self, reply: DialectReply) -> JsonValue:
        """Return a response with one candidate."""
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

    def stream(self, reply: DialectReply) -> Iterator[ServerEvent]:
        """Yield the response as one event: this dialect does not split calls."""
        yield ServerEvent(self.reply(reply))

    def counts_tokens(self, path: str) -> bool:
        """Return whether *path* is the one for counting."""
        return path.endswith(_COUNT)

    def token_count(self) -> JsonValue:
        """Return the same number as in every reply."""
        return {"totalTokens": PROMPT_TOKENS}


def _schema(config: JsonValue) -> dict[str, JsonValue] | None:
    """Return the schema that the reply must match, if any."""
    wanted = config if isinstance(config, dict) else {}
    found = wanted.get("responseJsonSchema", wanted.get("responseSchema"))
    return found if isinstance(found, dict) else None


def _pictures(value: JsonValue) -> int:
    """Return the number of pictures in *value*: data in separate parts."""
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
