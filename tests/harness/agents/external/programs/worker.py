"""An agent in a process of its own, written with the plain MCP SDK.

    python worker.py MCP_CONFIG PROMPT_FILE MODE TOOL[=JSON]...

MODE is ``auto`` or ``legacy``, the protocol era. Prints each answer's text. Some words are no
tools: ``!crash`` exits with 3, ``!hang`` never ends, ``!daemon`` leaves a process behind that left
the session, ``!keys`` prints what the environment and the configuration hold.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def act(client: Client, word: str) -> None:
    name, _, arguments = word.partition("=")
    result = await client.call_tool(name, json.loads(arguments or "{}"))
    print(f"{name}:", "failed" if result.is_error else "done", result.content[0].text, flush=True)


def misbehave(word: str, config: str) -> None:
    if word == "!crash":
        print("I am broken", file=sys.stderr, flush=True)
        os._exit(3)
    if word == "!daemon":
        subprocess.Popen(["sleep", sys.argv[-1]], start_new_session=True)
    if word == "!keys":
        print(sorted(os.environ), Path.cwd(), [file.name for file in Path().iterdir()], flush=True)
        print(dict(os.environ), Path(config).read_text(), flush=True)


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
            if word == "!hang":
                await asyncio.sleep(3600)
            elif word.startswith("!"):
                misbehave(word, config)
            elif not word.isdigit():
                await act(client, word)


asyncio.run(main())
