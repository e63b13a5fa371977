"""The servers that `odd_calls.py` calls over stdio and HTTP, and invalid messages to them.

Each server is a separate process with one world's file. This module writes messages byte by byte,
because no client would send them.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
import random
import select
import socket
import subprocess
import sys
import time
import urllib.parse
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

ROOT = Path(__file__).parent.parent
LIMIT, START_LIMIT = 120.0, 900.0
"""Limits in seconds for an answer and for a server's first answer, on a shared machine."""
LEGACY, MODERN = "2025-11-25", "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "odd calls", "version": "1"},
}
Json = dict[str, Any]


class Silent(Exception):
    """No answer came in time, or the server ended."""


def request(id: Any, name: Any, arguments: Any, *, modern: bool = False) -> Json:
    params = {"name": name, "arguments": arguments}
    if modern:
        params["_meta"] = META
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


class Wire(Protocol):
    """A server in another process."""

    process: subprocess.Popen[bytes]
    name: str

    def call(self, name: str, arguments: Json) -> Json:
        """The answer to a valid request."""

    def malformed(self, rng: random.Random) -> list[str]:
        """Send an invalid request; return the faults of the answer."""

    def close(self) -> list[str]:
        """End the server; return the faults of its end."""


@dataclass(frozen=True)
class Surroundings:
    """The folders of a server: its world's file, and the files that must not change."""

    world: Path
    home: Path
    temporary: Path

    def temporary_file(self) -> BinaryIO:
        return (self.world.parent.parent / "said").open("w+b")

    def start(self, *arguments: str, **pipes: Any) -> subprocess.Popen[bytes]:
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        command = [sys.executable, "-m", "trainee_bench.mcp_servers", *arguments]
        command += ["--world", str(self.world), "--results", "structured"]
        return subprocess.Popen(command, cwd=self.home, env=environment, **pipes)


