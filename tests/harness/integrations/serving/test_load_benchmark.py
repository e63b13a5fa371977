"""The benchmark of the server under load counts what the server lost, and ends what it started."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import load, load_days, load_server
from benchmarks.fault_clients import Entry, What, read_entries
from benchmarks.fault_disks import DiskKind, disk_of
from benchmarks.fault_journal import JournalWatch
from benchmarks.faults import Fault, Round, markdown
from benchmarks.load_cells import measure
from benchmarks.load_days import ScriptedDay
from benchmarks.load_server import OfficeServer
from benchmarks.load_table import Cell, ClientResult, Row, Settings, limit_of

pytestmark = pytest.mark.timeout(1200)
ROOT = Path(__file__).parents[4]
SHORT = Settings(seconds=60.0, steps=5, limit=900.0)


@pytest.fixture(scope="module")
def openenv() -> None:
    for module in ("openenv", "websockets", "fsspec", "prometheus_client"):
        pytest.importorskip(module, reason=f"{module} is not installed")


@pytest.fixture(scope="module")
def days() -> list[ScriptedDay]:
    return load_days.scripted_days(1)[0]


@pytest.fixture(scope="module")
def row(openenv: None, days: list[ScriptedDay]) -> Row:
    return measure(Cell(sessions=3, thinking=0, workers=2), SHORT, days)


def servers() -> list[str]:
    found = subprocess.run(
        ["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True
    )
    return [line for line in found.stdout.splitlines() if load_server.APP in line]


@pytest.mark.usefixtures("openenv")
class TestLoad:
    def test_each_session_makes_its_steps_and_nothing_is_lost(self, row: Row) -> None:
        told = row.clients
        assert row.holds, (row.stopped, told.said)
        assert (told.begun, told.answered, told.steps, told.lost) == (3, 15, 15, 0)

    def test_the_use_of_server_and_client_is_measured_apart(self, row: Row) -> None:
        assert row.megabytes > 0
        assert row.clients.cpu > 0
        assert row.limit

    def test_nothing_of_the_server_runs_afterwards(self, row: Row) -> None:
        assert row.cell.workers == 2
        assert not [line for line in servers() if line.split()[1] == str(os.getpid())]

    def test_a_cell_without_time_is_stopped_and_says_where(self, days: list[ScriptedDay]) -> None:
        row = measure(
            Cell(sessions=1, thinking=0, workers=1), SHORT.model_copy(update={"limit": 0.0}), days
        )
        assert not row.holds
        assert "stopped after 0 s, in phase" in row.stopped


@pytest.mark.parametrize(
    ("steps", "digest", "lost", "equal"),
    [
        (2, "c", 0, True),
        (1, "b", 1, True),
        (0, "a", 2, True),
        (2, "b", 0, False),
        (3, "d", 0, False),
    ],
)
def test_a_step_that_the_server_does_not_have_is_lost_and_another_digest_is_noticed(
    steps: int, digest: str, lost: int, equal: bool
) -> None:
    day = ScriptedDay(index=0, messages=["{}", "{}"], digests=["a", "b", "c"])
    assert day.compare(2, steps, digest) == (lost, equal)


def row_of(**more: Any) -> Row:
    told = ClientResult(begun=1, window=10.0, steps=100, median=0.01)
    cell = Cell(sessions=1, thinking=more.pop("thinking", 0), workers=1)
    return Row(cell=cell, clients=told, processors=4, **more)


@pytest.mark.parametrize(
    ("row", "limit"),
    [
        (row_of(client=0.95, busiest_days=0.99), "the client"),
        (row_of(client=0.5, busiest_days=0.99), "a day process"),
        (row_of(busiest_loop=0.92), "an event loop"),
        (row_of(server=2.0, client=0.7, elsewhere=1.2), "other programs 1.2"),
        (row_of(thinking=5, rate=0.199), "thinking"),
        (row_of(rate=100), "waiting"),
    ],
)
def test_a_row_says_what_limits_it(row: Row, limit: str) -> None:
    assert limit in limit_of(row)


def test_too_few_open_files_are_refused_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (100, 600))
    with pytest.raises(load_server.TooFewFiles, match=re.escape("`ulimit -Hn 4512`")):
        load_server.allow_files(4_000)


def test_the_command_prints_a_table_writes_the_figures_and_fails_without_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setattr(load, "scripted_days", lambda: ([], {"desk_tasks": 1}))
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr("importlib.metadata.version", lambda _: "1")
    file = tmp_path / "load.json"
    words = ["--sessions", "3", "--thinking", "0", "--workers", "1", "--limit", "0"]
    assert load.main([*words, "--json", str(file)]) == 1
    assert "not complete: the time limit of 0 minutes" in capsys.readouterr().out
    assert json.loads(file.read_text())["rows"][0]["cell"]["sessions"] == 3


@pytest.mark.usefixtures("openenv")
class TestFaults:
    def test_every_fault_is_survived_without_a_lost_step(self, tmp_path: Path) -> None:
        words = ["--sessions", "3", "--rounds", "5", "--days", "1", "--thinking", "0.1"]
        more = ["--disk", "limit", "--full-seconds", "1", "--limit", "15", "--back-seconds", "600"]
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.faults", *words, *more],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=1100,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        rows = [line.split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")]
        assert [row[0].strip("| ") for row in rows[1:]] == [*Fault]
        assert all(row[1] == "1" and row[3] == "0" for row in rows[1:])
        assert "3 digests equal, 0 differ, 0 steps lost, 0 sessions did not" in done.stdout


class TestJournal:
    @pytest.fixture
    def journal(self, tmp_path: Path) -> Path:
        return tmp_path / "journal"

    @staticmethod
    def write(journal: Path, *entries: tuple[What, int]) -> None:
        with journal.open("a") as file:
            for at, (what, steps) in enumerate(entries, start=1):
                entry = Entry(session=0, day=0, what=what, steps=steps, text="", at=at)
                file.write(entry.model_dump_json() + "\n")

    def watch(self, journal: Path) -> JournalWatch:
        watch = JournalWatch(journal, 1)
        watch.update()
        return watch

    def test_a_step_that_was_answered_and_that_the_server_has_no_more_is_lost_once(
        self, journal: Path
    ) -> None:
        steps = [(What.BEGUN, 0), *((What.ANSWERED, n) for n in (1, 2, 3))]
        self.write(journal, *steps, (What.BACK, 1), (What.ANSWERED, 2), (What.ENDED, 2))
        tally = self.watch(journal).tally
        assert (tally.resumed, tally.lost, tally.equal) == (1, 2, 1)

    def test_a_step_that_was_never_answered_is_not_lost(self, journal: Path) -> None:
        steps = [(What.BEGUN, 0), (What.ANSWERED, 1), (What.BACK, 2), (What.BACK, 1)]
        self.write(journal, *steps)
        assert self.watch(journal).tally.lost == 0

    def test_all_answered_steps_of_a_refused_token_are_lost(self, journal: Path) -> None:
        self.write(journal, (What.BEGUN, 0), (What.ANSWERED, 4), (What.GONE, 4))
        tally = self.watch(journal).tally
        assert (tally.lost, tally.gone) == (4, 1)

    def test_half_a_line_of_a_killed_client_is_left_out(self, journal: Path) -> None:
        self.write(journal, (What.BEGUN, 0))
        with journal.open("a") as file:
            file.write('{"session": 0')
        assert len([*read_entries(journal)]) == 1

    def test_a_session_without_an_answer_after_the_fault_is_not_back(self, journal: Path) -> None:
        self.write(journal, (What.BEGUN, 0), (What.ANSWERED, 1))
        watch = JournalWatch(journal, 1)
        assert watch.wait_until_worked(100.0, 0) is None
        played = Round(Fault.TERM, watch.tally)
        assert played.broken() == ["not all sessions came back"]
        assert "not all sessions came back (1 rounds)" in markdown([played])


def test_a_limited_disk_lets_writes_fail_and_succeed_again(tmp_path: Path) -> None:
    child = (
        "import pathlib, sys\n"
        "for line in sys.stdin:\n"
        "    try: pathlib.Path(sys.argv[1]).write_text('x')\n"
        "    except OSError as error: print(error.errno, flush=True)\n"
        "    else: print('written', flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", child, str(tmp_path / "file")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as worker:  # fmt: skip
        assert worker.stdin and worker.stdout
        with disk_of(tmp_path / "days", DiskKind.LIMIT, lambda: [worker.pid]) as disk:
            said = list[str]()
            for change in (None, disk.fill, disk.free):
                if change is not None:
                    change()
                worker.stdin.write("\n")
                worker.stdin.flush()
                said.append(worker.stdout.readline().strip())
        worker.stdin.close()
    assert said[0] == said[2] == "written"
    assert said[1] != "written"


@pytest.mark.usefixtures("openenv")
def test_a_server_that_does_not_start_is_reported_with_its_log(tmp_path: Path) -> None:
    with OfficeServer(tmp_path, {"split": "trian"}, 1) as server:
        with pytest.raises(load_server.ServerNotReady, match="There is no split 'trian'"):
            server.start(120)
        assert not server.runs
