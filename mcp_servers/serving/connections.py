"""Connections of a web server that nobody can exhaust: few, and closed if nothing comes of them.

A client that opens connections and sends nothing takes the places of its own idle connections, not
those of requests that are being answered, and never the file handles of the process. A client that
finds no place is told so with 503.

    kernel's queue ──Listener──► connection ──► a place, an idle one's place, or 503
                   └─ no handle left ─► 503 by the handle that is kept for this
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
"""Seconds in which a whole request must have come, from the connection or the last answer on."""
REFUSED_SECONDS = 1.0
"""Seconds in which a client that is refused may read why."""
BACKLOG = 1024
"""Connections that the kernel keeps waiting, which take no handle of the process. Where it has no
room for one, what the client asks comes a second late, and its place may be gone by then."""
BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\n"
    b"content-type: application/json\r\ncontent-length: 82\r\n"
    b"retry-after: 1\r\nconnection: close\r\n\r\n"
    b'{"error": "All connections of this server are in use; try again in some seconds."}'
)
"""The answer to a connection for which there is no place."""
_FEWEST, _MOST = 8, 64
_REFUSED_AT_ONCE = 8
_NO_HANDLES = frozenset({errno.EMFILE, errno.ENFILE})


def connection_limit(share: int = 16) -> int:
    """How many connections a host may hold: one in *share* of the process's file handles, but
    neither so few that no client could work nor more than clients need."""
    most = _MOST * 16 // share
    if sys.platform == "win32":
        return most
    import resource  # Windows has none

    handles, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(_FEWEST, min(most, handles // share))


class Listener(socket.socket):
    """A socket that listens. While the process has no file handle left, it refuses with 503.

    An event loop gets one connection in each of its turns. So what a client asked at once is read
    before many others come after it, and no burst takes handles that nobody has counted.
    """

    def __init__(
        self, family: int = -1, type: int = -1, proto: int = -1, fileno: int | None = None
    ):
        super().__init__(family, type, proto, fileno)
        self._kept: int | None = None
        self._turn_is_over = False
        self._keep_handle()

    def accept(self) -> tuple[socket.socket, object]:
        """The next connection. Raises BlockingIOError if there is none in this turn."""
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
        """Close it, and free the handle that it keeps."""
        if self._kept is not None:
            os.close(self._kept)
            self._kept = None
        super().close()

    def _refuse_next(self) -> bool:
        """Refuse the next connection by means of the handle that is kept for this; whether that
        can be done. If not, asyncio tries to accept it a second later."""
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
                refused.recv(65_536)  # what is left unread would take the answer with it
        self._keep_handle()
        return True

    def _keep_handle(self) -> None:
        with suppress(OSError):
            self._kept = os.open(os.devnull, os.O_RDONLY)


def bounded_protocol(most: int) -> type[H11Protocol]:
    """The HTTP protocol of a server that holds at most *most* connections."""
    return type("BoundedH11Protocol", (_BoundedProtocol,), {"most": most})


class _BoundedProtocol(H11Protocol):
    most: ClassVar[int]
    _numbers: ClassVar[count[int]] = count()
    _deadline: asyncio.TimerHandle | None = None
    _number = 0
    refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._number = next(self._numbers)
        super().connection_made(transport)
        others = self._others()
        served = [one for one in others if not one.refused]
        if len(served) < self.most:
            self._watch()
            return
        idle = [one for one in served if not one.busy]
        if idle:
            # The oldest of those that never asked for anything goes first.
            min(idle, key=lambda one: (one.cycle is not None, one._number)).transport.abort()
            self._watch()
        else:
            self._refuse([one for one in others if one.refused])

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

    @property
    def busy(self) -> bool:
        """Whether a whole request has come that is not answered yet."""
        cycle = self.cycle
        return cycle is not None and not cycle.response_complete and not cycle.more_body

    def _others(self) -> list[_BoundedProtocol]:
        there = [one for one in self.connections if isinstance(one, _BoundedProtocol)]
        return [one for one in there if one is not self and not one.transport.is_closing()]

    def _refuse(self, refused: list[_BoundedProtocol]) -> None:
        """Answer that there is no place. The client has a second to read it, unless there are many
        that are *refused*; what it asks is read and forgotten."""
        self.refused = True
        self.transport.write(BUSY)
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._deadline = self.loop.call_later(REFUSED_SECONDS, self.transport.abort)
        if len(refused) >= _REFUSED_AT_ONCE:
            min(refused, key=lambda one: one._number).transport.abort()

    def _watch(self) -> None:
        """Close the connection in time unless a request is being answered."""
        if self.busy or self.transport.is_closing():
            self._forget_deadline()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(REQUEST_SECONDS, self.transport.abort)

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
