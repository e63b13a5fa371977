"""Assembles a streamed reply into the response that a request without streaming returns."""

from __future__ import annotations

from collections.abc import AsyncIterable, Mapping
from dataclasses import dataclass, field

from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import ChoiceDelta, ChoiceDeltaToolCall

from trainee_bench.mcp_servers.llm.failures import StreamInterrupted

_TEXTS = ("content", "refusal", "reasoning_content", "reasoning")


@dataclass
class _Call:
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass
class _Gathered:
    texts: dict[str, str] = field(default_factory=dict)
    calls: dict[int, _Call] = field(default_factory=dict)
    finish: str | None = None
    id: str = ""
    model: str = ""
    usage: object = None
    prompt_token_ids: object = None
    token_ids: list[object] = field(default_factory=list)
    logprobs: list[object] = field(default_factory=list)


async def assemble_stream(chunks: AsyncIterable[ChatCompletionChunk]) -> dict[str, object]:
    """Assemble *chunks* into a reply with the shape of a response that was not streamed.

    Raises StreamInterrupted if the stream ends before the reply does.
    """
    whole = _Gathered()
    async for chunk in chunks:
        whole.id, whole.model = chunk.id or whole.id, chunk.model or whole.model
        # Servers add and omit fields, whatever the SDK's types promise.
        sent = chunk.to_dict(warnings=False)
        whole.usage = sent.get("usage") or whole.usage
        _take_tokens(whole, sent)
        for choice in (chunk.choices or [])[:1]:
            whole.finish = choice.finish_reason or whole.finish
            if choice.delta is not None:
                _take(whole, choice.delta)
    if whole.finish is None:
        raise StreamInterrupted("The stream ended in the middle of a reply.")
    return _reply(whole)


def _take(whole: _Gathered, delta: ChoiceDelta) -> None:
    for name in _TEXTS:
        piece = getattr(delta, name, None)
        if isinstance(piece, str):
            whole.texts[name] = whole.texts.get(name, "") + piece
    for call in delta.tool_calls or ():
        _take_call(whole, call)


def _take_tokens(whole: _Gathered, sent: Mapping[str, object]) -> None:
    """Add the token ids in *sent*: the prompt's come once, the reply's with each piece."""
    whole.prompt_token_ids = sent.get("prompt_token_ids") or whole.prompt_token_ids
    listed = sent.get("choices")
    choice = listed[0] if isinstance(listed, list) and listed else None
    if not isinstance(choice, Mapping):
        return
    if isinstance(ids := choice.get("token_ids"), list):
        whole.token_ids += ids
    logprobs = choice.get("logprobs")
    if isinstance(logprobs, Mapping) and isinstance(told := logprobs.get("content"), list):
        whole.logprobs += told


def _take_call(whole: _Gathered, piece: ChoiceDeltaToolCall) -> None:
    """Add a piece to the call of its index; without an index, a new id begins a new call."""
    index = getattr(piece, "index", None)
    if index is None:
        last = max(whole.calls, default=-1)
        begins = last < 0 or (piece.id and piece.id != whole.calls[last].id)
        index = last + 1 if begins else last
    call = whole.calls.setdefault(index, _Call())
    call.id = piece.id or call.id
    if piece.function is not None:
        call.name += piece.function.name or ""
        call.arguments += piece.function.arguments or ""


def _reply(whole: _Gathered) -> dict[str, object]:
    calls = [
        {"id": call.id, "function": {"name": call.name, "arguments": call.arguments}}
        for _, call in sorted(whole.calls.items())
    ]
    message = {**whole.texts, "tool_calls": calls}
    return {
        "id": whole.id,
        "model": whole.model,
        "choices": [
            {
                "message": message,
                "finish_reason": whole.finish,
                "token_ids": whole.token_ids,
                "logprobs": {"content": whole.logprobs},
            }
        ],
        "usage": whole.usage,
        "prompt_token_ids": whole.prompt_token_ids,
    }
