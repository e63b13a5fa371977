"""``python -m mcp_servers`` over stdio: what it serves, to whom, and what it refuses to do."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pytest

from tests.mcp_servers.processes import ROOT, run, stdio, text
from trainee_bench.mcp_servers.__main__ import main
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.world.world import World

BENCHMARK = (
    '{"name": "mine", "scenarios": [{"name": "one", "tools": ["chat", "desk", "files"], '
    '"days": [{"tasks": [{"rule": "kb_fix.easy"}]}]}]}'
)


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """The quickstart's first day in a file."""
    await (await create_world(tmp_path / "day.world", find_scenario())).close()
    return tmp_path / "day.world"


# that servers speak the older revision, every test on the bare wire sees, too
@pytest.mark.parametrize(
    "mode, revision",
    [("auto", "2026-07-28"), pytest.param("legacy", "2025-11-25", marks=pytest.mark.sweep)],
)
async def test_the_office_is_served_in_both_revisions(path: Path, mode: str, revision: str) -> None:
    async with stdio("--world", path, mode=mode) as client:
        assert client.protocol_version == revision
        assert client.server_info is not None and client.server_info.name == "office"
        assert (client.instructions or "").startswith("You are Robin Hale")
        assert len((await client.list_tools()).tools) > 50
        tasks = await client.call_tool("desk_tasks")
        refused = await client.call_tool("desk_tasks", {"day": 3})
        written = await client.call_tool(
            "files_write", {"path": "workspace:/a.txt", "text": "žluťoučký 🏴‍☠️\n"}
        )
    assert text(tasks).startswith("T1 · ") and not written.is_error
    assert refused.is_error and "no argument 'day'" in text(refused)
    async with await World.open(path) as world:
        tools = [entry.tool for entry in await world.log()]
    assert tools == ["desk_tasks", "desk_tasks", "files_write"]
    assert [file.name for file in path.parent.iterdir()] == ["day.world"]


async def test_results_are_served_as_text_unless_programs_ask_for_data(path: Path) -> None:
    shown = []
    for options in ((), ("--results", "structured")):
        async with stdio("desk", "--world", path, *options) as client:
            tools = (await client.list_tools()).tools
            shown.append((await client.call_tool("desk_tasks"), tools))
    (plain, bare), (both, typed) = shown
    assert plain.structured_content is None and text(plain).startswith("T1 · ")
    assert all(tool.output_schema is None for tool in bare)
    assert both.structured_content is not None and "data" in both.structured_content
    assert all(tool.output_schema is not None for tool in typed)
    assert [tool.input_schema for tool in bare] == [tool.input_schema for tool in typed]


async def test_the_verifier_is_served_alone(path: Path) -> None:
    async with stdio("verifier", "--world", path) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        grade = await client.call_tool("verifier_grade")
    assert names == ["verifier_grade", "verifier_feedback"]
    assert grade.structured_content is not None and grade.structured_content["score"] == 0


@pytest.mark.sweep  # in the quick round, test_office.py seats somebody else
@pytest.mark.parametrize("named_by", ["email", "id"])
async def test_another_employee_may_be_served(path: Path, named_by: str) -> None:
    async with await World.open(path) as world:
        person = await world.read(lambda tx: tx.row("SELECT * FROM person ORDER BY id"))
    assert person is not None
    async with stdio("desk", "--world", path, "--as", person[named_by]) as client:
        assert person["name"] in (client.instructions or "")
        await client.call_tool("desk_now")
    async with await World.open(path) as world:
        assert [entry.actor for entry in await world.log()] == [person["id"]]


async def test_without_a_world_the_quickstart_is_staged_and_can_be_taken_up_where_it_stands() -> (
    None
):
    async with stdio() as client:
        first = text(await client.call_tool("desk_tasks"))
        await client.call_tool("desk_wait", {"until": "09:00", "wake": False})
    said = client.said_on_stderr  # type: ignore[attr-defined]
    assert said.startswith("Created the world ") and said.count("\n") == 1
    staged = Path(said.removeprefix("Created the world ").strip())
    assert staged.name == "first_day.world"
    async with await World.open(staged) as world:
        assert len(await world.log()) == 2
    async with stdio("--world", staged, "--scenario", "first_day") as client:
        assert "09:01" in text(await client.call_tool("desk_now"))
        assert text(await client.call_tool("desk_tasks")).split("[")[0] == first.split("[")[0]
    assert client.said_on_stderr == ""  # type: ignore[attr-defined]
    staged.unlink()
    staged.parent.rmdir()


