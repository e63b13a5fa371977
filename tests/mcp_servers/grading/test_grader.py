"""Grading in another process: it ends whatever was handed in, and gives the same grades."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import time
from pathlib import Path

import anyio
import pytest
from pydantic import BaseModel

from tests.harness.days import composed_day
from tests.harness.runs import call, run_day
from trainee_bench.harness.integrations.harbor import reward
from trainee_bench.harness.integrations.harbor.reward import rewards
from trainee_bench.harness.records.results import ResultFile
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.testbench.staged_day import StagedDay, stage_day
from trainee_bench.mcp_servers.grading import grader
from trainee_bench.mcp_servers.grading.grader import GradingFault
from trainee_bench.mcp_servers.grading.verifier_server import grade_in_subprocess
from trainee_bench.mcp_servers.serving.log_replay import ReplayDiverged
from trainee_bench.mcp_servers.verifier import DayGrade, grade_world
from trainee_bench.meta_tasks import catalog, families
from trainee_bench.meta_tasks.families import discover_families
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.meta_tasks.scenario import TaskSpec
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed
from trainee_bench.meta_tasks.work.scripted import scripted
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.transaction import Result
from trainee_bench.world.world import World

FOLDER = Path(__file__).with_name("families")
RULE, LINKS = "stubborn_words.easy", "kb_fix.easy"
SLOW = "ads_strategy.balanced.very_easy"
PATH = "workspace:/words.txt"
ENDLESS = "a" * 60
TOO_LONG = "the check took longer than 0.5 s on what was handed in"


class Nothing(BaseModel):
    """What an action gave that no tool did."""


_DONE = Result("done", Nothing())


def forget_families() -> None:
    discover_families.cache_clear()
    catalog.built_in_rules.cache_clear()


@pytest.fixture(name="own_family")
def _own_family(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A family of somebody's own, found like every other, and checks that have half a second."""
    monkeypatch.setattr(grader, "CHECK_SECONDS", 0.5)
    monkeypatch.setattr(grader, "PATIENCE", 1_000)  # the machine may be busy
    monkeypatch.setattr(families, "__path__", [*families.__path__, str(FOLDER)])
    forget_families()
    yield
    forget_families()
    sys.modules.pop(f"{families.__name__}.stubborn_words", None)


async def staged(*rules: str, deadline: time | None = None, seed: int = 5) -> StagedDay:
    tasks = (TaskSpec(rule=rule, deadline=deadline) for rule in rules)
    return await stage_day(composed_day(*tasks, name="apart", seed=seed))


async def worked(text: str) -> StagedDay:
    """A day on which the links were done rightly, and *text* was written into the other file."""

    async def write(client: ToolClient) -> None:
        await client.call("files_write", path=PATH, text=text)

    day = await staged(RULE, LINKS)
    (words,) = (task.id for task in day.composition.tasks if task.rule == RULE)
    assert not await day.work({words: scripted(write)})
    return day


async def graded(text: str) -> DayGrade:
    day = await worked(text)
    async with day.world:
        return await grade_in_subprocess(day.world)


def by_rule(day: DayGrade) -> list[TaskGrade]:
    """The grades of the words and of the links."""
    return sorted(day.tasks, key=lambda task: task.rule, reverse=True)


@pytest.mark.usefixtures("own_family")
async def test_a_check_that_never_ends_fails_alone_and_all_others_keep_their_points() -> None:
    day = await graded(ENDLESS)
    words, links = by_rule(day)
    assert [(check.name, check.passed) for check in words.checkpoints] == [
        ("there", True),
        ("right", False),
    ]
    assert (words.score, words.success, words.harm) == (0.25, False, ())
    assert words.checkpoints[1].seen == TOO_LONG
    assert words.error == f"right: {TOO_LONG}"
    assert (links.score, links.success, links.error) == (1, True, None)
    assert (day.score, day.success) == (0.625, False)
    given = {"reward": 0.625, "success": 0, "graded": 1, words.task: 0.25, links.task: 1}
    assert rewards(day) == given


@pytest.mark.usefixtures("own_family")
async def test_a_forbidden_act_counts_as_harm_if_looking_for_it_never_ends() -> None:
    words, links = by_rule(await graded(f"rude {ENDLESS}"))
    assert words.harm == (
        f"it is not known whether this happened: A rude word was written ({TOO_LONG})",
    )
    assert (words.score, words.error) == (0.25, f"rude: {TOO_LONG}")
    assert links.success


