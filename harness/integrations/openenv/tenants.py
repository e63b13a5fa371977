"""Keeps tenants apart: each request of an OpenEnv server needs a key, and has room of its tenant.

request ──key──► TenantGate ──tenant──► the app
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from trainee_bench.harness.integrations.training.serving.room import ANONYMOUS, ServerFull
from trainee_bench.harness.integrations.training.serving.sessions import Sessions

__all__ = ["TenantGate", "full_response", "tenant_of"]

_TENANT = "trainee_bench.tenant"
_OPERATORS = ("/healthz", "/readyz", "/metrics", "/health")
"""Addresses that need no key and reveal nothing of a day."""
_WORLDS = ("/reset", "/step", "/state")
"""Addresses that make a world for one request, which takes a place while it lasts."""
_DESCRIPTIONS = (
    "/metadata", "/schema", "/docs", "/docs/oauth2-redirect", "/redoc", "/openapi.json",
    "/list_environments",
)  # fmt: skip
_UNAUTHORISED = "send the key of your tenant: Authorization: Bearer KEY"
_NOT_FOR_TENANTS = (
    "a server with tenants does not offer this address, because all tenants would share its "
    "sessions; work a day over the web socket /ws"
)


class TenantGate:
    """Lets the requests of *tenants* (keys by name) pass to *app*; without tenants, all.

    *folder* is the first part of the addresses of tasks. *sessions* returns those of the running
    server.
    """

    def __init__(
        self,
        app: ASGIApp,
        tenants: Mapping[str, str],
        folder: str,
        sessions: Callable[[], Sessions],
    ):
        self._app, self._tenants, self._sessions = app, tenants, sessions
        self._offered = {*_WORLDS, *_DESCRIPTIONS, "/ws"}
        self._tasks = f"/{folder}/"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it with 401, 403, or 503 if the tenant has no room."""
        if not self._tenants or scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        if scope["type"] == "http" and path in _OPERATORS:
            await self._app(scope, receive, send)
            return
        tenant = self._tenant(HTTPConnection(scope).headers.get("authorization", ""))
        if tenant is None:
            headers = {"www-authenticate": "Bearer"}
            await _refuse(PlainTextResponse(_UNAUTHORISED, 401, headers), scope, receive, send)
        elif path not in self._offered and not path.startswith(self._tasks):
            await _refuse(PlainTextResponse(_NOT_FOR_TENANTS, 403), scope, receive, send)
        elif path in _WORLDS:
            await self._with_place(tenant, scope, receive, send)
        else:
            scope[_TENANT] = tenant
            await self._app(scope, receive, send)

    async def _with_place(self, tenant: str, scope: Scope, receive: Receive, send: Send) -> None:
        sessions = self._sessions()
        try:
            sessions.check_room(tenant)
        except ServerFull as full:
            await _refuse(full_response(full), scope, receive, send)
            return
        with sessions.room.taking(tenant):
            await self._app(scope, receive, send)
        sessions.room.give_back(tenant)

    def _tenant(self, authorization: str) -> str | None:
        """Return the tenant whose key a client sent; None if it did not send one."""
        scheme, _, sent = authorization.partition(" ")
        found = None
        for tenant, key in self._tenants.items():  # all of them, so that the time tells nothing
            if hmac.compare_digest(sent.strip().encode(), key.encode()):
                found = tenant
        return found if scheme.lower() == "bearer" else None


def tenant_of(scope: Scope) -> str:
    """Return the tenant of a request that `TenantGate` has let pass."""
    tenant: str = scope.get(_TENANT, ANONYMOUS)
    return tenant


def full_response(full: ServerFull) -> Response:
    """Return the refusal of a request that finds no room."""
    return PlainTextResponse(str(full), 503, {"retry-after": str(full.retry_after)})


async def _refuse(response: Response, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await WebSocket(scope, receive, send).send_denial_response(response)
    else:
        await response(scope, receive, send)
