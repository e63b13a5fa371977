"""An employee attends one of two meetings at one hour, and declines the other before it begins."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from pydantic import JsonValue

from tests.meta_tasks.days import staged
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.work.habits import NO_HABITS
from trainee_bench.world.apps.calendar import Calendar

RULE = "kb_fix.easy"
MINUTE = timedelta(minutes=1)
Step = tuple[str, int]
"""What is done, and how many minutes after the meetings begin it is done at the earliest."""


@pytest.mark.parametrize(
    ("steps", "kept"),
    [
        ([("decline second", -60), ("attend first", -2)], True),
        ([("accept first", -60), ("decline second", -50), ("attend first", 2)], True),
        ([("decline first", -60), ("decline second", -50), ("accept first", -40),
          ("attend first", -2)], True),
        ([("decline second", -60), ("decline second", 1), ("attend first", 3)], True),
        ([("attend first", -2)], False),
        ([("decline second", 1), ("attend first", 3)], False),
        ([("decline second", -60), ("accept second", -50), ("attend first", -2)], False),
        ([("decline first", -60), ("decline second", -50), ("attend first", -2)], False),
        ([("decline first", -60), ("attend second", -2)], False),
    ],
)  # fmt: skip
async def test_only_whoever_declines_the_other_in_time_and_comes_has_kept_the_rule(
    steps: list[Step], kept: bool
) -> None:
    composition = single_task_day(f"{RULE}+clashing_invitation", 0)
    (task,) = composition.tasks
    async with staged(composition) as day:
        keys = {"first": f"{task.id} clash 1", "second": f"{task.id} clash 2"}
        meetings = {
            name: await day.world.read(lambda tx, key=key: Calendar(tx).meeting_by_key(key))
            for name, key in keys.items()
        }
        (waiting,) = task.instance.hidden.expectations
        rule = f"I attend another meeting then, by rule {waiting.values[0][0]}."
        await day.call("chat_send_message", {"to": waiting.holder, "text": rule})
        for step, minutes in steps:
            verb, name = step.split()
            due = meetings[name].starts + minutes * MINUTE
            now: datetime = (await day.call("desk_now", {})).time
            if due > now:
                await day.call("desk_wait", {"until": f"{due:%H:%M}", "wake": False})
            named: dict[str, JsonValue] = {"meeting": meetings[name].id}
            if verb == "attend":
                await day.call("calendar_attend", named)
            else:
                await day.call("calendar_respond", {**named, "answer": f"{verb.rstrip('e')}ed"})
        assert await day.work(habits=NO_HABITS) == {}
        (grade,) = await day.grades()
    found = {check.name: check for check in grade.checkpoints}
    assert all(check.passed for name, check in found.items() if "clashing" not in name)
    assert found["clashing_invitation_kept"].passed is kept, found["clashing_invitation_kept"].seen
