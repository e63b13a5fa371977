"""An HTTP server inside a program that also does other things."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Generator
from contextlib import contextmanager, suppress

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from trainee_bench.mcp_servers.serving.connections import BACKLOG, Listener, bounded_protocol

_BROKEN_OFF = 5
"""Seconds in which requests that were broken off end; a bound that nothing should reach."""


class EmbeddedUvicorn(uvicorn.Server):
    """Uvicorn that leaves signal handling to the surrounding program.

    When it closes, pending requests have *closing_seconds*. Then it breaks them off without a line
    in the log.
    """

    def __init__(self, config: uvicorn.Config, closing_seconds: float = 5.0):
        super().__init__(config)
        self._closing_seconds = closing_seconds
        config.timeout_graceful_shutdown = int(closing_seconds) + _BROKEN_OFF

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave all signals alone."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close all connections, those of requests that do not end after the closing seconds."""
        breaking = asyncio.create_task(self._break_off_late())
        try:
            await super().shutdown(sockets)
        finally:
            breaking.cancel()

    async def _break_off_late(self) -> None:
        await asyncio.sleep(self._closing_seconds)
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)  # uvicorn notices that the clients have gone, and is silent
        for task in list(self.server_state.tasks):
            task.cancel()


def bounded_config(app: ASGIApp, connections: int) -> uvicorn.Config:
    """Configure serving *app* on at most *connections* connections."""
    return uvicorn.Config(
        _silently_cancelled(app),
        http=bounded_protocol(connections),
        backlog=BACKLOG,
        log_level="error",  # clients that do not speak HTTP must not fill the log
        access_log=False,
        lifespan="off",
        interface="asgi3",
        ws="none",
        server_header=False,
    )


def _silently_cancelled(app: ASGIApp) -> ASGIApp:
    """Return *app*, but a request that the ending server cancels is no error for the log."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(asyncio.CancelledError):
            await app(scope, receive, send)

    return answer


def listening_socket(host: str, port: int) -> socket.socket:
    """Open a socket that listens on *port* of *host*; 0 means a free port.

    Raises OSError if the port is taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family, backlog=BACKLOG) as made:
        listener = Listener(made.family, made.type, made.proto, made.detach())
    # Connections inherit TCP_NODELAY. asyncio sets it only on sockets it creates for TCP, and
    # without it every answer waits for the client's delayed ACK: 40 ms.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
