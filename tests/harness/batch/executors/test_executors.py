"""Whatever carries a run out: the same lines, each once, also when workers die."""

from __future__ import annotations

import importlib.util
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.harness.clusters import RAY_MARKS
from tests.harness.runs import LINKS, MEETING, config, day, invoke, named, read, run_day
from trainee_bench.harness.batch.executors.executor import BatchWork, WorkerCrash, leaf_exceptions
from trainee_bench.harness.batch.executors.factory import create_executor
from trainee_bench.harness.batch.executors.worker_pool import WorkerStartFailed
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.pipeline import create_run, execute, pending_sequences
from trainee_bench.harness.batch.plan_builder import build_plan
from trainee_bench.harness.records.plan import ExecutorName, PlanError, RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.support.terminal import output_console
from trainee_bench.world.world import World

MORTAL = "tests.harness.batch.executors.mortal"
ON_RAY = pytest.param("ray", marks=RAY_MARKS)
ELSEWHERE = ["processes", ON_RAY]
ELSEWHERE_IN_SWEEPS = [pytest.param("processes", marks=pytest.mark.sweep), ON_RAY]
"""The same, but processes only in the sweeps: to start them takes long."""
pytestmark = pytest.mark.timeout(300)  # workers take seconds to start, and some die again
ENOUGH = 60.0
"""Seconds after which what should happen will not; nothing depends on it being this many."""


@pytest.fixture(autouse=True)
def marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "marks"
    folder.mkdir()
    monkeypatch.setenv("MARKS", str(folder))
    return folder


def meaning(results: list[EpisodeResult]) -> list[str]:
    """The lines, in an order of their own, without what the real clock says."""
    return sorted(r.model_copy(update={"wall_seconds": 0}).model_dump_json() for r in results)


def by_agent(results: list[EpisodeResult]) -> dict[str, EpisodeResult]:
    found = {result.agent.partition(":")[2] or result.agent: result for result in results}
    assert len(found) == len(results), "an episode stands twice"
    return found


def left_behind(out: Path) -> list[str]:
    """What lies in the run's folders besides one world and one trajectory for each result."""
    results = [result for result in read(out) if result.world]
    wanted = {result.world for result in results} | {result.trajectory for result in results}
    there = {
        file.relative_to(out).as_posix()
        for folder in ("worlds", "trajectories")
        for file in (out / folder).iterdir()
    }
    assert wanted <= there
    return sorted(there - wanted)


async def digest(world: Path) -> str:
    async with await World.open(world) as opened:
        return await opened.digest()


@pytest.mark.parametrize("executor", ELSEWHERE)
def test_every_executor_writes_the_same_lines_and_the_same_trajectories(
    tmp_path: Path, executor: str
) -> None:
    path = config(tmp_path, one=[day(LINKS), day(LINKS)], two=[day(MEETING)])
    agents = named("oracle", "nothing")
    outs = tmp_path / "async", tmp_path / executor
    invoke("--config", path, "--out", outs[0], *agents)
    spread = ("--executor", executor, "--workers", "2")
    assert "6/6" in invoke("--config", path, "--out", outs[1], *agents, *spread).output
    assert meaning(read(outs[0])) == meaning(read(outs[1]))
    for file in (outs[0] / "trajectories").iterdir():
        assert file.read_bytes() == (outs[1] / "trajectories" / file.name).read_bytes()
    assert left_behind(outs[1]) == []


