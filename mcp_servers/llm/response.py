"""A server's reply, whatever it left out or added, as a sound chat completion.

Servers that call themselves compatible send arguments as objects, content in parts, calls
without ids, no usage. Here all of that becomes what OpenAI would have sent; a reply without a
message raises `InvalidCompletion`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import count
from typing import Annotated

from openai.types.chat import ChatCompletion
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from trainee_bench.mcp_servers.llm.failures import InvalidCompletion

_FINISHES = ("stop", "length", "tool_calls", "content_filter")


def _text(given: object) -> str:
    """*given* as text that can be written down: text, parts of text, or JSON."""
    if given is None:
        return ""
    if isinstance(given, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in given]
        written = "".join(part for part in parts if isinstance(part, str))
    else:
        written = given if isinstance(given, str) else json.dumps(given)
    # JSON can spell lone surrogates, which UTF-8 cannot store.
    return written.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _mapping(given: object) -> object:
    return given if isinstance(given, Mapping) else {}


def _list(given: object) -> object:
    return [one for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []


def _count(given: object) -> int | None:
    """*given* as a number of tokens, None where it is none."""
    sound = isinstance(given, int | float) and not isinstance(given, bool) and given >= 0
    return int(given) if sound and isinstance(given, int | float) else None


_Text = Annotated[str, BeforeValidator(_text)]
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


class _Cached(_Part):
    cached_tokens: _Count = None


class _Usage(_Part):
    prompt_tokens: _Count = None
    completion_tokens: _Count = None
    prompt_tokens_details: Annotated[_Cached, BeforeValidator(_mapping)] = _Cached()


class RawReply(_Part):
    """A reply as sent. Anything may be missing but a message in the first choice."""

    id: _Text = ""
    model: _Text = ""
    choices: list[_Choice] = Field(min_length=1)
    usage: Annotated[_Usage, BeforeValidator(_mapping)] = _Usage()


def parse_completion(sent: object, clean: Callable[[str], str]) -> ChatCompletion:
    """The chat completion that *sent*, as decoded from JSON, means; *clean* mends every text.

    Its ids of calls differ, its usage is None unless prompt and completion were both counted,
    and thinking stands in the message's extra field ``reasoning_content``. Raises InvalidCompletion.
    """
    if isinstance(sent, Mapping) and sent.get("error"):
        raise InvalidCompletion(f"It answered with an error: {_words(sent['error'])}")
    try:
        reply = RawReply.model_validate(sent)
    except (ValidationError, RecursionError):
        raise InvalidCompletion("It answered with something that is no chat completion.") from None
    choice = reply.choices[0]
    if choice.error:
        raise InvalidCompletion(f"It broke off with an error: {_words(choice.error)}")
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
                }
            ],
            "usage": _usage(reply.usage),
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


def _usage(usage: _Usage) -> dict[str, object] | None:
    prompt, said = usage.prompt_tokens, usage.completion_tokens
    if prompt is None or said is None:
        return None
    cached = usage.prompt_tokens_details.cached_tokens
    return {
        "prompt_tokens": prompt,
        "completion_tokens": said,
        "total_tokens": prompt + said,
        "prompt_tokens_details": {"cached_tokens": min(cached, prompt)} if cached else None,
    }


def _words(error: object) -> str:
    message = error.get("message") if isinstance(error, Mapping) else error
    return _text(message or error)[:400]
