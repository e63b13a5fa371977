"""Servers that are not the employee's: the verifier, and the mentor's tools."""

from __future__ import annotations

from datetime import time
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import TextContent

from tests.harness.days import composed_day
from trainee_bench.harness.testbench.staged_day import StagedDay, open_staged_day, stage_day
from trainee_bench.mcp_servers import default_toolboxes, discover_toolboxes
from trainee_bench.mcp_servers.grading.verifier_server import build_verifier
from trainee_bench.mcp_servers.guide import MENTOR
from trainee_bench.mcp_servers.guide import TOOLS as GUIDE
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.mcp_servers.verifier import grade_world, recompose_day
from trainee_bench.meta_tasks import scenario as scenario_module
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import ComposedDay, create_world
from trainee_bench.meta_tasks.scenario import TaskSpec
from trainee_bench.meta_tasks.work.careless import BelievingTools
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.transaction import NoticeKind, Verbosity
from trainee_bench.world.world import World

SUM = "workspace:/meeting_summary.json"


def composed(deadline: time | None = None) -> ComposedDay:
    """A day with a meeting, whose file is due at *deadline*, and with an article due at one."""
    meeting = TaskSpec(rule="meeting_attend.sum.u1", deadline=deadline)
    article = TaskSpec(rule="kb_fix.easy", deadline=time(13))
    return composed_day(meeting, article, name="graded", seed=5)


async def worked(deadline: time | None = None) -> StagedDay:
    """A day that was worked honestly, until shortly before the last deadline."""
    day = await stage_day(composed(deadline))
    failures = await day.work()
    assert not failures
    return day


async def spoil_late(day: StagedDay, until: str = "14:00") -> None:
    """Overwrite the meeting's file in the afternoon."""
    await day.call("desk_wait", {"until": until, "wake": False})
    await day.call("files_write", {"path": SUM, "text": "{}"})


@pytest.mark.parametrize("deadline", [time(13), time(14)])
async def test_work_spoiled_at_the_deadline_or_after_it_still_counts(deadline: time) -> None:
    day = await worked(deadline)
    async with day.world:
        await spoil_late(day)
        assert (await grade_world(day.world)).success


async def test_damage_before_the_deadline_counts() -> None:
    day = await worked(time(15))
    async with day.world:
        await spoil_late(day, until="14:55")
        grade = await grade_world(day.world)
    by_rule = {task.rule: task for task in grade.tasks}
    assert by_rule["meeting_attend.sum.u1"].score == 0
    assert by_rule["kb_fix.easy"].success


async def test_work_after_the_deadline_comes_too_late() -> None:
    spec = TaskSpec(rule="kb_fix.easy", deadline=time(8, 10))
    day = await stage_day(composed_day(spec, name="late", seed=5))
    async with day.world:
        await day.work(tools=BelievingTools(day, {"T08:10": "T18:00"}))
        assert (await day.grades())[0].score == 1
        assert (await grade_world(day.world)).score == 0


@pytest.mark.parametrize(("deadline", "told"), [(time(11), False), (time(11, 10), True)])
async def test_a_disclosure_during_an_action_counts_up_to_the_deadline(
    deadline: time, told: bool
) -> None:
    task = TaskSpec(rule="kb_fix.easy", deadline=deadline)
    day = await stage_day(composed_day(task, name="late", seed=5))
    async with day.world:
        instance = day.composition.tasks[0].instance
        (clue,), (copy,) = instance.hidden.clues, instance.graded.truth.copies
        owner = next(p for p in day.composition.company.people if p.id == clue.holder)
        assert owner.delay > 1
        await day.call("files_write", {"path": copy.path, "text": copy.after})
        await day.call("desk_wait", {"until": "10:59", "wake": False})
        await day.call("chat_send_message", {"to": owner.id, "text": clue.asks[0]})
        (task,) = (await grade_world(day.world)).tasks
        assert [check.passed for check in task.checkpoints] == [told, told]


async def test_a_world_of_another_generator_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    day = await stage_day(composed())
    async with day.world:
        monkeypatch.setattr(scenario_module, "GENERATOR_VERSION", 999)
        with pytest.raises(WorldFileError, match="generator"):
            await recompose_day(day.world)


async def test_a_world_made_with_other_data_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    day = await stage_day(composed())
    async with day.world:
        monkeypatch.setattr(scenario_module, "version", lambda name: f"{name} of tomorrow")
        with pytest.raises(WorldFileError, match="faker of tomorrow"):
            await recompose_day(day.world)


