"""What went wrong with a request, read from what the SDK raised and the server said."""

from __future__ import annotations

import re
from dataclasses import dataclass

import httpx2
import openai
from pydantic import BaseModel, ConfigDict, ValidationError

RATE_LIMITED, TIMED_OUT = "rate_limited", "timed_out"
SERVER_ERROR, CONNECTION_LOST = "server_error", "connection_lost"
GARBLED_REPLY = "garbled_reply"
"""The kinds of incidents; the last is the model's own doing, which its server could not read."""

_LONGEST_WORDS = 400
_WORTH_ANOTHER_TRY = (408, 409, 425)
_TOO_MUCH = 413
_NEVER_MIND = ("insufficient_quota", "billing_hard_limit_reached")
"""Codes under which a 429 does not pass by waiting."""

_LONG_CODES = ("context_length_exceeded", "exceed_context_size_error", "string_above_max_length")
_LONG_WORDS = re.compile(
    r"maximum context length|context (size|length|window).{0,40}exceed"
    r"|exceed.{0,60}context (size|length|window)|prompt is too long|reduce the length of"
    r"|input token count.{0,60}exceeds|(input|prompt).{0,40}longer than.{0,40}context"
    r"|`?inputs`? (tokens|must have less)",
    re.IGNORECASE,
)
_FILTER_CODES = ("content_filter", "content_policy_violation")
_BLIND_WORDS = re.compile(
    r"unknown variant `?image_url|not a (multimodal|vision) model|image input"
    r"|(image|vision|multimodal)\S*.{0,40} not (be )?(support|allow|accept)"
    r"|not (support|allow|accept).{0,40}(image|vision|multimodal)",
    re.IGNORECASE,
)
_GARBLED_WORDS = re.compile(
    r"failed to parse|does not match the expected.{0,40}format|invalid (tool call|diff)",
    re.IGNORECASE,
)


class StreamInterrupted(Exception):
    """A stream ended before the reply did."""


class InvalidCompletion(Exception):
    """A server's reply that is no chat completion; says what it was."""


@dataclass(frozen=True)
class RequestFailure:
    """One failed request: ``kind`` is that of its incident, "" where another try is of no use.

    ``words`` are the server's own, cut; ``pause`` is what it asked for, in seconds.
    """

    kind: str
    message: str
    status: int | None = None
    code: str = ""
    param: str = ""
    retry_after: float | None = None

    @property
    def too_long(self) -> bool:
        """Whether the request was more than the model can read."""
        if self.code in _LONG_CODES or _LONG_WORDS.search(self.message):
            return True
        return self.status == _TOO_MUCH and "rate_limit" not in self.code

    @property
    def filtered(self) -> bool:
        """Whether a filter before the model refused what it was to read."""
        return not self.kind and self.code in _FILTER_CODES

    @property
    def pictures_unsupported(self) -> bool:
        """Whether the model cannot be shown pictures."""
        return bool(_BLIND_WORDS.search(self.message))


class _Body(BaseModel):
    """An error as OpenAI writes it; others leave out what they like."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    message: str | None = None
    detail: object = None
    code: str | None = None
    type: str | None = None
    param: str | None = None


def classify_error(error: Exception) -> RequestFailure:
    """What *error*, raised by a request, means."""
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
        return RequestFailure(TIMED_OUT, "It did not answer in time.")
    if isinstance(error, openai.APIConnectionError | httpx2.HTTPError):
        return RequestFailure(CONNECTION_LOST, _short(_innermost(error)))
    if isinstance(error, StreamInterrupted):
        return RequestFailure(CONNECTION_LOST, str(error))
    if isinstance(error, openai.APIStatusError):
        return _refused(error)
    if isinstance(error, openai.APIError):
        body = _body(error.body)
        words = _said(body, error.message)
        return RequestFailure(_blamed(words), words, code=body.code or body.type or "")
    return RequestFailure(SERVER_ERROR, _short(str(error)))


def _refused(error: openai.APIStatusError) -> RequestFailure:
    body, status = _body(error.body), error.status_code
    # llama.cpp has a number for its code and the kind in its type.
    code = body.type if body.type in _LONG_CODES else body.code or body.type
    words, kind = _said(body, str(error.body or error.message)), ""
    if status == 429 and code not in _NEVER_MIND:
        kind = RATE_LIMITED
    elif status >= 500 or status in _WORTH_ANOTHER_TRY:
        kind = _blamed(words)
    return RequestFailure(
        kind=kind,
        message=words,
        status=status,
        code=code or "",
        param=body.param or "",
        retry_after=_asked_for(error.response.headers),
    )


def _blamed(words: str) -> str:
    """The kind of a server's error: it, or the model that it could not follow."""
    return GARBLED_REPLY if _GARBLED_WORDS.search(words) else SERVER_ERROR


def _body(body: object) -> _Body:
    try:
        return _Body.model_validate(body)
    except ValidationError:
        return _Body()


def _said(body: _Body, otherwise: str) -> str:
    return _short(body.message or (str(body.detail) if body.detail else otherwise))


def _short(text: str) -> str:
    """*text* in one line of bounded length."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_WORDS else f"{line[:_LONGEST_WORDS]}…"


def _innermost(error: BaseException) -> str:
    """What a failed connection says where it says most."""
    while error.__cause__ is not None:
        error = error.__cause__
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _asked_for(headers: httpx2.Headers) -> float | None:
    """Seconds that the server asks to be left alone; a date is not read: here is no clock."""
    for header, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(header, "")) * unit
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    return None
