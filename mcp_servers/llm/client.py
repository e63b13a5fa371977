"""One model at an OpenAI-compatible server: chat completions with bounded retries.

    Exception
    ├── PromptTooLong      the request exceeds the model's context
    └── ModelUnavailable   no reply after all retries; the text says why and what to do
        └── GarbledReply   the model replies, but its server cannot parse the reply

``ChatClient.incidents`` counts retries: rate_limited, timed_out, server_error, connection_lost,
garbled_reply. If a model accepts no pictures, later requests replace them by text, which counts
once as pictures_not_shown. If a server refuses to report tokens, later requests do not ask for
them, which counts once for each kind as tokens_not_given.
"""

from __future__ import annotations

import json
import ssl
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from itertools import count
from types import TracebackType
from typing import Self

import anyio
import httpx2
import openai
from openai.types.chat import (
    ChatCompletion,
    ChatCompletionFunctionToolParam,
    ChatCompletionMessageParam,
)
from openai.types.chat.completion_create_params import ResponseFormat

from trainee_bench.mcp_servers.llm.api_config import ApiConfigError, ModelConfig
from trainee_bench.mcp_servers.llm.failures import (
    GARBLED_REPLY,
    TIMED_OUT,
    ErrorInReply,
    InvalidCompletion,
    RequestFailure,
    StreamInterrupted,
    classify_error,
)
from trainee_bench.mcp_servers.llm.request import PICTURES, TOKEN_PARTS, ChatRequest
from trainee_bench.mcp_servers.llm.response import miscounts, parse_completion
from trainee_bench.mcp_servers.llm.streaming import assemble_stream
from trainee_bench.world.random_streams import random_stream as drawn

MAX_TRIES = 6
"""The number of times one request is sent before the client gives up."""
_TRIES_COUNTED = {TIMED_OUT: 2, GARBLED_REPLY: 3}
"""Failures that count as several tries: a timeout takes long, a garbled reply tends to recur."""
REQUEST_TIMEOUT = 300.0
"""Seconds to wait for a reply; reasoning models take minutes."""
_LONGEST_REPLY = 4
"""The whole reply may take this many times as long as its next part."""
_CONNECT_SECONDS = 10.0
_MAX_REDIRECTS = 5
_STREAM_ERRORS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""The errors that the SDK and the assembly raise for invalid lines of a stream."""
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0
_LONGEST_ASKED_FOR = 120.0
"""Maximum seconds between two tries, even if the server asks for a longer pause."""

PICTURES_NOT_SHOWN, TOKENS_NOT_GIVEN = "pictures_not_shown", "tokens_not_given"
TOKENS_MISCOUNTED = "tokens_miscounted"
_FILTERED_REPLY = {"choices": [{"message": {}, "finish_reason": "content_filter"}]}
"""The reply if a content filter rejects the request."""

_NUMBERS = count()
"""A number for each client, so that the clients of one process do not all retry at once."""


class PromptTooLong(Exception):
    """The request exceeds the model's context."""


class ModelUnavailable(Exception):
    """The model gave no reply. The text says why and what to do, without keys."""


class GarbledReply(ModelUnavailable):
    """The server could not parse its model's output in any try."""


@cache
def _certificates() -> ssl.SSLContext:
    """Load the certificate authorities once; this takes longer than a local reply."""
    return httpx2.create_ssl_context()


