"""Fills a row of cells downwards: relative references in formulas move along, $ holds them."""

from __future__ import annotations

import re

from trainee_bench.world.errors import Invalid
from trainee_bench.world.workbook.addresses import LAST_ROW, CellAddress, CellRange
from trainee_bench.world.workbook.inputs import CellKind, interpret
from trainee_bench.world.workbook.model import (
    MAX_CELLS,
    Sheet,
    Workbook,
    check_cell,
    check_workbook_size,
)

_PART = re.compile(
    r"""
      (?:"[^"]*")+                                         # a text
    | (?:'[^']*')+                                         # a sheet's name
    | (?<![\w.$])(\$?[A-Za-z]{1,3})(\$?)([1-9][0-9]{0,6})(?![\w.(!])
    | (?<![\w.$:])(\$?)([0-9]{1,7}):(\$?)([0-9]{1,7})(?![\w.(!])  # whole rows
    """,
    re.VERBOSE | re.ASCII,
)


def fill_down(
    workbook: Workbook, sheet: str, source: CellRange, last_row: int
) -> tuple[Workbook, CellRange]:
    """Copy the one row *source* into every row below it, down to *last_row*.

    Returns the changed workbook and the filled area. Raises NotFound for an unknown sheet,
    Invalid for more than one row, an empty one, or a last row that is not below it.
    """
    target = workbook.sheet(sheet)
    if source.height != 1:
        raise Invalid(f"{source} has {source.height} rows; give the one row that is to be copied.")
    if not source.bottom < last_row <= LAST_ROW:
        raise Invalid(f"last_row lies below row {source.bottom}, and is {LAST_ROW} at most.")
    filled = [(place.column, typed) for place, typed in target.places.items() if place in source]
    if not filled:
        raise Invalid(f"{target.name} has nothing in {source}; write what is to be copied first.")
    if (last_row - source.bottom) * len(filled) > MAX_CELLS:
        raise Invalid(f"A workbook has at most {MAX_CELLS} cells; choose an earlier last_row.")
    cells, formats = dict(target.cells), dict(target.formats)
    for row in range(source.bottom + 1, last_row + 1):
        for column, typed in filled:
            address = str(CellAddress(row, column))
            cells[address] = moved_down(typed, row - source.bottom)
            check_cell(cells[address], f"{target.name}!{address}", workbook.names)
            code = target.formats.get(str(CellAddress(source.top, column)))
            formats.pop(address, None)
            if code:
                formats[address] = code
    changed = workbook.with_sheet(Sheet(name=target.name, cells=cells, formats=formats))
    check_workbook_size(changed)
    return changed, CellRange(source.bottom + 1, source.left, last_row, source.right)


def moved_down(typed: str, rows: int) -> str:
    """What *typed* is *rows* further down; anything but a formula stays as it is.

    Raises Invalid where a reference would leave the sheet.
    """
    if interpret(typed).kind is not CellKind.FORMULA:
        return typed

    def moved(row: str) -> str:
        if int(row) + rows > LAST_ROW:
            raise Invalid(f"{typed[:60]} cannot be copied {rows} rows down: there is no such row.")
        return str(int(row) + rows)

    def replaced(found: re.Match[str]) -> str:
        column, held, row, held_first, first, held_last, last = found.groups()
        if row is not None:
            return found.group() if held else f"{column}{moved(row)}"
        if first is not None:
            top = f"${first}" if held_first else moved(first)
            return f"{top}:" + (f"${last}" if held_last else moved(last))
        return found.group()

    return _PART.sub(replaced, typed)
