"""What can still be reached on a day that is being worked, as a potential for rewards."""

from __future__ import annotations

import pytest

from trainee_bench.harness.environment.day import Day, DayNotBegun
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.harness.worth.moments import still_reachable
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec

TASKS = (TaskSpec(rule="meeting_attend.sum.u1"), TaskSpec(rule="kb_fix.easy"))


@pytest.fixture(scope="module")
def begun() -> Day:
    day = Day(Scenario(name="reachable", seed=5, days=(DaySpec(tasks=TASKS),)))
    day.reset()
    return day


def test_at_the_start_everything_can_be_reached_and_the_day_is_not_touched(begun: Day) -> None:
    day = begun.fork()
    before = day.digest()
    found = still_reachable(day)
    assert (found.grade.score, found.is_best) == (1, True)
    assert day.digest() == before


def test_a_call_that_makes_something_impossible_costs_it_at_once(begun: Day) -> None:
    day = begun.fork()
    day.step([ToolCall("desk_wait", {"until": "17:45", "wake": False})])
    found = still_reachable(day)
    assert found.grade.score is not None
    assert found.grade.score < 1
    assert found.score_before == 0


def test_what_was_settled_before_stays_so(begun: Day) -> None:
    day = begun.fork()
    day.step([ToolCall("desk_finish_day", {})])
    day.step([ToolCall("desk_finish_day", {})])
    assert day.done
    found = still_reachable(day)
    assert found.grade == day.grade()
    assert found.is_best


def test_a_day_has_to_be_begun() -> None:
    with pytest.raises(DayNotBegun):
        still_reachable(Day(Scenario(name="later", seed=5, days=(DaySpec(tasks=TASKS[:1]),))))
