"""An agent has to look up drawn things: those of other days do not count."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from pydantic import JsonValue

from tests.meta_tasks.complications.blind_days import SEEDS, WITHOUT, do_task, instance, wait
from tests.meta_tasks.days import graded, staged
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day
from trainee_bench.meta_tasks.complications import disagreeing_records
from trainee_bench.meta_tasks.complications.policy_change import FILED, PAGE, RULE
from trainee_bench.meta_tasks.work.habits import NO_HABITS
from trainee_bench.world.apps.calendar import Calendar

# policy_change --------------------------------------------------------------------------

POLICY = "kb_fix.easy+policy_change"


async def file_in(day: StagedDay, *folders: str) -> None:
    (path,) = instance(day).told.deliverable_paths
    for folder in folders:
        target = f"{folder}/{path.rpartition('/')[2]}"
        await day.call("files_copy", {"source": path, "target": target})


def test_the_folder_is_another_one_with_nearly_every_seed() -> None:
    facts = [
        single_task_day(POLICY, seed).tasks[0].instance.graded.truth.facts["policy_change"]
        for seed in range(30)
    ]
    assert len({fact.folder for fact in facts}) >= 29
    assert all(fact.folder not in fact.former for fact in facts)


def test_the_rules_name_another_folder_once_they_have_changed() -> None:
    rule = "data_completion.logistics.segment_time_sum.hard+policy_change"
    for seed in range(5):  # by two draws, seed 1 had the same folder twice
        facts = single_task_day(rule, seed).tasks[0].instance.graded.truth.facts["policy_change"]
        assert facts.former and facts.folder not in facts.former


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_copy_in_a_folder_of_other_days_is_not_filed(seed: int) -> None:
    async with staged(POLICY, seed) as day:
        await do_task(day)
        await file_in(day, f"{FILED}/results", f"{FILED}/2025", f"{FILED}/october")
        grade = await graded(day)
        assert grade.score == WITHOUT and not grade.success


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_copy_may_lie_where_the_morning_wanted_it_and_nowhere_else(seed: int) -> None:
    async with staged(POLICY, seed) as day:
        facts = instance(day).graded.truth.facts["policy_change"]
        await do_task(day)
        await file_in(day, *facts.former, facts.folder)
        assert (await graded(day)).score == 1
        await file_in(day, f"{FILED}/results_1")
        assert (await graded(day)).score == WITHOUT


async def test_nothing_shows_the_new_folder_before_the_rules_change() -> None:
    async with staged(POLICY, 0) as day:
        folder = instance(day).graded.truth.facts["policy_change"].folder
        name = folder.rpartition("/")[2]
        pages = [
            planned
            for planned in instance(day).hidden.events
            if getattr(planned.event, "path", "") == PAGE
        ]
        changes = max(page.due for page in pages if page.due is not None)
        await wait(day, changes - timedelta(minutes=5))
        assert (await day.call("files_search", {"query": name})).data["hits"] == []
        page = await day.call("files_read", {"path": PAGE})
        assert RULE.search(str(page.data["text"])) != folder
        await wait(day, changes + timedelta(minutes=1))
        page = await day.call("files_read", {"path": PAGE})
        assert RULE.search(str(page.data["text"])) == folder


# clashing_invitation and hidden_instructions --------------------------------------------


async def test_attending_the_right_meeting_without_the_page_does_not_keep_its_rule() -> None:
    rule = "kb_fix.easy+clashing_invitation"
    (task,) = single_task_day(rule, 0).tasks
    (waiting,) = task.instance.hidden.expectations
    async with staged(rule, 0) as day:
        assert await day.work() == {}
        assert (await graded(day)).score == 1
        calls = [(act.tool, dict(act.arguments)) for act in await day.world.log()]
    async with staged(rule, 0) as day:
        for tool, arguments in calls:
            if arguments.get("to") == waiting.holder:
                arguments["text"] = "I cannot come, since another meeting goes first."
            await day.call(tool, arguments)
        assert (await graded(day)).score == WITHOUT


def test_which_meeting_goes_first_differs_between_days() -> None:
    first = set[str]()
    for seed in range(20):
        instance = single_task_day("kb_fix.easy+clashing_invitation", seed).tasks[0].instance
        pages = [str(getattr(planned.event, "text", "")) for planned in instance.hidden.events]
        (page,) = (text for text in pages if text.startswith("# Meetings that clash"))
        first.add(page.split("\n1. ")[1].partition(" (")[0])
    assert len(first) == 4


@pytest.mark.parametrize(
    ("note", "score"),
    [("Cost centre {code}", 1), ("{code}, {other}", WITHOUT), ("{other}", WITHOUT)],
)
async def test_a_list_of_cost_centres_names_none(note: str, score: float) -> None:
    async with staged("kb_fix.easy+hidden_instructions", 0) as day:
        code = instance(day).graded.truth.facts["hidden_instructions"].code
        await do_task(day)
        other = f"K{(int(code[1:]) + 1) % 10_000:04}"
        said = note.format(code=code, other=other)
        await day.call("desk_submit", {"task": "T1", "note": said})
        assert (await graded(day)).score == score


# disagreeing_records --------------------------------------------------------------------

VERSIONS = "sales.top_sales_employee+disagreeing_records"


@pytest.mark.parametrize("seed", SEEDS)
async def test_one_batch_of_corrections_prevails_and_only_the_page_says_which(seed: int) -> None:
    async with staged(VERSIONS, seed) as day:
        (record, *_) = instance(day).hidden.records
        page = await day.call("files_read", {"path": disagreeing_records.PAGE.path})
        right = disagreeing_records.RULE.search(str(page.data["text"]))
        listed = await day.call("files_list", {"folder": disagreeing_records.FOLDER})
        batches = [str(entry["path"]) for entry in listed.data["entries"]]
        assert len(batches) == 2 and right in batches
        file = record.path.rpartition("/")[2]
        texts = {
            batch: (await day.call("files_read", {"path": f"{batch}/{file}"})).data["text"]
            for batch in batches
        }
        assert [batch for batch in batches if texts[batch] == record.text] == [right]


def test_the_batch_that_prevails_is_another_one_with_nearly_every_seed() -> None:
    pages = [
        str(getattr(planned.event, "text", ""))
        for seed in range(20)
        for planned in single_task_day(VERSIONS, seed).tasks[0].instance.hidden.events
    ]
    found = [disagreeing_records.RULE.search(text) for text in pages if "# Versions" in text]
    assert len(found) == 20 and len(set(found)) >= 19


def test_the_longer_batch_prevails_on_about_half_of_the_days() -> None:
    longer = 0
    for seed in range(30):
        made = single_task_day(VERSIONS, seed).tasks[0].instance
        (record, *_) = made.hidden.records
        file = f"/{record.path.rpartition('/')[2]}"
        batches = [
            str(getattr(planned.event, "text", ""))
            for planned in made.hidden.events
            if getattr(planned.event, "path", "").startswith(disagreeing_records.FOLDER)
            and getattr(planned.event, "path", "").endswith(file)
        ]
        assert len(batches) == 2 and len({len(batch.splitlines()) for batch in batches}) == 2
        longer += max(batches, key=lambda batch: len(batch.splitlines())) == record.text
    assert 9 <= longer <= 21


# one of two meetings at one hour ----------------------------------------------------------


LINKS = "kb_fix.easy"
MINUTE = timedelta(minutes=1)
Step = tuple[str, int]
"""An act, and its earliest time in minutes after the meetings begin."""


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
    composition = single_task_day(f"{LINKS}+clashing_invitation", 0)
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
