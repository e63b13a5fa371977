"""One chat request, adapted to servers that support less than the caller asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self, cast

from openai import Omit, omit
from openai.types.chat import (
    ChatCompletionContentPartParam,
    ChatCompletionFunctionToolParam,
    ChatCompletionMessageParam,
    ChatCompletionStreamOptionsParam,
)
from openai.types.chat.completion_create_params import ResponseFormat
from openai.types.shared_params import FunctionDefinition


@dataclass(frozen=True)
class ChatRequest:
    """A request; ``adapted`` names the parts that were changed for this server."""

    original_messages: Sequence[ChatCompletionMessageParam]
    tools: Sequence[ChatCompletionFunctionToolParam] = ()
    response_format: ResponseFormat | None = None
    tokens: int | None = None
    temperature: float | None = None
    stream: bool = False
    adapted: frozenset[str] = frozenset()
    with_tokens: bool = False
    """Whether to ask for the ids and log-probabilities of tokens."""

    @property
    def messages(self) -> list[ChatCompletionMessageParam]:
        """The messages to send.

        If the model accepts no pictures, they become text. The model's reasoning is left out unless
        its server requires it, since other servers refuse it.
        """
        messages = self.original_messages
        if PICTURES in self.adapted:
            messages = [_without_pictures(message) for message in messages]
        if _REASONING not in self.adapted:
            messages = [_without_reasoning(message) for message in messages]
        return list(messages)

    @property
    def has_pictures(self) -> bool:
        """Whether the messages contain pictures."""
        return any(_without_pictures(message) is not message for message in self.original_messages)

    @property
    def max_completion_tokens(self) -> int | Omit:
        """The limit of a reply, if the server knows this parameter."""
        return omit if self.tokens is None or _LIMIT in self.adapted else self.tokens

    @property
    def max_tokens(self) -> int | Omit:
        """The same limit under its older name."""
        return omit if self.tokens is None or _LIMIT not in self.adapted else self.tokens

    @property
    def temperature_parameter(self) -> float | Omit:
        """The temperature, if the server lets callers choose it."""
        chosen = self.temperature is not None and "temperature" not in self.adapted
        return self.temperature if chosen and self.temperature is not None else omit

    @property
    def stream_options(self) -> ChatCompletionStreamOptionsParam | Omit:
        """Options that ask for the token usage at the end of a stream."""
        return omit if "stream_options" in self.adapted else {"include_usage": True}

    @property
    def logprobs(self) -> bool | Omit:
        """True to ask for the log-probability of each token of the reply."""
        return True if self.with_tokens and _LOGPROBS not in self.adapted else omit

    @property
    def extra_body(self) -> dict[str, bool] | None:
        """Fields that ask for the ids of tokens, which vLLM and similar servers report."""
        return {_IDS: True} if self.with_tokens and _IDS not in self.adapted else None

    @property
    def response_format_parameter(self) -> ResponseFormat | Omit:
        """The response format; a schema becomes plain JSON mode if schemas are not supported."""
        if self.response_format is None:
            return omit
        return {"type": "json_object"} if _FORM in self.adapted else self.response_format

    @property
    def tools_parameter(self) -> list[ChatCompletionFunctionToolParam] | Omit:
        """The tools, without ``strict`` if that is not supported."""
        if not self.tools:
            return omit
        if "strict" not in self.adapted:
            return list(self.tools)
        return [
            {"type": "function", "function": _without_strict(tool["function"])}
            for tool in self.tools
        ]

    def with_adaptations(self, parts: frozenset[str]) -> Self:
        """Return this request with *parts* adapted to the server."""
        return replace(self, adapted=parts)

    def rejected_parameter(self, words: str, param: str) -> str | None:
        """Return the adaptable part that an error names in its text *words* or its *param*."""
        for part, sent in self._negotiable.items():
            named = re.search(
                rf"\b{part}\b", f"{param.replace('[', ' ').replace('.', ' ')} {words}"
            )
            if sent and named and part not in self.adapted:
                return part
        return None

    @property
    def _negotiable(self) -> dict[str, bool]:
        """The parts that can be adapted, and whether this request uses them."""
        form = self.response_format
        return {
            _LIMIT: self.tokens is not None,
            "temperature": self.temperature is not None,
            "stream_options": self.stream,
            "strict": any("strict" in tool["function"] for tool in self.tools),
            _REASONING: any(_REASONING in message for message in self.original_messages),
            _FORM: form is not None and form["type"] == "json_schema",
            _LOGPROBS: self.with_tokens,
            _IDS: self.with_tokens,
        }


_LIMIT, _FORM = "max_completion_tokens", "response_format"
_REASONING = "reasoning_content"
_LOGPROBS, _IDS = "logprobs", "return_token_ids"
TOKEN_PARTS = frozenset({_LOGPROBS, _IDS})
"""The parts that ask for tokens."""
PICTURES = "pictures"
"""The part of a request that a text-only model is not sent."""
_HIDDEN_PICTURE: ChatCompletionContentPartParam = {
    "type": "text",
    "text": "(A picture, which you cannot see.)",
}


def _without_pictures(message: ChatCompletionMessageParam) -> ChatCompletionMessageParam:
    """Replace the pictures in *message* by text; return *message* itself if it has none."""
    if message["role"] != "user" or isinstance(message["content"], str):
        return message
    parts = list(message["content"])
    if all(part["type"] != "image_url" for part in parts):
        return message
    words = [_HIDDEN_PICTURE if part["type"] == "image_url" else part for part in parts]
    return {"role": "user", "content": words}


def _without_reasoning(message: ChatCompletionMessageParam) -> ChatCompletionMessageParam:
    """Remove the reasoning from *message*; return *message* itself if it has none."""
    if _REASONING not in message:
        return message
    kept = {name: value for name, value in message.items() if name != _REASONING}
    return cast("ChatCompletionMessageParam", kept)


def _without_strict(function: FunctionDefinition) -> FunctionDefinition:
    kept = function.copy()
    kept.pop("strict", None)
    return kept
