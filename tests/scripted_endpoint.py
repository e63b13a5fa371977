"""An OpenAI-compatible server that says what a test tells it to, on 127.0.0.1.

    async with scripted_endpoint(says("Hello."), fails(429), then=says("Done.")) as server:
        async with Endpoint(server.config()) as endpoint: …
    server.asked  # the requests as they came, decoded

``with scripted_server(…) as server`` is the same for a test without an event loop. An answer may
also be a function of the request. Streams are given where they are asked for.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, Generator, Mapping
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from threading import Thread
from typing import Any

import uvicorn
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from trainee_bench.mcp_servers.llm.api_config import ModelConfig

KEY = "sk-scripted-0123456789"
CONTEXT_LENGTH_OPENAI = (
    "This model's maximum context length is 8192 tokens. However, your messages resulted in "
    "9000 tokens. Please reduce the length of the messages."
)
CONTEXT_LENGTH_LLAMA = (
    "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it"
)

Json = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What the server does with one request."""

    status: int = 200
    body: Json | str = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    drops: bool = False
    hangs: bool = False
    pieces: tuple[Json | str, ...] | None = None
    """Chunks of a stream, instead of those made of the body; a text goes out as it is."""
    ends: bool = True
    """Whether a stream is brought to its end."""


Scripted = Answer | Callable[[Json], Answer]


def calls(name: str, arguments: object = None, id: str | None = None) -> Json:
    """A call of a tool; *arguments* as text go out as they are, all else as JSON."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    return {
        **({} if id == "" else {"id": id or f"call-{name}"}),
        "type": "function",
        "function": {"name": name, "arguments": text},
    }


def says(
    text: str | None = "",
    *tool_calls: Json,
    finish: str | None = None,
    usage: Json | tuple[int, int] | None = (100, 10),
    model: str = "scripted-model",
    **extra: object,
) -> Answer:
    """A reply; *extra* fields (refusal, reasoning_content, …) are added to the message."""
    message: Json = {"role": "assistant", "content": text, **extra}
    if tool_calls:
        message["tool_calls"] = list(tool_calls)
    if isinstance(usage, tuple):
        prompt, said = usage
        usage = {"prompt_tokens": prompt, "completion_tokens": said, "total_tokens": prompt + said}
    finish = finish or ("tool_calls" if tool_calls else "stop")
    choice = {"index": 0, "message": message, "finish_reason": finish}
    body: Json = {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model,
        "choices": [choice], "unheard_of": {"field": [1]},
    }  # fmt: skip
    return Answer(body={**body, "usage": usage} if usage is not None else body)


def fails(
    status: int,
    message: str = "It went wrong.",
    *,
    code: str | int | None = None,
    type: str | None = None,
    param: str | None = None,
    retry_after: str | None = None,
) -> Answer:
    """An error in OpenAI's shape."""
    error = {"message": message, "code": code, "type": type, "param": param}
    headers = {"retry-after": retry_after} if retry_after is not None else {}
    return Answer(status=status, body={"error": error}, headers=headers)


def too_long_for_openai() -> Answer:
    return fails(400, CONTEXT_LENGTH_OPENAI, code="context_length_exceeded", param="messages")


def too_long_for_llama() -> Answer:
    return fails(400, CONTEXT_LENGTH_LLAMA, code=400, type="exceed_context_size_error")


def drops() -> Answer:
    """The connection breaks in the middle of the answer."""
    return replace(says("This never arrives whole."), drops=True)


def hangs() -> Answer:
    """No answer comes."""
    return Answer(hangs=True)


@dataclass
class ScriptedEndpoint:
    """The running server: where it is, and what it was asked."""

    url: str
    script: list[Scripted]
    then: Scripted | None
    asked: list[Json] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    closing: asyncio.Event = field(default_factory=asyncio.Event)

    def config(self, alias: str = "scripted", key: str = KEY) -> ModelConfig:
        """This server as a model."""
        return ModelConfig(
            alias=alias, model_name="scripted-model", api_key_var=key, base_url=self.url
        )

    def described(self, alias: str = "scripted", key: str = KEY) -> Json:
        """The same as an entry of api_config.json."""
        return {
            alias: {
                "model_name": "scripted-model", "api_key_var": key,
                "base_url": self.url, "proxy_url": "",
            }
        }  # fmt: skip

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        asked = json.loads(await request.body())
        self.asked.append(asked)
        self.keys.append(request.headers.get("authorization", "").removeprefix("Bearer "))
        answer = self.script.pop(0) if self.script else self.then
        if answer is None:
            answer = fails(418, "The script has no more answers.")
        if not isinstance(answer, Answer):
            answer = answer(asked)
        if answer.hangs:
            await self.closing.wait()
        await _response(answer, bool(asked.get("stream")))(scope, receive, send)


