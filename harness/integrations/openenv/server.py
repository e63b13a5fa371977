"""The OpenEnv server of the office.

uvicorn trainee_bench.harness.integrations.openenv.app:app
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Coroutine
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
from trainee_bench.harness.integrations.openenv.tenants import TenantGate
from trainee_bench.harness.integrations.training.serving.day_store import DayStore
from trainee_bench.harness.integrations.training.serving.sessions import Sessions
from trainee_bench.harness.support.collector import collecting_rarely
from trainee_bench.harness.support.worker_processes import ReplacedProcess

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["ENVIRONMENT_NAME", "create_office_app"]

ENVIRONMENT_NAME = "trainee_bench"
_SOCKET_PATH = "/ws"
_MOST_IDLE_CHECK_SECONDS = 15.0
_MOST_AGE_CHECK_SECONDS = 3_600.0
_DRAIN_TRIES, _DRAIN_PAUSE_SECONDS = 3, 1.0
_LOGGER = logging.getLogger(__name__)


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
        app.add_middleware(
            TenantGate,
            tenants=self._options.tenants,
            folder=ENVIRONMENT_NAME,
            sessions=self._running_sessions,
        )

    def _running_sessions(self) -> Sessions:
        assert self._sessions is not None
        return self._sessions

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[None]:
        options = self._options
        with (
            collecting_rarely(),
            DayPool(options.processes, most_open=2 * options.max_sessions) as pool,
            ReplacedProcess() as drawing,
        ):
            self._sessions = Sessions(
                pool,
                self._store,
                limit=options.max_sessions,
                tenant_limit=options.tenant_limit,
                save_every=options.save_every,
                idle_seconds=options.idle_seconds,
                session_steps=options.session_steps,
                session_bytes=options.session_bytes,
            )
            self._sockets = OfficeSockets(options, self._sessions, drawing)
            leaving = asyncio.create_task(self._leave_idle(self._sessions))
            try:
                yield
            finally:
                leaving.cancel()
                with suppress(asyncio.CancelledError):
                    await leaving
                await self._drain(self._sessions)
                drawing.close()

    async def _leave_idle(self, sessions: Sessions) -> None:
        """Free idle sessions, and delete old ones, until this is cancelled."""
        options = self._options
        pause = min(options.idle_seconds / 4, _MOST_IDLE_CHECK_SECONDS)
        age_pause = min(options.keep_seconds / 4, _MOST_AGE_CHECK_SECONDS)
        next_age_check = time.monotonic()
        while True:
            await asyncio.sleep(pause)
            await _tried(sessions.leave_idle())
            if time.monotonic() >= next_age_check:
                next_age_check = time.monotonic() + age_pause
                await _tried(sessions.delete_older(options.keep_seconds))

    async def _drain(self, sessions: Sessions) -> None:
        """Save all sessions. Raises what failed again and again."""
        for _ in range(_DRAIN_TRIES - 1):
            with suppress(ExceptionGroup):
                await sessions.drain()
                return
            await asyncio.sleep(_DRAIN_PAUSE_SECONDS)
        await sessions.drain()

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


async def _tried(work: Coroutine[object, object, None]) -> None:
    """Do *work*, and log what fails: it is tried again after a pause."""
    try:
        await work
    except Exception:
        _LOGGER.exception("Sessions could not be looked after")
