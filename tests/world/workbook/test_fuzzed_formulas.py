"""The engine against another spreadsheet program: random formulas over random tables.

`fuzzed_formulas.json` holds what LibreOffice 7.4.7 made of them, where it agrees with Excel, and
broken formulas, which are refused; `benchmarks/formulas_against_libreoffice.py --record` wrote it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.formulas_against_libreoffice import agree, value_of
from trainee_bench.world.errors import WorldError
from trainee_bench.world.workbook.addresses import CellAddress
from trainee_bench.world.workbook.array_arguments import formula_for_engine
from trainee_bench.world.workbook.edits import write
from trainee_bench.world.workbook.formula_tree import parse_formula
from trainee_bench.world.workbook.model import Sheet, Workbook, check_workbook
from trainee_bench.world.workbook.values import calculate

TABLES: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("fuzzed_formulas.json").read_text(encoding="utf-8")
)


def _sheet(cells: dict[str, str]) -> Workbook:
    return check_workbook(Workbook(sheets=(Sheet(name="S", cells=cells),)))


@pytest.mark.parametrize("table", TABLES, ids=range(len(TABLES)))
def test_random_formulas_come_to_what_another_spreadsheet_program_says(
    table: dict[str, Any],
) -> None:
    formulas = {
        CellAddress(row, 20): (formula, value)
        for row, (formula, value) in enumerate(table["values"], 1)
    }
    written = {str(at): formula for at, (formula, _) in formulas.items()}
    (sheet,) = calculate(_sheet({**table["cells"], **written}))
    ours = {at: value_of(sheet.cells.get(at)) for at in formulas}
    differing = [
        (formula, value, ours[at])
        for at, (formula, value) in formulas.items()
        if not agree(ours[at], value)
    ]
    assert differing == []


@pytest.mark.parametrize("table", TABLES, ids=range(len(TABLES)))
def test_broken_formulas_are_refused_with_their_cell(table: dict[str, Any]) -> None:
    workbook = _sheet(table["cells"])
    for formula in table["refused"]:
        with pytest.raises(WorldError, match=r"\bT3\b"):
            write(workbook, "", CellAddress(3, 20), [[formula]])


@pytest.mark.parametrize("table", TABLES, ids=range(len(TABLES)))
def test_the_engine_gets_formulas_that_can_be_read_to_their_end(table: dict[str, Any]) -> None:
    for formula, _ in table["values"]:
        parse_formula(formula_for_engine(formula, {}, 20, lambda _: "="))


def test_enough_is_recorded() -> None:
    assert sum(len(table["values"]) for table in TABLES) >= 1_500
    assert sum(len(table["refused"]) for table in TABLES) >= 100
