"""Every task of a day has a score, and none of our checks breaks, whatever an agent writes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import JsonValue

from tests.meta_tasks.days import day_with, staged
from trainee_bench.harness.testbench.staged_day import PASSING_DAYS, oracle_log, single_task_day
from trainee_bench.mcp_servers.verifier import grade_world
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed
from trainee_bench.meta_tasks.work.scripted import scripted
from trainee_bench.world.action_log import LogEntry

RULES = (
    "ads_strategy.balanced.very_easy",
    "attendance.has_late_or_early.L1",
    "data_completion.sales.quarter_from_months.very_easy",
    "event_planning.A1",
    "kb_fix.easy",
    "meeting_attend.sum.u1",
    "meeting_book.manager.c1",
    "sales.sales_statistics+policy_change",
    "sales.top_sales_employee+group_totals",
    "transactions.n2.a0",
    "week.readings",
)
WRITTEN = ("text", "body", "subject", "note", "title", "value")
"""The arguments of tools in which an agent may write anything."""
ODD = (
    "²", "①", "½", "٣", "Ⅷ", "\u0301", "\u200b", "\u202e7", "\x01", "\x1f", "\x7f", "\ufeff",
    "1e999", "-1e999", "1e-999", "nan", "NaN", "Infinity", "sNaN", "-0", "0x10", "1_000", "1,000",
    "+5", "9" * 5_000, f"0.{'9' * 5_000}", "1e999999999", "2025-02-30", "24:60", "1-1-1T24:00",
    "[" * 3_000, "{}", "null", "true", '"\\ud800"', "", " ", "\n", "\r", ",", '"', ";", "=1/0",
    "ﬁ", "İ", "ß", "😀" * 10,
)  # fmt: skip
_TOKEN = re.compile(r"[\w.:+-]+|\S")


def rewritten(said: str, place: int, odd: str) -> str:
    """Return *said* with *odd* in place of one of its words or numbers, or of all of it."""
    tokens = list(_TOKEN.finditer(said))
    at = place % (len(tokens) + 1)
    if at == len(tokens):
        return odd
    return said[: tokens[at].start()] + odd + said[tokens[at].end() :]


def written(entry: LogEntry) -> list[str]:
    """Return the arguments of a call that hold the written text."""
    given = entry.arguments
    return [name for name in WRITTEN if entry.actor and isinstance(given.get(name), str)]


@pytest.mark.parametrize("rule", RULES)
@example(call=-2, place=-1, odd="²")
@given(
    call=st.integers(0, 1_000),
    place=st.integers(0, 1_000),
    odd=st.one_of(
        st.sampled_from(ODD),
        st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=20),
    ),
)
async def test_an_odd_word_anywhere_in_honest_work_takes_no_task_out_of_the_day(
    rule: str, call: int, place: int, odd: str
) -> None:
    composition = single_task_day(rule, 3)
    log = await honest_log_of(rule)
    spoiled = [entry.seq for entry in log if written(entry)]
    chosen = spoiled[call % len(spoiled)]
    async with staged(composition) as day:
        for entry in log:
            arguments: Mapping[str, JsonValue] = entry.arguments
            if entry.seq == chosen:
                names = written(entry)
                name = names[place % len(names)]
                odd_one = rewritten(str(arguments[name]), place, odd)
                arguments = {**arguments, name: odd_one}
            if entry.tool in PASSING_DAYS:
                await day.observe(entry.tool, arguments)
                continue
            with suppress(ToolFailed):
                await day.call(entry.tool, arguments)
        grade = await grade_world(day.world)
    for task in grade.tasks:
        assert (task.error, 0 <= task.score <= 1) == (None, True)
    assert grade.score is not None


_LOGS: dict[str, list[LogEntry]] = {}


async def honest_log_of(rule: str) -> list[LogEntry]:
    """Return the log of honest work on the day, which is worked once."""
    if rule not in _LOGS:
        _LOGS[rule] = await oracle_log(single_task_day(rule, 3))
    return _LOGS[rule]


async def test_a_text_that_broke_a_check_earns_what_it_is_worth_and_no_more() -> None:
    """The links are right and the statistics are nonsense, of which an exact copy is filed."""
    rules = ("kb_fix.easy", "sales.sales_statistics+policy_change")
    composition = day_with(*rules, seed=5, name="odd")
    (sales,) = (task for task in composition.tasks if task.rule == rules[1])
    (path,) = sales.instance.told.deliverable_paths

    async def nonsense(client: ToolClient) -> None:
        await client.call("files_write", path=path, text="² ① 1.50 ٣ 7²")
        folder = sales.instance.graded.truth.facts["policy_change"].folder
        await client.call("files_copy", source=path, target=f"{folder}/{path[11:]}")
        await client.call("desk_submit", task=client.task)

    async with staged(composition) as day:
        assert not await day.work({sales.id: scripted(nonsense)})
        grade = await grade_world(day.world)
    by_rule = {task.rule: task for task in grade.tasks}
    assert {rule: task.score for rule, task in by_rule.items()} == dict(
        zip(rules, (1, 0), strict=True)
    )
    assert (grade.score, by_rule[rules[1]].error) == (0.5, None)
    filed = by_rule[rules[1]].checkpoints[-1]
    assert filed.seen.startswith("1 of 1 files are filed where they belong")
