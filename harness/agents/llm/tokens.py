"""Estimates of the tokens of a request, corrected by what the service reports."""

from __future__ import annotations

import json
from collections.abc import Iterable

from trainee_bench.harness.models.conversation import (
    ConversationMessage,
    ModelReply,
    ModelRequest,
    ToolMessage,
    UserMessage,
)
from trainee_bench.harness.session.turns import ToolInfo

BYTES_PER_TOKEN = 4
"""Bytes of UTF-8 text per token, roughly, for models of all makers."""
PICTURE_TOKENS = 1_000
"""Tokens of a picture, roughly: models count from 250 to 1,500."""
_FRAME = 8
"""Tokens around each message and call."""
_LEAST, _MOST = 0.5, 3.0
"""Bounds of the correction: a service that reports nonsense must not spoil the estimate."""


def text_tokens(text: str) -> int:
    """Estimate the tokens of *text*."""
    return len(text.encode(errors="replace")) // BYTES_PER_TOKEN + 1


def tool_tokens(tools: Iterable[ToolInfo]) -> int:
    """Estimate the tokens that the definitions of *tools* take in a request."""
    return sum(
        text_tokens(tool.name + tool.description + json.dumps(tool.input_schema)) + _FRAME
        for tool in tools
    )


def message_tokens(message: ConversationMessage) -> int:
    """Estimate the tokens of one message, including its pictures."""
    if isinstance(message, UserMessage):
        return text_tokens(message.text) + _FRAME
    if isinstance(message, ModelReply):
        calls = sum(text_tokens(call.name + call.text) + _FRAME for call in message.calls)
        return text_tokens(message.text) + calls + _FRAME
    return _answer_tokens(message)


def request_tokens(request: ModelRequest) -> int:
    """Estimate the tokens of a whole request."""
    messages = sum(map(message_tokens, request.messages))
    return text_tokens(request.system) + tool_tokens(request.tools) + messages


def _answer_tokens(message: ToolMessage) -> int:
    pictures = PICTURE_TOKENS * len(message.answer.pictures)
    return text_tokens(message.answer.text) + pictures + _FRAME


class TokenMeter:
    """Meter of the tokens of requests to one model, calibrated by what its service reports."""

    def __init__(self) -> None:
        self._factor = 1.0
        self._latest = 0
        self._tools: tuple[ToolInfo, ...] = ()
        self._tool_tokens = 0

    def estimate_tools(self, tools: tuple[ToolInfo, ...]) -> int:
        """Return the uncalibrated tokens of *tools*; cached, because the tools stay the same all
        day."""
        if tools is not self._tools:
            self._tools, self._tool_tokens = tools, tool_tokens(tools)
        return self._tool_tokens

    def scaled(self, tokens: float) -> int:
        """Return the calibrated value of an estimate."""
        return int(tokens * self._factor)

    def estimate(self, request: ModelRequest) -> int:
        """Return the calibrated tokens of *request*; `calibrate` then takes it as the latest
        one."""
        messages = sum(map(message_tokens, request.messages))
        tokens = text_tokens(request.system) + self.estimate_tools(request.tools) + messages
        self._latest = tokens
        return self.scaled(tokens)

    def calibrate(self, reported: int | None) -> None:
        """Calibrate with the tokens that the service *reported* for the latest request, if any."""
        if reported and self._latest:
            self._factor = min(_MOST, max(_LEAST, reported / self._latest))
