"""An MCP server over standard input and output, with lines of bounded length."""

from __future__ import annotations

import os
import sys
from typing import Any, BinaryIO, cast

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

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
    source = anyio.wrap_file(cast("Any", lines))
    async with stdio_server(stdin=source) as (incoming, outgoing):
        try:
            await server.run(incoming, outgoing, server.create_initialization_options())
        finally:
            sys.stdout.flush()  # a stray half line, while it still goes to standard error
    if lines.too_long:
        raise LineTooLong(f"A line on standard input has more than {MAX_LINE_BYTES:,} bytes.")
