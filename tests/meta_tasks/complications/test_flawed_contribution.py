"""A contribution of several files is counted and sent back file by file."""

from __future__ import annotations

import pytest

from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day

SEVERAL_FILES = "sales.per_dept_extreme_employee+flawed_contribution"


@pytest.mark.parametrize("seed", range(3))
async def test_each_of_several_incomplete_files_is_sent_back_and_used_when_it_is_whole(
    seed: int,
) -> None:
    composition = single_task_day(SEVERAL_FILES, seed)
    assert len(composition.tasks[0].instance.expectations) > 1
    day = await stage_day(composition)
    async with day.world:
        assert await day.run_oracles() == {}
        (grade,) = await day.grades()
    assert grade.score == 1
