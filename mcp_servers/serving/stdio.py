"""An MCP server over standard input and output, with lines of bounded length.

A line that is no message is answered with an error, so that nobody waits for a result of it.
"""

from __future__ import annotations

import io
import os
import re
import sys
from typing import Any, BinaryIO, cast

import anyio
import mcp_types
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

MAX_LINE_BYTES = 16 * 1024 * 1024
"""Bytes of one message, as over HTTP. Without a bound, a client could fill the memory."""


class LineTooLong(Exception):
    """A line on standard input has more than `MAX_LINE_BYTES` bytes."""


class BoundedLines:
    """The lines of *source* as text; the input ends at one that is too long."""

    def __init__(self, source: BinaryIO):
        self.too_long = False
        self._source = source

    def readline(self) -> str:
        """The next line, "" at the end."""
        line = self._source.readline(MAX_LINE_BYTES + 1)
        if len(line) > MAX_LINE_BYTES:
            self.too_long = True
            return ""
        return line.decode("utf-8", errors="replace")


async def _read(
    lines: BoundedLines,
    messages: MemoryObjectSendStream[SessionMessage | Exception],
    outgoing: Any,
) -> None:
    """Hand the *lines* to the server as *messages*, and answer those that are none."""
    async with messages, outgoing:
        while line := await anyio.to_thread.run_sync(lines.readline):
            try:
                message = mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValidationError as error:
                if line.strip():
                    await outgoing.send(SessionMessage(_refusal(line, error)))
                continue
            await messages.send(SessionMessage(message))


def _refusal(line: str, error: ValidationError) -> mcp_types.JSONRPCError:
    """The answer to a *line* that is no message."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        code, why = mcp_types.PARSE_ERROR, f"The line cannot be read. {first['msg']}."
    else:
        code, why = mcp_types.INVALID_REQUEST, "The line is no message of JSON-RPC 2.0."
    return mcp_types.JSONRPCError(
        jsonrpc="2.0", id=message_id(line), error=mcp_types.ErrorData(code=code, message=why)
    )


def message_id(line: str) -> int | str | None:
    """The id in a *line* that may be cut, or nested too deeply to be read; None if it shows none.

    Only a name of the outermost object counts: arguments may have ids of their own.
    """
    depth = 0
    for piece in _PIECE.finditer(line):
        if piece["opens"]:
            depth += 1
        elif piece["closes"]:
            depth -= 1
        elif depth == 1 and piece["text"] == '"id"' and (found := _ID.match(line, piece.end())):
            return int(found["number"]) if found["number"] else found["name"]
    return None


_PIECE = re.compile(r'(?P<text>"(?:[^"\\]|\\.?)*+"?)|(?P<opens>[\[{])|(?P<closes>[\]}])', re.DOTALL)
"""A text, whole or cut at the end of its line, or a bracket."""
_ID = re.compile(
    r'[ \t]{0,9}:[ \t]{0,9}(?:(?P<number>-?[0-9]{1,18})[ \t]{0,9}[,}]|"(?P<name>[^"\\]{0,200})")'
)


async def run_stdio(server: Server[Any]) -> None:
    """Serve until the client closes standard input. Raises LineTooLong.

    Meanwhile standard input is empty for everybody else, such as child processes.
    """
    private = os.dup(sys.stdin.fileno())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    # Never closed: a thread may still wait for a line when the transport has ended.
    lines = BoundedLines(os.fdopen(private, "rb", closefd=False))
    unused = anyio.wrap_file(cast("Any", io.StringIO()))
    give, messages = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    async with stdio_server(stdin=unused) as (_, outgoing), anyio.create_task_group() as reading:
        reading.start_soon(_read, lines, give, outgoing.clone())
        try:
            await server.run(messages, outgoing, server.create_initialization_options())
        finally:
            sys.stdout.flush()  # a stray half line, while it still goes to standard error
        reading.cancel_scope.cancel()
    if lines.too_long:
        raise LineTooLong(f"A line on standard input has more than {MAX_LINE_BYTES:,} bytes.")
