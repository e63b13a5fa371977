"""The way from the tool server's process to the seat: a socket that only this user may open.

    tool server ──RolloutCall──► CallsSocket ──► OfficeSeat
                ◄──CallReply────

A connection carries one request and its reply, both as JSON.
"""

from __future__ import annotations

import asyncio
import base64
import os
import socket
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from weakref import WeakKeyDictionary

from pydantic import BaseModel, JsonValue, ValidationError

from trainee_bench.harness.environment.pool.day_pool import PoolClosed, WorkerLost
from trainee_bench.harness.integrations.verifiers.seat import OfficeSeat, RolloutWithoutDay

__all__ = [
    "AnsweredPicture",
    "CallReply",
    "CallsSocket",
    "OfferedTool",
    "RolloutCall",
    "SocketPathTooLong",
    "ask_seat",
    "socket_of",
]

_TELLABLE = (RolloutWithoutDay, WorkerLost, PoolClosed)


_PREFIX, _SOCKET_NAME = "trainee-bench-", "calls"
_MOST_BYTES = 103
"""The longest path of a socket, in bytes: 107 on Linux, less on other systems."""
SHORT_FOLDER = "/tmp"  # noqa: S108 - the folder in it that is used is new, and of this user alone


class SocketPathTooLong(OSError):
    """No folder for temporary files has a path that is short enough for a socket."""


class RolloutCall(BaseModel):
    """A call on the day of *rollout*; without a name, a request for its tools."""

    rollout: str
    name: str | None = None
    arguments: dict[str, JsonValue] = {}


class AnsweredPicture(BaseModel):
    """A picture of an answer, in base64."""

    mime_type: str
    data: str


class OfferedTool(BaseModel):
    """A tool of a day."""

    name: str
    description: str
    input_schema: dict[str, JsonValue]


class CallReply(BaseModel):
    """The answer to a request; with ``error`` it was not carried out."""

    text: str = ""
    failed: bool = False
    pictures: list[AnsweredPicture] = []
    tools: list[OfferedTool] = []
    error: str | None = None


class CallsSocket:
    """Serves *seat* on a socket of its own while the event loop runs.

    The socket is in the folder for temporary files, or in /tmp if the path of that folder is too
    long. Raises SocketPathTooLong.
    """

    def __init__(self, seat: OfficeSeat):
        self._seat = seat
        self._folder = _socket_folder()
        self.path = str(Path(self._folder.name) / _SOCKET_NAME)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._listener.bind(self.path)
            self._listener.listen(1_024)
        except OSError:
            self._listener.close()
            self._folder.cleanup()
            raise
        self._serving = asyncio.ensure_future(self._serve())

    def close(self) -> None:
        """Stop serving, and remove the socket."""
        self._serving.cancel()
        self._listener.close()
        self._folder.cleanup()

    async def _serve(self) -> None:
        server = await asyncio.start_unix_server(self._answer, sock=self._listener)
        async with server:
            await server.serve_forever()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            reply = await self._reply(await reader.read())
            writer.write(reply.model_dump_json().encode())
            await writer.drain()
        finally:
            writer.close()

    async def _reply(self, text: bytes) -> CallReply:
        try:
            request = RolloutCall.model_validate_json(text)
            if request.name is None:
                return self._tools(request.rollout)
            answer = await self._seat.call(request.rollout, request.name, request.arguments)
        except (*_TELLABLE, ValidationError) as error:
            return CallReply(error=str(error))
        pictures = [
            AnsweredPicture(
                mime_type=picture.mime_type, data=base64.b64encode(picture.data).decode()
            )
            for picture in answer.pictures
        ]
        return CallReply(text=answer.text, failed=answer.failed, pictures=pictures)

    def _tools(self, rollout: str) -> CallReply:
        offered = [
            OfferedTool(
                name=tool.name, description=tool.description, input_schema=dict(tool.input_schema)
            )
            for tool in self._seat.tools(rollout)
        ]
        return CallReply(tools=offered)


def _socket_folder() -> TemporaryDirectory[str]:
    """Make a folder that only this user may open, with a path short enough for a socket."""
    for parent in (gettempdir(), SHORT_FOLDER):
        made_name = Path(parent) / f"{_PREFIX}{'x' * 8}" / _SOCKET_NAME
        if len(os.fsencode(made_name)) <= _MOST_BYTES and Path(parent).is_dir():
            return TemporaryDirectory(prefix=_PREFIX, dir=parent)
    raise SocketPathTooLong(
        f"the path of the folder for temporary files, {gettempdir()}, is too long for a socket: "
        "set TMPDIR to a folder whose path has less than 70 bytes"
    )


_SOCKETS = WeakKeyDictionary[OfficeSeat, str]()


def socket_of(seat: OfficeSeat) -> str:
    """Return the path of the socket of *seat*, which is served from the first request on."""
    if seat not in _SOCKETS:
        served = CallsSocket(seat)
        seat.closing.append(served.close)
        _SOCKETS[seat] = served.path
    return _SOCKETS[seat]


async def ask_seat(path: str, request: RolloutCall) -> CallReply:
    """Return the reply to *request* of the seat whose socket is at *path*. Raises OSError."""
    reader, writer = await asyncio.open_unix_connection(path)
    try:
        writer.write(request.model_dump_json().encode())
        writer.write_eof()
        return CallReply.model_validate_json(await reader.read())
    finally:
        writer.close()
