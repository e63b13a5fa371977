"""The terminal as an agent has it: what commands see, what they change, what they cannot."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from threading import Event
from typing import Any

import anyio
import pytest

from tests.mcp_servers.sandbox.boxes import a_nap, needs_bubblewrap, running
from tests.mcp_servers.terminal_days import (
    KIM,
    OPENING,
    PICTURE,
    a_day,
    contents,
    refused,
    said,
    seat_in,
    shell,
    stage,
)
from trainee_bench.mcp_servers import terminal
from trainee_bench.mcp_servers.sandbox.backend import SandboxLimits
from trainee_bench.mcp_servers.sandbox.runner import SandboxResult, run_in_sandbox
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.world.apps.sheets import Sheets
from trainee_bench.world.world import World

pytestmark = needs_bubblewrap
DOUBLED = """\
import re, zipfile
with zipfile.ZipFile("pay.xlsx") as old, zipfile.ZipFile("new.xlsx", "w") as new:
    for part in old.infolist():
        data = old.read(part)
        if part.filename.endswith("sheet1.xml"):
            data = data.replace(b"<v>10</v>", b"<v>20</v>")
        new.writestr(part.filename, data)
"""


@pytest.fixture
async def seat() -> AsyncIterator[ToolDispatcher]:
    async with await a_day() as world:
        yield seat_in(world)


async def python(seat: ToolDispatcher, code: str) -> str:
    done = await seat.call("terminal_run_python", {"code": code})
    assert done.result is not None, done.error
    return done.result.text


async def test_a_command_finds_the_workspaces_files_and_not_the_drive(seat: ToolDispatcher) -> None:
    names = "a.txt\nblob.bin\nmap.png\nnotes\nnotes/b.csv\nnotes/drawn.png\npay.xlsx"
    assert await said(seat, "find * | LC_ALL=C sort; cat a.txt") == f"{names}\nalpha"
    await seat.call("files_copy", {"source": "drive:/shared.txt", "target": "workspace:/"})
    assert await said(seat, "cat shared.txt") == "for all"


async def test_its_changes_are_made_in_the_workspace(seat: ToolDispatcher) -> None:
    before = await contents(seat.world)
    done = await shell(seat, "echo beta >> a.txt; rm blob.bin; mkdir new; echo 1 > new/c.json")
    assert done.result is not None
    assert done.result.text == (
        "exit code 0\nchanged: workspace:/a.txt, workspace:/new/c.json\n"
        "deleted: workspace:/blob.bin"
    )
    assert done.result.data.model_dump() == {
        "exit_code": 0,
        "output": "",
        "changed": ("workspace:/a.txt", "workspace:/new/c.json"),
        "changed_total": 2,
        "deleted": ("workspace:/blob.bin",),
        "deleted_total": 1,
    }
    assert (done.now - done.at).seconds == 60
    del before["blob.bin"]
    assert await contents(seat.world) == before | {
        "a.txt": b"alpha\nbeta\n",
        "new/c.json": b"1\n",
    }


async def test_a_python_program_works_in_the_same_folder(seat: ToolDispatcher) -> None:
    code = (
        "import csv, json, sqlite3\n"
        "rows = list(csv.DictReader(open('notes/b.csv')))\n"
        "json.dump(sum(float(row['amount']) for row in rows), open('sum.json', 'w'))\n"
        "print(sqlite3.connect(':memory:').execute('select 1 + 1').fetchone()[0])"
    )
    assert await python(seat, code) == "2\nchanged: workspace:/sum.json"
    assert (await contents(seat.world))["sum.json"] == b"3.5"
    assert "NameError" in await python(seat, "nonsense")


async def test_an_unchanged_file_is_not_changed_whatever_its_kind(seat: ToolDispatcher) -> None:
    before = await contents(seat.world)
    rewrite = "for f in * */*.*; do [ -d $f ] || { cp $f /tmp/f; rm $f; cp /tmp/f $f; }; done"
    done = await shell(seat, f"cat * */* >/dev/null 2>&1; {rewrite}; ls | wc -l")
    assert done.result is not None and done.result.text == "5"
    assert await contents(seat.world) == before


async def test_workbooks_and_pictures_come_and_go_as_files_of_their_kind(
    seat: ToolDispatcher,
) -> None:
    text = await said(seat, "cp map.png copy.png; cp pay.xlsx copy.xlsx; head -c 4 pay.xlsx")
    assert text.startswith("PK") and "workspace:/copy.xlsx" in text
    copied = await contents(seat.world)
    assert copied["copy.png"] == PICTURE
    assert "workspace:/copied.png" in await said(seat, "cp notes/drawn.png copied.png")
    picture = (await contents(seat.world))["copied.png"]
    looked_at = await seat.call("files_view_image", {"path": "workspace:/notes/drawn.png"})
    assert looked_at.result is not None and looked_at.result.picture is not None
    assert picture == looked_at.result.picture.data
    path = "workspace:/copy.xlsx"
    sheets = await seat.world.read(lambda tx: [one.name for one in Sheets(tx).sheets(path)])
    assert sheets == ["Pay", "Notes"]
    assert await python(seat, DOUBLED) == "exit code 0\nchanged: workspace:/new.xlsx"
    done = await seat.call("sheets_read", {"path": "workspace:/new.xlsx"})
    assert done.result is not None and done.result.text == "Pay A1:D1\n1: Ada,20,€12.50,40"


async def test_a_failing_command_is_no_failing_tool(seat: ToolDispatcher) -> None:
    assert await said(seat, "echo oh >&2; exit 3") == "oh\nexit code 3"


async def test_long_output_is_shown_without_its_middle(seat: ToolDispatcher) -> None:
    text = await said(seat, "seq 20000")
    assert len(text) < 10_240 + 100
    assert text.startswith("1\n2\n3\n") and text.endswith("19999\n20000")
    assert "characters left out" in text


async def test_characters_that_cannot_be_shown_are_replaced(seat: ToolDispatcher) -> None:
    assert await said(seat, r"printf 'a\0b\033[1mc\377d\r\ne'") == "a�b�[1mc�d\ne"


async def test_past_a_limit_nothing_is_changed_and_it_is_said_which(
    seat: ToolDispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "LIMITS", SandboxLimits(seconds=0.5))
    slow = await refused(seat, "echo x > a.txt; sleep 60")
    assert "it ran longer than 0.5 s. Nothing in the workspace was changed." in slow
    monkeypatch.setattr(terminal, "LIMITS", SandboxLimits(output=50_000, files=20))
    flood = await refused(seat, "rm a.txt; yes")
    assert "it printed more than 50,000 bytes" in flood
    assert "It printed:\ny\ny\n" in flood and len(flood) < 11_000
    assert "more than 20 files" in await refused(seat, "touch {1..30}")


async def test_a_result_that_a_workspace_cannot_hold_is_refused_as_a_whole(
    seat: ToolDispatcher,
) -> None:
    assert "a symbolic link: passwd" in await refused(seat, "echo 1 > x; ln -s /etc/passwd passwd")
    assert "a pipe, socket or device" in await refused(seat, "mkfifo pipe")
    assert "this extension is for pictures" in await refused(
        seat, "echo 1 > x; echo no picture > y.png"
    )
    assert "not an .xlsx file" in await refused(seat, "echo no workbook > y.xlsx")
    assert "workspace:/y.txt: A text can have at most 1 MB" in await refused(
        seat, "head -c 1200000 /dev/zero | tr '\\0' x > y.txt"
    )
    assert "cannot begin or end with a space; remove it" in await refused(seat, "touch ' blank'")
    assert "It printed:\nhello\n" in await refused(seat, "echo hello; echo no > y.jpg")


async def test_each_has_a_workspace_of_their_own(seat: ToolDispatcher) -> None:
    kim = seat_in(seat.world, KIM)
    assert await said(kim, "ls; echo kim > mine.txt") == "exit code 0\nchanged: workspace:/mine.txt"
    assert await contents(seat.world, KIM) == {"mine.txt": b"kim\n"}
    assert "mine.txt" not in await contents(seat.world)


async def test_the_log_tells_what_happened_and_in_which_sandbox(seat: ToolDispatcher) -> None:
    await said(seat, "echo hello > hello.txt")
    (entry,) = await seat.world.log()
    ran = entry.effects["ran"]
    assert isinstance(ran, dict)
    assert ran["sandbox"] == "bubblewrap" and ran["exit_code"] == 0
    assert ran["made"] == [{"path": "workspace:/hello.txt", "before": None, "base64": "aGVsbG8K"}]


async def test_a_replay_runs_nothing_and_gives_the_same_world(
    seat: ToolDispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "LIMITS", SandboxLimits(output=50_000))
    for command in (
        "date +%N > now.txt; head -c 9 /dev/urandom > chance.bin; cp pay.xlsx other.xlsx",
        "rm a.txt; mv notes/b.csv c.csv; exit 4",
        "ln -s x y",
        "yes",
        "echo no > y.png",
        "",
    ):
        await shell(seat, command)
    await seat.call("files_write", {"path": "workspace:/a.txt", "text": "again"})
    log, digest = await seat.world.log(), await seat.world.digest()
    assert [entry.ok for entry in log] == [True, True, False, False, False, False, True]
    monkeypatch.setattr(terminal, "find_sandbox", None)
    async with await a_day() as again, await seat.world.fork() as fork:
        await replay_log(again, log)
        assert await again.log() == log == await fork.log()
        assert await again.digest() == digest == await fork.digest()


async def hurried(world: World, name: str, text: str) -> None:
    """Change a file through another handle, as another server process does."""
    done = await seat_in(world).call("files_write", {"path": f"workspace:/{name}", "text": text})
    assert done.error is None


class Gate:
    """Holds each command back between its end and its action."""

    def __init__(self) -> None:
        self.reached, self.unwrap = Event(), Event()

    def run(self, *given: Any) -> SandboxResult:
        left = run_in_sandbox(*given)
        self.reached.set()
        assert self.unwrap.wait(60)
        return left


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Gate:
    made = Gate()
    monkeypatch.setattr(terminal, "run_in_sandbox", made.run)
    return made


async def until(holds: Callable[[], object]) -> None:
    """Wait for what threads and processes, which set no event of the loop's, do soon."""
    while not holds():  # noqa: ASYNC110
        await asyncio.sleep(0.01)


