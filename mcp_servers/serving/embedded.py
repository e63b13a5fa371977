"""An HTTP server inside a program that also does other things."""

from __future__ import annotations

import socket
from collections.abc import Generator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from trainee_bench.mcp_servers.serving.connections import BACKLOG, Listener, bounded_protocol


class EmbeddedUvicorn(uvicorn.Server):
    """Uvicorn that leaves signal handling to the surrounding program."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave all signals alone."""
        yield


def bounded_config(app: ASGIApp, connections: int, closing_seconds: int) -> uvicorn.Config:
    """Configure serving *app* on at most *connections* connections.

    When the server closes, pending requests have *closing_seconds* to finish.
    """
    return uvicorn.Config(
        app,
        http=bounded_protocol(connections),
        backlog=BACKLOG,
        log_level="error",  # clients that do not speak HTTP must not fill the log
        access_log=False,
        lifespan="off",
        interface="asgi3",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=closing_seconds,
    )


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
