"""Server processes for tests: started as a user's MCP client starts them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryFile

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult, TextContent

ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def stdio(*arguments: str | Path, mode: str = "auto") -> AsyncIterator[Client]:
    """A client of ``python -m mcp_servers ARGUMENTS``."""
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "trainee_bench.mcp_servers", *map(str, arguments)],
        cwd=ROOT,
    )
    with TemporaryFile("w+", encoding="utf-8") as said:
        async with Client(stdio_client(parameters, errlog=said), mode=mode) as client:
            yield client
        said.seek(0)
        client.said_on_stderr = said.read()  # type: ignore[attr-defined]


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """``python -m mcp_servers ARGUMENTS`` with nobody on the other side."""
    return subprocess.run(
        [sys.executable, "-m", "trainee_bench.mcp_servers", *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def text(result: CallToolResult) -> str:
    """What a model would read of *result*."""
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))
