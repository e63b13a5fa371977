"""Who is offered a terminal, and how its commands change the world: whole or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from pydantic import BaseModel, JsonValue

from tests.mcp_servers.processes import stdio, text
from tests.mcp_servers.sandbox.boxes import needs_bubblewrap
from tests.mcp_servers.terminal_days import (
    OPENING,
    PICTURE,
    a_day,
    after_a_minute,
    contents,
    effect,
    seat_in,
    shell,
)
from trainee_bench.mcp_servers import default_toolboxes, discover_toolboxes, terminal
from trainee_bench.mcp_servers.__main__ import main
from trainee_bench.mcp_servers.office import AppUnavailable, build_office_server
from trainee_bench.mcp_servers.sandbox.detection import SandboxProbe
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.mcp_servers.serving.schema import schema_size
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.world.filesystem.content import FileContent, FileKind
from trainee_bench.world.world import ActionResult, World

ALPHA = f"text:{FileContent(kind=FileKind.TEXT, data=b'alpha' + bytes([10])).sha256}"
BLOB = f"binary:{FileContent(kind=FileKind.BINARY, data=bytes([255, 0, 254])).sha256}"


@pytest.fixture
async def seat() -> AsyncIterator[ToolDispatcher]:
    async with await a_day() as world:
        yield seat_in(world)


async def applied(seat: ToolDispatcher, effects: dict[str, JsonValue]) -> ActionResult[BaseModel]:
    return await seat.call("terminal_run_shell", {"command": "true"}, effects)


async def refused(seat: ToolDispatcher, effects: dict[str, JsonValue]) -> str:
    waited = await after_a_minute(seat.world)
    done = await applied(seat, effects)
    assert done.error is not None and await seat.world.digest() == waited
    return str(done.error)


async def test_files_are_made_changed_and_deleted_in_one_action(seat: ToolDispatcher) -> None:
    done = await applied(
        seat,
        effect(
            made=[
                ("workspace:/a.txt", ALPHA, b"beta"),
                ("workspace:/new.png", None, PICTURE),
                ("workspace:/bytes", None, b"\xff\0"),
            ],
            output="fine\n",
        ),
    )
    assert done.result is not None and done.result.text == (
        "fine\nchanged: workspace:/a.txt, workspace:/new.png, workspace:/bytes"
    )
    files = await contents(seat.world)
    assert (files["a.txt"], files["new.png"], files["bytes"]) == (b"beta", PICTURE, b"\xff\0")
    assert len(await seat.world.log()) == 1


async def test_a_file_becomes_a_folder(seat: ToolDispatcher) -> None:
    made = [("workspace:/a.txt/in", None, b"x")]
    assert (await applied(seat, effect(made, gone=[("workspace:/a.txt", ALPHA)]))).error is None
    assert "a.txt/in" in await contents(seat.world)


@pytest.mark.parametrize(
    ("path", "data", "says"),
    [
        ("workspace:/../drive", b"", "'.' and '..' do not work here"),
        ("workspace:/a//b", b"", "empty name"),
        ("workspace:/a\nb", b"", "only printable characters"),
        ("workspace:/a\\b", b"", "not by a backslash"),
        ("workspace:/" + "x" * 201, b"", "at most 200 bytes"),
        ("workspace:/" + "d/" * 30 + "x", b"", "at most 20 deep"),
        ("workspace:/x.png", b"text", "this extension is for pictures"),
        ("workspace:/x.txt", PICTURE, "the name of a picture must end in"),
        ("workspace:/x.xlsx", b"text", "not an .xlsx file"),
        ("workspace:/x.txt", b"x" * 1_000_001, "at most 1 MB"),
        ("workspace:/notes", b"x", "is a folder"),
        ("workspace:/a.txt/x", b"x", "is a file"),
    ],
)
async def test_a_file_that_a_workspace_cannot_hold_spoils_the_whole_result(
    seat: ToolDispatcher, path: str, data: bytes, says: str
) -> None:
    made = [("workspace:/good.txt", None, b"good"), (path, None, data)]
    told = await refused(seat, effect(made, gone=[("workspace:/blob.bin", BLOB)], output="hi\n"))
    assert says in told and told.endswith("its changes were not kept. It printed:\nhi\n")
    assert "good.txt" not in await contents(seat.world)


@pytest.mark.parametrize(
    ("path", "before"),
    [
        ("workspace:/a.txt", None),
        ("workspace:/a.txt", ALPHA[:-1] + "x"),
        ("workspace:/nowhere.txt", ALPHA),
        ("workspace:/map.png", ALPHA),
    ],
)
async def test_only_the_version_that_was_found_is_replaced_or_deleted(
    seat: ToolDispatcher, path: str, before: str | None
) -> None:
    changed = await refused(seat, effect(made=[(path, before, b"mine")]))
    assert f"{path} was changed by someone else while the command ran" in changed
    assert path in await refused(seat, effect(gone=[(path, before)]))


async def test_two_spellings_of_one_name_are_told_apart_and_refused(seat: ToolDispatcher) -> None:
    composed, decomposed = "workspace:/\u00e9.txt", "workspace:/e\u0301.txt"
    both = [(composed, None, b"1"), (decomposed, None, b"2")]
    assert "Two spellings of" in await refused(seat, effect(both))
    kept = effect([(decomposed, None, b"2")], kept=[composed])
    assert "Two spellings of" in await refused(seat, kept)
    assert (await applied(seat, effect(both[1:]))).error is None
    assert "\u00e9.txt" in await contents(seat.world)


async def test_a_workspace_holds_no_more_than_it_holds(seat: ToolDispatcher) -> None:
    made = [(f"workspace:/{n}.bin", None, b"\xff" * 10_000_000) for n in range(5)]
    assert "workspace:/ is full" in await refused(seat, effect(made))


async def test_many_names_are_counted_and_the_first_ones_shown(seat: ToolDispatcher) -> None:
    made = [(f"workspace:/{'long' * 20}{n}.txt", None, b"x") for n in range(100)]
    done = await applied(seat, effect(made, output="x" * 10_240))
    assert done.result is not None and len(done.result.text) < 12_000
    data = done.result.data.model_dump()
    assert data["changed_total"] == 100 and 0 < len(data["changed"]) < 20
    assert done.result.text.endswith(f" and {100 - len(data['changed'])} more")


NAMES = st.text(st.sampled_from("ab./\\ \n\u00e9\u0301%"), min_size=1, max_size=6)
FILES = st.dictionaries(NAMES, st.binary(max_size=4), max_size=4)


@given(FILES)
async def test_whatever_names_come_out_the_world_is_changed_as_a_whole_or_not_at_all(
    files: dict[str, bytes],
) -> None:
    async with await World.create(None, OPENING, lambda tx: None) as world:
        seat, waited = seat_in(world), await after_a_minute(world)
        made = [(f"workspace:/{name}", None, data) for name, data in files.items()]
        done = await applied(seat, effect(made))
        if done.error is not None:
            assert await world.digest() == waited
        else:
            kept = await contents(world)
            assert sorted(kept.values()) == sorted(files.values())


@given(st.binary(max_size=40_000))
def test_shown_output_is_printable_and_short(printed: bytes) -> None:
    text = terminal.printable_output(printed)
    assert len(text) <= terminal.MAX_OUTPUT_SHOWN + 60
    assert all(char in "\n\t" or char.isprintable() or ord(char) > 0x9F for char in text)
    text.encode()


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


def test_the_tools_of_the_terminal_are_small_and_destructive() -> None:
    own = list(discover_toolboxes()["terminal"])
    assert sum(schema_size(t.name, t.description(), t.input_schema) for t in own) <= 1_000
    assert all(tool.minutes == 1 and tool.destructive for tool in own)
