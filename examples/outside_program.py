"""A separate program works a day over MCP; the harness gives it an address and a token.

    python examples/outside_program.py

Without arguments this script starts the harness with itself as the agent. With arguments it is
that agent: it imports nothing of Trainee-Bench, and could be written in any language.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def work(mcp_config: str, prompt_file: str) -> None:
    """The agent: connect, read the tasks, end the day."""
    print(Path(prompt_file).read_text(encoding="utf-8").splitlines()[0])
    server = json.loads(Path(mcp_config).read_text(encoding="utf-8"))["mcpServers"]["office"]
    async with (
        httpx2.AsyncClient(headers=server["headers"]) as http,
        Client(streamable_http_client(server["url"], http_client=http)) as client,
    ):
        for tool in ("desk_tasks", "desk_finish_day"):
            result = await client.call_tool(tool, {})
            print(result.content[0].text)


def run() -> None:
    """The harness: run this file on one day, then show its output."""
    out = Path(tempfile.mkdtemp()) / "run"
    agent = f"{sys.executable} {Path(__file__).resolve()} {{mcp_config}} {{prompt_file}}"
    command = ["-m", "trainee_bench.harness", "run", "--limit", "1", "--agent-command", agent]
    subprocess.run([sys.executable, *command, "--out", out], check=True)
    for log in (out / "logs").iterdir():
        print(log.read_text(encoding="utf-8"))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(work(*sys.argv[1:]))
    else:
        run()
