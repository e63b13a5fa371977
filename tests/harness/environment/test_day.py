"""A day on the caller's thread gives what servers give, without any of them."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import time, timedelta
from functools import cache

import anyio
import pytest

from trainee_bench.harness.agents.runtime.in_process_episode import InProcessResult, run_in_process
from trainee_bench.harness.environment.day import Day, DayNotBegun, NeedsEventLoop
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.mcp_servers.verifier import grade_world
from trainee_bench.meta_tasks.benchmark import find_scenario, load_shipped_benchmark
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.errors import Refused

SCENARIO = find_scenario()
WAIT = ToolCall("desk_wait", {"minutes": 60})


@cache
def oracle() -> InProcessResult:
    return anyio.run(run_in_process, "oracle", compose_day(SCENARIO))


def calls(log: Sequence[LogEntry]) -> list[ToolCall]:
    return [ToolCall(entry.tool, entry.arguments) for entry in log if entry.actor]


def begun(scenario: Scenario = SCENARIO, *, rewards: bool = False) -> Day:
    day = Day(scenario, rewards=rewards)
    day.reset()
    return day


def test_the_calls_of_honest_work_earn_the_same_grade_and_lead_to_the_same_world() -> None:
    async def elsewhere() -> str:
        staged = await stage_day(compose_day(SCENARIO))
        async with staged.world:
            for entry in oracle().log:
                await staged.seat.call(entry.tool, entry.arguments)
            return await staged.world.digest()

    day = begun()
    before = threading.active_count()
    day.step(calls(oracle().log))
    assert threading.active_count() == before
    assert day.grade() == oracle().grade
    assert day.digest() == anyio.run(elsewhere)


def test_rewards_add_up_to_the_score_and_are_given_for_the_step_that_earned_them() -> None:
    day = begun(rewards=True)
    rewards = [day.step([call]).reward for call in calls(oracle().log)]
    assert sum(rewards) == pytest.approx(1.0)
    assert 0 < sum(reward != 0 for reward in rewards) < len(rewards) / 2


@pytest.mark.parametrize(
    "name",
    [
        SCENARIO.name,
        *(
            pytest.param(scenario.name, marks=pytest.mark.sweep)
            for scenario in load_shipped_benchmark("core-50").scenarios[::5]
        ),
    ],
)
def test_the_kept_grade_equals_a_new_grading_after_every_step(name: str) -> None:
    scenario = find_scenario(name)
    made = anyio.run(run_in_process, "oracle", compose_day(scenario)).log
    day, anew = begun(scenario, rewards=True), Day(scenario)
    for call in calls(made):
        day.step([call])
        anew.set_state(day.state())
        assert day.grade() == anew.grade()
        copy = day.fork()
        assert copy.grade() == anew.grade()
        copy.close()


@pytest.mark.parametrize("part", [0.3, 0.7])
def test_the_running_grade_is_that_of_the_verifier_at_any_time(part: float) -> None:
    made = calls(oracle().log)
    day = begun(rewards=True)
    for call in made[: int(len(made) * part)]:
        day.step([call])

    async def verified() -> object:
        staged = await stage_day(day.composition)
        async with staged.world:
            for call in made[: int(len(made) * part)]:
                await staged.seat.call(call.name, call.arguments)
            return await grade_world(staged.world)

    assert day.grade() == anyio.run(verified)


def test_work_after_a_deadline_does_not_count() -> None:
    (plain,) = SCENARIO.days
    tasks = tuple(task.model_copy(update={"deadline": time(19)}) for task in plain.tasks)
    late = SCENARIO.model_copy(update={"days": (plain.model_copy(update={"tasks": tasks}),)})
    day = begun(late, rewards=True)
    while day.now.time() < time(19):
        day.step([ToolCall("desk_wait", {"until": "19:00"})])
    assert sum(day.step([call]).reward for call in calls(oracle().log)) == 0
    assert day.grade().score == 0


def test_a_fork_goes_its_own_way() -> None:
    made = calls(oracle().log)
    day = begun(rewards=True)
    day.step(made[:20])
    fork = day.fork()
    assert fork.digest() == day.digest()
    while not fork.done:
        fork.step([WAIT])
    day.step(made[20:])
    assert day.grade().score == 1
    assert fork.grade().score != 1


def test_a_snapshot_brings_the_day_back_with_its_time_and_what_was_earned() -> None:
    made = calls(oracle().log)
    day = begun(rewards=True)
    day.step(made[:30])
    kept, digest, now = day.snapshot(), day.digest(), day.now
    day.step([WAIT, WAIT])
    day.restore(kept)
    assert (day.digest(), day.now) == (digest, now)
    day.step(made[30:])
    assert day.grade() == oracle().grade


def test_a_day_begins_anew_with_reset_and_not_without() -> None:
    day = Day(SCENARIO)
    with pytest.raises(DayNotBegun, match="reset"):
        day.step([WAIT])
    first = day.reset()
    digest = day.digest()
    day.step([WAIT])
    assert day.reset() == first
    assert day.digest() == digest
    day.close()
    with pytest.raises(DayNotBegun):
        day.grade()


def test_apps_that_run_programs_are_refused_by_name() -> None:
    with pytest.raises(NeedsEventLoop, match="terminal"):
        begun(SCENARIO.model_copy(update={"tools": ("desk", "files", "terminal")}))


def test_a_refused_call_is_answered_and_costs_a_minute() -> None:
    day = begun()
    before = day.now
    (answer,) = day.step([ToolCall("no_such_tool")]).answers
    assert answer.failed
    assert day.now - before == timedelta(minutes=1)


def test_a_week_goes_on_in_the_morning() -> None:
    days = tuple(DaySpec(name=name, tasks=(TaskSpec(rule="kb_fix.easy"),)) for name in ("a", "b"))
    week = Scenario(name="two_days", seed=3, week=True, days=days)
    done = anyio.run(run_in_process, "oracle", compose_day(week))
    day = begun(week)
    for entry in done.log:
        if entry.actor:
            day.step([ToolCall(entry.tool, entry.arguments)])
        elif day.has_next_day and entry.tool == "world_begin_next_day":
            assert "Tuesday" in day.next_day().prompt
    assert day.grade() == done.grade
    with pytest.raises(Refused):
        day.next_day()