class ChatClient:
    """A connection to the model of *config*, open while the block lasts.

    With *stream*, replies are streamed and assembled; callers see no difference. With
    *with_tokens*, replies have the ids and log-probabilities of tokens if the server reports them.
    *timeout* is in seconds, for a reply or its next chunk. *sleep* waits the given seconds between
    tries.
    """

    def __init__(
        self,
        config: ModelConfig,
        *,
        stream: bool = False,
        with_tokens: bool = False,
        timeout: float = REQUEST_TIMEOUT,
        tries: int = MAX_TRIES,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ):
        self.config = config
        self.incidents: Counter[str] = Counter()
        self._stream = stream
        self._with_tokens = with_tokens
        self._timeout = timeout
        self._tries = tries
        self._sleep = sleep
        self._number = next(_NUMBERS)
        self._adapted: frozenset[str] = frozenset()

    async def __aenter__(self) -> Self:
        """Open the connection. Raises ModelUnavailable if there is no key or the proxy cannot be
        used."""
        try:
            key = self.config.key()
            http = openai.DefaultAsyncHttpx2Client(
                proxy=self.config.proxy_url,
                timeout=httpx2.Timeout(self._timeout, connect=_CONNECT_SECONDS),
                verify=_certificates(),
                max_redirects=_MAX_REDIRECTS,
            )
        except ApiConfigError as error:
            raise ModelUnavailable(str(error)) from None
        except ImportError:
            raise ModelUnavailable(
                f"Model {self.config.alias!r}: a SOCKS proxy needs another package: "
                "pip install 'httpx2[socks]', or name an http:// proxy."
            ) from None
        self._client = openai.AsyncOpenAI(
            api_key=key, base_url=self.config.base_url, max_retries=0, http_client=http
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._client.close()

    async def complete(
        self,
        messages: Sequence[ChatCompletionMessageParam],
        tools: Sequence[ChatCompletionFunctionToolParam] = (),
        response_format: ResponseFormat | None = None,
        max_completion_tokens: int | None = None,
        temperature: float | None = None,
    ) -> ChatCompletion:
        """Return the model's reply to *messages*: a completion with one choice.

        If a content filter rejects the request, the reply is empty with the finish reason
        ``content_filter``. Raises PromptTooLong, and after all retries ModelUnavailable or
        GarbledReply.
        """
        asking = ChatRequest(
            messages,
            tools,
            response_format,
            max_completion_tokens,
            temperature,
            self._stream,
            with_tokens=self._with_tokens,
        )
        left, tried = self._tries, 0
        while True:
            asking = asking.with_adaptations(self._adapted)
            try:
                with anyio.fail_after(self._timeout * _LONGEST_REPLY):
                    sent = await self._send(asking)
                completion = parse_completion(sent, self.config.without_secrets)
            except (
                openai.OpenAIError,
                httpx2.HTTPError,
                StreamInterrupted,
                InvalidCompletion,
                ErrorInReply,
                TimeoutError,
            ) as error:
                trouble = classify_error(error)
            else:
                if miscounts(sent):
                    self.incidents[TOKENS_MISCOUNTED] += 1
                return completion
            if trouble.filtered:
                return parse_completion(_FILTERED_REPLY, str)
            if self._gives_way(trouble, asking):
                continue
            tried += 1
            left -= _TRIES_COUNTED.get(trouble.kind, 1)
            if trouble.too_long or not trouble.kind:
                raise self._failure(trouble, tried)
            self.incidents[trouble.kind] += 1
            if left <= 0:
                raise self._failure(trouble, tried)
            await self._sleep(self._pause(trouble, tried))

    async def _send(self, asking: ChatRequest) -> object:
        """Send one request and return its reply, decoded from JSON."""
        if asking.stream:
            chunks = await self._client.chat.completions.create(
                stream=True,
                model=self.config.model_name,
                messages=asking.messages,
                tools=asking.tools_parameter,
                response_format=asking.response_format_parameter,
                max_completion_tokens=asking.max_completion_tokens,
                max_tokens=asking.max_tokens,
                temperature=asking.temperature_parameter,
                stream_options=asking.stream_options,
                logprobs=asking.logprobs,
                extra_body=asking.extra_body,
            )
            async with chunks:
                try:
                    return await assemble_stream(chunks)
                except _STREAM_ERRORS as error:
                    raise InvalidCompletion(
                        f"The stream is not a chat completion ({type(error).__name__})."
                    ) from None
        raw = await self._client.chat.completions.with_raw_response.create(
            model=self.config.model_name,
            messages=asking.messages,
            tools=asking.tools_parameter,
            response_format=asking.response_format_parameter,
            max_completion_tokens=asking.max_completion_tokens,
            max_tokens=asking.max_tokens,
            temperature=asking.temperature_parameter,
            logprobs=asking.logprobs,
            extra_body=asking.extra_body,
        )
        try:
            sent: object = json.loads(raw.content)
        except (ValueError, RecursionError):
            raise InvalidCompletion("The response is not JSON.") from None
        return sent

    def _gives_way(self, trouble: RequestFailure, asking: ChatRequest) -> bool:
        """Adapt later requests to what this server supports. Return whether that was possible."""
        if trouble.too_long:
            return False
        if trouble.pictures_unsupported and asking.has_pictures and PICTURES not in asking.adapted:
            self._adapted |= {PICTURES}
            self.incidents[PICTURES_NOT_SHOWN] += 1
            return True
        if trouble.status not in (400, 422):
            return False
        part = asking.rejected_parameter(trouble.message, trouble.param)
        self._adapted |= {part} if part else set()
        if part in TOKEN_PARTS:
            self.incidents[TOKENS_NOT_GIVEN] += 1
        return part is not None

    def _pause(self, trouble: RequestFailure, tried: int) -> float:
        """Return the seconds to the next try: as the server asks, else exponential backoff with
        jitter."""
        if trouble.retry_after is not None:
            return max(min(trouble.retry_after, _LONGEST_ASKED_FOR), _FIRST_PAUSE / 2)
        spread = drawn("pause", self._number, tried).uniform(0.75, 1.25)
        return spread * min(_FIRST_PAUSE * 2.0 ** (tried - 1), _LONGEST_PAUSE)

    def _failure(self, trouble: RequestFailure, tried: int) -> PromptTooLong | ModelUnavailable:
        words = self.config.without_secrets(trouble.message)
        words = words if words.endswith((".", "!", "?", "…")) else f"{words}."
        if trouble.too_long:
            return PromptTooLong(words)
        status = f" (HTTP {trouble.status})" if trouble.status else ""
        problem = f"Model {self.config.alias!r}{status}: {words}"
        if trouble.kind == GARBLED_REPLY:
            return GarbledReply(f"{problem} Tried {tried} times.")
        return ModelUnavailable(f"{problem} {_advice(trouble, tried)}")


def _advice(trouble: RequestFailure, tried: int) -> str:
    """Say what to do about *trouble*."""
    if trouble.kind:
        again = "once" if tried == 1 else f"{tried} times"
        return (
            f"Tried {again}. Check base_url and proxy_url in api_config.json and that the "
            "server is up; fewer episodes at a time (--max-concurrency) reduce its load."
        )
    if trouble.status in (401, 403):
        return "Check that api_key_var in api_config.json names a key that is valid for this model."
    if trouble.status == 404:
        return "Check that model_name and base_url in api_config.json match the server."
    if trouble.status == 429:
        return "Check the account's quota."
    return "The server does not support such requests; choose another model or server."
