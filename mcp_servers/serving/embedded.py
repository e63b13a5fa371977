"""An HTTP server inside a program that does other things as well."""

from __future__ import annotations

import socket
from collections.abc import Generator
from contextlib import contextmanager

import uvicorn


class EmbeddedUvicorn(uvicorn.Server):
    """Uvicorn that leaves signal handling to the program it runs in."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Do not take them."""
        yield


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens on *port* of *host*, 0 for a free one.

    Raises OSError if the port is taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family)
    # Connections inherit TCP_NODELAY. asyncio sets it only on sockets it creates for TCP, and
    # without it every answer waits for the client's delayed ACK: 40 ms.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
