"""Unannounced changes: no message tells of them, a page of the handbook says where to look."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import pytest

from tests.meta_tasks.complications.blind_days import told_by
from tests.meta_tasks.days import staged
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day, stage_day
from trainee_bench.meta_tasks.authoring.handbook import HOUSE_RULES
from trainee_bench.meta_tasks.complications import (
    discover_complications,
    unannounced_correction,
    unannounced_handover,
)
from trainee_bench.meta_tasks.complications.truncated_file import SLIP
from trainee_bench.meta_tasks.complications.unannounced_handover import DECIDED, FOLDER, PROPOSED
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.tool_client import ToolData
from trainee_bench.world.apps.chat import ClueHandedOver
from trainee_bench.world.apps.desk import RequestChanged
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.apps.sheets import WorkbookAppears

UNANNOUNCED = sorted(
    name for name, complication in discover_complications().items() if not complication.announced
)
RULE = "sales.per_dept_top_n"


async def wait(day: StagedDay, until: str) -> None:
    """Let the day go on until this time of day."""
    await day.call("desk_wait", {"until": until, "wake": False})


async def read(day: StagedDay, path: str) -> str:
    """Return the text of a short file."""
    return str((await day.call("files_read", {"path": path})).data["text"])


async def heard(day: StagedDay) -> list[ToolData]:
    """Return all messages and mails that have come."""
    messages = (await day.call("chat_read_history", {"limit": 100})).data["messages"]
    return [*messages, *(await day.call("mail_list", {})).data["mails"]]


def test_three_complications_are_not_announced() -> None:
    assert UNANNOUNCED == ["truncated_file", "unannounced_correction", "unannounced_handover"]


@pytest.mark.parametrize("name", UNANNOUNCED)
async def test_the_task_refers_to_the_handbook_and_nobody_writes_of_it(name: str) -> None:
    async with staged(f"{RULE}+{name}", 4) as day:
        objective = (await day.call("desk_tasks", {"task": "T1"})).text
        assert HOUSE_RULES in objective
        assert "drive:/handbook/" not in objective
        await wait(day, "19:00")
        async with staged(RULE, 4) as plain:
            await wait(plain, "19:00")
            assert len(await heard(day)) == len(await heard(plain))


async def test_a_file_is_exchanged_and_only_the_time_of_its_change_shows_it() -> None:
    day = await stage_day(single_task_day(f"{RULE}+unannounced_correction", 4))
    record = day.composition.tasks[0].instance.hidden.records[0]
    async with day.world:
        before = await day.call("files_info", {"path": record.path})
        assert (await read(day, record.path)) == record.earlier
        await wait(day, "18:45")
        after = await day.call("files_info", {"path": record.path})
        assert (await read(day, record.path)) == record.text
        assert before.data["changed"] < after.data["changed"]


@pytest.mark.parametrize("name", ["disagreeing_records", "many_records", "mixed_formats"])
def test_no_file_beside_those_of_a_later_request_comes_before_it(name: str) -> None:
    instance = single_task_day(f"{RULE}+changed_request+{name}", 4).tasks[0].instance
    (moment,) = [
        planned.due
        for planned in instance.hidden.events
        if isinstance(planned.event, RequestChanged)
    ]
    beside = [
        planned.due
        for planned in instance.hidden.events
        if isinstance(planned.event, FileAppears | WorkbookAppears)
        and re.search(r"^drive:/corrections/|_part_\d\.csv$|_rest\.xlsx$", planned.event.path)
    ]
    assert beside and set(beside) == {moment}


async def test_a_slip_tells_that_records_are_missing_and_who_sends_them() -> None:
    day = await stage_day(single_task_day(f"{RULE}+truncated_file", 4))
    record = day.composition.tasks[0].instance.hidden.records[0]
    async with day.world:
        slip = await read(day, f"{record.path}{SLIP}")
        count = len(record.text.splitlines()) - 1
        assert f"{count} records" in slip
        assert len((await read(day, record.path)).splitlines()) - 1 < count
        sender = slip.removeprefix("Sent by ").partition(":")[0]
        file = record.path.rpartition("/")[2]
        there = len((await read(day, record.path)).splitlines()) - 1
        answer = await told_by(
            day, sender, f"Hello, {file} has only {there} records. Could you check?"
        )
        assert file in answer
        assert (await read(day, record.path)) == record.text


async def test_a_truncated_file_of_a_later_request_comes_with_its_slip_and_not_before() -> None:
    rule = "data_completion.transactions.tax_fee.very_hard+changed_request+truncated_file"
    day = await stage_day(single_task_day(rule, 4))
    instance = day.composition.tasks[0].instance
    (moment,) = [
        planned.due
        for planned in instance.hidden.events
        if isinstance(planned.event, RequestChanged)
    ]
    assert moment is not None
    for record in instance.hidden.records:
        assert record.path not in instance.told.objective

    async def there() -> set[str]:
        folders = sorted({record.path.rpartition("/")[0] for record in instance.hidden.records})
        listed = [await day.call("files_list", {"folder": f"{folder}/"}) for folder in folders]
        return {str(entry["path"]) for listing in listed for entry in listing.data["entries"]}

    later = {f"{record.path}{end}" for record in instance.hidden.records for end in ("", SLIP)}
    async with day.world:
        await wait(day, f"{moment - timedelta(minutes=5):%H:%M}")
        assert not later & await there()
        await wait(day, f"{moment:%H:%M}")
        assert later <= await there()


async def test_after_a_decision_the_former_one_sends_on_to_who_knows_better() -> None:
    day = await stage_day(single_task_day("transactions.n2.a0+unannounced_handover", 4))
    instance = day.composition.tasks[0].instance
    ((handover, moment),) = [
        (planned.event, planned.due)
        for planned in instance.hidden.events
        if isinstance(planned.event, ClueHandedOver)
    ]
    (clue,) = (clue for clue in instance.hidden.clues if clue.id == handover.clue)
    assert moment is not None
    async with day.world:
        assert clue.payload in await told_by(day, clue.holder, clue.asks[0])
        await wait(day, f"{moment:%H:%M}")
        assert handover.former in await told_by(day, clue.holder, clue.asks[1])
        assert handover.payload in await told_by(day, handover.holder, clue.asks[0])
        assert handover.payload != clue.payload


async def test_one_file_says_what_is_decided_and_another_what_is_only_proposed() -> None:
    day = await stage_day(single_task_day("transactions.n2.a0+unannounced_handover", 4))
    written = [
        (planned.due, planned.event)
        for planned in day.composition.tasks[0].instance.hidden.events
        if isinstance(planned.event, FileAppears) and planned.event.path.startswith(FOLDER)
    ]
    said = [str(event.text) for due, event in written if isinstance(due, datetime)]
    for template in (DECIDED, PROPOSED):
        assert sum(template.search(text) is not None for text in said) == 1
    async with day.world:
        first = await day.call("files_list", {"folder": FOLDER})
        assert len(first.data["entries"]) == 1
        await wait(day, "19:00")
        last = await day.call("files_list", {"folder": FOLDER})
        assert len(last.data["entries"]) == 3


async def test_an_agent_that_begins_after_the_decision_asks_only_the_new_holder() -> None:
    day = await stage_day(single_task_day("transactions.n2.a0+unannounced_handover", 4))
    (task,) = day.composition.tasks
    ((handover, moment),) = [
        (planned.event, planned.due)
        for planned in task.instance.hidden.events
        if isinstance(planned.event, ClueHandedOver)
    ]
    (clue,) = (clue for clue in task.instance.hidden.clues if clue.id == handover.clue)
    assert moment is not None
    async with day.world:
        await wait(day, f"{moment:%H:%M}")
        assert await day.work() == {}
        assert [grade.score for grade in await day.grades()] == [1]
        sent = [act for act in await day.world.log() if act.tool == "chat_send_message"]
        former = day.composition.company.person(clue.holder)
        asked = {str(act.arguments["to"]) for act in sent}
        assert handover.holder in asked
        assert not asked & {former.id, former.name}


async def test_whether_a_file_was_cut_off_is_seen_without_reading_it() -> None:
    day = await stage_day(single_task_day(f"{RULE}+truncated_file", 4))
    record = day.composition.tasks[0].instance.hidden.records[0]
    async with day.world:
        assert await day.work() == {}
        done = [act for act in await day.world.log() if act.tool.startswith(("chat_s", "files_r"))]
        told = next(place for place, act in enumerate(done) if act.tool == "chat_send_message")
        read_before = {str(act.arguments["path"]) for act in done[:told] if "path" in act.arguments}
        assert record.path not in read_before


@pytest.mark.parametrize("name", ["corrected_file", "unannounced_correction"])
def test_signed_off_records_are_not_exchanged(name: str) -> None:
    with pytest.raises(CompositionError, match="works on the records"):
        single_task_day(f"{RULE}+sign_off+{name}", 4)


def test_the_pages_say_when_things_usually_happen() -> None:
    late = (
        "late: in the last three hours before the task is due. If the task is due after 17:00, it "
    )
    hours = "in the last three hours before 17:00, when the first colleagues go home"
    assert f"It usually comes {late}comes {hours}" in unannounced_handover.PAGE.text()
    assert f"that usually happens {late}happens {hours}" in unannounced_correction.PAGE.text()
    for seed in range(12):
        rule = "transactions.n2.a0+unannounced_correction+unannounced_handover"
        (task,) = single_task_day(rule, seed).tasks
        files = [record.path for record in task.instance.hidden.records]
        events = [
            (planned.due, planned.event) for planned in task.instance.hidden.events if planned.due
        ]
        (decision,) = {due for due, event in events if isinstance(event, ClueHandedOver)}
        (exchange,) = {
            due for due, event in events if isinstance(event, FileAppears) and event.path in files
        }
        assert "14:00" <= f"{decision:%H:%M}" < f"{exchange:%H:%M}" <= "16:30"