class StdioWire:
    """The server over standard input and output."""

    name = "stdio"

    def __init__(self, where: Surroundings):
        self.said = where.temporary_file()
        self.process = where.start(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said)
        self._rest = b""
        self._next = 0
        hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": META_CLIENT}
        greeting = {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello}
        self._ask(greeting, START_LIMIT)
        self._send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def call(self, name: str, arguments: Json) -> Json:
        self._next += 1
        return self._ask(request(self._next, name, arguments))

    def malformed(self, rng: random.Random) -> list[str]:
        self._next += 1
        line, id = no_request(rng, self._next)
        if b"\n" in line or not line.strip():
            line = b"5"
            id = None
        self._send(line + b"\n")
        self._send(b'{"jsonrpc":"2.0","id":"after","method":"ping"}\n')
        answers = []
        while (answer := self._answer()).get("id") != "after":
            answers.append(answer)
        return wrong_answers(line, id, answers)

    def close(self) -> list[str]:
        assert self.process.stdin is not None
        half = b'{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"desk_'
        self.process.stdin.write(half)
        self.process.stdin.close()
        wrong = []
        try:
            answer = self._answer()
            if answer.get("id") != 77 or "error" not in answer:
                wrong.append(f"half a line at the end: {answer}")
        except Silent:
            wrong.append("half a line at the end: silence")
        wrong += ended(self.process, self.said)
        return wrong

    def _ask(self, message: Json, limit: float = LIMIT) -> Json:
        self._send(json.dumps(message).encode() + b"\n")
        answer = self._answer(limit)
        if answer.get("id") != message["id"]:
            raise Silent(f"the answer to {message['id']} has another id: {str(answer)[:300]}")
        return answer

    def _send(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def _answer(self, limit: float = LIMIT) -> Json:
        assert self.process.stdout is not None
        until = time.monotonic() + limit
        while b"\n" not in self._rest:
            if not select.select([self.process.stdout], [], [], max(0, until - time.monotonic()))[
                0
            ]:
                raise Silent(f"no answer over stdio in {limit} s")
            more = os.read(self.process.stdout.fileno(), 1 << 20)
            if not more:
                raise Silent(f"the server ended; left: {self._rest[:200]!r}")
            self._rest += more
        line, self._rest = self._rest.split(b"\n", 1)
        found: Json = json.loads(line)
        return found


META_CLIENT = {"name": "odd calls", "version": "1"}


class HttpWire:
    """The server over streamable HTTP, in the old or the new revision."""

    name = "http"

    def __init__(self, where: Surroundings, *, modern: bool):
        self.process = where.start("--http", "127.0.0.1:0", stderr=subprocess.PIPE)
        assert self.process.stderr is not None
        url = self.process.stderr.readline().decode().removeprefix("Serving ").strip()
        self._bearer = self.process.stderr.readline().decode().partition(": ")[2].strip()
        self._url = urllib.parse.urlsplit(url)
        self._modern = modern
        self._next = 0
        self._kept: list[socket.socket] = []
        self._connect()

    def _connect(self) -> None:
        host, port = self._url.hostname or "", self._url.port
        self._connection = http.client.HTTPConnection(host, port, timeout=LIMIT)

    def call(self, name: str, arguments: Json) -> Json:
        self._next += 1
        message = request(self._next, name, arguments, modern=self._modern)
        status, answer = self._post(json.dumps(message).encode(), self._headers(name))
        if answer is None or answer.get("id") != self._next:
            raise Silent(f"{status} for {name}: {str(answer)[:300]}")
        return answer

    def _headers(self, name: str = "desk_now") -> dict[str, str]:
        found = {
            "Authorization": self._bearer,
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "MCP-Protocol-Version": MODERN if self._modern else LEGACY,
        }
        if self._modern:
            found |= {"Mcp-Method": "tools/call", "Mcp-Name": header_text(name)}
        return found

    def _post(self, body: bytes, headers: dict[str, str]) -> tuple[int, Json | None]:
        for again in (True, False):
            try:
                self._connection.request("POST", self._url.path, body, headers)
                answer = self._connection.getresponse()
                text = answer.read()
                break
            except TimeoutError as error:
                raise Silent(f"no answer over HTTP in {LIMIT} s") from error
            except (http.client.HTTPException, ConnectionError) as error:
                self._connection.close()  # an idle connection may be closed at any time
                self._connect()
                if not again:
                    raise Silent(f"the connection broke: {error!r}") from error
        try:
            return answer.status, json.loads(text) if text else None
        except ValueError:
            return answer.status, {"text": text.decode(errors="replace")}

    def malformed(self, rng: random.Random) -> list[str]:
        if rng.random() < 0.15:
            return self._half_open(rng)
        self._next += 1
        body, id = no_request(rng, self._next)
        headers = self._headers()
        if rng.random() < 0.2:
            name = rng.choice(list(headers))
            headers[name] = rng.choice(("", "x" * 5_000, "text/plain", "\x01", "2025-11-25", "é"))
            id = None
        status, answer = self._post(body, headers)
        if status < 300 and answer is None and b'"id"' not in body:
            return []  # a notification, to which nobody awaits an answer
        if status < 400 and answer is not None and "error" not in answer:
            return wrong_answers(body, id, [answer])
        if answer is None:
            # The header alone says what was wrong: 405, 406, or another version's rules.
            return [] if status in (405, 406) else [f"{status} without a word for {body[:200]!r}"]
        if "jsonrpc" not in answer:
            said = json.dumps(answer)
            return (
                []
                if status in (400, 401, 403, 413, 421)
                else [f"{status} {said} for {body[:99]!r}"]
            )
        return wrong_answers(body, id, [answer])

    def _half_open(self, rng: random.Random) -> list[str]:
        """Send half a request and leave the connection open, or something that is not HTTP."""
        made = socket.create_connection((self._url.hostname, self._url.port), timeout=LIMIT)
        head = f"POST {self._url.path} HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n".encode()
        half = rng.choice(
            (b"", b"P", head, head + b"\r\n", head + b'\r\n{"id"', b"\0" * 99, b"\x16\x03\x01" * 30)
        )
        made.sendall(half)
        self._kept.append(made)
        if len(self._kept) > 40:
            self._kept.pop(0).close()
        return []

    def close(self) -> list[str]:
        for kept in self._kept:
            kept.close()
        self._connection.close()
        self.process.terminate()
        return ended(self.process, self.process.stderr)


def header_text(name: str) -> str:
    """*name* as the header of the new revision has it."""
    if name.isascii() and name.isprintable() and name == name.strip() and len(name) < 4_000:
        return name
    return f"=?base64?{base64.b64encode(name.encode()).decode()}?="


def ended(process: subprocess.Popen[bytes], said: Any) -> list[str]:
    """Return the faults in the end of *process*, which has been asked to end."""
    try:
        code = process.wait(LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        return ["the server did not end"]
    if said.seekable():
        said.seek(0)
    text = said.read().decode(errors="replace")
    return [f"the server ended with {code}: {text[-1500:]}"] if code or text else []


def no_request(rng: random.Random, number: int) -> tuple[bytes, Any]:
    """The bytes of an invalid request, and the id that can be read in it."""
    id: Any = rng.choice((number, f"n-{number}"))
    sound = json.dumps(request(id, "desk_write_note", {"text": "a note"}))
    value = rng.choice(('"\\ud800"', "9" * 5_000, "[" * 300 + "]" * 300, "nul", "tru", '"\x01"'))
    spoilt = sound.replace('"a note"', value)
    params = sound.partition('"params": ')[2][:-1]
    beside: list[tuple[str, Any]] = [
        (spoilt, id),
        (spoilt, id),
        (sound[: rng.randint(sound.index('"method"'), len(sound) - 2)], id),
        (sound[: rng.randint(1, 10)], None),
        (sound + "}", id),
        (sound + sound, id),
        (sound.replace('"2.0"', rng.choice(('"1.0"', "2", "null"))), id),
        (sound.replace('"tools/call"', rng.choice(("5", "null", "[]", '"no/such"', '""'))), id),
        (sound.replace(params, rng.choice(("[]", "null", "3", '"x"', "{}", '{"name": 5}'))), id),
        (sound.replace('{"text": "a note"}', rng.choice(("[]", "3", '"{}"', '"text"'))), id),
        (sound.replace('"desk_write_note"', rng.choice(("5", "null", "[]", "{}"))), id),
        (sound.replace(json.dumps(id), rng.choice(("null", "1.5", "true", "[1]", "{}"))), None),
        (f"[{sound}]", None),
        (rng.choice(("5", "null", "[]", "{}", '"x"', "\ufeff{}", "\0", "}{", "x" * 100_000)), None),
    ]
    text, known = rng.choice(beside)
    body = text.encode()
    if rng.random() < 0.05:
        return body[:20] + b"\xff\xfe\xc3" + body[20:], None
    return body, known


FORBIDDEN_HERE = ("pydantic", "ValidationError", "Traceback", "validation error", "JSONRPCRe")


def wrong_answers(body: bytes, id: Any, answers: list[Json]) -> list[str]:
    """Return the faults in the *answers* to *body*, which is not a valid request."""
    short = body[:160]
    if not answers:
        return [f"silence after {short!r}"]
    answer = answers[0]
    if len(answers) > 1:
        return [f"{len(answers)} answers to {short!r}"]
    if "error" not in answer:
        if (answer.get("result") or {}).get("isError"):
            return []
        return [f"{str(answer)[:200]} for {short!r}"]
    said = json.dumps(answer["error"])
    if any(word in said for word in FORBIDDEN_HERE):
        return [f"the answer tells of our own code: {said[:300]} for {short!r}"]
    if id is not None and answer.get("id") != id:
        return [f"the id {id!r} is not that of {str(answer)[:200]} for {short!r}"]
    return []