@pytest.mark.parametrize(
    "apps",
    [
        pytest.param(("desk", "mail"), id="2", marks=pytest.mark.sweep),
        pytest.param(("desk", "mail", "files"), id="3", marks=pytest.mark.sweep),
    ],
)
async def test_several_apps_are_served_alone_from_one_world_that_is_staged_once(
    tmp_path: Path, apps: tuple[str, ...]
) -> None:
    path = tmp_path / "shared.world"

    async def work(app: str) -> str:
        async with stdio(app, "--world", path, "--scenario", "a_slow_morning") as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
        assert names and all(name.startswith(f"{app}_") for name in names)
        return str(client.said_on_stderr)  # type: ignore[attr-defined]

    said = await asyncio.gather(*(work(app) for app in apps))
    assert said.count("") == len(apps) - 1 and "".join(said).count("Created the world") == 1
    assert [file.name for file in tmp_path.iterdir()] == ["shared.world"]
    async with await World.open(path) as world:
        there = json.loads(await world.read(lambda tx: tx.fact("scenario")))
    assert there["scenario"]["name"] == "a_slow_morning"


@pytest.mark.parametrize(
    "times", [1, pytest.param(2, marks=pytest.mark.sweep)], ids=["created", "then opened"]
)
async def test_a_day_of_ones_own_is_created_from_a_benchmark_file(
    tmp_path: Path, times: int
) -> None:
    config = tmp_path / "mine.json"
    config.write_text(BENCHMARK)
    for _ in range(times):
        async with stdio("--config", config, "--world", tmp_path / "my.world") as client:
            names = {tool.name.partition("_")[0] for tool in (await client.list_tools()).tools}
        assert names == {"chat", "desk", "files"}


def test_wrong_use_ends_with_2_and_says_what_would_be_right(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    junk = tmp_path / "junk.world"
    junk.write_text("no world")
    mine = tmp_path / "mine.json"
    mine.write_text(BENCHMARK)
    wrong = {
        ("fax",): "choose from 'calendar'",
        ("--http", "here"): "is not HOST:PORT, such as 127.0.0.1:8000",
        ("--http", "127.0.0.1:99999"): "is not HOST:PORT",
        ("--http", "127.0.0.1:0", "--path", "mcp"): "'mcp' is not a URL path, such as /mcp",
        ("--http", "127.0.0.1:0", "--path", "/readyz"): "is an address for operators",
        ("--path", "/mcp"): "--drain-seconds need --http HOST:PORT",
        ("--no-token",): "--path, --no-token, --token-file and --drain-seconds need --http",
        ("--token-file", mine): "--drain-seconds need --http HOST:PORT",
        ("--drain-seconds", "9"): "--drain-seconds need --http HOST:PORT",
        ("--http", "127.0.0.1:0", "--drain-seconds", "-1"): "is not a number of seconds",
        ("--http", "127.0.0.1:0", "--token-file", mine, "--no-token"): "exclude each other",
        ("--http", "127.0.0.1:0", "--token-file", tmp_path / "none"): "No such file",
        ("--http", "127.0.0.1:0", "--token-file", mine): "a token has at least 16 letters",
        ("--results", "yaml"): "choose from 'text', 'structured'",
        ("--colour=blue",): "unrecognized arguments: --colour=blue",
        ("--scenario", "doomsday"): "it has first_day, minutes_and_links, a_slow_morning",
        ("--config", tmp_path / "none.json"): "No such file",
        ("--config", junk): "Invalid JSON",
        ("--config", mine, "--scenario", "first_day"): "mine has no scenario 'first_day'",
        ("--world", path, "terminal"): "offers the apps that it names among its tools",
        ("--world", path, "--as", "nobody"): "Nobody here is called 'nobody'",
        ("--world", path, "--scenario", "a_slow_morning"): "holds the scenario 'first_day'",
        ("--world", junk): "junk.world is not a world",
        ("--world", tmp_path): "There is no world file",
        ("--world", tmp_path / "no" / "day.world"): "There is no folder",
        ("--world", path, "--http", "192.0.2.1:80"): "choose another",
    }
    for arguments, said in wrong.items():
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        assert ended.value.code == 2, arguments
        printed = capsys.readouterr()
        assert said in printed.err and printed.out == "", printed.err
        assert printed.err.splitlines()[-1].startswith("python -m mcp_servers: ")


@pytest.mark.sweep
def test_wrong_use_of_the_program_says_so_without_a_traceback(tmp_path: Path) -> None:
    ended = run("--world", tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("python -m mcp_servers: There is no world file")
    assert ended.stderr.count("\n") == 1


def test_without_standard_input_nobody_can_be_served(path: Path) -> None:
    command = f"exec '{sys.executable}' -m mcp_servers --world '{path}' <&-"
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "start this from an MCP client" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.sweep  # in the quick round, clients leave after the handshake
def test_a_client_that_leaves_at_once_is_no_error(path: Path) -> None:
    ended = run("--world", path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.sweep)]
)
def test_a_server_that_is_told_to_stop_closes_its_world_and_ends(
    path: Path, number: signal.Signals
) -> None:
    with wire_to("-m", "trainee_bench.mcp_servers", "--world", str(path)) as wire:
        wire.process.send_signal(number)
    assert [file.name for file in path.parent.iterdir()] == ["day.world"]


