"""A task that cannot be done and its twin that can be: everything that can be read is the same."""

from __future__ import annotations

from itertools import count

import pytest
from pydantic import JsonValue

from tests.meta_tasks.days import day_with, staged
from trainee_bench.harness.certification.complications import certify_complications
from trainee_bench.harness.session.frozen import composed_digests
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.scenario import Variation
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.tool_client import ToolFailed

SALES = "sales.sales_statistics"
RULES = (
    f"{SALES}+nobody_knows",
    f"{SALES}+lost_records",
    "kb_fix.medium+nobody_knows",
    "ads_strategy.balanced.easy+busy_holder+nobody_knows",
    "transactions.n2.a0+lost_records",
    "transactions.n2.a0+lost_records+unannounced_handover",
)
TIMES = ("12:00", "16:30")


def twins(rule: str) -> tuple[ComposedDay, ComposedDay]:
    """Return a day whose task cannot be done, and the same with other secrets, in which it can."""
    for seed in count():
        day = single_task_day(rule, seed)
        fact = day.tasks[0].instance.graded.missing
        if fact is None:
            continue
        for offset in range(1, 20):
            secrets = {f"T1/{fact.clue}": offset}
            twin = single_task_day(rule, seed, Variation(secret_seed_offsets=secrets))
            if twin.tasks[0].instance.graded.missing is None:
                return day, twin
    raise AssertionError("there are endless seeds")


READ = (
    "calendar_list",
    "chat_list_people",
    "chat_list_groups",
    "desk_tasks",
    "mail_list",
    "monitor_list_services",
    "monitor_list_alerts",
    "monitor_get_on_call",
    "monitor_get_summary",
)
"""Tools that say what there is, without arguments."""


async def read(day: StagedDay) -> list[str]:
    """Return what can be read now: lists, every file with its details, every mail, the chat."""
    calls: list[tuple[str, dict[str, JsonValue]]] = [(tool, {}) for tool in READ]
    calls += [("files_list", {"folder": root}) for root in ("drive:/", "workspace:/")]
    calls += [("chat_read_history", {"limit": 100}), ("files_search", {"text": "T1"})]
    said = list[str]()
    while calls:
        tool, given = calls.pop()
        try:
            answer = await day.call(tool, given)
        except ToolFailed as error:
            said.append(f"{tool} {given} {error}")
            continue
        said.append(f"{tool} {given} {answer.text} {answer.data} {answer.notices}")
        for entry in answer.data.get("entries", ()):
            path = {"path": entry["path"]}
            folder = entry["kind"] == "folder"
            calls += [("files_list", {"folder": entry["path"]})] if folder else []
            calls += [] if folder else [("files_info", path), ("files_read", path)]
        calls += [("mail_read", {"mail": mail["id"]}) for mail in answer.data.get("mails", ())]
    return said


async def told(composition: ComposedDay, keeper: str) -> list[str]:
    """Return what an agent reads during the day, which asks everybody but the *keeper*."""
    async with staged(composition) as day:
        said = await read(day)
        title = composition.tasks[0].instance.told.title
        for person in composition.company.people[::5]:
            about = f"Who can help me with “{title} (T1)”? Which part of it is missing?"
            text = "Hello! How are you today?" if person.id == keeper else about
            sent = await day.call("chat_send_message", {"to": person.id, "text": text})
            said.append(sent.text)
        for time in TIMES:
            await day.call("desk_wait", {"until": time, "wake": False})
            said += await read(day)
        return said


@pytest.mark.parametrize("rule", RULES)
async def test_nothing_that_can_be_read_tells_whether_a_task_can_be_done(rule: str) -> None:
    one, two = twins(rule)
    fact = one.tasks[0].instance.graded.missing
    assert fact is not None
    shown = [await composed_digests(day) for day in (one, two)]
    assert shown[0].tools == shown[1].tools and shown[0].prompts == shown[1].prompts
    left, right = [await told(day, fact.keeper) for day in (one, two)]
    assert len(left) > 60
    assert left == right


@pytest.mark.parametrize("other", ["unannounced_handover", "retraction", "busy_holder"])
def test_other_complications_fit_whether_or_not_the_task_can_be_done(other: str) -> None:
    rule = f"transactions.n2.a0+lost_records+{other}"
    days = [single_task_day(rule, seed) for seed in range(8)]
    possible = [day.tasks[0].instance.graded.missing is None for day in days]
    assert True in possible and False in possible


async def test_a_complication_need_not_bite_where_another_makes_the_task_impossible() -> None:
    rule = f"{SALES}+lost_records+retraction"
    seeds = [0, 1, 2, 3]
    missing = [single_task_day(rule, s).tasks[0].instance.graded.missing for s in seeds]
    assert None in missing and any(missing)
    claim = await certify_complications(rule, seeds)
    assert claim.holds, claim.broken


def test_a_task_lacks_one_fact_at_most() -> None:
    with pytest.raises(CompositionError, match="a return names one open point"):
        day_with(f"{SALES}+lost_records+nobody_knows", seed=1)
