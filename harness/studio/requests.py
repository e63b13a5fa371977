"""What a page asks for, read; and its answers: JSON both ways, ``{"error": …}`` for what failed."""

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
from trainee_bench.world.errors import WorldError, WorldFileError, first_flaw

Endpoint = Callable[[Request], Awaitable[Response]]
Body = TypeVar("Body", bound=BaseModel)


class BadRequest(ValueError):
    """What was posted or stands in the address is not what this address takes."""


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
    409: (FlagsNotKept, NoWorldYet, NotNow, SeatRefused, WorldFileError),
    422: (NotUsable,),
}
"""How each error is answered; 409 says that it is too early or too late."""
_NOBODY_WAITS = 499
_TOLD = {error: status for status, errors in _STATUS.items() for error in errors}


def answering(endpoint: Endpoint) -> Endpoint:
    """*endpoint*, with the errors that people can do something about as JSON."""

    @wraps(endpoint)
    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except tuple(_TOLD) as error:
            status = next(code for kind, code in _TOLD.items() if isinstance(error, kind))
            return JSONResponse({"error": encodable(str(error))}, status)
        except KeyboardInterrupt:  # in a long load; the main task knows of it
            return JSONResponse({"error": "The studio is closing."}, 503)

    return answer


def while_awaited(endpoint: Endpoint) -> Endpoint:
    """*endpoint*, for requests without a body, which stops once nobody waits for its answer."""

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
    """Cancel *work* once whoever asked is gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    work.cancel()


async def read_body(request: Request, model: type[Body]) -> Body:
    """What was posted. Raises BadRequest, which names the first flaw."""
    try:
        return model.model_validate_json(await request.body())
    except ValidationError as error:
        place, flaw = first_flaw(error)
        raise BadRequest(f"{place}: {flaw}".removeprefix(": ")) from None


def read_number(request: Request, name: str, default: int) -> int:
    """The whole number *name* of the query. Raises BadRequest."""
    given = request.query_params.get(name, "")
    if not given:
        return default
    if not given.isascii() or not given.isdecimal() or len(given) > 9:
        raise BadRequest(f"{name} is a whole number.")
    return int(given)


def json_answer(model: BaseModel) -> Response:
    """*model* as the answer."""
    return Response(model.model_dump_json(), media_type="application/json")


class KeyMask:
    """Answers as *app* does, without the secrets of the models in the file *config*."""

    def __init__(self, app: ASGIApp, config: Path = DEFAULT_API_CONFIG):
        self._app = app
        self._secrets = ModelSecrets(config)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        secrets = self._secrets.current()

        async def send_masked(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": _masked(message["body"], secrets)}
            await send(message)

        await self._app(scope, receive, send_masked if secrets else send)


class ModelSecrets:
    """The keys of the models in the file *config*."""

    def __init__(self, config: Path = DEFAULT_API_CONFIG):
        self._config = config
        self._read: tuple[int, int] | None = None
        self._secrets: tuple[bytes, ...] = ()

    def masked(self, text: bytes) -> bytes:
        """Return *text* without them, with as many stars in their place."""
        return _masked(text, self.current())

    def current(self) -> tuple[bytes, ...]:
        """Return the secrets that are in the file now, as plain text and as in JSON."""
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
            return ()  # nobody can use a model of this file, and the page Start says why
        texts = [secret for model in models.values() for secret in model.secrets()]
        written = {form for text in texts for form in (text, json.dumps(text)[1:-1])}
        return tuple(text.encode() for text in sorted(written, key=len, reverse=True))


def _masked(text: bytes, secrets: Sequence[bytes]) -> bytes:
    for secret in secrets:
        text = text.replace(secret, b"*" * len(secret))
    return text