async def begun(marker: str) -> None:
    await until(lambda: running(marker))


@pytest.mark.parametrize(
    ("command", "meanwhile", "says"),
    [
        ("echo mine > a.txt", "a.txt", "workspace:/a.txt was changed by someone else"),
        ("rm a.txt", "a.txt", "workspace:/a.txt was changed by someone else"),
        ("echo mine > new.txt", "new.txt", "workspace:/new.txt was changed by someone else"),
        ("mkdir d; echo mine > d/x", "d", "workspace:/d is a file"),
        ("echo mine > d", "d/x", "workspace:/d is a folder"),
    ],
)
async def test_a_file_that_somebody_else_changed_meanwhile_is_not_lost(
    tmp_path: Path, gate: Gate, command: str, meanwhile: str, says: str
) -> None:
    path = tmp_path / "day.world"
    async with await World.create(path, OPENING, stage) as world, await World.open(path) as other:
        ours = asyncio.create_task(shell(seat_in(world), f"echo kept > elsewhere; {command}"))
        await until(gate.reached.is_set)
        await hurried(other, meanwhile, "theirs")
        gate.unwrap.set()
        assert says in str((await ours).error)
        files = await contents(world)
        assert files[meanwhile] == b"theirs" and "elsewhere" not in files


async def test_changes_of_different_files_at_a_time_are_all_kept(
    tmp_path: Path, gate: Gate
) -> None:
    path = tmp_path / "day.world"
    async with await World.create(path, OPENING, stage) as world, await World.open(path) as other:
        ours = asyncio.create_task(shell(seat_in(world), "cat a.txt > copy.txt"))
        await until(gate.reached.is_set)
        await hurried(other, "a.txt", "theirs")
        await hurried(other, "new.txt", "theirs")
        gate.unwrap.set()
        assert (await ours).error is None
        files = await contents(world)
        assert (files["a.txt"], files["new.txt"]) == (b"theirs", b"theirs")
        assert files["copy.txt"] == b"alpha\n"


