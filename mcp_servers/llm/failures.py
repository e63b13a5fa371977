"""Classifies failed requests by the exception of the SDK and the server's error text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Annotated

import httpx2
import openai
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

RATE_LIMITED, TIMED_OUT = "rate_limited", "timed_out"
SERVER_ERROR, CONNECTION_LOST = "server_error", "connection_lost"
GARBLED_REPLY = "garbled_reply"
"""The kinds of incidents. The model itself causes the last one: its server could not parse it."""

_LONGEST_WORDS = 400
_RETRY_STATUSES = (408, 409, 425)
_TOO_LARGE = 413
_NO_RETRY_CODES = ("insufficient_quota", "billing_hard_limit_reached")
"""Error codes for which waiting does not help, although the status is 429."""

_STATUS = re.compile("[1-5][0-9][0-9]")
_STATUS_OF = {
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
    "RESOURCE_EXHAUSTED": 429,
    "insufficient_quota": 429,
    "invalid_api_key": 401,
    "authentication_error": 401,
    "UNAUTHENTICATED": 401,
    "permission_error": 403,
    "PERMISSION_DENIED": 403,
    "not_found_error": 404,
    "model_not_found": 404,
    "invalid_request_error": 400,
    "INVALID_ARGUMENT": 400,
    "overloaded_error": 503,
}
"""The statuses that services mean by these kinds of errors."""

_LONG_CODES = ("context_length_exceeded", "exceed_context_size_error")
_LONG_TEXT_CODE = "string_above_max_length"
_NAMES_TOOL = re.compile(r"\W?(?:tools|functions)\b")
"""The ways a server names a tool's description as what it refuses."""
_LONG_WORDS = re.compile(
    r"maximum context length|context (size|length|window).{0,40}exceed"
    r"|exceed.{0,60}context (size|length|window)|prompt is too long|reduce the length of"
    r"|input token count.{0,60}exceeds|(input|prompt).{0,40}longer than.{0,40}context"
    r"|`?inputs`? (tokens|must have less)",
    re.IGNORECASE,
)
_FILTER_CODES = ("content_filter", "content_policy_violation")
_NO_PICTURES_WORDS = re.compile(
    r"unknown variant `?image_url|not a (multimodal|vision) model|image input"
    r"|(image|vision|multimodal)\S{0,40}.{0,40} not (be )?(support|allow|accept)"
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
    """A server's response is not a chat completion; the text says what it was."""


class ErrorInReply(Exception):
    """A response of status 200 contains an error, the ``body``."""

    def __init__(self, body: object):
        super().__init__("The response is an error.")
        self.body = body


@dataclass(frozen=True)
class RequestFailure:
    """One failed request.

    ``kind`` is the kind of incident, "" if a retry cannot help. ``message`` is the server's text,
    truncated. ``retry_after`` is the number of seconds that it asked to wait.
    """

    kind: str
    message: str
    status: int | None = None
    code: str = ""
    param: str = ""
    retry_after: float | None = None

    @property
    def too_long(self) -> bool:
        """Whether the request exceeds the model's context."""
        if self.code == _LONG_TEXT_CODE:
            return not self._is_about_tools
        if self.code in _LONG_CODES or _LONG_WORDS.search(self.message):
            return True
        return self.status == _TOO_LARGE and "rate_limit" not in self.code

    @property
    def _is_about_tools(self) -> bool:
        """Whether the server refuses a tool; a shorter conversation would not help."""
        named = self.param or self.message.removeprefix("Invalid ")
        return _NAMES_TOOL.match(named) is not None

    @property
    def filtered(self) -> bool:
        """Whether a content filter rejected the request."""
        return not self.kind and self.code in _FILTER_CODES

    @property
    def pictures_unsupported(self) -> bool:
        """Whether the model accepts no pictures."""
        return bool(_NO_PICTURES_WORDS.search(self.message))


def _word(given: object) -> str | None:
    """Return *given* as a text, None if it is neither a text nor a number."""
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        return None
    whole = isinstance(given, float) and given.is_integer()
    return str(int(given) if whole else given)


_Word = Annotated[str | None, BeforeValidator(_word)]


class _Body(BaseModel):
    """An error in OpenAI's format. If a server omits or reshapes some fields, the others stay
    readable."""

    model_config = ConfigDict(extra="ignore")

    message: _Word = None
    detail: object = None
    code: _Word = None
    type: _Word = None
    status: _Word = None
    param: _Word = None


def classify_error(error: Exception) -> RequestFailure:
    """Classify *error*, which a request raised."""
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException | TimeoutError):
        return RequestFailure(TIMED_OUT, "It did not answer in time.")
    if isinstance(error, httpx2.TooManyRedirects) or isinstance(
        error.__cause__, httpx2.TooManyRedirects
    ):
        return RequestFailure("", "It redirects endlessly; check base_url.")
    if isinstance(error, openai.APIConnectionError | httpx2.HTTPError):
        return RequestFailure(CONNECTION_LOST, _short(_innermost(error)))
    if isinstance(error, StreamInterrupted):
        return RequestFailure(CONNECTION_LOST, str(error))
    if isinstance(error, openai.APIStatusError):
        return _status_failure(error)
    if isinstance(error, ErrorInReply):
        return _failure_in_reply(error.body, _text(error.body))
    if isinstance(error, openai.APIError):  # in the middle of a stream
        return _failure_in_reply(error.body, error.message)
    return RequestFailure(SERVER_ERROR, _short(str(error)))


