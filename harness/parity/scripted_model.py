"""A language model that makes the calls of a script, for clients of any dialect, without a key.

It has no state: it counts the tool calls in the history that it is sent, and makes the next one. So
a client may repeat a request, or make other requests in between, for example for a title or for a
check whether the model is in a loop. If JSON is required, it replies with the smallest valid value.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Thread

import uvicorn
from pydantic import JsonValue
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from trainee_bench.harness.parity.dialect import (
    DialectReply,
    DialectRequest,
    ModelDialect,
    ServerEvent,
    find_dialects,
)
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.mcp_servers.serving.embedded import EmbeddedUvicorn, listening_socket

MODEL = "scripted-model"
_FINISHED = "I have gone home."


class ScriptedModelServer:
    """An ASGI app that plays *calls*, one in each turn, and then says that it has finished.

    Clients may put a prefix before the names of tools; its calls use the offered names. ``results``
    are the texts that it saw as their results, by the places of the calls (from 0). ``pictures``
    counts the pictures that it has seen.
    """

    def __init__(self, calls: Sequence[ToolCall]):
        self._calls = tuple(calls)
        self._dialects = find_dialects()
        self.results: dict[int, str] = {}
        self.pictures = 0
        self.unknown: list[str] = []
        """Requested paths that are in no dialect."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        response = await self._answer(Request(scope, receive))
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        path = request.url.path
        dialect = next((known for known in self._dialects if known.speaks(path)), None)
        if dialect is None or request.method != "POST":
            self.unknown.append(f"{request.method} {path}")
            return JSONResponse(
                {"error": {"message": f"there is nothing at {path}"}}, status_code=404
            )
        if dialect.counts_tokens(path):
            return JSONResponse(dialect.token_count())
        asked = dialect.read(path, await request.json())
        self._keep(asked)
        reply = self._reply(asked)
        if asked.streamed:
            return StreamingResponse(_events(dialect, reply), media_type="text/event-stream")
        return JSONResponse(dialect.reply(reply))

    def _keep(self, asked: DialectRequest) -> None:
        """Record the results and pictures of a request."""
        self.pictures = max(self.pictures, asked.pictures)
        for id, result in asked.results.items():
            place = id.rpartition("_")[2]
            if place.isdecimal():
                self.results[int(place)] = result

    def _reply(self, asked: DialectRequest) -> DialectReply:
        if asked.schema is not None:
            return DialectReply(MODEL, text=json.dumps(least_value(asked.schema)))
        prefix = self._prefix(asked.tools)
        if prefix is None or asked.calls >= len(self._calls):
            return DialectReply(MODEL, text=_FINISHED)
        call = self._calls[asked.calls]
        named = ToolCall(f"{prefix}{call.name}", call.arguments, f"call_{asked.calls}")
        return DialectReply(MODEL, call=named)

    def _prefix(self, offered: Sequence[str]) -> str | None:
        """Return the prefix of the script's names in those *offered*; None if none is offered."""
        for call in self._calls:
            for name in offered:
                if name.endswith(call.name):
                    return name.removesuffix(call.name)
        return None


def least_value(schema: Mapping[str, JsonValue]) -> JsonValue:
    """Return the smallest value that fits *schema*: the required fields, the first choice, zero, or
    an empty value."""
    choices, properties = schema.get("enum"), schema.get("properties")
    if isinstance(choices, list) and choices:
        return choices[0]
    match str(schema.get("type")).lower():
        case "object":
            required = schema.get("required")
            names = [str(name) for name in required] if isinstance(required, list) else []
            of = properties if isinstance(properties, dict) else {}
            return {name: least_value(_as_schema(of.get(name))) for name in names}
        case "array":
            return []
        case "boolean":
            return False
        case "number" | "integer":
            return schema.get("minimum", 0)
        case _:
            return ""


def _as_schema(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}


async def _events(dialect: ModelDialect, reply: DialectReply) -> AsyncIterator[str]:
    for event in dialect.stream(reply):
        yield _written(event)


def _written(event: ServerEvent) -> str:
    data = event.data if isinstance(event.data, str) else json.dumps(event.data)
    return f"event: {event.name}\ndata: {data}\n\n" if event.name else f"data: {data}\n\n"


_LAST_REQUESTS = 2
"""Seconds that pending requests have to finish."""


@contextmanager
def serve_in_thread(app: ASGIApp, *, web_sockets: bool = False) -> Iterator[str]:
    """While the block runs, serve *app* and give its address, such as ``http://127.0.0.1:4711``.
    For *web_sockets*, the package websockets must be installed."""
    with listening_socket("127.0.0.1", 0) as listener:
        config = uvicorn.Config(
            app, log_level="critical", access_log=False, lifespan="auto", interface="asgi3",
            ws="auto" if web_sockets else "none",
        )  # fmt: skip
        server = EmbeddedUvicorn(config, _LAST_REQUESTS)
        thread = Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
