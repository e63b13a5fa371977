"""A family may ask for a workbook: it is graded, certified, cheated and spoilt like any file."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import quick_round
from tests.meta_tasks.stock_list import StockList
from trainee_bench.harness.agents.cheats.empty_files import EmptyFiles
from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.certification.ablation import certify_ablation
from trainee_bench.harness.certification.cheats import certify_cheats, certify_guesses
from trainee_bench.harness.certification.counterfactuals import certify_counterfactuals
from trainee_bench.harness.certification.leakage import certify_leakage
from trainee_bench.harness.certification.mutants import certify_mutants, mutants_of
from trainee_bench.harness.certification.solvable import certify_solvable
from trainee_bench.harness.testbench.slips import with_slip
from trainee_bench.harness.testbench.staged_day import (
    StagedDay,
    oracle_outputs,
    single_task_day,
    stage_day,
)
from trainee_bench.harness.testbench.workbook_files import copy_as, rows_in, write_as
from trainee_bench.harness.testbench.workbook_mutations import rows_of, workbook_of, wrong_rows
from trainee_bench.meta_tasks import catalog
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.world.filesystem.content import FileContent, FileKind

RULE = "stock_list.i5"
ROWS = [["item", "pieces"], ["lamps", 12], ["chairs", 7.5]]


@pytest.fixture(autouse=True)
def _catalog_of_stock(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = {rule.id: rule for rule in StockList.rules()}
    monkeypatch.setattr(catalog, "all_rules", lambda: rules)


@pytest.mark.parametrize(
    "certify",
    [
        certify_solvable,
        certify_counterfactuals,
        certify_ablation,
        pytest.param(certify_cheats, marks=pytest.mark.sweep),
        certify_guesses,
        certify_mutants,
        certify_leakage,
    ],
)
@quick_round.seeds(1, sweep=2)
async def test_every_claim_holds_for_a_family_that_asks_for_a_workbook(
    certify: Any, seeds: range
) -> None:
    for rule in StockList.rules():
        claim = await certify(rule.id, seeds)
        assert claim.holds, claim.broken


async def test_the_right_workbook_reads_as_its_rows() -> None:
    (text,) = await oracle_outputs(single_task_day(RULE, 1))
    ((titles, *lines),) = json.loads(text).values()
    assert titles == ["item", "pieces"] and len(lines) == 5
    assert rows_in(text) == [titles, *lines]


async def graded_after(day: StagedDay, tool: str, **arguments: Any) -> tuple[float | None, str]:
    await day.call(tool, arguments)
    (grade,) = await day.grades()
    return grade.score, grade.checkpoints[0].seen


async def test_what_is_no_such_table_is_said_to_be_none() -> None:
    day = await stage_day(single_task_day(RULE, 1))
    async with day.world:
        (path,) = day.composition.deliverable_paths
        (grade,) = await day.grades()
        assert grade.score == 0 and "no file" in grade.checkpoints[0].seen
        made = await graded_after(day, "sheets_create", path=path, rows=[])
        assert made == (0, f"{path} is empty")
        rows = [["item", "number"], ["lamps", 3]]
        given = await graded_after(day, "sheets_write", path=path, start="A1", rows=rows)
        assert "does not have the columns asked for" in given[1]
        rows = [["item", "pieces"], ["lamps", "many"]]
        given = await graded_after(day, "sheets_write", path=path, start="A1", rows=rows)
        assert given[1].startswith("row 2, pieces:")


async def test_the_cheat_with_empty_files_makes_an_empty_workbook() -> None:
    done = await run_in_process(
        EmptyFiles.name, compose_day(single_task_day(RULE, 1).scenario_day.scenario)
    )
    assert [entry.tool for entry in done.log if "workspace" in str(entry.arguments)] == [
        "sheets_create"
    ]
    assert done.grade.tasks[0].score == 0


def test_every_wrong_table_differs_from_the_right_one_and_from_the_others() -> None:
    found = dict(wrong_rows(ROWS))
    assert len(found) == 10
    tables = [json.dumps(rows) for rows in found.values()]
    assert len({*tables, json.dumps(ROWS)}) == 11
    assert found["a number off by one"][1] == ["lamps", 13]
    assert found["two values swapped"][1:] == [["chairs", 12], ["lamps", 7.5]]


def test_a_workbook_of_rows_has_these_rows() -> None:
    typed = [["item", "pieces"], ["lamps", "12"], ["chairs", "7.5"]]
    assert rows_of(workbook_of(ROWS, "Order").sheets[0]) == typed


def test_a_picture_has_wrong_mutants_and_no_harmless_ones() -> None:
    picture = FileContent(kind=FileKind.PICTURE, data=b"\x89PNG\r\n\x1a\n" + bytes(40))
    wrong = [mutant.content.data for mutant in mutants_of(picture, harmless=False)]
    assert len({picture.data, *wrong}) == 4
    assert not list(mutants_of(picture, harmless=True))


def test_a_slip_changes_the_rows_that_are_written_and_nothing_else() -> None:
    given: dict[str, Any] = {"path": "workspace:/order.xlsx", "rows": ROWS}
    slipped = with_slip("sheets_create", given, 0.0, ["a row dropped"])
    assert slipped == {"path": "workspace:/order.xlsx", "rows": ROWS[:2]}
    assert with_slip("sheets_create", given, 0.99)["rows"] != ROWS


async def test_texts_and_tables_are_written_in_the_form_that_a_name_says() -> None:
    made: list[tuple[str, dict[str, Any]]] = []

    async def call(tool: str, **arguments: Any) -> None:
        made.append((tool, arguments))

    await write_as(call, "workspace:/a.txt", "x")
    await write_as(call, "workspace:/a.xlsx", "x\ny")
    await copy_as(call, "drive:/a.csv", "workspace:/b.xlsx")
    await copy_as(call, "drive:/a.xlsx", "workspace:/b.xlsx")
    await copy_as(call, "drive:/a.md", "workspace:/b.md")
    assert [tool for tool, _ in made] == [
        "files_write", "sheets_create", "sheets_convert", "files_copy", "files_copy",
    ]  # fmt: skip
    assert made[1][1]["rows"] == [["x"], ["y"]]