def test_neither_what_is_printed_by_mistake_nor_lines_that_are_no_json_disturb_the_wire(
    path: Path,
) -> None:
    program = (
        "import functools, sys\n"
        "from trainee_bench.mcp_servers import desk, __main__ as main\n"
        "tool = desk.TOOLS._tools['desk_now']\n"
        "verb = tool.verb\n"
        "@functools.wraps(verb)\n"
        "def loud(turn):\n"
        "    print('hello, wire')\n"
        "    sys.stdout.write('and more')\n"
        "    return verb(turn)\n"
        "object.__setattr__(tool, 'verb', loud)\n"
        f"main.main(['desk', '--world', {str(path)!r}])\n"
    )
    with wire_to("-c", program) as wire:
        assert wire.ask("tools/call", NOW)["result"]["content"][0]["text"].startswith("Wednesday")
        for nonsense in (b"\xff\xfe nonsense", b"{}", b"[]", b"", b'{"jsonrpc": "2.0", "id": 7}'):
            wire.write(nonsense)
        assert "result" in wire.ask("tools/call", NOW)
    assert "hello, wire" in wire.said and "and more" in wire.said


NOW = {"name": "desk_now", "arguments": {}}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class Wire:
    """The bare wire to a server process. Every line from it must be a JSON-RPC message."""

    def __init__(self, process: subprocess.Popen[bytes]):
        self.process = process
        self.said = ""
        self._numbers = count(1)

    def write(self, line: bytes) -> None:
        """Send one line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: object) -> dict[str, Any]:
        """Send a request; its answer, other messages passed over."""
        assert self.process.stdout is not None
        number = next(self._numbers)
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.write(json.dumps(message).encode())
        while line := self.process.stdout.readline():
            answer: dict[str, Any] = json.loads(line)
            assert answer["jsonrpc"] == "2.0"
            if answer.get("id") == number:
                return answer
        raise EOFError("the server has ended")


@contextmanager
def wire_to(*arguments: str) -> Iterator[Wire]:
    """A server process after the handshake of 2025-11-25; it must end in good order."""
    with (
        TemporaryFile("w+", encoding="utf-8") as errors,
        subprocess.Popen(
            [sys.executable, *arguments],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        ) as process,
    ):
        wire = Wire(process)
        assert wire.ask("initialize", HELLO)["result"]["protocolVersion"] == "2025-11-25"
        wire.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        yield wire
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait(30) == 0
        errors.seek(0)
        wire.said = errors.read()


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="reads /dev/zero")
def test_a_line_without_end_is_refused_in_words_before_it_fills_the_memory(path: Path) -> None:
    command = [sys.executable, "-m", "trainee_bench.mcp_servers", "--world", str(path)]
    with Path("/dev/zero").open("rb") as endless:
        done = subprocess.run(command, cwd=ROOT, stdin=endless, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "A line on standard input has more than 16,777,216 bytes." in done.stderr


def test_a_client_that_leaves_without_reading_its_answer_is_no_error(path: Path) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "leaver", "version": "1"},
        },
    }
    command = [sys.executable, "-m", "trainee_bench.mcp_servers", "--world", str(path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe) as server:
        assert server.stdin and server.stdout and server.stderr
        server.stdout.close()
        server.stdin.write(json.dumps(hello).encode() + b"\n")
        server.stdin.close()
        said = server.stderr.read().decode()
    assert (server.returncode, said) == (0, "")
