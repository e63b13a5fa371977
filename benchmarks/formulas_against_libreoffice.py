"""Random formulas in our spreadsheet engine and in LibreOffice: differences, refusals, hangs.

    python -m benchmarks.formulas_against_libreoffice [--formulas 100000] [--seed 1] [--show 20]

The seed determines tables and formulas; one formula in twelve is broken somewhere. All formulas of
a table are cells of one sheet; one in ten is also calculated alone, as `sheets_calculate` does.
LibreOffice (`soffice`) calculates the same formulas in .xlsx files of 10,000. The table counts
formulas that agree, differ for a known reason (`known_differences.py`), are refused, or are faults.
A fault is a different value, a number shown as a date, an unexpected exception, or a calculation of
more than 20 seconds.
Exit code 1 if there is a fault. `--record FILE` keeps tables and values for the tests.
"""

from __future__ import annotations

import argparse
import json
import re
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

from benchmarks.known_differences import Compared, is_error, known_difference
from benchmarks.libreoffice_values import FormulaSheet, calculated
from benchmarks.random_formulas import FormulaMaker, RandomFormula, Table, random_table
from tests.world.workbook.libreoffice import Value
from trainee_bench.world.errors import Invalid, WorldError
from trainee_bench.world.workbook.addresses import CellAddress
from trainee_bench.world.workbook.edits import write
from trainee_bench.world.workbook.inputs import CellKind, is_date_or_time
from trainee_bench.world.workbook.model import Sheet, Workbook, check_workbook
from trainee_bench.world.workbook.values import (
    NOT_CALCULATED,
    CellValue,
    calculate,
    calculate_within,
)

FORMULAS_A_FILE = 10_000
MOST_SECONDS = 20
FAULTS = ("differs", "number as date", "two ways differ", "another exception", "hangs")
EXACT_ERRORS = ("#N/A", "#DIV/0!")
FIRST_DAY_SHOWN = 61
ALONE_ONE_OF = 10
_MORE_ALONE = ("#SPILL!", NOT_CALCULATED)
RESULTS = 30
"""The column of the formulas in the common sheet."""


@dataclass(frozen=True)
class Ours:
    """Our result for a formula: a cell, or the reason for none, and the seconds that it took."""

    cell: CellValue | None
    fault: str = ""
    refusal: str = ""
    seconds: float = 0.0

    @property
    def value(self) -> Value:
        """The cell's value."""
        return value_of(self.cell)