@pytest.fixture(scope="module", params=ELSEWHERE)
def mortality(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that lost workers, which says so with its exit code.

    One agent kills its worker once, one whenever it works, each with a neighbour of its own.
    """
    folder = tmp_path_factory.mktemp("mortality")
    (folder / "marks").mkdir()
    path, out = config(folder, one=[day(LINKS)]), folder / "out"
    mortal = ("DiesOnce", "Neighbour", "Poison", "NeighbourOfPoison")
    agents = named(*(f"{MORTAL}:{name}" for name in mortal), "oracle", "nothing")
    spread = ("--executor", request.param, "--workers", "1", "--max-concurrency", "2")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MARKS", str(folder / "marks"))
        invoke("--config", path, "--out", out, *agents, *spread, exits=1)
    return out


def test_episodes_lost_with_a_worker_are_repeated_and_counted_once(
    mortality: Path,
) -> None:
    out = mortality
    results = by_agent(read(out))
    assert results.pop("Poison").error
    assert {(name, r.tries, r.error) for name, r in results.items()} == {
        ("DiesOnce", 2, None),
        ("Neighbour", 2, None),
        ("NeighbourOfPoison", 2, None),
        ("oracle", 1, None),
        ("nothing", 1, None),
    }
    lost = ("DiesOnce", "Neighbour", "NeighbourOfPoison")
    assert [results[name].tool_calls for name in lost] == [2, 2, 2]
    for result in results.values():
        assert anyio.run(digest, out / str(result.world)) == result.digest
    assert left_behind(out) == []


def test_an_episode_that_kills_each_worker_is_given_up_and_takes_nobody_with_it(
    mortality: Path,
) -> None:
    out = mortality
    results = by_agent(read(out))
    poison = results.pop("Poison")
    assert "died 2 times" in (poison.error or "")
    assert (poison.tries, poison.score, poison.world) == (2, None, None)
    assert {name for name, result in results.items() if result.error is None} == {
        "DiesOnce", "Neighbour", "NeighbourOfPoison", "oracle", "nothing",
    }  # fmt: skip
    assert results["oracle"].success
    notes = {note.stem: note.read_text(encoding="utf-8") for note in (out / "faults").iterdir()}
    assert "died 2 times" in notes.pop(poison.episode)
    assert set(notes) == {one.episode for one in results.values() if one.faults}
    assert left_behind(out) == []


@pytest.mark.parametrize("executor", ELSEWHERE_IN_SWEEPS)
def test_days_that_are_done_stay_done_when_the_next_day_is_lost(
    tmp_path: Path, marks: Path, executor: str
) -> None:
    path, out = config(tmp_path, one=[day(LINKS)] * 3), tmp_path / "out"
    agent = ("--agent", f"{MORTAL}:DiesOnItsSecondDay")
    invoke("--config", path, "--out", out, *agent, "--executor", executor)
    assert {(r.day, r.tries) for r in read(out)} == {("day_1", 1), ("day_2", 2), ("day_3", 1)}
    assert len(read(out)) == 3
    assert len(list(marks.iterdir())) == 4


@pytest.mark.parametrize("executor", [ON_RAY])
def test_a_cluster_of_our_own_is_on_this_machine_alone_and_reports_to_nobody(
    tmp_path: Path, executor: str
) -> None:
    options = ("--agent", f"{MORTAL}:OnLoopback", "--executor", executor)
    out = run_day(tmp_path, *options)
    assert [(r.agent_error, r.tries, r.tool_calls) for r in read(out)] == [(None, 1, 1)]


@pytest.mark.sweep
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_workers_speak_over_every_transport_and_agents_that_print_do_not_disturb_them(
    tmp_path: Path, marks: Path, transport: str
) -> None:
    """One of the agents prints, reads standard input, and leaves a process behind."""
    agents = ("--agent", "oracle", "--agent", f"{MORTAL}:Talker")
    spread = ("--executor", "processes", "--workers", "1", "--transport", transport)
    out = run_day(tmp_path, *agents, *spread)
    results = by_agent(read(out))
    assert {result.transport for result in results.values()} == {transport}
    assert results["oracle"].success
    talker = results["Talker"]
    assert (talker.agent_error, talker.tries, talker.tool_calls) == (None, 1, 1)
    eventually(lambda: not alive(marks / "child"))


def vanishing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, executor: str) -> RunPlan:
    """A plan whose agent's module is gone when workers look for it."""
    module = tmp_path / "vanishing_agent.py"
    module.write_text("class Agent:\n    async def work(self, session): pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    asked = RunOptions(
        config=config(tmp_path, one=[day(LINKS)]),
        agent=["vanishing_agent:Agent"],
        executor=ExecutorName(executor),
    )
    plan = build_plan(asked)
    module.unlink()
    return plan


def test_a_bug_of_ours_in_a_worker_is_raised_here_with_its_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = vanishing(tmp_path, monkeypatch, "processes")
    with pytest.RaisesGroup(pytest.RaisesExc(WorkerCrash), flatten_subgroups=True) as raised:
        execute(create_run(plan, tmp_path / "out"), output_console())
    (crash,) = leaf_exceptions(raised.value, WorkerCrash)
    assert "Traceback" in str(crash)
    assert "There is no module 'vanishing_agent'" in str(crash)


@pytest.mark.parametrize("executor", [ON_RAY])
def test_nodes_without_the_module_of_an_agent_are_named_before_any_episode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, executor: str
) -> None:
    plan = vanishing(tmp_path, monkeypatch, executor)
    with pytest.raises(PlanError, match="There is no module 'vanishing_agent'"):
        execute(create_run(plan, tmp_path / "out"), output_console())


