"""Days of every shape that a scenario may have are worked to full score by the oracle."""

from __future__ import annotations

from datetime import time

import pytest

from tests import quick_round
from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import Arrival, DaySpec, Scenario, TaskSpec
from trainee_bench.world.transaction import Verbosity

RULES = ("meeting_attend.check_sum.u2", "kb_fix.medium", "website_analysis.slow_page")


async def worked(scenario: Scenario, day: int = 0) -> list[float | None]:
    """The scores of a day's tasks after the oracle's work."""
    staged = await stage_day(compose_day(scenario, day))
    async with staged.world:
        failures = await staged.work()
        assert not failures
        return [grade.score for grade in await staged.grades()]


def scenario(seed: int = 0, **changes: object) -> Scenario:
    day = {"tasks": [{"rule": rule} for rule in RULES]}
    return Scenario.model_validate({"name": "shape", "seed": seed, "days": [day], **changes})


@pytest.mark.parametrize("seed", quick_round.quick_first(range(6), 2))
async def test_tasks_that_stream_in_over_the_day(seed: int) -> None:
    assert await worked(scenario(seed, arrival=Arrival.STREAMED)) == [1, 1, 1]


async def test_a_task_that_arrives_late_in_the_afternoon() -> None:
    spec = TaskSpec(rule="kb_fix.easy", arrives=time(14, 10))
    assert await worked(Scenario(name="late", days=(DaySpec(tasks=(spec,)),))) == [1]


@pytest.mark.parametrize("size", quick_round.quick_only((10, 500), (10, 11, 23, 100, 237, 500)))
async def test_companies_from_the_smallest_to_the_largest(size: int) -> None:
    for seed in range(2):
        assert await worked(scenario(seed, company_size=size)) == [1, 1, 1]


@pytest.mark.parametrize("verbosity", Verbosity)
async def test_with_all_notices_and_with_none(verbosity: Verbosity) -> None:
    assert await worked(scenario(verbosity=verbosity)) == [1, 1, 1]


async def test_the_second_of_two_days_is_new_work_in_the_same_company() -> None:
    (day,) = scenario().days
    two = scenario(days=[day, day.model_copy(update={"name": "day_2"})])
    first, second = compose_day(two, 0), compose_day(two, 1)
    assert first.company == second.company
    truths = zip(first.tasks, second.tasks, strict=True)
    assert all(one.instance.graded.truth != other.instance.graded.truth for one, other in truths)
    assert await worked(two, 1) == [1, 1, 1]


async def test_tools_that_cost_more_than_usual_delay_no_appointment() -> None:
    dear = {"chat_send_message": 25, "chat_read_history": 4, "files_read": 9}
    assert await worked(scenario(minutes=dear)) == [1, 1, 1]
