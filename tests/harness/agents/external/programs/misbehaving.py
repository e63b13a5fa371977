"""An agent in a process of its own that speaks plain HTTP, and misbehaves; it needs no package.

    python misbehaving.py MCP_CONFIG TOOL[=JSON]...

Prints each answer's text. Some words are no tools: ``!crash`` exits with 3, ``!hang`` never ends,
``!daemon`` leaves a process behind that left the session, ``!keys`` prints what the environment
and the configuration hold. A last word of digits is how long that process sleeps.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import ProxyHandler, Request, build_opener


def act(word: str, config: str) -> None:
    (server,) = json.loads(Path(config).read_text())["mcpServers"].values()
    name, _, arguments = word.partition("=")
    call = {"name": name, "arguments": json.loads(arguments or "{}")}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    headers = {
        **server["headers"],
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": "2025-11-25",
    }
    request = Request(server["url"], json.dumps(message).encode(), headers)
    with build_opener(ProxyHandler({})).open(request) as response:
        lines = response.read().decode().splitlines()
    (answer,) = [line.removeprefix("data: ") for line in lines if "jsonrpc" in line]
    result = json.loads(answer)["result"]
    print(f"{name}:", "failed" if result.get("isError") else "done", end=" ")
    print(result["content"][0]["text"], flush=True)


def misbehave(word: str, config: str) -> None:
    if word == "!crash":
        print("I am broken", file=sys.stderr, flush=True)
        os._exit(3)
    if word == "!hang":
        time.sleep(3600)
    if word == "!daemon":
        subprocess.Popen(["sleep", sys.argv[-1]], start_new_session=True)
    if word == "!keys":
        print(sorted(os.environ), Path.cwd(), [file.name for file in Path().iterdir()], flush=True)
        print(dict(os.environ), Path(config).read_text(), flush=True)


def main() -> None:
    config, *words = sys.argv[1:]
    for word in words:
        if word.startswith("!"):
            misbehave(word, config)
        elif not word.isdigit():
            act(word, config)


main()