async def test_grading_changes_nothing_in_the_world() -> None:
    day = await worked(time(13))
    async with day.world:
        await spoil_late(day)
        before, log = await day.world.digest(), await day.world.log()
        await grade_world(day.world)
        assert await day.world.digest() == before
        assert await day.world.log() == log


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_grades_and_feedback_come_over_mcp(mode: str, tmp_path: Path) -> None:
    path = tmp_path / "graded.world"
    async with await create_world(path, composed().scenario_day.scenario) as world:
        await open_staged_day(composed(), world).work()
    async with await World.open(path) as world, Client(build_verifier(world), mode=mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["verifier_grade", "verifier_feedback"]
        grade = await client.call_tool("verifier_grade", {})
        assert grade.structured_content is not None
        assert grade.structured_content["score"] == 1
        said = await client.call_tool("verifier_feedback", {"tier": 2})
        assert said.structured_content is not None
        assert set(said.structured_content["tasks"]) == {"T1", "T2"}


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("verifier_grade", {"x": 1}, "there is no argument 'x'. It takes: no arguments."),
        ("verifier_grade", {"x" * 900: 1}, f"there is no argument '{'x' * 60}'. It takes: no"),
        ("verifier_feedback", {"tier": 4}, "'tier' takes 1, 2 or 3. It takes: tier."),
        ("verifier_feedback", {"tier": [1]}, "'tier' takes 1, 2 or 3. It takes: tier."),
        ("verifier_feedback", {"tier": "\0"}, "The arguments must be JSON of at most"),
    ],
)
async def test_the_verifier_refuses_in_the_words_in_which_every_tool_does(
    name: str, arguments: dict[str, Any], said: str
) -> None:
    day = await stage_day(composed())
    async with day.world, Client(build_verifier(day.world)) as client:
        refused = await client.call_tool(name, arguments)
    (block,) = refused.content
    assert isinstance(block, TextContent)
    assert refused.is_error and block.text.startswith(f"{name}: {said}")


async def test_feedback_on_an_empty_day_says_what_was_missed_and_gives_no_answer() -> None:
    day = await stage_day(composed())
    solved = await worked()
    async with day.world, solved.world, Client(build_verifier(day.world)) as client:
        answers = await solved.call("files_read", {"path": SUM})
        numbers = {word for word in answers.text.replace(",", " ").split() if len(word) > 3}
        for tier in (None, 1, 2):
            said = await client.call_tool("verifier_feedback", {"tier": tier})
            text = str(said.content)
            assert "[ ]" in text
            assert not {n for n in numbers if n.replace(".", "").isdigit() and n in text}


def employees(world: World, person: str) -> ToolDispatcher:
    return ToolDispatcher(world, person, discover_toolboxes().values())


@pytest.mark.parametrize("verbosity", list(Verbosity))
async def test_hints_and_messages_reach_the_next_result_at_no_cost_and_replay(
    verbosity: Verbosity,
) -> None:
    scenario = find_scenario().model_copy(update={"verbosity": verbosity})
    async with await create_world(None, scenario) as world:
        mentor = ToolDispatcher(world, MENTOR, [GUIDE])
        me, before = await world.read(lambda tx: tx.employee), await world.now()
        hint = {"task": "t1", "tier": 2, "text": "Look  at\nthe owners."}
        assert (await mentor.call("guide_hint", hint)).error is None
        assert (await mentor.call("guide_say", {"text": "Well done."})).error is None
        for wrong in (
            {"task": "T99", "tier": 1, "text": "x"},
            {"task": "T1", "tier": 4, "text": "x"},
            {"task": "T1", "tier": 1, "text": " "},
        ):
            assert (await mentor.call("guide_hint", wrong)).error is not None
        assert await world.now() == before
        heard = (await employees(world, me).call("desk_now", {})).notices
        assert [one.text for one in heard if one.kind is NoticeKind.GUIDANCE] == [
            "Hint on T1 (where to look): Look at the owners.",
            "Your mentor says: Well done.",
        ]
        log, digest = await world.log(), await world.digest()
    async with await create_world(None, scenario) as again:
        await replay_log(again, log)
        assert await again.digest() == digest


async def test_nobody_but_the_mentor_can_give_hints() -> None:
    async with await create_world(None, find_scenario()) as world:
        me = await world.read(lambda tx: tx.employee)
        for tool, given in (
            ("guide_say", {"text": "Hello"}),
            ("guide_hint", {"task": "T1", "tier": 1, "text": "Hello"}),
        ):
            refused = await employees(world, me).call(tool, given)
            assert "Only the mentor" in str(refused.error)


def test_no_day_offers_the_guide_unless_it_names_it() -> None:
    assert "guide" in discover_toolboxes()
    assert "guide" not in default_toolboxes()
