"""A drawn day shows what happened and when, and nothing secret."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.harness.builders import episode, task
from tests.harness.days import composed_day
from tests.harness.runs import LINKS, MEETING
from trainee_bench import mcp_servers
from trainee_bench.harness.agents.runtime.in_process_episode import run_agent_on_day
from trainee_bench.harness.analysis.report.day_record import (
    CallRecord,
    DayRecord,
    TaskRecord,
    read_day,
)
from trainee_bench.harness.analysis.report.publish import day_style
from trainee_bench.harness.analysis.report.timeline import draw_timeline, lane_hue
from trainee_bench.harness.records.results import CheckpointResult
from trainee_bench.harness.session.limits import EndReason
from trainee_bench.harness.testbench.staged_day import StagedDay, stage_day
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.meta_tasks.scenario import TaskSpec


async def staged(*tasks: TaskSpec) -> StagedDay:
    return await stage_day(composed_day(*tasks, name="drawn", seed=7))


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
    assert links.given == record.day.starts and links.submitted and not links.too_late
    names = {person.name for person in day.composition.company.people}
    assert links.clues and all(clue.source in names for clue in links.clues)
    assert any(meeting.arrived is not None for meeting in record.meetings)
    assert {call.app for call in record.calls} >= {"desk", "chat", "calendar", "files"}
    assert record.stopped < record.day.ends


@pytest.mark.every_app
async def test_every_app_has_a_lane_and_unknown_apps_share_one() -> None:
    day = await staged(TaskSpec(rule=LINKS))
    async with day.world:
        record = await recorded(day)
    at = record.day.starts
    calls = [
        CallRecord(app=app, at=at, until=at, ok=False, waiting=False)
        for app in (*discover_toolboxes(), *(f"<nonsense {n}>" for n in range(50)))
    ]
    svg = draw_timeline(replace(record, calls=tuple(calls)), episode("me", "s1", task(0.0)))
    for app in discover_toolboxes():
        assert svg.count(f">{app}</text>") == 1
    assert svg.count(">no such tool</text>") == 1 and "nonsense" not in svg


@pytest.fixture(name="parcels")
def _parcels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An app that the harness does not know, discovered like every other."""
    source = "from trainee_bench.mcp_servers.serving.toolbox import Toolbox\n"
    (tmp_path / "parcels.py").write_text(source + 'TOOLS = Toolbox("parcels", "Parcels.")\n')
    monkeypatch.setattr(mcp_servers, "__path__", [*mcp_servers.__path__, str(tmp_path)])
    discover_toolboxes.cache_clear()
    yield "parcels"
    discover_toolboxes.cache_clear()
    sys.modules.pop(f"{mcp_servers.__name__}.parcels", None)


async def test_a_new_app_has_a_lane_and_a_colour_of_its_own(parcels: str) -> None:
    apps = list(discover_toolboxes())
    assert parcels in apps
    day = await staged(TaskSpec(rule=LINKS))
    async with day.world:
        record = await recorded(day)
    at = record.day.starts
    calls = tuple(CallRecord(app=app, at=at, until=at, ok=True, waiting=False) for app in apps)
    svg = draw_timeline(replace(record, calls=calls), episode("me", "s1", task(0.0)))
    labels = [text.text for text in ElementTree.fromstring(svg).iter("text")]
    assert [label for label in labels if label in apps] == apps
    hues = re.findall(r'class="use" style="--lane-hue:(\d+)"', svg)
    assert len(hues) == len(set(hues)) == len(apps)
    assert "stroke: oklch(var(--lane-light) .12 var(--lane-hue))" in day_style()


def test_lanes_differ_in_colour_from_each_other_and_from_failed_calls() -> None:
    hues = [lane_hue(place) for place in range(1, 21)]
    assert len(set(hues)) == 20 and all(60 <= hue < 360 for hue in hues)
    assert all(abs(one - other) > 90 for one, other in pairwise(hues))


async def test_a_day_of_nothing_has_its_meeting_missed_and_ends_when_it_began() -> None:
    day = await staged(TaskSpec(rule=MEETING))
    async with day.world:
        record = await recorded(day)
    assert [meeting.arrived for meeting in record.meetings] == [None]
    assert record.stopped == record.day.starts and record.calls == ()


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
    assert [f"{at:%H:%M}" for at in one.submitted] == ["08:00"]
    assert [f"{at:%H:%M}" for at in one.too_late] == ["10:30"]
    assert (one.first_deadline.hour, one.deadline.hour) == (12, 10)
    assert [call.ok for call in record.calls] == [True, True, False, False]
    assert [call.waiting for call in record.calls] == [False, True, False, False]


async def test_calls_after_finishing_are_no_work() -> None:
    day = await staged(TaskSpec(rule=LINKS))
    async with day.world:
        await day.observe("desk_tasks", {})
        await day.observe("desk_finish_day", {})
        record = await recorded(day)
    assert f"{record.stopped:%H:%M}" < "08:10"
    assert [call.app for call in record.calls] == ["desk"]
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
    assert "passed: It & all" in [tip.text for tip in root.iter("title")]
    payloads = [
        clue.payload for task in day.composition.tasks for clue in task.instance.hidden.clues
    ]
    assert payloads and not [text for text in (*payloads, "the secret") if text in drawn]
    assert len(drawn) < 15_000


async def test_thousands_of_calls_that_take_no_time_do_not_swell_the_picture() -> None:
    day = await staged(TaskSpec(rule=LINKS))
    async with day.world:
        await day.observe("desk_now", {})
        record = await recorded(day)
    busy = replace(record, calls=record.calls * 5_000)
    result = episode("x", "drawn", task(1.0))
    assert len(draw_timeline(busy, result)) < len(draw_timeline(record, result)) + 10


@pytest.mark.parametrize("app", ["", "a<b>", "nobody_knows"])
async def test_calls_of_unknown_apps_have_a_lane_of_their_own(app: str) -> None:
    day = await staged(TaskSpec(rule=LINKS))
    async with day.world:
        await day.observe("desk_now", {})
        record = await recorded(day)
    strange = tuple(replace(call, app=app) for call in record.calls)
    result = episode("x", "drawn", task(1.0))
    known, both, alone = (
        _lanes(draw_timeline(replace(record, calls=calls), result))
        for calls in (record.calls, record.calls + strange, strange)
    )
    assert "desk" in known and "no such tool" not in known
    assert set(both) - set(known) == {"no such tool"} and both["desk"] == known["desk"]
    assert alone["no such tool"] == both["no such tool"] != both["desk"] and "desk" not in alone


def _lanes(svg: str) -> dict[str, tuple[str, ...]]:
    """Return the hues of the calls in each lane of the picture, by the lane's name above them."""
    lanes: dict[str, tuple[str, ...]] = {}
    name = ""
    for part in ElementTree.fromstring(svg):
        hue = re.fullmatch(r"--lane-hue:(\d+)", part.get("style", ""))
        if part.tag.endswith("text") and part.get("class") == "m e":
            name = part.text or ""
            assert name not in lanes, f"two lanes are called {name}"
            lanes[name] = ()
        elif hue is not None:
            lanes[name] += (hue[1],)
    return lanes
