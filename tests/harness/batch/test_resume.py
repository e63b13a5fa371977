"""A run that was killed goes on: nothing finished is repeated, nothing is lost."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.harness import builders
from tests.harness.runs import config, day, invoke, process, read, run_day
from trainee_bench.harness.records.results import EpisodeResult, ResultFile
from trainee_bench.harness.records.run_folder import RunFolder

ROOT = Path(__file__).parents[3]
RULES = ("kb_fix.easy", "meeting_attend.sum.u1", "kb_fix.hard", "meeting_attend.check.u2")
AGENTS = ("--agent", "nothing", "--agent", "oracle")


def benchmark(folder: Path) -> Path:
    """Two scenarios of two days."""
    return config(folder, **{f"s{n}": [day(RULES[n]), day(RULES[n + 2])] for n in range(2)})


def meaning(result: EpisodeResult) -> dict[str, Any]:
    """A result without what the real clock says."""
    return result.model_dump(exclude={"wall_seconds"})


def by_id(results: list[EpisodeResult]) -> dict[str, dict[str, Any]]:
    assert len({result.episode for result in results}) == len(results), "an episode stands twice"
    return {result.episode: meaning(result) for result in results}


def start(path: Path, out: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        process("run", "--config", path, "--out", out, *AGENTS, "--max-concurrency", 2),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
    )


def finished(out: Path) -> int:
    ledger = out / "results.jsonl"
    return ledger.read_bytes().count(b"\n") if ledger.exists() else 0


@pytest.mark.parametrize(
    "after",
    [1, pytest.param(0, marks=pytest.mark.sweep), pytest.param(4, marks=pytest.mark.sweep)],
)
def test_a_run_killed_in_the_middle_gives_the_results_of_one_that_was_not(
    tmp_path: Path, after: int
) -> None:
    path = benchmark(tmp_path)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    invoke("--config", path, "--out", whole, *AGENTS)
    with start(path, killed) as begun:
        while not (killed / "run.json").exists() or finished(killed) < after:
            assert begun.poll() is None, "the run ended before it could be killed"
            time.sleep(0.005)
        begun.send_signal(signal.SIGKILL)
    assert begun.returncode == -signal.SIGKILL
    survived = by_id(ResultFile(killed / "results.jsonl").read())
    assert after <= len(survived) < 8
    worlds = {id: (killed / survived[id]["world"]).stat().st_mtime_ns for id in survived}
    invoke("--resume", killed)
    assert by_id(read(killed)) == by_id(read(whole))
    assert {id: (killed / survived[id]["world"]).stat().st_mtime_ns for id in worlds} == worlds
    for folder in ("worlds", "trajectories"):
        left = {file.name for file in (killed / folder).iterdir()}
        assert left == {file.name for file in (whole / folder).iterdir()}


def test_a_torn_line_and_a_half_made_world_are_cleared_away(tmp_path: Path) -> None:
    path, out = config(tmp_path, one=[day("kb_fix.easy")], two=[day("kb_fix.hard")]), tmp_path / "o"
    invoke("--config", path, "--out", out, "--agent", "nothing")
    before = by_id(read(out))
    ledger = out / "results.jsonl"
    whole = ledger.read_bytes()
    first_line_ends = whole.index(b"\n") + 1
    ledger.write_bytes(whole[: first_line_ends + 40])
    first = json.loads(whole[:first_line_ends])["episode"]
    (torn,) = set(before) - {first}
    (out / "worlds" / f"{torn}.world").write_bytes(b"half a wor")
    (out / "worlds" / f"{torn}.world-wal").write_bytes(b"x")
    (out / "trajectories" / f"{torn}.json").write_text("{", encoding="utf-8")
    (out / "worlds" / f"{torn}.linked").symlink_to(path.parent, target_is_directory=True)
    (out / "worlds" / ".staging-abc").mkdir()
    (out / "worlds" / ".staging-abc" / "world").write_bytes(b"x")
    invoke("--resume", out)
    assert by_id(read(out)) == before
    assert len(list((out / "worlds").iterdir())) == 2
    assert path.exists()


def test_a_run_killed_before_its_first_episode_can_be_gone_on_with(tmp_path: Path) -> None:
    out = run_day(tmp_path, "--agent", "nothing", out="o")
    before = by_id(read(out))
    plan = (out / "run.json").read_bytes()
    shutil.rmtree(out)
    out.mkdir()
    (out / "run.json").write_bytes(plan)
    invoke("--resume", out)
    assert by_id(read(out)) == before


def test_resuming_a_finished_run_repeats_nothing(tmp_path: Path) -> None:
    out = run_day(tmp_path, "--agent", "nothing", out="o")
    before = (out / "results.jsonl").read_bytes()
    (out / "report.md").unlink()
    invoke("--resume", out)
    assert (out / "results.jsonl").read_bytes() == before
    assert (out / "report.md").exists()


def test_an_episode_that_broke_runs_again_and_stands_once(tmp_path: Path) -> None:
    out = run_day(tmp_path, "--agent", "nothing", "--agent", "oracle", out="o")
    good = by_id(read(out))
    results = read(out)
    broken = results[0].model_copy(update={"error": "the line was dead", "score": None})
    ResultFile(out / "results.jsonl").rewrite([broken, *results[1:]])
    invoke("--resume", out)
    assert by_id(read(out)) == good


def test_a_run_of_another_version_is_not_gone_on_with(tmp_path: Path) -> None:
    out = run_day(tmp_path, "--agent", "nothing", out="o")
    plan = json.loads((out / "run.json").read_text(encoding="utf-8"))
    (out / "run.json").write_text(json.dumps({**plan, "generator": 0}), encoding="utf-8")
    assert "Begin a new run" in invoke("--resume", out, exits=2).output


def test_a_damaged_result_file_stops_the_run_by_its_line(tmp_path: Path) -> None:
    out = run_day(tmp_path, "--agent", "nothing", out="o")
    ledger = out / "results.jsonl"
    ledger.write_bytes(b'{"no": "result"}\n' + ledger.read_bytes())
    assert "line 1" in invoke("--resume", out, exits=2).output


def test_two_processes_do_not_work_on_one_run(tmp_path: Path) -> None:
    out = run_day(tmp_path, "--agent", "nothing", out="o")
    before = {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}
    with RunFolder.open(out).locked():
        assert "Another process works on the run" in invoke("--resume", out, exits=2).output
    assert {file: file.read_bytes() for file in out.rglob("*") if file.is_file()} == before
    invoke("--resume", out)


MAKES_A_RUN = """\
import sys
from pathlib import Path
from trainee_bench.harness.records.plan import PlanError, RunPlan
from trainee_bench.harness.records.run_folder import RunFolder
plan = RunPlan.model_validate_json(sys.stdin.readline())
print("ready", flush=True)
sys.stdin.readline()
try:
    RunFolder.create(Path(sys.argv[1]), plan)
