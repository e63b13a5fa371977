"""A table earns the points of each column that is right, unless the column is guessed or copied."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from time import monotonic

import pytest

from trainee_bench.harness.scaffolding.office_folder import template_folder
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day, stage_day
from trainee_bench.meta_tasks.offices.answer_code import Row
from trainee_bench.meta_tasks.offices.opened import VARIABLE, open_office
from trainee_bench.meta_tasks.offices.table_answer import TableAnswer
from trainee_bench.meta_tasks.offices.task_file import ColumnFile
from trainee_bench.meta_tasks.offices.telling_columns import telling_columns
from trainee_bench.meta_tasks.offices.values import Value

PATH = "workspace:/expenses_checked.csv"
Cells = list[list[str]]


@pytest.fixture
async def day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[StagedDay]:
    """A day on which the expenses are checked, and everything is right so far."""
    monkeypatch.setenv(VARIABLE, os.environ.get(VARIABLE, ""))
    shutil.copytree(template_folder(), tmp_path / "nordlicht")
    open_office(tmp_path / "nordlicht")
    staged = await stage_day(single_task_day("nordlicht.travel_expenses", 0))
    async with staged.world:
        assert not await staged.work()
        yield staged


async def passed(day: StagedDay, change: Callable[[Cells], Cells]) -> set[str]:
    """Return the checkpoints that pass with another table."""
    text = (await day.call("files_read", {"path": PATH})).data["text"]
    cells = change([line.split(",") for line in text.strip().split("\n")])
    written = "\n".join(",".join(line) for line in cells)
    await day.call("files_write", {"path": PATH, "text": f"{written}\n"})
    (grade,) = await day.grades()
    return {check.name for check in grade.checkpoints if check.passed}


def column(place: int, value: str) -> Callable[[Cells], Cells]:
    return lambda cells: [
        cells[0],
        *([*line[:place], value, *line[place + 1 :]] for line in cells[1:]),
    ]


DECISION, PAID = "column_2_right", "column_3_right"


@pytest.mark.parametrize(
    ("change", "right"),
    [
        (lambda cells: cells, {DECISION, PAID, "told"}),
        (column(2, "0"), {DECISION}),
        (column(2, ""), {DECISION}),
        (column(2, "unknown"), {DECISION}),
        (column(2, "nan"), {DECISION}),
        (column(2, "1e400"), {DECISION}),
        (column(2, "٣"), {DECISION}),
        (column(1, ""), {PAID, "told"}),
        (column(1, "paid"), {PAID, "told"}),
        (lambda cells: cells[:-1], set()),
        (lambda cells: [*cells, ["X-9", *cells[-1][1:]]], set()),
        (lambda cells: [*cells, cells[-1]], set()),
        (lambda cells: cells[:1], set()),
    ],
    ids=["all", "one amount for all", "no amount", "a word as the amount", "nan",
         "no finite amount", "a digit of another script", "no decision", "one decision for all",
         "a row less", "a row more", "a row twice", "empty"],
)  # fmt: skip
async def test_each_column_earns_its_points_if_all_rows_are_there(
    day: StagedDay, change: Callable[[Cells], Cells], right: set[str]
) -> None:
    assert await passed(day, change) == right


async def test_points_of_columns_are_even_and_as_many_as_of_the_table(day: StagedDay) -> None:
    checks = day.composition.tasks[0].meta_task.checkpoints()
    assert [(check.name, check.weight) for check in checks] == [
        (DECISION, 2), (PAID, 2), ("told", 1),
    ]  # fmt: skip
    assert {check.only_after for check in checks[:-1]} == {"told"}


def rows_of(values: Sequence[object]) -> list[Row]:
    return [{"id": f"A{n}", "value": Decimal(str(v))} for n, v in enumerate(values)]


@pytest.mark.parametrize(
    ("values", "seen", "telling"),
    [
        (range(8), (), True),
        ([3] * 20, (), False),
        ([0, 1] * 3, (), False),
        ([0, 1] * 4, (), True),
        (range(8), ([{"id": f"A{n}", "euros": Decimal(n)} for n in range(8)],), False),
        (range(8), ([{"id": f"A{n}", "euros": Decimal(n)} for n in range(7)],), True),
        (range(8), ("a text", []), True),
    ],
    ids=["different", "one for all", "yes or no six times", "yes or no eight times", "copied",
         "not quite copied", "no table"],
)  # fmt: skip
def test_a_column_that_is_guessed_or_copied_tells_nothing_by_itself(
    values: Sequence[object], seen: Sequence[object], telling: bool
) -> None:
    assert ("value" in told(rows_of(values), *seen)) is telling


NUMBERS, SEVENS = range(1, 20), [Decimal(7 * number) for number in range(1, 20)]


def told(rows: Sequence[Row], *seen: object) -> frozenset[str]:
    columns = {title: ColumnFile(says=title) for title in rows[0]}
    return telling_columns(columns, rows, seen)  # type: ignore[arg-type]


def beside(key: str, title: str, values: Sequence[Value]) -> list[Row]:
    return [{key: str(n), title: value} for n, value in zip(NUMBERS, values, strict=True)]


@pytest.mark.parametrize(
    ("values", "seen"),
    [
        (SEVENS, [beside("No", "euros", SEVENS)]),
        (SEVENS, [[{"id": Decimal(n), "euros": Decimal(7 * n)} for n in NUMBERS]]),
        (SEVENS, ["# Prices\n\n" + "\n".join(f"| {n} | x | {7 * n} |" for n in NUMBERS)]),
        (SEVENS, [[*beside("id", "euros", SEVENS), {"id": "3", "euros": Decimal(1)}]]),
        ([n + Decimal("0.004") for n in SEVENS], [beside("id", "euros", SEVENS)]),
        ([f"Meal {n}" for n in NUMBERS], [beside("id", "kind", [f"meal  {n}" for n in NUMBERS])]),
        ([date(2026, 3, n) for n in NUMBERS],
         [beside("id", "day", [f"{n} March 2026" for n in NUMBERS])]),
        ([5 + Decimal(n) / 10_000 for n in NUMBERS], []),
        ([["Paid", "paid", "PAID"][n % 3] for n in NUMBERS], []),
        ([str(n) for n in NUMBERS], []),
    ],
    ids=["the key has another title", "the key is a number", "a table on a page", "a key twice",
         "copied within the tolerance", "copied in another case", "a date in words",
         "one number is near all", "one word in three cases",
         "the key again, or the number of the row"],
)  # fmt: skip
def test_a_column_that_the_grader_takes_from_a_copier_tells_nothing(
    values: Sequence[Value], seen: Sequence[object]
) -> None:
    assert told(beside("id", "value", values), *seen) == frozenset()


def test_the_second_of_two_equal_columns_tells_nothing() -> None:
    rows = [{"id": f"A{n}", "value": Decimal(n**2), "again": Decimal(n**2)} for n in NUMBERS]
    assert told(rows) == {"value"}


def test_a_copy_with_one_wrong_value_of_few_is_still_too_cheap() -> None:
    values = [Decimal(0), *SEVENS[1:6]]
    rows = [{"id": f"A{n}", "value": value} for n, value in enumerate(values)]
    copied = [{"id": f"A{n}", "euros": value} for n, value in enumerate(SEVENS[:6])]
    assert told(rows) == {"value"}
    assert told(rows, copied) == frozenset()


def test_thousands_of_rows_are_judged_in_a_moment() -> None:
    rows = [{"id": f"A{n}", "value": Decimal(n**2)} for n in range(5_000)]
    wide = [{f"c{place}": Decimal(n + place) for place in range(12)} for n in range(20_000)]
    begun = monotonic()
    assert told(rows, wide) == {"value"}
    assert monotonic() - begun < 10


async def test_a_column_that_tells_nothing_needs_the_others(day: StagedDay) -> None:
    result = day.composition.tasks[0].instance.graded.truth.result
    assert isinstance(result, TableAnswer)
    object.__setattr__(result, "telling", frozenset({"paid"}))
    assert await passed(day, column(2, "0")) == set()
    assert await passed(day, column(1, "paid")) == set()


@pytest.mark.parametrize(
    ("right", "written", "passes"),
    [
        ("''", "", True),
        ("'n/a'", "N/A", True),
        ("'n/a'", "", False),
        ("'007'", "7", False),
        ("'1.10'", "1.1", True),
    ],
)
async def test_a_cell_may_be_empty_or_a_word_beside_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, right: str, written: str, passes: bool
) -> None:
    monkeypatch.setenv(VARIABLE, os.environ.get(VARIABLE, ""))
    folder = tmp_path / "nordlicht"
    shutil.copytree(template_folder(), folder)
    code = folder / "tasks" / "travel_expenses" / "answer.py"
    text = code.read_text(encoding="utf-8")
    changed = f"    rows[0]['paid'] = {right}\n    return rows\n"
    code.write_text(text.replace("    return rows\n", changed), encoding="utf-8")
    open_office(folder)
    staged = await stage_day(single_task_day("nordlicht.travel_expenses", 0))
    async with staged.world:
        assert not await staged.work()
        (grade,) = await staged.grades()
        assert grade.success
        found = await passed(
            staged,
            lambda cells: [
                cells[0],
                [*cells[1][:2], written],
                *([*line[:2], f"{line[2]}{'0' * ('.' in line[2])}"] for line in cells[2:]),
            ],
        )
        assert (PAID in found) is passes