def _response(answer: Answer, stream: bool) -> Response:
    if stream and answer.status == 200:
        return StreamingResponse(_events(answer), media_type="text/event-stream")
    text = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
    headers = {"content-type": "application/json", **answer.headers}
    if answer.drops:  # uvicorn cuts the connection where a body falls short of its length
        headers["content-length"] = str(len(text) + 10)
    return Response(text, status_code=answer.status, headers=headers)


async def _events(answer: Answer) -> AsyncIterator[str]:
    chunks = answer.pieces if answer.pieces is not None else pieces(answer.body)
    cut = answer.drops or not answer.ends
    for piece in chunks[: len(chunks) // 2] if cut else chunks:
        yield f"data: {piece if isinstance(piece, str) else json.dumps(piece)}\n\n"
    if answer.drops:
        raise ConnectionAbortedError("as the script says")
    yield "data: [DONE]\n\n"


def pieces(body: Json | str) -> tuple[Json, ...]:
    """A reply as chunks: texts cut in two, arguments too, the usage last."""
    assert isinstance(body, dict)
    (choice,) = body["choices"]
    deltas: list[Json] = [{"role": "assistant", "content": ""}]
    for name, text in choice["message"].items():
        if name not in ("role", "tool_calls") and isinstance(text, str):
            middle = len(text) // 2
            deltas += [{name: text[:middle]}, {name: text[middle:]}]
    for index, call in enumerate(choice["message"].get("tool_calls", ())):
        function, middle = call["function"], len(call["function"]["arguments"]) // 2
        first = {"name": function["name"], "arguments": function["arguments"][:middle]}
        rest = {"index": index, "function": {"arguments": function["arguments"][middle:]}}
        deltas.append({"tool_calls": [{**call, "index": index, "function": first}]})
        deltas.append({"tool_calls": [rest]})
    frame = {key: body[key] for key in ("id", "created", "model")}
    frame["object"] = "chat.completion.chunk"
    chunks = [
        {**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in deltas
    ]
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    chunks.append({**frame, "choices": [end]})
    if "usage" in body:
        chunks.append({**frame, "choices": [], "usage": body["usage"]})
    return tuple(chunks)


class _QuietUvicorn(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    async def main_loop(self) -> None:
        """Uvicorn's own looks ten times a second whether it is to end, and tests are many."""
        while not self.should_exit:  # noqa: ASYNC110 - a flag is all that uvicorn has
            await asyncio.sleep(0.005)


@asynccontextmanager
async def scripted_endpoint(
    *script: Scripted, then: Scripted | None = None
) -> AsyncIterator[ScriptedEndpoint]:
    """The server for as long as the block lasts. After *script* it answers with *then*, and
    without one refuses (HTTP 418)."""
    listener = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    server = ScriptedEndpoint(url, list(script), then)
    config = uvicorn.Config(
        server, log_level="critical", access_log=False, lifespan="off", interface="asgi3",
        ws="none", timeout_graceful_shutdown=2, date_header=False,
    )  # fmt: skip
    running = _QuietUvicorn(config)
    task = asyncio.create_task(running.serve(sockets=[listener]))
    try:
        yield server
    finally:
        server.closing.set()
        running.should_exit = True
        await task


@contextmanager
def scripted_server(
    *script: Scripted, then: Scripted | None = None
) -> Generator[ScriptedEndpoint, None, None]:
    """The same in a thread of its own, for what runs an event loop itself."""
    opened: Future[tuple[ScriptedEndpoint, asyncio.Event]] = Future()

    async def serve() -> None:
        async with scripted_endpoint(*script, then=then) as server:
            over = asyncio.Event()
            opened.set_result((server, over))
            await over.wait()

    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        server, over = opened.result(timeout=30)
        try:
            yield server
        finally:
            loop.call_soon_threadsafe(over.set)
    finally:
        thread.join(timeout=30)
        loop.close()


def closed_port() -> str:
    """The address of a server that is not there."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
