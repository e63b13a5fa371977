"""Limits a web server's connections, so that no client can exhaust them.

A client that opens connections and sends nothing displaces only idle connections. It never
displaces connections whose requests are being answered, and never exhausts the process's file
handles. A client that does not read its answers loses its connection, and earlier if others need
the place. A client without a place gets a 503 response.

    kernel's queue ──Listener──► connection ──► a free place, an idle one's place, or 503
                   └─ no handle left ─► 503 through the reserved handle
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import sys
from contextlib import suppress
from itertools import count
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 30.0
"""Seconds for a whole request to arrive, counted from the connection or the last answer."""
ANSWER_SECONDS = 30.0
"""Seconds for a client to read what the server has to send."""
STALLED_SECONDS = 5.0
"""Seconds after which a client that reads nothing may lose its place to another client."""
REFUSED_SECONDS = 1.0
"""Seconds for a refused client to read why."""
BACKLOG = 1024
"""Connections that the kernel queues, which take no handle of the process. If the queue is full,
the client's retry comes a second later, and its place may be gone by then."""
BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\n"
    b"content-type: application/json\r\ncontent-length: 82\r\n"
    b"retry-after: 1\r\nconnection: close\r\n\r\n"
    b'{"error": "All connections of this server are in use; try again in some seconds."}'
)
"""The answer to a connection without a place."""
_FEWEST, _MOST = 8, 64
_REFUSED_AT_ONCE = 8
_NO_HANDLES = frozenset({errno.EMFILE, errno.ENFILE})


def connection_limit(share: int = 16) -> int:
    """Return how many connections a host may hold: one in *share* of the process's file handles.

    The limit is at least what a client needs to work, and at most what clients need.
    """
    most = _MOST * 16 // share
    if sys.platform == "win32":
        return most
    import resource  # Windows has none

    handles, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(_FEWEST, min(most, handles // share))


class Listener(socket.socket):
    """A listening socket that refuses with 503 while the process has no file handle left.

    An event loop gets one connection per turn. So early requests are read before many more
    connections arrive, and no burst takes handles that have not been counted.
    """

    def __init__(
        self, family: int = -1, type: int = -1, proto: int = -1, fileno: int | None = None
    ):
        super().__init__(family, type, proto, fileno)
        self._kept: int | None = None
        self._turn_is_over = False
        self._keep_handle()

    def accept(self) -> tuple[socket.socket, object]:
        """Return the next connection. Raises BlockingIOError if there is none in this turn."""
        if self._turn_is_over:
            self._turn_is_over = False
            raise BlockingIOError(errno.EAGAIN, "the next connection comes in the next turn")
        try:
            accepted = super().accept()
        except OSError as error:
            if error.errno in _NO_HANDLES and self._refuse_next():
                raise BlockingIOError(errno.EAGAIN, "the next connection was refused") from None
            raise
        self._turn_is_over = not self.getblocking()
        return accepted

    def close(self) -> None:
        """Close the socket and its reserved handle."""
        if self._kept is not None:
            os.close(self._kept)
            self._kept = None
        super().close()

    def _refuse_next(self) -> bool:
        """Refuse the next connection by using the reserved handle. Return whether that was
        possible.

        If it was not, asyncio tries again a second later.
        """
        if self._kept is None:
            self._keep_handle()
            return False
        os.close(self._kept)
        self._kept = None
        with suppress(OSError):
            refused, _ = super().accept()
            with refused:
                refused.setblocking(False)
                refused.send(BUSY)
                refused.shutdown(socket.SHUT_WR)
                refused.recv(65_536)  # closing with unread data would discard the answer
        self._keep_handle()
        return True

    def _keep_handle(self) -> None:
        with suppress(OSError):
            self._kept = os.open(os.devnull, os.O_RDONLY)


def bounded_protocol(most: int) -> type[H11Protocol]:
    """Build the HTTP protocol of a server that holds at most *most* connections."""
    return type("BoundedH11Protocol", (_BoundedProtocol,), {"most": most})


class _BoundedProtocol(H11Protocol):
    most: ClassVar[int]
    _numbers: ClassVar[count[int]] = count()
    _deadline: asyncio.TimerHandle | None = None
    _number = 0
    _stalled: float | None = None
    """Since when the client has left bytes unread, None if it has left none."""
    refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._number = next(self._numbers)
        super().connection_made(transport)
        # `pause_writing` is called as soon as the kernel takes no more, so no byte waits unnoticed.
        transport.set_write_buffer_limits(high=0)
        others = self._others()
        served = [other for other in others if not other.refused]
        if len(served) < self.most:
            self._watch()
            return
        displaceable = [other for other in served if other.stalled or not other.busy]
        if displaceable:
            min(displaceable, key=_displacement)._break_off()
            self._watch()
        else:
            self._refuse([other for other in others if other.refused])

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_deadline()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.refused:
            return
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """Give the client ANSWER_SECONDS to read what could not be sent at once."""
        super().pause_writing()
        self._stalled = self.loop.time()
        self._forget_deadline()
        self._watch()

    def resume_writing(self) -> None:
        """Note that everything could be sent."""
        super().resume_writing()
        self._stalled = None
        self._forget_deadline()
        self._watch()

    @property
    def busy(self) -> bool:
        """Whether a whole request has arrived that is not answered yet."""
        cycle = self.cycle
        return cycle is not None and not cycle.response_complete and not cycle.more_body

    @property
    def stalled(self) -> bool:
        """Whether the client has left bytes unread for STALLED_SECONDS."""
        return self._stalled is not None and self.loop.time() - self._stalled >= STALLED_SECONDS

    def _others(self) -> list[_BoundedProtocol]:
        bounded = [peer for peer in self.connections if isinstance(peer, _BoundedProtocol)]
        # A closed connection keeps its place until its client has read everything.
        there = [p for p in bounded if p._stalled is not None or not p.transport.is_closing()]
        return [peer for peer in there if peer is not self]

    def _refuse(self, refused: list[_BoundedProtocol]) -> None:
        """Answer that there is no place, and read and forget what the client sends.

        It has a second to read the answer, or less if many connections are *refused*.
        """
        self.refused = True
        self.transport.write(BUSY)
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._deadline = self.loop.call_later(REFUSED_SECONDS, self.transport.abort)
        if len(refused) >= _REFUSED_AT_ONCE:
            min(refused, key=lambda other: other._number).transport.abort()

    def _watch(self) -> None:
        """Schedule breaking off the connection while it waits for its client: for a request, or
        until the client has read what it was sent."""
        if self._stalled is not None:
            seconds = ANSWER_SECONDS
        elif self.busy or self.transport.is_closing():
            self._forget_deadline()
            return
        else:
            seconds = REQUEST_SECONDS
        if self._deadline is None:
            self._deadline = self.loop.call_later(seconds, self._break_off)

    def _break_off(self) -> None:
        self._stalled = None
        self.transport.abort()

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def _displacement(one: _BoundedProtocol) -> tuple[bool, bool, int]:
    """Sort idle connections before stalled ones, those that never sent a request first, and
    otherwise by age."""
    return one.stalled, one.cycle is not None, one._number