@dataclass(frozen=True)
class Outcome:
    """A formula, both values, and the verdict on them."""

    formula: RandomFormula
    table: Table
    ours: Ours
    theirs: Value
    kind: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--formulas", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=20, help="print at most this many faults")
    parser.add_argument("--a-table", type=int, default=250, help="formulas per table")
    parser.add_argument("--record", type=Path, help="write the formulas that agree to this file")
    options = parser.parse_args()
    signal.signal(signal.SIGALRM, _too_long)
    began, kinds, shown, slowest = time.monotonic(), Counter[str](), 0, 0.0
    recorded = []
    for number, outcomes in enumerate(
        _batches(options.formulas, options.a_table, Random(options.seed)), 1
    ):
        kinds.update(outcome.kind for outcome in outcomes)
        slowest = max(slowest, *(outcome.ours.seconds for outcome in outcomes))
        for outcome in outcomes:
            if outcome.kind in FAULTS and shown < options.show:
                shown += 1
                print(_told(outcome))
        print(
            f"{number}: {kinds.total()} formulas, {time.monotonic() - began:.0f} s", file=sys.stderr
        )
        recorded += _recorded(outcomes) if options.record else []
    for kind, count in kinds.most_common():
        print(f"{count:7}  {kind}")
    print(
        f"{kinds.total():7}  formulas in {time.monotonic() - began:.0f} s; slowest {slowest:.2f} s"
    )
    if options.record:
        options.record.write_text(
            json.dumps(recorded, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
        )
    return int(any(kinds[kind] for kind in FAULTS))


def _batches(formulas: int, a_table: int, chance: Random) -> Iterator[list[Outcome]]:
    left = formulas
    while left > 0:
        sheets: list[tuple[Table, list[RandomFormula]]] = []
        while left > 0 and a_table * len(sheets) < FORMULAS_A_FILE:
            table = random_table(chance)
            maker = FormulaMaker(table, chance)
            sheets.append((table, [maker.formula() for _ in range(min(a_table, left))]))
            left -= len(sheets[-1][1])
        theirs = calculated(
            [
                FormulaSheet(table.cells, [formula.text for formula in made])
                for table, made in sheets
            ]
        )
        yield [
            outcome
            for (table, made), values in zip(sheets, theirs, strict=True)
            for outcome in _compared(table, made, values)
        ]


def _compared(
    table: Table, formulas: Sequence[RandomFormula], theirs: Sequence[Value]
) -> Iterator[Outcome]:
    workbook = check_workbook(Workbook(sheets=(Sheet(name="S", cells=table.cells),)))
    together = _together(workbook, [formula.text for formula in formulas])
    for at, (formula, ours, value) in enumerate(zip(formulas, together, theirs, strict=True)):
        alone = ours
        if at % ALONE_ONE_OF == 0 or (not ours.refusal and value_of(ours.cell) in _MORE_ALONE):
            alone = _alone(workbook, formula.text)
        yield Outcome(formula, table, alone, value, _kind(formula, table, alone, ours, value))


def _together(workbook: Workbook, formulas: Sequence[str]) -> list[Ours]:
    """Return the results of the formulas as cells of one sheet.

    Formulas that are too heavy together are calculated each by itself.
    """
    found: dict[CellAddress, Ours] = {}
    cells: dict[str, str] = {}
    for row, formula in enumerate(formulas, 1):
        at = CellAddress(row, RESULTS)
        found[at] = _tried(partial(_written, workbook, at, formula))
        if not found[at].refusal:
            cells[str(at)] = formula
    sheet = Sheet(name="S", cells={**workbook.sheets[0].cells, **cells})
    try:
        (values,) = calculate(Workbook(sheets=(sheet,)))
    except Invalid:
        return [_alone(workbook, formula) for formula in formulas]
    return [
        ours if ours.refusal or ours.fault else Ours(values.cells.get(at))
        for at, ours in found.items()
    ]


def _written(workbook: Workbook, at: CellAddress, formula: str) -> None:
    write(workbook, "", at, [[formula]])


def _alone(workbook: Workbook, formula: str) -> Ours:
    def first() -> CellValue | None:
        rows = calculate_within(workbook, "", formula)
        return rows[0][0] if rows else None

    return _tried(first)


def _tried(make: Callable[[], CellValue | None]) -> Ours:
    began = time.monotonic()
    signal.alarm(MOST_SECONDS)
    try:
        return Ours(make(), seconds=time.monotonic() - began)
    except WorldError as error:
        return Ours(None, refusal=str(error), seconds=time.monotonic() - began)
    except TimeoutError:
        return Ours(None, fault="hangs", seconds=time.monotonic() - began)
    except Exception as error:  # noqa: BLE001 -- what this looks for
        return Ours(None, fault="another exception", refusal=repr(error))
    finally:
        signal.alarm(0)


def _too_long(*_: object) -> None:
    raise TimeoutError


def _kind(formula: RandomFormula, table: Table, ours: Ours, together: Ours, theirs: Value) -> str:
    if ours.fault:
        return ours.fault
    if ours.refusal:
        return "refused, broken" if formula.type == "broken" else "refused, whole"
    if not agree(ours.value, theirs):
        reason = known_difference(Compared(formula.text, table, ours.value, theirs))
        return f"known: {reason}" if reason else "differs"
    value = value_of(together.cell)
    if not agree(ours.value, value) and value not in _MORE_ALONE:
        reason = known_difference(Compared(formula.text, table, ours.value, value))
        return f"known: {reason}" if reason else "two ways differ"
    if _is_wrong_date(formula, table, ours.cell):
        return "number as date"
    return "agrees, an error" if is_error(theirs) else "agrees"


def _is_wrong_date(formula: RandomFormula, table: Table, cell: CellValue | None) -> bool:
    """Whether a number is shown as a date. This is right if a date is among numbers or a blank
    among dates."""
    return (
        cell is not None
        and formula.type == "number"
        and is_date_or_time(cell.text)
        and "(" in formula.text
        and cell.kind is CellKind.NUMBER
        and not table.mixes_dates_in(formula.text)
    )


def value_of(cell: CellValue | None) -> Value:
    """A cell's value, None for an empty one."""
    if cell is None:
        return None
    return float(cell.value) if cell.kind is CellKind.NUMBER else cell.value


def agree(ours: Value, theirs: Value) -> bool:
    """Equal to nine digits, in texts as well. An error without a name in LibreOffice equals any
    error."""
    if isinstance(ours, bool | int | float) and isinstance(theirs, bool | int | float):
        return abs(ours - theirs) <= 1e-9 * max(1, abs(theirs))
    if is_error(theirs) and theirs not in EXACT_ERRORS:
        return is_error(ours)
    return _NUMERAL.sub(_rounded, str(ours or "")) == _NUMERAL.sub(_rounded, str(theirs or ""))


_NUMERAL = re.compile(r"[0-9]+\.[0-9]{5,}(?:E[+-][0-9]+)?")


def _rounded(found: re.Match[str]) -> str:
    return f"{float(found.group()):.9g}"


def _told(outcome: Outcome) -> str:
    formula, ours = outcome.formula.text, outcome.ours
    cells = outcome.table.mentioned(formula)
    return (
        f"{outcome.kind}: {formula}\n    ours {ours.cell.text if ours.cell else ours.refusal!r}, "
        f"LibreOffice {outcome.theirs!r}, {cells}"
    )


def _recorded(outcomes: Sequence[Outcome]) -> list[dict[str, object]]:
    """Tables with their formulas that agree and, broken, that are refused."""
    tables: dict[int, dict[str, object]] = {}
    values: dict[int, list[tuple[str, Value]]] = defaultdict(list)
    refused: dict[int, list[str]] = defaultdict(list)
    for outcome in outcomes:
        number = id(outcome.table)
        if outcome.kind == "refused, broken":
            refused[number].append(outcome.formula.text)
        elif outcome.kind.startswith("agrees"):
            values[number].append((outcome.formula.text, outcome.theirs))
        tables[number] = {
            "cells": outcome.table.cells,
            "values": values[number],
            "refused": refused[number],
        }
    return list(tables.values())


if __name__ == "__main__":
    sys.exit(main())
