"""Output that cannot be written, and commands that are ended: said in a sentence, and all ends."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import anyio
import pytest

from tests.harness.builders import plan
from tests.harness.runs import LINKS, call, config, day, invoke, process
from trainee_bench.harness.commands import certify as certify_command
from trainee_bench.harness.commands import generate as generate_command
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.results import ResultFile
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.support.commands import CannotWriteOutput, check_output, write_output
from trainee_bench.harness.support.terminal import sigterm_as_interrupt
from trainee_bench.harness.support.worker_processes import worker_processes

ROOT = Path(__file__).parents[3]
GENERATE = ("generate", "--scenarios", "1", "--tasks", "1", "--rules", "kb_fix.*", "--out")
CERTIFY = ("certify", LINKS, "--seeds", "1", "--json")


@pytest.mark.parametrize("words", [GENERATE, CERTIFY], ids=["generate", "certify"])
@pytest.mark.parametrize("name", ["nowhere/a.json", "x" * 300, "", "taken/b"])
def test_output_that_cannot_be_written_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], name: str
) -> None:
    def worked(*given: object) -> None:
        raise AssertionError("the work began")

    monkeypatch.setattr(generate_command, "generate_scenarios", worked)
    monkeypatch.setattr(certify_command, "certify_rules", worked)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").touch()
    done = call(*words, name, exits=2)
    assert done.stderr.count("\n") == 1
    assert [file.name for file in tmp_path.iterdir()] == ["taken"]


def test_the_output_is_kept_elsewhere_when_its_file_cannot_be_written_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(CannotWriteOutput, match="The output is in ") as caught:
        write_output(tmp_path / "gone" / "mine.json", "{}", "--out")
    kept = Path(str(caught.value).rpartition(" is in ")[2].removesuffix("."))
    assert kept.read_text(encoding="utf-8") == "{}"


@pytest.mark.parametrize("name", ["x" * 300, "taken/run"])
def test_a_run_into_a_folder_that_cannot_be_is_one_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / "taken").touch()
    path = config(tmp_path, one=[day(LINKS)])
    done = invoke("--config", path, "--agent", "nothing", "--out", f"{tmp_path}/{name}", exits=2)
    assert done.stderr.count("\n") == 1, done.output


def test_a_path_with_a_nul_character_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(CannotWriteOutput, match="this is not a path"):
        check_output(tmp_path / "a\0b", "--out")
    with pytest.raises(PlanError, match="this is not a path"):
        RunFolder.create(tmp_path / "a\0b", plan("one"))


@pytest.mark.parametrize("option", ["--config", "--resume"])
def test_a_path_that_is_too_long_to_be_read_is_one_sentence(option: str) -> None:
    done = invoke(option, "x" * 300, exits=2)
    assert done.stderr.count("\n") == 1, done.output


def test_a_scenario_whose_name_no_file_can_have_is_one_sentence(tmp_path: Path) -> None:
    path = config(tmp_path, **{"x" * 300: [day(LINKS)]})
    done = invoke("--config", path, "--agent", "nothing", "--out", tmp_path / "out", exits=2)
    assert done.stderr.count("\n") == 1, done.output
    assert "may have 220 characters" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_disk_that_is_full_in_the_middle_loses_nothing_that_was_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really, asked = os.fsync, []

    def full(descriptor: int) -> None:
        asked.append(descriptor)
        if len(asked) > 2:  # the record of the first day, and its line, are on the disk
            raise OSError(errno.ENOSPC, "No space left on device")
        really(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    path, out = config(tmp_path, one=[day(LINKS)], two=[day(LINKS)]), tmp_path / "out"
    options = ("--agent", "nothing", "--max-concurrency", "1", "--out", out)
    done = invoke("--config", path, *options, exits=2)
    assert done.stderr.count("\n") == 1, done.output
    assert "No space left on device" in done.stderr and f"--resume {out}" in done.stderr
    monkeypatch.undo()
    assert len(ResultFile(out / "results.jsonl").read()) >= 1
    invoke("--resume", out)
    assert len(ResultFile(out / "results.jsonl").read()) == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="writes to /dev/full")
@pytest.mark.parametrize(
    ("redirected", "code", "says"),
    [
        (">/dev/full", 2, "standard output was lost: No space left on device."),
        (">&-", 2, "standard output was lost: it is closed."),
        ("| true", 0, ""),
    ],
)
def test_a_standard_output_that_takes_nothing_is_one_sentence(
    redirected: str, code: int, says: str
) -> None:
    # A light stand-in for a command: what is tried is the program's frame around all of them.
    program = (
        "from trainee_bench.harness.support.terminal import guarded_output, output_console\n"
        "with guarded_output():\n"
        "    output_console().print('x' * 100_000)\n"
        "    print('done')\n"
    )
    line = f"set -o pipefail; '{sys.executable}' -c \"$PROGRAM\" {redirected}"
    environment = {**os.environ, "PROGRAM": program}
    done = subprocess.run(
        ["bash", "-c", line], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == code, done.stderr
    assert done.stderr == (f"trainee-bench: {says}\n" if says else "")


def test_a_thread_that_an_agent_left_does_not_keep_the_program_from_ending() -> None:
    program = (
        "import threading\n"
        "from trainee_bench.harness.support import terminal\n"
        "terminal._THREAD_GRACE_SECONDS = 0.01\n"
        "with terminal.guarded_output():\n"
        "    threading.Thread(target=threading.Event().wait).start()\n"
        "    print('done')\n"
        "    raise SystemExit(3)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (3, "done\n"), done.stderr


def test_a_run_goes_on_when_nobody_reads_its_lines_any_more(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = process("run", "--agent", "nothing", "--limit", 2, "--out", out)
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None and run.stderr is not None
        run.stdout.close()
        said = run.stderr.read()
    assert (run.returncode, said) == (0, b"")
    assert (out / "results.jsonl").read_bytes().count(b"\n") == 2
    assert (out / "report.md").exists()


def test_a_piped_table_is_not_cut_to_a_terminals_width_nor_coloured() -> None:
    code = (
        "from trainee_bench.harness.support.terminal import output_console\n"
        "from rich.table import Table\n"
        "table = Table('x' * 60, 'y' * 60)\n"
        "table.add_row('a', 'b', style='red')\n"
        "output_console().print(table)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "x" * 60 in done.stdout and "y" * 60 in done.stdout
    assert "\x1b" not in done.stdout


NAP = 60.0
WORKERS = """
import os, sys, time
from trainee_bench.harness.support.worker_processes import worker_processes
with worker_processes(2) as pool:
    workers = {pool.submit(os.getpid).result() for _ in range(20)}
    fork = os.fork() if sys.argv[1] == "forked" else 0
    if sys.argv[1] == "forked" and not fork:
        time.sleep(60)
        os._exit(0)
    print(fork, *workers, flush=True)
    for _ in range(2):
        pool.submit(time.sleep, 60)
    time.sleep(60)
