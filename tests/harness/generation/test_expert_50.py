"""The days of expert-50: what they are made of, and who gets through them."""

from __future__ import annotations

import pytest

from trainee_bench.harness.agents.builtin.in_order import InOrder
from trainee_bench.harness.agents.builtin.one_by_one import OneByOne
from trainee_bench.harness.generation.deadlines import measure_slack
from trainee_bench.harness.generation.rehearsal import fails, rehearse
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import Arrival, Scenario

EASIEST = "expert-50-48"
"""With what its best plan leaves out, doing one task after the other is in time by four minutes."""
SCENARIOS = load_shipped_benchmark("expert-50").scenarios


def test_fifty_streamed_days_of_hard_tasks_a_third_of_them_with_more_work_than_hours() -> None:
    assert len(SCENARIOS) == 50
    assert all(one.arrival is Arrival.STREAMED for one in SCENARIOS)
    for scenario in SCENARIOS:
        assert (scenario.starts.hour, scenario.ends.hour) == (8, 18)
        assert 6 <= len(scenario.days[0].tasks) <= 9
        assert all(1 <= task.rule.count("+") <= 3 for task in scenario.days[0].tasks)
    overloaded = [one.days[0] for one in SCENARIOS if one.days[0].best]
    assert len(overloaded) == 16
    for day in overloaded:
        assert day.best_worth is not None
        assert day.best_worth <= 0.9 * sum(task.worth or 0 for task in day.tasks)


@pytest.mark.sweep
@pytest.mark.parametrize("scenario", [pytest.param(one, id=one.name) for one in SCENARIOS])
async def test_planning_does_all_that_can_be_done_and_one_task_after_the_other_does_not(
    scenario: Scenario,
) -> None:
    composition = compose_day(scenario)
    rehearsal = await rehearse(composition)
    assert rehearsal is not None and rehearsal.full
    slack = await measure_slack(composition)
    assert slack is not None and 1.05 <= slack <= 1.35
    assert await fails(InOrder, composition)
    assert await fails(OneByOne, composition) is (scenario.name != EASIEST)
