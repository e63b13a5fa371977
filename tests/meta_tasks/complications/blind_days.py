"""A day worked with the tools by somebody who leaves the complication alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, ClassVar

import pytest

from tests.meta_tasks import days
from trainee_bench.harness.testbench.staged_day import StagedDay
from trainee_bench.harness.testbench.work_plan import honest_works, outline_of, work_tasks
from trainee_bench.meta_tasks.complication import OWN_SHARE
from trainee_bench.meta_tasks.meta_task import TaskInstance
from trainee_bench.meta_tasks.needs import Around, Habit, Inner, Need, Work
from trainee_bench.meta_tasks.work.achieving import Submitted
from trainee_bench.meta_tasks.work.habits import NO_HABITS

SEEDS = range(3)
WITHOUT = pytest.approx(1 / (1 + OWN_SHARE))
"""The score of the task itself, without a complication that was not dealt with."""


class NeverSubmits(Habit):
    """A habit: makes the result, and does not submit it."""

    name: ClassVar[str] = "never submits"

    def ways(self) -> Mapping[type[Need[Any]], Around]:
        return {Submitted: self._kept}

    async def _kept(self, work: Work, need: Submitted, inner: Inner[None]) -> None:
        pass


async def do_task(day: StagedDay, submits: bool = True) -> None:
    """Do the task itself, leave its complication alone, and wait for no news."""
    works, starts = honest_works(day.composition), day.composition.day.starts
    outline = replace(outline_of(day.composition), settled=dict.fromkeys(works, starts))
    habits = NO_HABITS if submits else (NeverSubmits(),)
    assert await work_tasks(day, day.costs, works, outline, habits) == {}


def instance(day: StagedDay) -> TaskInstance[Any]:
    made: TaskInstance[Any] = day.composition.tasks[0].instance
    return made


told_by = partial(days.told_by, automatic=False, wake=False)
"""A function that returns somebody's own answer, whatever news comes meanwhile."""


async def wait(day: StagedDay, until: datetime) -> None:
    if await day.world.now() < until:
        await day.call("desk_wait", {"until": f"{until:%H:%M}", "wake": False})


def arrival(day: StagedDay, kind: type) -> datetime:
    """Return when the complication's message comes."""
    (due,) = (
        planned.due for planned in instance(day).hidden.events if isinstance(planned.event, kind)
    )
    assert due is not None
    return due
