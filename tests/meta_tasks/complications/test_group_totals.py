"""Totals for each group of records: which table is asked for, and which one is right."""

from __future__ import annotations

import csv
import io
import re

import pytest

from tests.meta_tasks.days import day_with, staged
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day, stage_day
from trainee_bench.meta_tasks.task_context import CompositionError

RULES = (
    "attendance.total_absence_days.L5",
    "sales.per_dept_top_n",
    "transactions.n5.a2",
)
LINKS = "kb_fix.easy"
TABLE = "workspace:/totals_T1.csv"


async def worked(rule: str) -> tuple[StagedDay, str]:
    """Return a day on which the task of *rule* was done honestly, and the table that was made."""
    day = await stage_day(single_task_day(f"{rule}+group_totals", 2))
    await day.work()
    return day, str((await day.call("files_read", {"path": TABLE})).data["text"])


async def score_with(rule: str, changed: str) -> float:
    """Return the score of an agent that did everything right, but handed in *changed* as the
    table."""
    async with staged(f"{rule}+group_totals", 2) as day:
        await day.work()
        await day.call("files_write", {"path": TABLE, "text": changed})
        return (await day.grades())[0].score


@pytest.mark.parametrize("rule", RULES)
async def test_the_table_has_a_row_for_each_group_that_the_note_names(rule: str) -> None:
    day, table = await worked(rule)
    async with day.world:
        (grade,) = await day.grades()
        assert grade.success
        objective = (await day.call("desk_tasks", {"task": "T1"})).text
        titles = re.search(r"Its columns are ([\w, ]+)\.", objective)
        assert titles is not None
        rows = list(csv.reader(io.StringIO(table)))
        assert titles[1].split(", ") == rows[0]
        assert 10 <= len(rows) - 1 <= 240
        assert len({tuple(row[: len(row) - 2]) for row in rows}) == len(rows)


@pytest.mark.parametrize("rule", RULES)
async def test_order_of_rows_and_columns_does_not_matter(rule: str) -> None:
    day, table = await worked(rule)
    await day.world.close()
    rows = list(csv.reader(io.StringIO(table)))
    turned = "\n".join(",".join(reversed(row)) for row in (rows[0], *reversed(rows[1:])))
    assert await score_with(rule, turned) == 1


@pytest.mark.parametrize("rule", RULES)
async def test_one_wrong_value_a_missing_and_a_doubled_row_each_cost_the_table(rule: str) -> None:
    day, table = await worked(rule)
    await day.world.close()
    lines = table.splitlines()
    wrong = re.sub(r"(\d)(?=\D*$)", lambda digit: str((int(digit[1]) + 1) % 10), lines[3])
    for changed in (
        [*lines[:3], wrong, *lines[4:]],
        [*lines[:3], *lines[4:]],
        [*lines, lines[3]],
        lines[1:],
        ["anything"],
    ):
        assert 0.6 < await score_with(rule, "\n".join(changed)) < 0.7


@pytest.mark.parametrize(
    "others", [(), (LINKS, "resume_select.pool6"), ("meeting_attend.none.u1", LINKS)]
)
async def test_a_request_that_is_to_change_is_handed_in_without_totals_that_it_does_not_ask_for(
    others: tuple[str, ...],
) -> None:
    rules = ("sales.sales_statistics+changed_request+group_totals", *others)
    async with staged(day_with(*rules, seed=310754, name="x")) as day:
        assert await day.work() == {}
        assert [grade.score for grade in await day.grades()] == [1.0] * len(rules)


async def test_records_that_lie_in_other_files_are_not_summed_up() -> None:
    for other in ("many_records", "mixed_formats", "disagreeing_records"):
        with pytest.raises(CompositionError, match="group_totals cannot be added"):
            single_task_day(f"transactions.n5.a2+{other}+group_totals", 2)