async def test_other_work_goes_on_while_a_command_runs(seat: ToolDispatcher, gate: Gate) -> None:
    """Neither the loop nor the world is held."""
    slow = asyncio.create_task(shell(seat, "true"))
    await until(gate.reached.is_set)
    done = await seat.call("files_list", {"folder": "workspace:/"})
    assert done.error is None and not slow.done()
    gate.unwrap.set()
    assert (await slow).error is None
    assert [entry.tool for entry in await seat.world.log()] == ["files_list", "terminal_run_shell"]


async def test_a_cancelled_command_is_ended_and_has_not_happened(
    seat: ToolDispatcher, caplog: pytest.LogCaptureFixture
) -> None:
    before = await seat.world.digest()
    marker = a_nap()
    async with anyio.create_task_group() as group:
        group.start_soon(shell, seat, f"echo x > a.txt; {marker}")
        await begun(marker)
        group.cancel_scope.cancel()
    assert running(marker) == []
    assert await seat.world.log() == [] and await seat.world.digest() == before
    assert await said(seat, "cat a.txt") == "alpha"
    gc.collect()
    assert caplog.records == []  # no word of an error that nobody looked at


async def test_commands_that_wait_for_their_turn_can_be_cancelled_too(seat: ToolDispatcher) -> None:
    marker = a_nap()
    async with anyio.create_task_group() as group:
        for _ in range(10):
            group.start_soon(shell, seat, marker)
        await begun(marker)
        group.cancel_scope.cancel()
    assert running(marker) == [] and await seat.world.log() == []


async def test_after_the_day_nothing_is_run(
    seat: ToolDispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    await seat.call("desk_finish_day", {})
    monkeypatch.setattr(terminal, "find_sandbox", None)
    done = await shell(seat, "echo x > a.txt")
    assert "day ended" in str(done.error)
