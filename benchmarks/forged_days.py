"""The genuine submissions that `forged_bundles.py` forges, and the agents that work them.

    scenarios, agents ──run──► folder ──write_bundle──► Genuine: benchmark file, entries

A leaderboard never accepts some of them, such as the oracle's. They are packed nevertheless,
because forged copies of them must not be accepted either.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from trainee_bench.harness.cli import app
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.turns import Thought, ToolCall
from trainee_bench.harness.submissions.bundle import SubmissionInfo, write_bundle

INFO = SubmissionInfo(name="Forger", about="It forges.", contact="me@example.org")
_RULE = "kb_fix.easy"


class Busy:
    """Agent that makes sound and unsound calls, asks a colleague, writes a file, thinks and
    spends."""

    async def work(self, session: AgentSession) -> None:
        """Work for five turns."""
        spent = Thought(message="So.", prompt_tokens=120, completion_tokens=7, cost_usd=0.25)
        await session.turn([ToolCall("desk_tasks"), ToolCall("desk_now")], spent)
        people = await session.call("chat_list_people")
        listed = people.data["people"] if people.data else []
        assert isinstance(listed, list) and isinstance(listed[0], dict)
        text = "Could you please tell me who owns the page?"
        await session.call("chat_send_message", to=listed[0]["id"], text=text)
        notes: list[ToolCall] = [
            ToolCall("files_write", {"path": "workspace:/notes.txt", "text": "Nobody knew."}),
            ToolCall("no_such_tool", {"x": 1}),
            ToolCall("files_read", {"path": "workspace:/missing.txt"}),
            ToolCall("desk_now"),
        ]
        await session.turn(notes, Thought(message="Now for the file.", reasoning="It is short."))
        await session.turn([])


class Shell(Busy):
    """Agent that runs a command as well."""

    async def work(self, session: AgentSession) -> None:
        """Run one command, and be busy."""
        await session.call("terminal_run_shell", command="echo 3 > three.txt; cat three.txt")
        await super().work(session)


class Learning(Busy):
    """Agent that remembers its feedback."""

    memory = ""

    async def reflect(self, feedback: str) -> Sequence[Thought]:
        """Keep the feedback."""
        self.memory += f"{feedback}\n"
        return [Thought(message="I keep that.", prompt_tokens=5, completion_tokens=5)]


class Tired:
    """Agent that raises an exception after one call."""

    async def work(self, session: AgentSession) -> None:
        """Look at the clock, and raise an exception."""
        await session.call("desk_now")
        raise ValueError("too tired")


@dataclass(frozen=True)
class Genuine:
    """A submission as its archive has it: the entries by name.

    ``config`` is the benchmark of the leaderboard, and ``run`` the folder that it was packed from.
    """

    name: str
    config: Path
    run: Path
    entries: dict[str, bytes]


PROGRAM = """
import asyncio, json, sys
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

async def main(path):
    office = json.load(open(path))["mcpServers"]["office"]
    async with (
        httpx2.AsyncClient(headers=office["headers"]) as http,
        Client(streamable_http_client(office["url"], http_client=http)) as client,
    ):
        for tool in ("desk_tasks", "no_such_tool", "desk_finish_day"):
            await client.call_tool(tool, {})

asyncio.run(main(sys.argv[1]))
"""


def genuine_bundles(folder: Path) -> list[Genuine]:
    """Work the days of all submissions in *folder*, and pack them."""
    program = folder / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    command = f"{sys.executable} {program} {{mcp_config}} {{prompt_file}}"
    one, two = [_day("day_1")], [_day("day_1"), _day("day_2")]
    own = "forged_days:"
    return [
        _worked(folder, "nothing", one, {}, "--agent", "nothing"),
        _worked(folder, "busy", one, {}, "--agent", f"{own}Busy"),
        _worked(folder, "tired", one, {}, "--agent", f"{own}Tired", "--max-tokens", "100000"),
        _worked(folder, "program", one, {}, "--agent-command", command),
        _worked(folder, "learning", two, {}, "--agent", f"{own}Learning"),
        _worked(folder, "shell", one, {"tools": _TOOLS}, "--agent", f"{own}Shell"),
        _worked(folder, "week", two, {"week": True}, "--agent", f"{own}Busy"),
        _worked(folder, "oracle", one, {}, "--agent", "oracle"),
        _worked(folder, "several", one, {}, "--agent", "nothing", "--agent", f"{own}Busy"),
    ]


_TOOLS = ["calendar", "chat", "desk", "files", "mail", "terminal"]


def _day(name: str) -> dict[str, object]:
    return {"name": name, "tasks": [{"rule": _RULE}]}


def _worked(
    folder: Path, name: str, days: object, more: dict[str, object], *agents: str
) -> Genuine:
    config = folder / f"{name}.json"
    scenario = {"name": "one", "seed": 5, "days": days, **more}
    config.write_text(json.dumps({"name": "mine", "scenarios": [scenario]}), encoding="utf-8")
    out = folder / name
    done = CliRunner().invoke(
        app, ["run", "--config", str(config), *agents, "--out", str(out), "--max-concurrency", "1"]
    )
    assert done.exit_code == 0, (name, done.output, done.exception)
    packed, run = folder / f"{name}.zip", RunFolder.open(out)
    write_bundle(packed, run, run.plan(), INFO)
    with zipfile.ZipFile(packed) as archive:
        entries = {entry: archive.read(entry) for entry in archive.namelist()}
    return Genuine(name, config, out, entries)
