"""Normalises a server's response to a valid chat completion.

Compatible servers may send arguments as objects, content in parts, calls without ids, or no
usage. This module turns all of them into what OpenAI would send. A response without a message
raises `InvalidCompletion`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from itertools import count
from typing import Annotated, TypeGuard

from openai.types.chat import ChatCompletion
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from trainee_bench.mcp_servers.llm.failures import ErrorInReply, InvalidCompletion

_FINISHES = ("stop", "length", "tool_calls", "content_filter")
_MOST_TOKENS = 10**9
"""The most tokens that a server can plausibly count in one reply."""
_COUNTED = ("prompt_tokens", "completion_tokens")


def _text(given: object) -> str:
    """Convert *given* (text, parts of text, or JSON) to text that can be stored."""
    if given is None:
        return ""
    if isinstance(given, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in given]
        written = "".join(part for part in parts if isinstance(part, str))
    else:
        written = given if isinstance(given, str) else json.dumps(given)
    # JSON can contain lone surrogates, which UTF-8 cannot encode.
    return written.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _mapping(given: object) -> object:
    return given if isinstance(given, Mapping) else {}


def _list(given: object) -> object:
    return [part for part in given if isinstance(part, Mapping)] if isinstance(given, list) else []


def _count(given: object) -> int | None:
    """Return *given* as a number of tokens, None if it cannot be one."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return int(given) if 0 <= given <= _MOST_TOKENS else None


def miscounts(sent: object) -> bool:
    """Whether a response reports an impossible number of tokens, such as 1e999."""
    usage = sent.get("usage") if isinstance(sent, Mapping) else None
    counts = [usage.get(name) for name in _COUNTED] if isinstance(usage, Mapping) else []
    return any(reported is not None and _count(reported) is None for reported in counts)


def _ids(given: object) -> list[int] | None:
    """Return *given* as token ids, None if it contains anything else."""
    if not isinstance(given, list):
        return None
    sound = all(isinstance(id, int) and not isinstance(id, bool) and id >= 0 for id in given)
    return given if sound else None


def _logprobs(given: object) -> list[float] | None:
    """Return the log-probability of each token in *given*, None if any is missing."""
    listed = given.get("content") if isinstance(given, Mapping) else None
    if not isinstance(listed, list) or not listed:
        return None
    values = [token.get("logprob") if isinstance(token, Mapping) else None for token in listed]
    found = [float(value) for value in values if _is_finite(value)]
    return found if len(found) == len(values) else None


def _is_finite(given: object) -> TypeGuard[int | float]:
    """Whether *given* is a number that fits into a float: JSON allows integers of any length."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        return False
    return abs(given) <= sys.float_info.max


_Text = Annotated[str, BeforeValidator(_text)]
_Ids = Annotated[list[int] | None, BeforeValidator(_ids)]
_Count = Annotated[int | None, BeforeValidator(_count)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Function(_Part):
    name: _Text = ""
    arguments: _Text = ""


class _Call(_Part):
    id: _Text = ""
    function: Annotated[_Function, BeforeValidator(_mapping)] = _Function()


class _Message(_Part):
    content: _Text = ""
    refusal: _Text = ""
    reasoning_content: _Text = ""
    reasoning: _Text = ""
    tool_calls: Annotated[list[_Call], BeforeValidator(_list)] = Field(default_factory=list)


class _Choice(_Part):
    message: _Message
    finish_reason: _Text = ""
    error: object = None
    token_ids: _Ids = None
    logprobs: Annotated[list[float] | None, BeforeValidator(_logprobs)] = None


class _Cached(_Part):
    cached_tokens: _Count = None


class _Reasoned(_Part):
    reasoning_tokens: _Count = None


class _Usage(_Part):
    prompt_tokens: _Count = None
    completion_tokens: _Count = None
    total_tokens: _Count = None
    completion_tokens_details: Annotated[_Reasoned, BeforeValidator(_mapping)] = _Reasoned()
    prompt_tokens_details: Annotated[_Cached, BeforeValidator(_mapping)] = _Cached()


class RawReply(_Part):
    """A response as sent. Only a message in the first choice is required."""

    id: _Text = ""
    model: _Text = ""
    choices: list[_Choice] = Field(min_length=1)
    usage: Annotated[_Usage, BeforeValidator(_mapping)] = _Usage()
    prompt_token_ids: _Ids = None


def parse_completion(sent: object, clean: Callable[[str], str]) -> ChatCompletion:
    """Parse *sent*, decoded JSON, as a chat completion; *clean* is applied to every text.

    The ids of its calls are distinct. Its usage is None unless both prompt and completion were
    counted. Reasoning is in the message's extra field ``reasoning_content``. Tokens, if the server
    reported them, are in ``prompt_token_ids`` of the completion, and in ``token_ids`` and
    ``token_logprobs`` of the choice. Raises InvalidCompletion, or ErrorInReply if an error was sent
    instead.
    """
    if isinstance(sent, Mapping) and sent.get("error"):
        raise ErrorInReply(sent["error"])
    try:
        reply = RawReply.model_validate(sent)
    except (ValidationError, RecursionError):
        raise InvalidCompletion("The response is not a chat completion.") from None
    choice = reply.choices[0]
    if choice.error:
        raise ErrorInReply(choice.error)
    message = choice.message
    thinking = message.reasoning_content or message.reasoning
    calls = _calls(message, clean)
    finish = choice.finish_reason if choice.finish_reason in _FINISHES else "stop"
    return ChatCompletion.model_validate(
        {
            "id": clean(reply.id),
            "object": "chat.completion",
            "created": 0,
            "model": clean(reply.model),
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "tool_calls" if calls and finish == "stop" else finish,
                    "message": {
                        "role": "assistant",
                        "content": clean(message.content) or None,
                        "refusal": clean(message.refusal) or None,
                        "tool_calls": calls or None,
                        **({"reasoning_content": clean(thinking)} if thinking else {}),
                    },
                    **_tokens(choice),
                }
            ],
            "usage": _usage(reply.usage),
            **({"prompt_token_ids": ids} if (ids := reply.prompt_token_ids) else {}),
        }
    )


def _calls(message: _Message, clean: Callable[[str], str]) -> list[dict[str, object]]:
    calls: list[dict[str, object]] = []
    ids: set[str] = set()
    for number, call in enumerate(message.tool_calls, start=1):
        id = clean(call.id)
        if not id or id in ids:
            id = next(own for n in count(number) if (own := f"call-{n}") not in ids)
        ids.add(id)
        function = {
            "name": clean(call.function.name),
            "arguments": clean(call.function.arguments),
        }
        calls.append({"id": id, "type": "function", "function": function})
    return calls


def _tokens(choice: _Choice) -> dict[str, object]:
    """Return the known fields of the reply's tokens.

    Log-probabilities whose number differs from that of the ids belong to other tokens, and are left
    out.
    """
    ids, logprobs = choice.token_ids, choice.logprobs
    if ids and logprobs and len(ids) != len(logprobs):
        logprobs = None
    found = {"token_ids": ids, "token_logprobs": logprobs}
    return {name: value for name, value in found.items() if value}


def _usage(usage: _Usage) -> dict[str, object] | None:
    prompt, completion = usage.prompt_tokens, usage.completion_tokens
    if prompt is None or completion is None:
        return None
    reasoned = usage.completion_tokens_details.reasoning_tokens or 0
    # Otherwise the completion's tokens include the reasoning.
    if usage.total_tokens == prompt + completion + reasoned:
        completion += reasoned
    cached = usage.prompt_tokens_details.cached_tokens
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": min(cached, prompt)} if cached else None,
    }
