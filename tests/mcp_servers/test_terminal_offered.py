"""Who is offered a terminal: days that name it, on machines that have a sandbox."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from mcp import Client

from tests.mcp_servers.processes import stdio, text
from tests.mcp_servers.sandbox.boxes import needs_bubblewrap
from tests.mcp_servers.terminal_days import a_day, seat_in, shell
from trainee_bench.mcp_servers import default_toolboxes, discover_toolboxes, terminal
from trainee_bench.mcp_servers.__main__ import main
from trainee_bench.mcp_servers.office import AppUnavailable, build_office_server
from trainee_bench.mcp_servers.sandbox.detection import SandboxProbe
from trainee_bench.mcp_servers.serving.schema import schema_size
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.world.world import World

NONE = SandboxProbe(None, ("bubblewrap: bwrap is not installed", "docker: no daemon"))


@pytest.fixture
def no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "find_sandbox", lambda: NONE)


def scenario_with(*tools: str) -> Scenario:
    return find_scenario().model_copy(update={"tools": tools or None})


async def staged(path: Path | None, *tools: str) -> World:
    return await create_world(path, scenario_with(*tools))


@needs_bubblewrap
async def test_a_day_that_names_it_offers_it() -> None:
    async with (
        await staged(None, "desk", "files", "terminal") as world,
        Client(await build_office_server(world)) as client,
    ):
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"terminal_run_shell", "terminal_run_python"} <= names
        done = await client.call_tool("terminal_run_shell", {"command": "echo $((6 * 7))"})
        assert text(done).startswith("42\n[08:01]")


@pytest.mark.usefixtures("no_sandbox")
async def test_a_day_that_does_not_name_it_is_the_same_with_or_without_a_sandbox() -> None:
    async with await staged(None) as world, Client(await build_office_server(world)) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
    assert names == {tool.name for box in default_toolboxes().values() for tool in box}
    assert "terminal" in discover_toolboxes() and "terminal" not in default_toolboxes()


@pytest.mark.usefixtures("no_sandbox")
@pytest.mark.parametrize("app", ["office", "terminal", "desk"])
async def test_without_a_sandbox_no_server_of_that_day_starts_and_says_why(app: str) -> None:
    async with await staged(None, "desk", "terminal") as world:
        with pytest.raises(
            AppUnavailable, match="bwrap is not installed.*no daemon.*apt-get install"
        ):
            await build_office_server(world, app=app)


@pytest.fixture
def terminal_day(tmp_path: Path) -> Path:
    """A day in a file that names the terminal."""

    async def stage() -> None:
        await (await staged(tmp_path / "day.world", "desk", "terminal")).close()

    asyncio.run(stage())
    return tmp_path / "day.world"


@pytest.mark.usefixtures("no_sandbox")
def test_the_command_line_refuses_such_a_day_in_words(
    terminal_day: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--world", str(terminal_day)])
    printed = capsys.readouterr()
    assert ended.value.code == 2 and printed.out == ""
    assert printed.err.startswith(
        "python -m mcp_servers: The terminal needs a sandbox, and none works"
    )
    assert "apt-get install bubblewrap" in printed.err and "Traceback" not in printed.err


@needs_bubblewrap
async def test_over_stdio_a_command_changes_the_world(tmp_path: Path) -> None:
    path = tmp_path / "day.world"
    await (await staged(path, "desk", "files", "terminal")).close()
    async with stdio("--world", path) as client:
        done = await client.call_tool("terminal_run_python", {"code": "open('x', 'w').write('1')"})
        assert "changed: workspace:/x" in text(done)
        read = await client.call_tool("files_read", {"path": "workspace:/x"})
        assert text(read).startswith("workspace:/x, lines 1-1 of 1:\n1")


@pytest.mark.usefixtures("no_sandbox")
async def test_a_seat_that_has_it_all_the_same_runs_nothing() -> None:
    async with await a_day() as world:
        done = await shell(seat_in(world), "echo hello")
        assert str(done.error) == "There is no terminal on this machine; use the other tools."


def test_with_the_terminal_the_office_stays_as_small_as_it_must() -> None:
    tools = [tool for box in discover_toolboxes().values() for tool in box]
    assert sum(schema_size(t.name, t.description(), t.input_schema) for t in tools) <= 32_000
    own = [tool for tool in tools if tool.app == "terminal"]
    assert sum(schema_size(t.name, t.description(), t.input_schema) for t in own) <= 1_000
    assert all(tool.minutes == 1 and tool.destructive for tool in own)