except PlanError as refused:
    sys.exit(str(refused))
"""


def test_of_two_processes_that_make_a_run_in_one_folder_at_once_one_is_refused(
    tmp_path: Path,
) -> None:
    out, plan = tmp_path / "out", builders.plan("one")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with ExitStack() as stack:
        both = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", MAKES_A_RUN, str(out)], **pipes, text=True, cwd=ROOT
                )
            )
            for _ in range(2)
        ]
        for maker in both:
            assert maker.stdin is not None and maker.stdout is not None
            print(plan.model_dump_json(), file=maker.stdin, flush=True)
            assert maker.stdout.readline() == "ready\n"
        for maker in both:
            print(file=maker.stdin, flush=True)
        said = sorted(maker.communicate()[1] for maker in both)
    assert said[0] == "" and "holds a run already" in said[1]
    assert RunFolder.open(out).plan() == plan.sealed()
    assert [file.name for file in out.iterdir()] == ["run.json"]


@pytest.mark.sweep
def test_of_two_runs_into_one_folder_at_once_one_is_refused(tmp_path: Path) -> None:
    path, out = config(tmp_path, one=[day("kb_fix.easy")]), tmp_path / "o"
    with start(path, out) as one, start(path, out) as other:
        codes = {one.wait(), other.wait()}
    assert codes == {0, 2}
    assert len(by_id(read(out))) == 2