@pytest.mark.parametrize("executor", ["async", *ELSEWHERE_IN_SWEEPS])
def test_a_result_that_cannot_be_written_ends_the_run(
    tmp_path: Path, marks: Path, executor: str
) -> None:
    def full(result: EpisodeResult) -> None:
        raise OSError(28, "No space left on device")

    path = config(tmp_path, one=[day(LINKS)])
    plan = build_plan(RunOptions(config=path, agent=["nothing", f"{MORTAL}:Waits"]))
    folder = RunFolder.create(tmp_path / "out", plan)
    folder.prepare_results()
    spread = create_executor(ExecutorName(executor), None if executor == "async" else 1)
    with pytest.RaisesGroup(pytest.RaisesExc(OSError), flatten_subgroups=True):
        anyio.run(spread.run, BatchWork(pending_sequences(plan, set()), folder, 4, full))
    if (marks / "waits-0").exists() and executor != "async":
        assert not alive(marks / "waits-0")


def eventually(holds: Callable[[], bool]) -> None:
    began = time.monotonic()
    while not holds():
        assert time.monotonic() < began + ENOUGH, "it does not happen"
        time.sleep(0.02)


def alive(mark: Path) -> bool:
    """Whether the process of that mark runs or still holds files.

    One that has ended, and is only still listed, does not; one whose first thread has ended does.
    """
    try:
        os.kill(int(mark.read_text()), 0)
        process = Path("/proc") / mark.read_text()
        ended = " Z " in (process / "stat").read_text()
        return not ended or len(list((process / "task").iterdir())) > 1
    except ProcessLookupError:
        return False
    except FileNotFoundError:
        return not Path("/proc/self").exists()


def test_a_worker_that_cannot_begin_ends_the_run_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    plan = build_plan(RunOptions(config=config(tmp_path, one=[day(LINKS)]), agent=["nothing"]))
    spread = plan.model_copy(update={"executor": ExecutorName.PROCESSES})
    with pytest.RaisesGroup(
        pytest.RaisesExc(WorkerStartFailed, match="exit status 1"), flatten_subgroups=True
    ):
        execute(create_run(spread, tmp_path / "out"), output_console())


@pytest.mark.sweep
def test_a_run_goes_on_with_another_executor(tmp_path: Path) -> None:
    path, out = config(tmp_path, one=[day(LINKS)], two=[day(LINKS)]), tmp_path / "out"
    invoke("--config", path, "--out", out, "--agent", "nothing")
    whole = meaning(read(out))
    ledger = out / "results.jsonl"
    ledger.write_bytes(ledger.read_bytes().splitlines(keepends=True)[0])
    invoke("--resume", out, "--executor", "processes", "--workers", "1")
    assert meaning(read(out)) == whole


@pytest.mark.parametrize(
    "arguments, says",
    [
        (["--workers", "2"], "--executor processes or ray"),
        (["--executor", "ray"], "pip install 'trainee-bench[ray]'"),
        (["--executor", "threads"], "processes"),
    ],
)
def test_an_executor_that_is_not_to_be_had_is_wrong_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], says: str
) -> None:
    really = importlib.util.find_spec

    def without_ray(name: str, package: str | None = None) -> Any:
        return None if name == "ray" else really(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", without_ray)
    assert says in invoke(*arguments, "--out", tmp_path / "out", exits=2).output
    assert not (tmp_path / "out").exists()


def test_half_made_worlds_of_dead_workers_are_swept_away_and_no_others(tmp_path: Path) -> None:
    plan = build_plan(RunOptions(config=config(tmp_path, one=[day(LINKS)]), agent=["nothing"]))
    run = create_run(plan, tmp_path / "out")
    execute(run, output_console())
    folder = run.folder
    draft = folder.path / "worlds" / ".world-abc"
    draft.mkdir()
    (draft / "world").write_bytes(b"half a wor")
    folder.remove_drafts()
    assert left_behind(folder.path) == []
