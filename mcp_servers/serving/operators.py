"""Addresses for those who operate a server: /healthz, /readyz and /metrics; draining at its end.

    request ──Operators──► an operators' address, or counted and passed to the servers
    SIGTERM ──drain──► not ready, but answering ──► refusing new requests ──► the last answers

They need no token: they tell figures of requests, and nothing of the day.
"""

from __future__ import annotations

import asyncio
import importlib.util
from typing import TYPE_CHECKING

from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trainee_bench.mcp_servers.serving.argument_values import OPERATORS_PATHS

if TYPE_CHECKING:
    from trainee_bench.mcp_servers.serving.request_metrics import RequestMetrics

_LAST_ANSWERS = 5.0
"""Seconds that requests in progress have when no new ones are accepted any more."""
_AT_ONCE = 0.5
"""The same for a server that does not drain; most answers take less."""
_NO_METRICS = "Metrics need another package: pip install 'trainee-bench[serving]'."


class Operators:
    """Answers the operators' addresses of one host, and counts its other requests."""

    def __init__(self) -> None:
        self._metrics = _metrics()
        self._open = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._draining = self._closed = False

    def around(self, app: ASGIApp) -> ASGIApp:
        """Return *app* with the operators' addresses."""

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http" and scope["path"] in OPERATORS_PATHS:
                await self._operators_answer(scope)(scope, receive, send)
            else:
                await self._counted(app, scope, receive, send)

        return answer

    async def drain(self, seconds: float, hurry: asyncio.Event) -> None:
        """End the service: stay up for *seconds* without being ready, or until *hurry* is set.

        Meanwhile load balancers notice, and clients finish. Then new requests are refused, and
        those in progress get some seconds to finish, or half a second if *seconds* is 0.
        """
        self._draining = True
        if self._metrics is not None:
            self._metrics.draining.set(1)
        await _wait(hurry, seconds)
        self._closed = True
        await _wait(self._idle, _LAST_ANSWERS if seconds else _AT_ONCE)

    def _operators_answer(self, scope: Scope) -> Response:
        if scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse("Use GET.", 405, headers={"Allow": "GET, HEAD"})
        if scope["path"] == "/healthz":
            return PlainTextResponse("ok")
        if scope["path"] == "/readyz":
            return (
                PlainTextResponse("ending", 503) if self._draining else PlainTextResponse("ready")
            )
        if self._metrics is None:
            return PlainTextResponse(_NO_METRICS, 501)
        return Response(self._metrics.text(), media_type=self._metrics.content_type)

    async def _counted(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to *app*, unless this server ends, and count it."""
        clock = asyncio.get_running_loop().time
        began, status = clock(), 500

        async def noticing(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        self._count_open(1)
        try:
            await (_refusal() if self._closed else app)(scope, receive, noticing)
        finally:
            self._count_open(-1)
            if self._metrics is not None:
                self._metrics.answered(status, clock() - began)

    def _count_open(self, more: int) -> None:
        self._open += more
        if self._open:
            self._idle.clear()
        else:
            self._idle.set()
        if self._metrics is not None:
            self._metrics.open.set(self._open)


def _refusal() -> Response:
    return PlainTextResponse(
        "This server is ending; try again in some seconds.",
        503,
        headers={"Retry-After": "5", "Connection": "close"},
    )


async def _wait(event: asyncio.Event, seconds: float) -> None:
    """Wait for *event*, at most *seconds*."""
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return


def _metrics() -> RequestMetrics | None:
    """Return new figures, None if the package for them is not installed."""
    if importlib.util.find_spec("prometheus_client") is None:
        return None
    from trainee_bench.mcp_servers.serving.request_metrics import RequestMetrics

    return RequestMetrics()
