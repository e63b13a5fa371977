"""Connections of a web server that nobody can exhaust: few, and closed if nothing comes of them.

A client that opens connections and sends nothing takes the places of its own idle connections, not
those of requests that are being answered, and never the file handles of the process.
"""

from __future__ import annotations

import asyncio
import sys
from itertools import count
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 30.0
"""Seconds in which a whole request must have come, from the connection or the last answer on."""
_FEWEST, _MOST = 8, 64
ACCEPTED_AT_ONCE = 16
"""Connections that wait to be accepted; asyncio accepts all of them before it goes on."""


def connection_limit(share: int = 16) -> int:
    """How many connections a host may hold: one in *share* of the process's file handles, but
    neither so few that no client could work nor more than clients need."""
    most = _MOST * 16 // share
    if sys.platform == "win32":
        return most
    import resource  # Windows has none

    handles, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(_FEWEST, min(most, handles // share))


def bounded_protocol(most: int) -> type[H11Protocol]:
    """The HTTP protocol of a server that holds at most *most* connections."""
    return type("BoundedH11Protocol", (_BoundedProtocol,), {"most": most})


class _BoundedProtocol(H11Protocol):
    most: ClassVar[int]
    _numbers: ClassVar[count[int]] = count()
    _deadline: asyncio.TimerHandle | None = None
    _number = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._number = next(self._numbers)
        super().connection_made(transport)
        idle = [one for one in self._others() if not one.busy]
        if len(self.connections) > self.most:
            # The oldest of those that never asked for anything goes first.
            chosen = min(idle, key=lambda one: (one.cycle is not None, one._number), default=self)
            chosen.transport.abort()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_deadline()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
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