def _status_failure(error: openai.APIStatusError) -> RequestFailure:
    body = _body(error.body)
    words = _error_text(body, _text(error.body or error.message))
    return _failure(body, words, error.status_code, _retry_seconds(error.response.headers))


def _failure_in_reply(error: object, otherwise: str) -> RequestFailure:
    """Classify *error*, found in a response of status 200, by its own code.

    Without a code, the server failed.
    """
    body = _body(error if isinstance(error, dict) else {"message": _text(error)})
    codes = (body.code or "", body.status or "", body.type or "")
    status = next((int(code) for code in codes if _STATUS.fullmatch(code)), None)
    status = status or next((_STATUS_OF[code] for code in codes if code in _STATUS_OF), 500)
    return _failure(body, _error_text(body, otherwise), status, None)


def _failure(body: _Body, words: str, status: int, retry_after: float | None) -> RequestFailure:
    # llama.cpp sends a number as the code and the kind as the type.
    code = body.type if body.type in _LONG_CODES else body.code or body.type
    kind = ""
    if status == 429 and code not in _NO_RETRY_CODES:
        kind = RATE_LIMITED
    elif status >= 500 or status in _RETRY_STATUSES:
        kind = _server_error_kind(words)
    return RequestFailure(
        kind=kind,
        message=words,
        status=status,
        code=code or "",
        param=body.param or "",
        retry_after=retry_after,
    )


def _server_error_kind(words: str) -> str:
    """Return whether the server failed, or could not parse its model's output."""
    return GARBLED_REPLY if _GARBLED_WORDS.search(words) else SERVER_ERROR


def _body(body: object) -> _Body:
    try:
        return _Body.model_validate(body)
    except ValidationError:
        return _Body()


def _error_text(body: _Body, otherwise: str) -> str:
    return _short(body.message or (_text(body.detail) if body.detail else otherwise))


def _text(body: object) -> str:
    """Return decoded JSON as a text, even if it is nested as deeply as JSON can be read."""
    try:
        return str(body)
    except RecursionError:
        return "an error nested too deeply to show"


def _short(text: str) -> str:
    """Return *text* as one line of limited length."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_WORDS else f"{line[:_LONGEST_WORDS]}…"


def _innermost(error: BaseException) -> str:
    """Return the text of the innermost cause of a failed connection, which is the most specific."""
    while error.__cause__ is not None:
        error = error.__cause__
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _retry_seconds(headers: httpx2.Headers) -> float | None:
    """Return the seconds of a Retry-After header. A date counts from the response's own date."""
    for header, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(header, "")) * unit
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    until, sent = _date(headers, "retry-after"), _date(headers, "date")
    return max(0.0, (until - sent).total_seconds()) if until and sent else None


def _date(headers: httpx2.Headers, name: str) -> datetime | None:
    """Return the date in the header *name*, None if it has none."""
    try:
        found = parsedate_to_datetime(headers.get(name, ""))
    except (ValueError, OverflowError):  # such as a year or a zone of twenty digits
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
