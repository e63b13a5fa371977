"""Keeps the keys of models out of whatever the page is sent.

No part of the studio reads a key, but a server may repeat it in an error or a reply, and an agent
may write it down. Here it is struck out of every answer, by as many stars, so that lengths stay.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trainee_bench.mcp_servers.llm.api_config import (
    DEFAULT_API_CONFIG,
    ApiConfigError,
    load_api_config,
)


class KeyMask:
    """Answers as *app* does, without the secrets of the models in the file *config*."""

    def __init__(self, app: ASGIApp, config: Path = DEFAULT_API_CONFIG):
        self._app = app
        self._secrets = ModelSecrets(config)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        secrets = self._secrets.current()

        async def send_masked(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": _masked(message["body"], secrets)}
            await send(message)

        await self._app(scope, receive, send_masked if secrets else send)


class ModelSecrets:
    """The keys of the models in the file *config*."""

    def __init__(self, config: Path = DEFAULT_API_CONFIG):
        self._config = config
        self._read: tuple[int, int] | None = None
        self._secrets: tuple[bytes, ...] = ()

    def masked(self, text: bytes) -> bytes:
        """Return *text* without them, with as many stars in their place."""
        return _masked(text, self.current())

    def current(self) -> tuple[bytes, ...]:
        """Return the secrets that are in the file now, as plain text and as in JSON."""
        try:
            found = self._config.stat()
        except OSError:
            return ()
        if self._read != (found.st_mtime_ns, found.st_size):
            self._read, self._secrets = (found.st_mtime_ns, found.st_size), self._load()
        return self._secrets

    def _load(self) -> tuple[bytes, ...]:
        try:
            models = load_api_config(self._config)
        except ApiConfigError:
            return ()  # nobody can use a model of this file, and the page Start says why
        texts = [secret for model in models.values() for secret in model.secrets()]
        written = {form for text in texts for form in (text, json.dumps(text)[1:-1])}
        return tuple(text.encode() for text in sorted(written, key=len, reverse=True))


def _masked(text: bytes, secrets: Sequence[bytes]) -> bytes:
    for secret in secrets:
        text = text.replace(secret, b"*" * len(secret))
    return text
