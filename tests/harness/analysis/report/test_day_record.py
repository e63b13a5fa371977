"""A worked day as it is drawn: what happened and when, and nothing of what is secret."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from tests.harness.builders import episode, task
from trainee_bench.harness.agents.runtime.in_process_episode import run_agent_on_day
from trainee_bench.harness.analysis.report.day_record import (
    DayRecord,
    TaskRecord,
    ToolUse,
    read_day,
)
from trainee_bench.harness.analysis.report.timeline import draw_timeline
from trainee_bench.harness.records.results import CheckpointResult
from trainee_bench.harness.session.limits import EndReason
from trainee_bench.harness.testbench.staged_day import StagedDay, stage_day
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec

MEETING, LINKS = "meeting_attend.sum.u1", "kb_fix.easy"


async def staged(*tasks: TaskSpec) -> StagedDay:
    scenario = Scenario(name="drawn", seed=7, days=(DaySpec(tasks=tasks),))
    return await stage_day(compose_day(scenario))


async def recorded(day: StagedDay) -> DayRecord:
    return await read_day(day.world, day.composition)


def task_of(record: DayRecord, day: StagedDay, rule: str) -> TaskRecord:
    (id,) = (task.id for task in day.composition.tasks if task.rule == rule)
    return next(task for task in record.tasks if task.id == id)


async def test_a_worked_day_has_its_tasks_clues_meetings_and_calls() -> None:
    day = await staged(TaskSpec(rule=MEETING), TaskSpec(rule=LINKS))
    async with day.world:
        await run_agent_on_day("oracle", day)
        record = await recorded(day)
    links = task_of(record, day, LINKS)
    assert links.given == record.day.starts and links.handed_in and not links.too_late
    names = {person.name for person in day.composition.company.people}
    assert links.found and all(clue.source in names for clue in links.found)
    assert any(visit.arrived is not None for visit in record.visits)
    assert {use.app for use in record.uses} >= {"desk", "chat", "calendar", "files"}
    assert record.stopped < record.day.ends


async def test_every_app_has_a_lane_and_all_that_is_none_share_one() -> None:
    day = await staged(TaskSpec(rule=LINKS))
    async with day.world:
        record = await recorded(day)
    at = record.day.starts
    uses = [
        ToolUse(app=app, at=at, until=at, ok=False, waiting=False)
        for app in (*discover_toolboxes(), *(f"<nonsense {n}>" for n in range(50)))
    ]
    svg = draw_timeline(replace(record, uses=tuple(uses)), episode("me", "s1", task(0.0)))
    for app in discover_toolboxes():
        assert svg.count(f">{app}</text>") == 1
    assert svg.count(">no such tool</text>") == 1 and "nonsense" not in svg


async def test_a_day_of_nothing_has_its_meeting_missed_and_ends_when_it_began() -> None:
    day = await staged(TaskSpec(rule=MEETING))
    async with day.world:
        record = await recorded(day)
    assert [visit.arrived for visit in record.visits] == [None]
    assert record.stopped == record.day.starts and record.uses == ()


async def test_moved_deadlines_and_handing_in_too_late_are_seen() -> None:
    moved = {"at": "09:00", "to": "10:00"}
    spec = {"rule": LINKS, "deadline": "12:00", "moved": moved}
    day = await staged(TaskSpec.model_validate(spec))
    async with day.world:
        await day.observe("desk_submit", {"task": "t1 "})
        await day.observe("desk_wait", {"until": "10:30", "wake": False})
        await day.observe("desk_submit", {"task": "T1"})
        await day.observe("files_read", {"path": "workspace:/nothing"})
        record = await recorded(day)
    (one,) = record.tasks
    assert [f"{at:%H:%M}" for at in one.handed_in] == ["08:00"]
    assert [f"{at:%H:%M}" for at in one.too_late] == ["10:30"]
    assert (one.first_deadline.hour, one.deadline.hour) == (12, 10)
    assert [use.ok for use in record.uses] == [True, True, False, False]
    assert [use.waiting for use in record.uses] == [False, True, False, False]


async def test_what_comes_after_finishing_is_no_work() -> None:
    day = await staged(TaskSpec(rule=LINKS))
    async with day.world:
        await day.observe("desk_tasks", {})
        await day.observe("desk_finish_day", {})
        record = await recorded(day)
    assert f"{record.stopped:%H:%M}" < "08:10"
    assert [use.app for use in record.uses] == ["desk"]
    assert all(notice.at <= record.stopped for notice in record.notices)


async def test_a_task_that_waits_for_another_is_not_given_before_its_cause() -> None:
    after = {"rule": MEETING, "follows": {"task": LINKS, "when": "submission"}}
    day = await staged(TaskSpec.model_validate(after), TaskSpec(rule=LINKS))
    async with day.world:
        record = await recorded(day)
    assert task_of(record, day, MEETING).given is None


async def test_the_picture_tells_what_happened_and_no_clue() -> None:
    day = await staged(TaskSpec(rule=MEETING), TaskSpec(rule=LINKS))
    async with day.world:
        await run_agent_on_day("oracle", day)
        record = await recorded(day)
    checks = (
        CheckpointResult(name="a", sentence="It & all", weight=1, passed=True, seen="the secret"),
        CheckpointResult(name="b", sentence="More", weight=1, passed=False, seen="another"),
    )
    result = episode(
        "oracle", "drawn", task(0.5, LINKS, checkpoints=checks), ended=EndReason.STEP_LIMIT
    )
    drawn = draw_timeline(record, result)
    root = ElementTree.fromstring(drawn)
    texts = [text.text for text in root.iter("text")]
    assert f"step limit {record.stopped:%H:%M}" in texts
    assert "reached: It & all" in [tip.text for tip in root.iter("title")]
    payloads = [clue.payload for one in day.composition.tasks for clue in one.instance.clues]
    assert payloads and not [text for text in (*payloads, "the secret") if text in drawn]
    assert len(drawn) < 15_000


async def test_thousands_of_calls_that_take_no_time_do_not_swell_the_picture() -> None:
    day = await staged(TaskSpec(rule=LINKS))
    async with day.world:
        await day.observe("desk_now", {})
        record = await recorded(day)
    busy = DayRecord(**{**vars(record), "uses": record.uses * 5_000})
    result = episode("x", "drawn", task(1.0))
    assert len(draw_timeline(busy, result)) < len(draw_timeline(record, result)) + 10


@pytest.mark.parametrize("app", ["", "a<b>", "nobody_knows"])
async def test_calls_of_unknown_apps_have_a_lane_of_their_own(app: str) -> None:
    day = await staged(TaskSpec(rule=LINKS))
    async with day.world:
        await day.observe("desk_now", {})
        record = await recorded(day)
    uses = tuple(type(use)(app, use.at, use.until, use.ok, use.waiting) for use in record.uses)
    strange = DayRecord(**{**vars(record), "uses": uses})
    ElementTree.fromstring(draw_timeline(strange, episode("x", "drawn", task(1.0))))