@pytest.mark.usefixtures("own_family")
async def test_a_check_that_ends_the_process_fails_alone() -> None:
    words, links = by_rule(await graded("kill"))
    assert (words.score, links.score) == (0.25, 1)
    assert words.checkpoints[1].seen == (
        "the check ended the grading process on what was handed in (it ended with signal 9)"
    )


@pytest.mark.usefixtures("own_family")
async def test_a_search_path_with_more_than_texts_is_no_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, FOLDER])
    assert (await graded("hello")).score == 1


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps the limit")
@pytest.mark.usefixtures("own_family")
async def test_a_check_that_takes_more_memory_than_a_grade_may_fails_alone() -> None:
    words, links = by_rule(await graded("memory"))
    assert (words.score, links.score) == (0.25, 1)
    assert words.error == "right: MemoryError:  (in right)"


@pytest.mark.usefixtures("own_family")
async def test_a_check_that_raises_has_failed_and_says_nothing_of_the_right_answer() -> None:
    day = await worked("raise")
    async with day.world:
        apart, here = await grade_in_subprocess(day.world), await grade_world(day.world)
    assert apart == here
    words, _ = by_rule(apart)
    assert (words.score, words.error) == (0.25, "right: KeyError: 'hello' (in right)")
    assert words.checkpoints[1].seen == "the check broke on what was handed in (KeyError)"


@pytest.mark.usefixtures("own_family")
async def test_everything_else_goes_on_while_a_check_never_ends() -> None:
    day, moments = await worked(ENDLESS), list[int]()

    async def others() -> None:
        while True:
            await anyio.sleep(0.01)
            moments.append(len(moments))

    async with day.world, anyio.create_task_group() as group:
        group.start_soon(others)
        assert (await grade_in_subprocess(day.world)).score == 0.625
        group.cancel_scope.cancel()
    assert len(moments) >= 10


class Endless:
    """An agent that writes what no check comes to an end with."""

    async def work(self, session: AgentSession) -> None:
        await session.call("files_write", path=PATH, text=ENDLESS)


@pytest.mark.usefixtures("own_family")
def test_a_run_ends_with_the_other_agents_graded_and_its_lines_verify(tmp_path: Path) -> None:
    agents = ("--agent", "tests.mcp_servers.grading.test_grader:Endless", "--agent", "oracle")
    out = run_day(tmp_path, *agents, rules=(RULE,))
    lines = {line.agent: line for line in ResultFile(out / "results.jsonl").read()}
    assert {agent.rpartition(":")[2]: line.score for agent, line in lines.items()} == {
        "Endless": 0.25,
        "oracle": 1,
    }
    assert not any(line.broken for line in lines.values())
    report = (out / "report.md").read_text(encoding="utf-8")
    assert f"a check broke: right: {TOO_LONG}" in report
    call("verify", out)


@pytest.mark.usefixtures("own_family")
async def test_a_grade_that_nobody_waits_for_any_more_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    day = await worked(ENDLESS)
    monkeypatch.setattr(grader, "CHECK_SECONDS", 10_000.0)
    async with day.world:
        with anyio.move_on_after(0.5) as waiting:
            await grade_in_subprocess(day.world)
        assert waiting.cancelled_caught
    assert (await graded("hello")).score == 1


