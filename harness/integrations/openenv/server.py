"""The OpenEnv server of the office.

uvicorn trainee_bench.harness.integrations.openenv.app:app
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.mcp_types import CallToolAction
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.websockets import WebSocket

from trainee_bench.harness.environment.pool.day_pool import DayPool
from trainee_bench.harness.integrations.openenv.environment import (
    OpenEnvAnswer,
    OpenEnvMorning,
    OpenEnvOffice,
    OpenEnvState,
)
from trainee_bench.harness.integrations.openenv.options import OpenEnvOptions
from trainee_bench.harness.integrations.openenv.sockets import OfficeSockets
from trainee_bench.harness.integrations.training.serving.day_store import DayStore
from trainee_bench.harness.integrations.training.serving.sessions import Sessions
from trainee_bench.harness.support.worker_processes import ReplacedProcess

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["ENVIRONMENT_NAME", "create_office_app"]

ENVIRONMENT_NAME = "trainee_bench"
_SOCKET_PATH = "/ws"
_MOST_IDLE_CHECK_SECONDS = 15.0


def create_office_app(options: OpenEnvOptions | None = None) -> FastAPI:
    """Return the server as an ASGI app. Without *options*, those of the environment variable
    TRAINEE_BENCH_OPENENV are taken.

    OpenEnv's own app serves everything but the web socket, whose sessions share one event loop
    (`OfficeSockets`), and the addresses for operators: /healthz, /readyz and /metrics. Raises
    InvalidServerOptions.
    """
    chosen = options or OpenEnvOptions.from_environment()
    store = DayStore(chosen.store)
    app = create_app(
        partial(OpenEnvOffice, chosen, iter(store.next_number, None)),
        CallToolAction,
        OpenEnvAnswer,
        env_name=ENVIRONMENT_NAME,
        max_concurrent_envs=chosen.max_sessions,
        state_cls=OpenEnvState,
        reset_observation_cls=OpenEnvMorning,
    )
    _Serving(chosen, store).mount(app)
    return app


class _Serving:
    """Serves the sessions of one app while it runs."""

    def __init__(self, options: OpenEnvOptions, store: DayStore):
        self._options, self._store = options, store
        self._sessions: Sessions | None = None
        self._sockets: OfficeSockets | None = None

    def mount(self, app: FastAPI) -> None:
        """Serve the web socket and the operators' addresses of *app* from its start to its end."""
        inner = app.router.lifespan_context

        @asynccontextmanager
        async def lifespan(app: FastAPI) -> AsyncIterator[object]:
            async with inner(app) as state, self._running():
                yield state

        app.router.lifespan_context = lifespan
        app.router.routes = [
            route for route in app.router.routes if getattr(route, "path", "") != _SOCKET_PATH
        ]
        app.add_api_websocket_route(_SOCKET_PATH, self._serve)
        for path, answer in (
            ("/healthz", self._health), ("/readyz", self._readiness), ("/metrics", self._metrics),
        ):  # fmt: skip
            app.add_route(path, answer)

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[None]:
        options = self._options
        with (
            DayPool(options.processes, most_open=options.max_sessions + 1) as pool,
            ReplacedProcess() as drawing,
        ):
            self._sessions = Sessions(
                pool,
                self._store,
                limit=options.max_sessions,
                tenant_limit=options.tenant_sessions,
                save_every=options.save_every,
                idle_seconds=options.idle_seconds,
            )
            self._sockets = OfficeSockets(options, self._sessions, self._store, drawing)
            leaving = asyncio.create_task(self._leave_idle(self._sessions))
            try:
                yield
            finally:
                leaving.cancel()
                with suppress(asyncio.CancelledError):
                    await leaving
                await self._sessions.drain()
                drawing.close()

    async def _leave_idle(self, sessions: Sessions) -> None:
        pause = min(self._options.idle_seconds / 4, _MOST_IDLE_CHECK_SECONDS)
        while True:
            await asyncio.sleep(pause)
            await sessions.leave_idle()

    async def _serve(self, websocket: WebSocket) -> None:
        assert self._sockets is not None
        await self._sockets.serve(websocket)

    async def _health(self, request: Request) -> Response:
        return PlainTextResponse("ok")

    async def _readiness(self, request: Request) -> Response:
        if self._sessions is None or self._sessions.draining:
            return PlainTextResponse("ending" if self._sessions else "starting", 503)
        return PlainTextResponse("ready")

    async def _metrics(self, request: Request) -> Response:
        assert self._sessions is not None
        metrics = self._sessions.metrics
        return Response(metrics.text(), media_type=metrics.content_type)
