"""A client is a separate program that gets an office, a model, and nothing else of ours."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar

import pytest

from trainee_bench.harness.parity.check import ShownText, check_script
from trainee_bench.harness.parity.client_door import (
    ClientDoor,
    ClientTask,
    ClientTransport,
    ProgramDoor,
)
from trainee_bench.harness.parity.door import Door, DoorFailed, DoorUnavailable
from trainee_bench.harness.parity.doors.claude_code import ClaudeCodeDoor
from trainee_bench.harness.parity.script import ParityScript, parity_scripts

VALID, MALFORMED, PICTURE = parity_scripts()
AGENT = """
import asyncio, json, sys
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from openai import AsyncOpenAI

model, url, headers, *command = sys.argv[1:]

async def main():
    async with httpx2.AsyncClient(headers=json.loads(headers)) as http:
        if url:
            transport = streamable_http_client(url, http_client=http)
        else:
            transport = stdio_client(StdioServerParameters(command=command[0], args=command[1:]))
        async with Client(transport) as office, AsyncOpenAI(base_url=model, api_key="-") as asking:
            await work(office, asking)

async def work(office, asking):
    tools = [
        {"type": "function", "function": {"name": tool.name, "parameters": tool.input_schema}}
        for tool in (await office.list_tools()).tools
    ]
    messages = [{"role": "user", "content": "Work."}]
    while True:
        asked = {"model": "any", "messages": messages, "tools": tools}
        said = (await asking.chat.completions.create(**asked)).choices[0].message
        messages.append(said.model_dump(exclude_none=True))
        if not said.tool_calls:
            return print(said.content)
        (call,) = said.tool_calls
        given = json.loads(call.function.arguments)
        result = await office.call_tool(call.function.name, given)
        text = "".join(block.text for block in result.content if block.type == "text")
        messages.append({"role": "tool", "tool_call_id": call.id, "content": text})

asyncio.run(main())
"""


class PlainDoor(ClientDoor):
    """The SDKs for MCP and for models, and a loop."""

    name: ClassVar[str] = "plain"

    def client(self, task: ClientTask) -> tuple[Sequence[str], Mapping[str, str]]:
        office = task.office
        where = [office.url, json.dumps(dict(office.headers)), *office.command]
        return [sys.executable, "-c", AGENT, f"{task.model}/v1", *where], {}


class PlainHttpDoor(PlainDoor):
    """The same over HTTP."""

    transport: ClassVar[ClientTransport] = ClientTransport.HTTP


class TalkingDoor(ClientDoor):
    """A client that prints something and does nothing."""

    name: ClassVar[str] = "talking"
    code: ClassVar[int] = 0

    def client(self, task: ClientTask) -> tuple[Sequence[str], Mapping[str, str]]:
        program = f"import os, sys; print(*sorted(os.environ)); print('Hi'); sys.exit({self.code})"
        return [sys.executable, "-c", program], {"OWN": "1"}


class FailingDoor(TalkingDoor):
    """The same, and it fails."""

    code: ClassVar[int] = 7


class InstalledDoor(ProgramDoor):
    """A library that is installed here."""

    name: ClassVar[str] = "installed"
    packages: ClassVar[tuple[str, ...]] = ("trainee-bench",)


@pytest.mark.sweep
@pytest.mark.parametrize("door", [PlainDoor(), PlainHttpDoor()])
@pytest.mark.parametrize("script", [VALID, MALFORMED])
def test_a_plain_client_brings_every_call_to_the_office(door: Door, script: ParityScript) -> None:
    outcome = check_script(door, script)
    assert outcome.problem == ""
    assert outcome.refused == ()
    assert outcome.shown is ShownText.AS_IT_IS


def test_a_client_that_does_nothing_is_reported_with_its_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "of the user")
    with pytest.raises(DoorFailed, match=r"(?s)was shown no result.*OWN.*Hi") as told:
        TalkingDoor().play(PICTURE, tmp_path)
    assert "ANTHROPIC_API_KEY" not in str(told.value)


def test_a_client_that_fails_is_reported_with_its_exit_code(tmp_path: Path) -> None:
    with pytest.raises(DoorFailed, match=r"(?s)exit code 7.*Hi"):
        FailingDoor().play(PICTURE, tmp_path)


def test_a_library_is_looked_for_in_the_doors_own_environment(tmp_path: Path) -> None:
    assert InstalledDoor().versions() == {"trainee-bench": version("trainee-bench")}
    file = InstalledDoor.file()
    (tmp_path / file / "bin").mkdir(parents=True)
    (tmp_path / file / "bin" / "python").symlink_to(sys.executable)
    with pytest.raises(DoorUnavailable, match="trainee-bench is not installed in its environment"):
        InstalledDoor(tmp_path).versions()


def test_a_command_line_is_looked_for_where_npm_puts_it(tmp_path: Path) -> None:
    with pytest.raises(DoorUnavailable, match="claude needs --environments FOLDER"):
        ClaudeCodeDoor().versions()
    with pytest.raises(DoorUnavailable, match="claude-code is not in its environment"):
        ClaudeCodeDoor(tmp_path).versions()
    package = tmp_path / "claude_code" / "node_modules" / "@anthropic-ai" / "claude-code"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"version": "2.1.330"}')
    assert ClaudeCodeDoor(tmp_path).versions() == {"@anthropic-ai/claude-code": "2.1.330"}
