"""Play recorded calls to an MCP server: the solution of an exported task.

    python3 play.py calls.jsonl http://office:8000/mcp

Each line of the file is ``{"tool": NAME, "args": {…}}``. An exported task has a copy of this file,
which runs in the agent's container: it needs only Python 3.9.
"""

from __future__ import annotations

import json
import sys
import urllib.request
from itertools import count
from pathlib import Path
from typing import Any

PROTOCOL = "2025-06-18"
_SECONDS = 120
_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
}


class SolutionClient:
    """A client of the MCP server at *url* over streamable HTTP."""

    def __init__(self, url: str):
        self._url = url
        self._headers = dict(_HEADERS)
        self._numbers = count(1)

    def open(self) -> None:
        """Agree with the server on a protocol version."""
        chosen = self._request(
            "initialize",
            {
                "protocolVersion": PROTOCOL,
                "capabilities": {},
                "clientInfo": {"name": "solution", "version": "1"},
            },
        )
        self._headers["MCP-Protocol-Version"] = chosen["protocolVersion"]
        self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, arguments: Any) -> Any:
        """Return the result of a call, even if the tool refuses it. Raises RuntimeError if the
        server answers with a protocol error."""
        return self._request("tools/call", {"name": tool, "arguments": arguments})

    def _request(self, method: str, params: Any) -> Any:
        number = next(self._numbers)
        answer = self._post({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error'].get('message')}")
        return answer["result"]

    def _post(self, message: Any) -> Any:
        request = urllib.request.Request(  # noqa: S310 -- the address comes from the task
            self._url, json.dumps(message).encode(), self._headers
        )
        with urllib.request.urlopen(request, timeout=_SECONDS) as response:  # noqa: S310
            session = response.headers.get("Mcp-Session-Id")
            if session:
                self._headers["Mcp-Session-Id"] = session
            return _message(response.headers.get_content_type(), response.read().decode())


def _message(kind: str, body: str) -> Any:
    """Return the JSON of a response, which may be the last event of a stream; {} if there is
    none."""
    if kind == "text/event-stream":
        events = [line[len("data:") :] for line in body.splitlines() if line.startswith("data:")]
        body = events[-1] if events else ""
    return json.loads(body) if body.strip() else {}


def main(calls: str, url: str) -> None:
    """Make the calls in the file *calls* in order, and print each answer."""
    client = SolutionClient(url)
    client.open()
    for line in Path(calls).read_text(encoding="utf-8").splitlines():
        call = json.loads(line)
        result = client.call(call["tool"], call["args"])
        texts = [block["text"] for block in result["content"] if block["type"] == "text"]
        refused = "(refused) " if result.get("isError") else ""
        sys.stdout.write(f"{call['tool']}: {refused}{' '.join(' '.join(texts).split())[:200]}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
