"""An HTTP server inside a program that does other things as well."""

from __future__ import annotations

import socket
from collections.abc import Generator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from trainee_bench.mcp_servers.serving.connections import BACKLOG, Listener, bounded_protocol


class EmbeddedUvicorn(uvicorn.Server):
    """Uvicorn that leaves signal handling to the program it runs in."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Do not take them."""
        yield


def bounded_config(app: ASGIApp, connections: int, closing_seconds: int) -> uvicorn.Config:
    """How *app* is served on at most so many *connections*; when the server closes, pending
    requests have *closing_seconds* to finish."""
    return uvicorn.Config(
        app,
        http=bounded_protocol(connections),
        backlog=BACKLOG,
        log_level="error",  # whoever sends what is no HTTP must not fill the log
        access_log=False,
        lifespan="off",
        interface="asgi3",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=closing_seconds,
    )


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens on *port* of *host*, 0 for a free one.

    Raises OSError if the port is taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family, backlog=BACKLOG) as made:
        listener = Listener(made.family, made.type, made.proto, made.detach())
    # Connections inherit TCP_NODELAY. asyncio sets it only on sockets it creates for TCP, and
    # without it every answer waits for the client's delayed ACK: 40 ms.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
