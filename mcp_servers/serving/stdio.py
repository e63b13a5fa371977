"""An MCP server over standard input and output, with lines of bounded length.

An invalid line is answered with an error, so that no client waits for its result.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any, BinaryIO, cast

import anyio
import mcp_types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from trainee_bench.mcp_servers.serving.messages import NoMessage, read_message

MAX_LINE_BYTES = 16 * 1024 * 1024
"""Maximum bytes of one message, as over HTTP. Without a bound, a client could fill the memory."""


LAST_SECONDS = 5.0
"""Seconds that pending requests have to finish after the client has closed standard input."""
CANCELLED = "notifications/cancelled"


class LineTooLong(Exception):
    """A line on standard input has more than `MAX_LINE_BYTES` bytes."""


class BoundedLines:
    """The lines of *source*; the input ends at a line that is too long."""

    def __init__(self, source: BinaryIO):
        self.too_long = False
        self._source = source

    def readline(self) -> bytes:
        """Return the next line, empty at the end."""
        line = self._source.readline(MAX_LINE_BYTES + 1)
        if len(line) > MAX_LINE_BYTES:
            self.too_long = True
            return b""
        return line


class _Unanswered:
    """The ids of requests that have arrived and are not answered yet."""

    def __init__(self) -> None:
        self._ids = set[int | str]()
        self._none = anyio.Event()

    def has_come(self, message: mcp_types.JSONRPCMessage) -> None:
        """Note a request, or that the client no longer waits for its answer."""
        if isinstance(message, mcp_types.JSONRPCRequest):
            self._ids.add(message.id)
        elif isinstance(message, mcp_types.JSONRPCNotification) and message.method == CANCELLED:
            self._settle((message.params or {}).get("requestId"))

    def has_gone(self, message: mcp_types.JSONRPCMessage) -> None:
        """Note an answer."""
        if isinstance(message, mcp_types.JSONRPCResponse | mcp_types.JSONRPCError):
            self._settle(message.id)

    async def wait(self) -> None:
        """Wait until every request is answered, but only some seconds."""
        with anyio.move_on_after(LAST_SECONDS):
            while self._ids:
                self._none = anyio.Event()
                await self._none.wait()

    def _settle(self, id: object) -> None:
        if isinstance(id, int | str):
            self._ids.discard(id)
        self._none.set()


async def _read(
    lines: BoundedLines,
    messages: MemoryObjectSendStream[SessionMessage | Exception],
    outgoing: Any,
    unanswered: _Unanswered,
) -> None:
    """Pass valid *lines* to the server as *messages*, and answer the others with an error.

    When the lines end, wait for *unanswered* requests: the server forgets them when the messages
    end.
    """
    async with messages, outgoing:
        while line := await anyio.to_thread.run_sync(lines.readline):
            if not line.strip():
                continue
            try:
                message = read_message(line)
            except NoMessage as no_message:
                await outgoing.send(SessionMessage(no_message.answer))
                continue
            unanswered.has_come(message)
            await messages.send(SessionMessage(message))
        await unanswered.wait()


async def _write(
    answers: MemoryObjectReceiveStream[SessionMessage], outgoing: Any, unanswered: _Unanswered
) -> None:
    """Pass on the server's *answers*."""
    async with answers, outgoing:
        async for answer in answers:
            await outgoing.send(answer)
            unanswered.has_gone(answer.message)


async def run_stdio(server: Server[Any]) -> None:
    """Serve until the client closes standard input. Raises LineTooLong.

    Meanwhile others, such as child processes, see an empty standard input.
    """
    private = os.dup(sys.stdin.fileno())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    # Never closed: a thread may still wait for a line when the transport has ended.
    lines = BoundedLines(os.fdopen(private, "rb", closefd=False))
    unused = anyio.wrap_file(cast("Any", io.StringIO()))
    unanswered = _Unanswered()
    give, messages = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    answer, answers = anyio.create_memory_object_stream[SessionMessage](0)
    async with stdio_server(stdin=unused) as (_, outgoing), anyio.create_task_group() as reading:
        reading.start_soon(_read, lines, give, outgoing.clone(), unanswered)
        reading.start_soon(_write, answers, outgoing, unanswered)
        try:
            await server.run(messages, answer, server.create_initialization_options())
        finally:
            sys.stdout.flush()  # a stray half line, while it still goes to standard error
        reading.cancel_scope.cancel()
    if lines.too_long:
        raise LineTooLong(f"A line on standard input has more than {MAX_LINE_BYTES:,} bytes.")