"""


@pytest.mark.parametrize("ignored", [False, True], ids=["foreground", "background"])
def test_sigterm_ends_a_command_also_where_interrupts_are_ignored(ignored: bool) -> None:
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.SIG_IGN if ignored else signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            _end_oneself()
    finally:
        signal.signal(signal.SIGINT, before)


def _end_oneself() -> None:
    with sigterm_as_interrupt():
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(NAP)


@pytest.mark.parametrize("ignored", [False, True], ids=["foreground", "background"])
def test_sigterm_lets_what_is_running_close_its_things(ignored: bool) -> None:
    closed = []

    async def work() -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            await anyio.sleep(NAP)
        finally:
            closed.append(True)

    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.SIG_IGN if ignored else signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), sigterm_as_interrupt():
            anyio.run(work)
    finally:
        signal.signal(signal.SIGINT, before)
    assert closed == [True]


def is_running(process: int) -> bool:
    """Whether *process* exists and is no zombie."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text("utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("parent_is", ["alone", "forked"])
def test_workers_end_with_a_parent_that_is_killed(parent_is: str) -> None:
    command = [sys.executable, "-c", WORKERS, parent_is]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        fork, *workers = map(int, parent.stdout.readline().split())
        parent.kill()
    assert workers
    try:
        while any(map(is_running, workers)):  # the time limit of tests ends this if they stay
            time.sleep(0.02)
    finally:
        if fork:
            os.kill(fork, signal.SIGKILL)


def test_workers_are_killed_when_the_block_is_left_by_an_interrupt() -> None:
    workers = []

    def interrupted() -> None:
        with worker_processes(1) as pool:
            workers.append(pool.submit(os.getpid).result())
            pool.submit(time.sleep, NAP)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not is_running(workers[0])


START = """
import os, signal, sys
class Interrupting:
    def find_spec(self, name, *rest):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
import runpy
module, sys.argv[1:] = sys.argv[2], sys.argv[3:]
runpy.run_module(module, run_name="__main__")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    "words",
    [
        ("typer", "trainee_bench.harness", "catalog"),
        ("mcp", "trainee_bench.mcp_servers", "--help"),
    ],
)
def test_an_interrupt_during_start_up_is_quiet(words: tuple[str, ...]) -> None:
    command = [sys.executable, "-c", START.replace("sys.argv[1]", repr(words[0])), *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")