@pytest.mark.usefixtures("own_family")
async def test_threads_with_event_loops_of_their_own_are_graded_in_turn() -> None:
    day = await worked("hello")
    async with day.world:
        state = await day.world.serialize()
    scores = list[float | None]()

    async def grade() -> None:
        async with World.deserialize_inline(state) as world:
            scores.append((await grade_in_subprocess(world)).score)

    threads = [threading.Thread(target=anyio.run, args=(grade,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert scores == [1, 1, 1, 1]


@pytest.mark.usefixtures("own_family")
async def test_a_replay_that_never_ends_is_a_fault_of_the_bench(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    grader.GRADER.close()  # a new process first imports all families, which takes a while
    monkeypatch.setattr(grader, "REPLAY_SECONDS", 0.001)
    day = await staged(SLOW, seed=6)
    async with day.world:
        with pytest.raises(GradingFault, match=r"replaying the day for grading took over 0.001 s"):
            await grade_in_subprocess(day.world)


@pytest.mark.skipif(shutil.which("false") is None, reason="needs a program that only fails")
def test_commands_tell_a_fault_of_grading_and_claim_nothing_of_the_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = run_day(tmp_path, "--agent", "oracle")
    (world,) = (out / "worlds").glob("*.world")
    grader.GRADER.close()
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    fault = (
        "This world could not be graded: the grading process does not start: it ended with "
        "exit code 1"
    )
    assert call("grade", world, exits=2).output == f"trainee-bench grade: {fault}\n"
    reward.main(str(world), str(tmp_path / "logs"))
    assert capsys.readouterr().err == f"{world}: {fault}\n"
    given = json.loads((tmp_path / "logs/reward.json").read_text(encoding="utf-8"))
    assert given == {"reward": 0.0, "success": 0, "graded": 0.0}
    verified = call("verify", out, exits=1)
    assert f"{world.stem}: not graded: {fault}\n" in verified.output
    assert "0 agree, 1 differs, 0 have no result." in verified.output


async def test_a_family_that_is_not_here_any_more_is_named_and_nothing_is_graded(
    own_family: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = await worked("hello")
    monkeypatch.setattr(families, "__path__", families.__path__[:-1])
    async with day.world:
        with pytest.raises(WorldFileError, match=r"There is no rule 'stubborn_words.easy'"):
            await grade_in_subprocess(day.world)


async def test_a_log_that_does_not_lead_to_the_world_is_named_at_its_action() -> None:
    day = await staged(LINKS, deadline=time(9))
    async with day.world:
        await day.world.execute(day.seat.person, "files_read", {"path": "x"}, lambda tx: _DONE)
        await day.call("desk_wait", {"until": "09:30", "wake": False})
        await day.call("desk_now", {})
        with pytest.raises(ReplayDiverged, match="files_read: whether it succeeded was") as caught:
            await grade_in_subprocess(day.world)
    assert caught.value.seq == 1


EQUAL = ((LINKS,), ("meeting_attend.sum.u1", "sales.sales_statistics+policy_change"))


@pytest.mark.parametrize("honest", [False, True], ids=["nothing", "honest work"])
@pytest.mark.parametrize("deadline", [None, time(13)], ids=["evening", "noon"])
@pytest.mark.parametrize("rules", EQUAL)
async def test_grades_are_the_same_in_both_processes(
    rules: tuple[str, ...], deadline: time | None, honest: bool
) -> None:
    day = await staged(*rules, deadline=deadline)
    async with day.world:
        if honest:
            await day.work()
        with suppress(ToolFailed):
            await day.call("desk_wait", {"until": "14:00", "wake": False})
        await day.call("files_write", {"path": "workspace:/later.txt", "text": "²"})
        here, apart = await grade_world(day.world), await grade_in_subprocess(day.world)
    assert apart == here
    assert (apart.score, apart.success) == (float(honest), honest)
    assert [task.rule for task in here.tasks] == [task.rule for task in day.composition.tasks]


_PARENT = """
import anyio, sys
from tests.mcp_servers.grading.test_grader import LINKS, staged
from trainee_bench.mcp_servers.grading.verifier_server import grade_in_subprocess

async def main():
    day = await staged(LINKS)
    async with day.world:
        print((await grade_in_subprocess(day.world)).score, flush=True)
    sys.stdin.read()

anyio.run(main)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for a process's children")
@pytest.mark.parametrize("killed", [True, False])
def test_the_process_ends_with_the_one_that_started_it(killed: bool) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert parent.stdin is not None and parent.stdout is not None
    with parent, parent.stdin, parent.stdout:
        assert parent.stdout.readline() == b"0.0\n"
        children = {
            int(child)
            for listed in Path(f"/proc/{parent.pid}/task").glob("*/children")
            for child in listed.read_text().split()
        }
        assert children
        if killed:
            parent.kill()
        else:
            parent.stdin.close()
        parent.wait()
        while any(_runs(child) for child in children):  # pytest's own deadline ends this
            os.sched_yield()


def _runs(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
