"""Beginning late does not avoid a change: the change comes late enough for that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta
from typing import Any, ClassVar

import pytest

from tests.meta_tasks.days import day_with, staged
from trainee_bench.harness.certification.complications import late_starts
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.complications import careful_habits, habits_ignoring
from trainee_bench.meta_tasks.complications.policy_change import PAGE, RULE, FilesCopies
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.needs import Around, Habit, Inner, Need, Once, ReadText, Work
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import ChangesFrom
from trainee_bench.meta_tasks.work.achieving import Afterwards, paths_of
from trainee_bench.world.apps.chat import ClueRevised
from trainee_bench.world.apps.files import FileAppears

SEEDS = range(3)
NOT_FILED = 0.69
"""The score when the task is done, but copies are where the old rules had them."""


async def score_of_ignoring(composed: ComposedDay, start: datetime) -> float:
    """Return the score of a worker that ignores the task's complication and begins at *start*."""
    (ignored,) = composed.tasks[0].meta_task.complications
    return await score_of(habits_ignoring(ignored), composed, start)


async def score_of(habits: Sequence[Habit], composed: ComposedDay, start: datetime) -> float:
    """Return the score of a worker with these *habits* that begins at *start*."""
    async with staged(composed) as day:
        await day.call("desk_wait", {"until": f"{start:%H:%M}", "wake": False})
        await day.work(habits=habits)
        (grade,) = await day.grades()
    assert grade.score is not None
    return round(grade.score, 3)


class FilesOnce(Habit):
    """A habit: files copies by the rules at the time of handing in."""

    name: ClassVar[str] = "files once"

    def ways(self) -> Mapping[type[Need[Any]], Around]:
        return {Afterwards: self._filed}

    async def _filed(
        self, work: Work, need: Afterwards, inner: Inner[tuple[Need[Any], ...]]
    ) -> tuple[Need[Any], ...]:
        folder = RULE.search(await work(ReadText(PAGE)))
        copies = (
            Once("files_copy", (("source", path), ("target", f"{folder}/{path.split('/')[-1]}")))
            for path in paths_of(need.results)
        )
        return (*await inner(), *copies)


async def test_an_agent_that_files_once_files_by_old_rules_however_late_it_begins() -> None:
    others = (habit for habit in careful_habits() if not isinstance(habit, FilesCopies))
    habits, scores = (*others, FilesOnce()), list[float]()
    for seed in SEEDS:
        composed = single_task_day("kb_fix.easy+policy_change", seed)
        scores += [await score_of(habits, composed, start) for start in late_starts(composed)]
        assert [f"{start:%H:%M}" for start in late_starts(composed)] == ["11:00", "14:00"]
    assert scores == [NOT_FILED] * 6


@pytest.mark.parametrize("name", ["changed_request", "corrected_file", "unannounced_correction"])
async def test_where_nobody_has_to_be_asked_no_start_helps_up_to_three_hours_before_the_deadline(
    name: str,
) -> None:
    for seed in SEEDS:
        composed = single_task_day(f"data_completion.sales.quarter_from_months.easy+{name}", seed)
        start = composed.tasks[0].deadline - timedelta(hours=3)
        assert await score_of_ignoring(composed, start) == 0


def retracted_at(task: TaskSpec) -> str:
    """Return when a colleague takes back what they told for *task*."""
    composed = day_with(task, seed=3, name="x")
    (moment,) = {
        planned.due
        for planned in composed.tasks[0].instance.hidden.events
        if isinstance(planned.event, ClueRevised) and planned.due is not None
    }
    return f"{moment:%H:%M}"


def test_a_change_is_timed_by_the_deadline_unless_that_is_set_afterwards() -> None:
    rule = "kb_fix.easy+retraction"
    late = [retracted_at(TaskSpec(rule=rule, deadline=time(hour))) for hour in (13, 16, 20)]
    soon = [
        retracted_at(TaskSpec(rule=rule, deadline=time(hour), changes_from=ChangesFrom.ARRIVAL))
        for hour in (13, 16, 20)
    ]
    assert late == ["11:25", "14:25", "15:50"]
    assert soon == ["09:50"] * 3


def test_the_filing_rules_change_at_one_hour_of_the_day_for_all_tasks() -> None:
    def changes(*tasks: TaskSpec) -> set[str]:
        composed = day_with(*tasks, seed=3, name="x")
        return {
            f"{planned.due:%H:%M}"
            for task in composed.tasks
            for planned in task.instance.hidden.events
            if isinstance(planned.event, FileAppears) and planned.event.path == PAGE and planned.due
        }

    early = TaskSpec(rule="kb_fix.easy+policy_change", deadline=time(15, 30))
    late = TaskSpec(rule="resume_select.pool6+policy_change")
    afterwards = early.model_copy(update={"changes_from": ChangesFrom.ARRIVAL})
    assert changes(early) == {"14:00"}
    assert changes(late) == {"16:00"}
    assert changes(afterwards) == {"12:00"}
    assert changes(early, late) == {"14:00"}


def test_a_task_that_is_due_on_a_later_day_changes_on_its_own() -> None:
    tasks = (TaskSpec(rule="kb_fix.easy+retraction", due_day=1),)
    days = (DaySpec(name="monday", tasks=tasks), DaySpec(name="tuesday", tasks=()))
    composed = compose_day(Scenario(name="x", seed=3, days=days, week=True))
    (task,) = composed.tasks
    (moment,) = {
        planned.due
        for planned in task.instance.hidden.events
        if isinstance(planned.event, ClueRevised) and planned.due
    }
    assert (moment.date(), f"{moment:%H:%M}") == (task.arrives.date(), "15:50")


async def test_a_deputy_is_busy_however_late_a_worker_begins_to_look_for_them() -> None:
    for seed in (1, 3):
        composed = single_task_day("kb_fix.away.hard+busy_holder", seed)
        for start in late_starts(composed):
            assert await score_of_ignoring(composed, start) <= 0.7
