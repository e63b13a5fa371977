"""Grades come from the verifier, and a log is refused that its day cannot have produced."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import time, timedelta
from pathlib import Path

import anyio
import pytest

from tests.harness.days import composed_day
from tests.harness.runs import call, config, day, invoke, run_day
from trainee_bench.harness.episodes.grading import task_results, verifier_grades
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import TaskResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.testbench.staged_day import StagedDay, stage_day
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.mcp_servers.verifier import feedback_on
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.world.apps.desk import RequestChanged
from trainee_bench.world.errors import Refused
from trainee_bench.world.world import World


async def links_day(deadline: time | None = None) -> StagedDay:
    task = TaskSpec(rule="kb_fix.easy", deadline=deadline)
    return await stage_day(composed_day(task, name="s", seed=2))


async def results(day: StagedDay) -> tuple[TaskResult, ...]:
    return await task_results(day.world, day.composition, await verifier_grades(day.world))


async def test_honest_work_is_complete_and_submitted_in_time() -> None:
    day = await links_day()
    async with day.world:
        await day.work()
        (result,) = await results(day)
    assert (result.score, result.success, result.submitted) == (1, True, True)
    assert result.late_minutes == 0
    assert (result.family, result.label, result.domain) == ("kb_fix", "easy", "proactive_inquiry")
    assert all(check.passed and check.seen for check in result.checkpoints)


async def test_a_task_that_was_never_submitted_has_no_lateness() -> None:
    day = await links_day()
    async with day.world:
        (result,) = await results(day)
    assert (result.score, result.submitted, result.late_minutes) == (0, False, None)


async def test_lateness_is_the_time_from_the_deadline_to_the_first_try() -> None:
    day = await links_day(time(9))
    async with day.world:
        await day.call("desk_wait", {"until": "09:40", "wake": False})
        for _ in range(2):
            with pytest.raises(ToolFailed):
                await day.call("desk_submit", {"task": "t1 "})
        (result,) = await results(day)
    assert (result.submitted, result.late_minutes) == (False, 40)


@pytest.mark.parametrize(("again", "late"), [(None, None), ("12:00", 0), ("12:30", 30)])
async def test_an_attempt_before_the_task_came_is_neither_in_time_nor_late(
    again: str | None, late: int | None
) -> None:
    task = TaskSpec(rule="kb_fix.easy", arrives=time(9), deadline=time(12))
    day = await stage_day(composed_day(task, name="s", seed=2))
    async with day.world:
        assert (await day.observe("desk_submit", {"task": "T1"})).error is not None
        if again is not None:
            await day.call("desk_wait", {"until": again, "wake": False})
            assert (await day.observe("desk_submit", {"task": "T1"})).error is not None
        (result,) = await results(day)
    assert (result.submitted, result.late_minutes) == (False, late)


@pytest.mark.parametrize(("again", "submitted", "late"), [(1, True, 0), (40, False, 40)])
async def test_a_task_submitted_before_the_request_changed_must_be_submitted_again(
    again: int, submitted: bool, late: int
) -> None:
    spec = TaskSpec(rule="sales.sales_statistics+changed_request", deadline=time(17))
    composition = composed_day(spec, name="s", seed=7)
    (task,) = composition.tasks
    (change,) = [
        planned.due
        for planned in task.instance.hidden.events
        if isinstance(planned.event, RequestChanged) and planned.due
    ]
    first = change if submitted else task.deadline
    day = await stage_day(composition)
    async with day.world:
        assert (await day.observe("desk_submit", {"task": "T1"})).error is None
        until = f"{first + timedelta(minutes=again):%H:%M}"
        await day.call("desk_wait", {"until": until, "wake": False})
        done = await day.observe("desk_submit", {"task": "T1"})
        (result,) = await results(day)
    assert ((done.error is None), result.submitted, result.late_minutes) == (
        submitted,
        submitted,
        late,
    )


async def test_a_task_of_a_week_that_is_handed_in_the_next_morning_is_late_without_the_night() -> (
    None
):
    rest = tuple(DaySpec(tasks=()) for _ in range(4))
    due = DaySpec(tasks=(TaskSpec(rule="kb_fix.easy", deadline=time(19, 30)),))
    scenario = Scenario(name="s", seed=2, week=True, days=(due, *rest))
    day = await stage_day(compose_day(scenario))
    async with day.world:
        await day.world.begin_next_day()
        await day.call("desk_wait", {"until": "08:10", "wake": False})
        assert (await day.observe("desk_submit", {"task": "T1"})).error is not None
        (result,) = await results(day)
    assert (result.submitted, result.late_minutes) == (False, 40)


async def test_work_done_after_the_deadline_does_not_count() -> None:
    day = await links_day(time(9))
    async with day.world:
        await day.call("desk_wait", {"until": "09:00", "wake": False})
        await day.work()
        (result,) = await results(day)
    assert result.score == 0


async def test_feedback_is_given_by_task() -> None:
    day = await links_day()
    async with day.world:
        told = feedback_on(await verifier_grades(day.world), 3)
    assert list(told) == ["T1"]
    assert "how: " in told["T1"]


Act = Callable[[World, ComposedDay], Awaitable[object]]


def seat(world: World, person: str) -> ToolDispatcher:
    return ToolDispatcher(world, person, discover_toolboxes().values())


async def other_employee(world: World, composition: ComposedDay) -> object:
    other = next(one for one in composition.company.people if one != composition.company.trainee)
    return await seat(world, other.id).call("desk_now", {})


async def drafted_reply(world: World, composition: ComposedDay) -> object:
    people = [one for one in composition.company.people if one != composition.company.trainee]
    draft = {"drafts": {people[0].id: {}}}
    call = {"to": people[0].id, "text": "Hello!"}
    trainee = composition.company.trainee.id
    return await seat(world, trainee).refuse("chat_send_message", call, Refused("No."), draft)


async def terminal(world: World, composition: ComposedDay) -> object:
    trainee = composition.company.trainee.id
    refused = {"refused_outside": "No."}
    return await seat(world, trainee).call("terminal_run_shell", {"command": "ls"}, refused)


async def night(world: World, composition: ComposedDay) -> object:
    return await world.end_day()


async def verdict(world: World, composition: ComposedDay) -> object:
    trainee = composition.company.trainee.id
    return await seat(world, trainee).call("desk_now", {}, {"approval": "gladly"})


async def mentor(world: World, composition: ComposedDay) -> object:
    return await seat(world, "mentor").call("desk_now", {})


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    return run_day(folder, "--agent", "nothing")


async def forge(folder: RunFolder, spec: EpisodeSpec, act: Act) -> None:
    """Put in the place of the world of *spec* one in which *act* was done."""
    composition = compose_day(spec.scenario, spec.day)
    folder.world(spec).unlink()
    async with await World.create(
        folder.world(spec), composition.world_config(), composition.populate
    ) as world:
        await act(world, composition)


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (other_employee, "action 1, desk_now, cannot be from this day: by "),
        (
            drafted_reply,
            "chat_send_message, cannot be from this day: nothing of this day has the effect drafts",
        ),
        (
            terminal,
            (
                "action 1, terminal_run_shell, cannot be from this day: the day does not offer "
                "this tool"
            ),
        ),
        (night, "cannot be from this day: nights are only in weeks"),
        (verdict, "cannot be from this day: no person can have given this verdict on it"),
        (mentor, "action 1, desk_now, cannot be from this day: a mentor has no such tool"),
    ],
)
def test_a_log_that_the_day_cannot_have_produced_is_named(ran: Path, act: Act, says: str) -> None:
    folder = RunFolder.open(ran)
    (spec,) = folder.plan().episode_specs()
    anyio.run(forge, folder, spec, act)
    assert says in call("verify", ran, exits=1).output


async def replied_by_a_command(world: World, composition: ComposedDay) -> object:
    trainee = composition.company.trainee.id
    effects = {"refused_outside": "No.", "replies": {"anna": "Yes."}}
    return await seat(world, trainee).call("terminal_run_shell", {"command": "ls"}, effects)


def test_a_command_has_no_effects_but_its_own(tmp_path: Path) -> None:
    path = config(tmp_path, one=[day("kb_fix.easy")])
    tools = '"tools": ["desk", "files", "terminal"]'
    path.write_text(path.read_text().replace('"seed": 5', f'"seed": 5, {tools}'))
    invoke("--config", path, "--agent", "nothing", "--out", tmp_path / "out")
    folder = RunFolder.open(tmp_path / "out")
    (spec,) = folder.plan().episode_specs()
    anyio.run(forge, folder, spec, replied_by_a_command)
    told = call("verify", tmp_path / "out", exits=1)
    assert "nothing of this day has the effect replies" in told.output
    assert "effect ran" not in told.output and "effect refused" not in told.output
