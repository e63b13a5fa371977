"""Requests of a page and the answers to them: JSON both ways, ``{"error": …}`` for errors."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TypeVar

import anyio
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.side_files import FlagsNotKept
from trainee_bench.harness.studio.conversations import NoConversation
from trainee_bench.harness.studio.episode_facts import UnknownView
from trainee_bench.harness.studio.guidance import NotNow
from trainee_bench.harness.studio.jobs import NoSuchJob
from trainee_bench.harness.studio.opened_run import NoSuchEpisode, NoWorldYet
from trainee_bench.harness.studio.played_colleagues import NotUsable
from trainee_bench.harness.studio.runs import CannotOpen
from trainee_bench.harness.studio.seat import SeatRefused
from trainee_bench.harness.studio.seats import NoSuchSeat
from trainee_bench.harness.studio.states import NoSuchState
from trainee_bench.harness.support.text import encodable
from trainee_bench.mcp_servers.llm.api_config import (
    DEFAULT_API_CONFIG,
    ApiConfigError,
    load_api_config,
)
from trainee_bench.meta_tasks.offices.source import OfficeError
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.errors import WorldError, WorldFileError, first_flaw

Endpoint = Callable[[Request], Awaitable[Response]]
Body = TypeVar("Body", bound=BaseModel)


class BadRequest(ValueError):
    """Raised if the posted body or the query is not valid for this address."""


_STATUS: dict[int, tuple[type[Exception], ...]] = {
    400: (BadRequest, CannotOpen, PlanError),
    404: (
        NoConversation,
        NoSuchEpisode,
        NoSuchJob,
        NoSuchSeat,
        NoSuchState,
        UnknownView,
        WorldError,
    ),
    409: (
        CompositionError,
        FlagsNotKept,
        NoWorldYet,
        NotNow,
        OfficeError,
        SeatRefused,
        WorldFileError,
    ),
    422: (NotUsable,),
}
"""The status for each error; 409 means too early or too late."""
_NOBODY_WAITS = 499
_STATUS_OF = {error: status for status, errors in _STATUS.items() for error in errors}


def answering(endpoint: Endpoint) -> Endpoint:
    """Wrap *endpoint* so that errors that people can act on are answered as JSON."""

    @wraps(endpoint)
    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except tuple(_STATUS_OF) as error:
            status = next(code for kind, code in _STATUS_OF.items() if isinstance(error, kind))
            return JSONResponse({"error": encodable(str(error))}, status)
        except KeyboardInterrupt:  # during a long load; the main task handles it
            return JSONResponse({"error": "The studio is closing."}, 503)

    return answer


def while_awaited(endpoint: Endpoint) -> Endpoint:
    """Wrap *endpoint*, for requests without a body, so that it stops when the client
    disconnects."""

    @wraps(endpoint)
    async def answer(request: Request) -> Response:
        response = Response(status_code=_NOBODY_WAITS)
        async with anyio.create_task_group() as working:
            working.start_soon(_stop_once_gone, request, working.cancel_scope)
            response = await endpoint(request)
            working.cancel_scope.cancel()
        return response

    return answer


async def _stop_once_gone(request: Request, work: anyio.CancelScope) -> None:
    """Cancel *work* once the client has disconnected."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    work.cancel()


async def read_body(request: Request, model: type[Body]) -> Body:
    """Return the posted body. Raises BadRequest, which names the first flaw."""
    try:
        return model.model_validate_json(await request.body())
    except ValidationError as error:
        place, flaw = first_flaw(error)
        raise BadRequest(f"{place}: {flaw}".removeprefix(": ")) from None


def read_number(request: Request, name: str, default: int) -> int:
    """Return the whole number *name* of the query. Raises BadRequest."""
    given = request.query_params.get(name, "")
    if not given:
        return default
    if not given.isascii() or not given.isdecimal() or len(given) > 9:
        raise BadRequest(f"{name} must be a whole number.")
    return int(given)


def json_answer(model: BaseModel) -> Response:
    """Return *model* as a response."""
    return Response(model.model_dump_json(), media_type="application/json")


class KeyMask:
    """Middleware that removes the secrets of the models in the file *config* from the answers of
    *app*."""

    def __init__(self, app: ASGIApp, config: Path = DEFAULT_API_CONFIG):
        self._app = app
        self._secrets = ModelSecrets(config)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request."""
        secrets = self._secrets.current()

        async def send_masked(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": _masked(message["body"], secrets)}
            await send(message)

        await self._app(scope, receive, send_masked if secrets else send)


class ModelSecrets:
    """The secrets of the models in the file *config*."""

    def __init__(self, config: Path = DEFAULT_API_CONFIG):
        self._config = config
        self._read: tuple[int, int] | None = None
        self._secrets: tuple[bytes, ...] = ()

    def masked(self, text: bytes) -> bytes:
        """Return *text* with each secret replaced by the same number of stars."""
        return _masked(text, self.current())

    def current(self) -> tuple[bytes, ...]:
        """Return the secrets that are in the file now, both as plain text and in JSON."""
        try:
            found = self._config.stat()
        except OSError:
            return ()
        if self._read != (found.st_mtime_ns, found.st_size):
            self._read, self._secrets = (found.st_mtime_ns, found.st_size), self._load()
        return self._secrets

    def _load(self) -> tuple[bytes, ...]:
        try:
            models = load_api_config(self._config)
        except ApiConfigError:
            return ()  # no model of this file is usable; the page Start says why
        texts = [secret for model in models.values() for secret in model.secrets()]
        written = {form for text in texts for form in (text, json.dumps(text)[1:-1])}
        return tuple(text.encode() for text in sorted(written, key=len, reverse=True))


def _masked(text: bytes, secrets: Sequence[bytes]) -> bytes:
    for secret in secrets:
        text = text.replace(secret, b"*" * len(secret))
    return text
