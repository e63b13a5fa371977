"""An agent in a process of its own, written with the plain MCP SDK.

    python worker.py MCP_CONFIG PROMPT_FILE MODE TOOL[=JSON]...

MODE is ``auto`` or ``legacy``, the protocol era. Prints each answer's text.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def act(client: Client, word: str) -> None:
    name, _, arguments = word.partition("=")
    result = await client.call_tool(name, json.loads(arguments or "{}"))
    print(f"{name}:", "failed" if result.is_error else "done", result.content[0].text, flush=True)


async def main() -> None:
    config, prompt, mode, *words = sys.argv[1:]
    (server,) = json.loads(Path(config).read_text())["mcpServers"].values()
    print(f"told {len(Path(prompt).read_text())} characters", flush=True)
    async with (
        httpx2.AsyncClient(headers=server["headers"], trust_env=False) as http,
        Client(streamable_http_client(server["url"], http_client=http), mode=mode) as client,
    ):
        print("offered", *(tool.name for tool in (await client.list_tools()).tools), flush=True)
        for word in words:
            await act(client, word)


asyncio.run(main())
