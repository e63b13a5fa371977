"""How tasks with complications are composed: what is drawn once, when they come, what they give."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Any

import pytest

from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.families import attendance
from trainee_bench.meta_tasks.families.attendance.data import draw_attendance_data
from trainee_bench.meta_tasks.scenario import (
    Arrival,
    DaySpec,
    Milestone,
    PublishAfter,
    Scenario,
    TaskSpec,
)
from trainee_bench.world.apps.desk import RequestChanged


def day(*tasks: TaskSpec, **fields: object) -> Scenario:
    return Scenario.model_validate(
        {"name": "x", "seed": 3, "days": (DaySpec(tasks=tasks),), **fields}
    )


def test_what_lies_open_is_drawn_once_however_often_the_secret_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn = list[object]()

    def counted(*given: Any) -> Any:
        drawn.append(given)
        return draw_attendance_data(*given)

    monkeypatch.setattr(f"{attendance.__name__}.draw_attendance_data", counted)
    compose_day(day(TaskSpec(rule="attendance.total_absence_days.L2+old_minutes")))
    assert len(drawn) == 1


def test_tasks_with_complications_come_before_their_appointments() -> None:
    tasks = (
        TaskSpec(rule="meeting_attend.write.u1+clashing_invitation"),
        TaskSpec(rule="meeting_book.capacity.c1"),
        TaskSpec(rule="resume_select.pool12+busy_holder"),
    )
    for seed in range(4):
        composed = compose_day(day(*tasks, seed=seed, arrival=Arrival.STREAMED))
        for task in composed.tasks:
            known_by = task.instance.must_know_by
            assert known_by is None or task.arrives <= known_by
        timed = [task.arrives for task in composed.tasks]
        assert timed == sorted(timed)


async def test_nobody_knows_of_what_is_asked_for_before_the_request_changes() -> None:
    composed = compose_day(day(TaskSpec(rule="ads_strategy.balanced.hard+changed_request")))
    (task,) = composed.tasks
    (change,) = (one for one in task.instance.events if isinstance(one.event, RequestChanged))
    later = [clue for clue in task.instance.clues if clue.id not in task.instance.superseded]
    assert later and change.due is not None
    staged = await stage_day(composed)
    async with staged.world as world:

        async def asked(at: datetime) -> str:
            await staged.call("desk_wait", {"until": f"{at:%H:%M}", "wake": False})
            said = []
            for clue in later:
                await staged.call("chat_send_message", {"to": clue.holder, "text": clue.asks[0]})
            until = await world.now() + timedelta(minutes=15)
            await staged.call("desk_wait", {"until": f"{until:%H:%M}", "wake": False})
            for clue in later:
                history = await staged.call("chat_read_history", {"peer": clue.holder})
                said += [str(one["text"]) for one in history.data["messages"] if one["answers"]]
            return " ".join(said)

        before = await asked(change.due - timedelta(minutes=30))
        assert not any(clue.payload in before for clue in later)
        after = await asked(change.due)
        assert all(clue.payload in after for clue in later)


async def test_a_request_changes_after_it_came_however_late_that_is() -> None:
    cause = TaskSpec(rule="kb_fix.easy", arrives=time(13))
    later = TaskSpec(
        rule="resume_select.pool12+changed_request",
        follows=PublishAfter(task=cause.rule, when=Milestone.SUBMISSION),
    )
    done = await run_in_process("oracle", compose_day(day(cause, later)))
    assert done.grade.success
