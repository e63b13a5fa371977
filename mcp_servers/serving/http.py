"""Serves many MCP servers on one port, each at its own path and with its own bearer token.

    async with HttpHost() as host, host.mount(server) as endpoint:
        …  # a client needs only endpoint.url and endpoint.token

Requests are stateless with JSON responses, which old and new protocol versions support. All state
is in the world.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from types import TracebackType
from typing import Any, Self

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trainee_bench.mcp_servers.serving.connections import connection_limit
from trainee_bench.mcp_servers.serving.embedded import (
    EmbeddedUvicorn,
    bounded_config,
    listening_socket,
)
from trainee_bench.mcp_servers.serving.messages import NoMessage, read_message

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_LARGEST_REQUEST = 16 * 1024 * 1024
"""Maximum bytes of a request. This exceeds the longest valid arguments, so the tool itself reports
its limit."""


@dataclass(frozen=True)
class ServerEndpoint:
    """A mounted server's URL and bearer token, "" if it needs none."""

    url: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        """The headers that a client's requests must carry."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}


@dataclass(frozen=True)
class _Mount:
    token: str
    """The bearer token, "" if no token is needed."""
    app: StreamableHTTPASGIApp


class HttpHost:
    """One port for any number of mounted servers; port 0 chooses a free port.

    It holds at most *connections* (see `connection_limit`). *around* may answer requests before the
    mounted servers do. When the host closes, pending requests have *closing_seconds*. Raises
    OSError on entering if the port is taken.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        connections: int | None = None,
        around: Callable[[ASGIApp], ASGIApp] | None = None,
        closing_seconds: float = 5.0,
    ):
        self._wanted = (host, port)
        self._app = self._answer if around is None else around(self._answer)
        self._connections = connections or connection_limit()
        self._closing_seconds = closing_seconds
        self._mounts: dict[str, _Mount] = {}
        self._numbers = count(1)

    async def __aenter__(self) -> Self:
        host, port = self._wanted
        listener = listening_socket(host, port)
        self._port = int(listener.getsockname()[1])
        config = bounded_config(self._app, self._connections)
        self._uvicorn = EmbeddedUvicorn(config, self._closing_seconds)
        self._running = asyncio.create_task(self._uvicorn.serve(sockets=[listener]))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._uvicorn.should_exit = True
        await self._running

    @asynccontextmanager
    async def mount(
        self,
        server: Server[Any],
        path: str | None = None,
        *,
        with_token: bool = True,
        token: str | None = None,
    ) -> AsyncIterator[ServerEndpoint]:
        """Serve *server* at *path*, or at a new path, while the block lasts.

        Its token is *token*, or a new one. Without *with_token*, everyone who can reach the port
        can use the server. Raises ValueError if another server is mounted at *path*.
        """
        path = path or f"/seat-{next(self._numbers)}/mcp"
        if path in self._mounts:
            raise ValueError(f"another server is mounted at {path}")
        token = (token or secrets.token_urlsafe(32)) if with_token else ""
        manager = StreamableHTTPSessionManager(
            server,
            json_response=True,
            stateless=True,
            security_settings=self._security(),
            max_request_body_size=_LARGEST_REQUEST,
        )
        async with manager.run():
            self._mounts[path] = _Mount(token, StreamableHTTPASGIApp(manager))
            try:
                yield ServerEndpoint(f"http://{self._authority}{path}", token)
            finally:
                del self._mounts[path]

    @property
    def _authority(self) -> str:
        host = self._wanted[0]
        return f"[{host}]:{self._port}" if ":" in host else f"{host}:{self._port}"

    def _security(self) -> TransportSecuritySettings:
        """Return the checks of a request's host.

        On a loopback address, requests must name that address, so that no web page can make a
        browser send one. For other addresses the host names are unknown, and the token protects the
        server.
        """
        if self._wanted[0] not in LOOPBACK:
            return TransportSecuritySettings(enable_dns_rebinding_protection=False)
        names = [f"127.0.0.1:{self._port}", f"localhost:{self._port}", f"[::1]:{self._port}"]
        return TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=names,
            allowed_origins=[f"http://{name}" for name in names],
        )

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        mount = self._mounts.get(scope["path"])
        kind, _, token = Headers(scope=scope).get("authorization", "").partition(" ")
        # Compared even if nothing is mounted there, so that timing reveals no paths.
        known = secrets.compare_digest(token.encode(), (mount.token if mount else "").encode())
        if mount is None or (mount.token and (kind.lower() != "bearer" or not known)):
            refusal = JSONResponse(
                {"error": "Send the token you were given: Authorization: Bearer TOKEN."},
                status_code=401,
                headers={"WWW-Authenticate": "Bearer"},
            )
            await refusal(scope, receive, send)
            return
        if scope["method"] == "POST" and _length(scope) <= _LARGEST_REQUEST:
            try:
                body, receive = await _read_ahead(receive)
                if body is not None:
                    read_message(body)
            except ClientDisconnect:
                return
            except NoMessage as no_message:
                answer = no_message.answer.model_dump(mode="json", exclude_unset=True)
                await JSONResponse(answer, status_code=400)(scope, receive, send)
                return
        await mount.app(scope, receive, send)


def _length(scope: Scope) -> int:
    """Return the length of the body that the request declares, 0 if it declares none."""
    return int(Headers(scope=scope).get("content-length", "0"))


async def _read_ahead(receive: Receive) -> tuple[bytes | None, Receive]:
    """Read the body of a request, and return it with a function that receives the request again.

    The body is None if it is longer than the transport reads. Raises ClientDisconnect if the client
    leaves before its end.
    """
    received, length, more = deque[Message](), 0, True
    while more and length <= _LARGEST_REQUEST:
        received.append(await receive())
        if received[-1]["type"] == "http.disconnect":
            raise ClientDisconnect
        length += len(received[-1].get("body", b""))
        more = received[-1].get("more_body", False)

    async def again() -> Message:
        return received.popleft() if received else await receive()

    body = None if more else b"".join(part.get("body", b"") for part in received)
    return body, again
