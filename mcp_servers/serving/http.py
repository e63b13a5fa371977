"""Many seats at one address: each MCP server has a path and a bearer token of its own.

    async with HttpHost() as host, host.seat(server) as address:
        …  # address.url and address.token are all a client gets to know

Requests are stateless with JSON answers, which both protocol eras speak; what is to be
remembered lies in the world.
"""

from __future__ import annotations

import asyncio
import secrets
import socket
from collections.abc import AsyncIterator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from itertools import count
from types import TracebackType
from typing import Any, Self

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_LARGEST_REQUEST = 16 * 1024 * 1024
"""Bytes; more than the longest arguments a tool takes, so that the tool can say so."""
_LAST_REQUESTS = 5
"""Seconds that requests under way have to end when the host closes."""


@dataclass(frozen=True)
class ServerEndpoint:
    """Where a server is found, and the token that opens it."""

    url: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        """The headers that a client's requests must carry."""
        return {"Authorization": f"Bearer {self.token}"}


@dataclass(frozen=True)
class _Mount:
    token: str
    app: StreamableHTTPASGIApp


class HttpHost:
    """One port, any number of seats. Port 0 takes a free one.

    Raises OSError on entering if the port is taken.
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 0):
        self._wanted = (host, port)
        self._seats: dict[str, _Mount] = {}
        self._numbers = count(1)

    async def __aenter__(self) -> Self:
        host, port = self._wanted
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family)
        # Connections inherit it; asyncio would set it only on sockets made for TCP by name, and
        # without it every answer waits 40 ms for an acknowledgement.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._port = int(listener.getsockname()[1])
        config = uvicorn.Config(
            self._answer,
            log_level="warning",
            access_log=False,
            lifespan="off",
            interface="asgi3",
            ws="none",
            timeout_graceful_shutdown=_LAST_REQUESTS,
        )
        self._uvicorn = _QuietUvicorn(config)
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
    async def mount(self, server: Server[Any]) -> AsyncIterator[ServerEndpoint]:
        """Serve *server* at a path and with a token of its own while the block lasts."""
        path, token = f"/seat-{next(self._numbers)}/mcp", secrets.token_urlsafe(32)
        manager = StreamableHTTPSessionManager(
            server,
            json_response=True,
            stateless=True,
            security_settings=self._security(),
            max_request_body_size=_LARGEST_REQUEST,
        )
        async with manager.run():
            self._seats[path] = _Mount(token, StreamableHTTPASGIApp(manager))
            try:
                yield ServerEndpoint(f"http://{self._authority}{path}", token)
            finally:
                del self._seats[path]

    @property
    def _authority(self) -> str:
        host = self._wanted[0]
        return f"[{host}]:{self._port}" if ":" in host else f"{host}:{self._port}"

    def _security(self) -> TransportSecuritySettings:
        """On this machine alone, only requests that name it count: a web page cannot make a
        browser ask. Elsewhere the names are not known; there the token has to do."""
        if self._wanted[0] not in LOOPBACK:
            return TransportSecuritySettings(enable_dns_rebinding_protection=False)
        names = [f"127.0.0.1:{self._port}", f"localhost:{self._port}", f"[::1]:{self._port}"]
        return TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=names,
            allowed_origins=[f"http://{name}" for name in names],
        )

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        seat = self._seats.get(scope["path"])
        kind, _, token = Headers(scope=scope).get("authorization", "").partition(" ")
        # Compared even where there is no such seat, so that nobody learns which there are.
        known = secrets.compare_digest(token.encode(), (seat.token if seat else "").encode())
        if seat is None or kind.lower() != "bearer" or not known:
            refusal = JSONResponse(
                {"error": "Send the token you were given: Authorization: Bearer TOKEN."},
                status_code=401,
                headers={"WWW-Authenticate": "Bearer"},
            )
            await refusal(scope, receive, send)
            return
        await seat.app(scope, receive, send)


class _QuietUvicorn(uvicorn.Server):
    """Uvicorn within a program that handles its signals itself."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield
