"""Edits of a workbook. Each returns a new workbook and leaves the old one unchanged."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from trainee_bench.world.errors import Invalid, Refused
from trainee_bench.world.workbook import engine
from trainee_bench.world.workbook.addresses import LAST_COLUMN, LAST_ROW, CellAddress, CellRange
from trainee_bench.world.workbook.formulas import mentions_sheet
from trainee_bench.world.workbook.inputs import CellKind, canonical_input, interpret, number_input
from trainee_bench.world.workbook.model import (
    MAX_CELLS,
    MAX_SHEETS,
    Sheet,
    Workbook,
    check_cell,
    check_sheet_name,
    check_workbook_size,
)

CellInput = str | int | float | bool | None
"""A value to write into a cell: text is read as if typed, "" clears the cell, None keeps it."""

Rows = Sequence[Sequence[CellInput]]


def write(
    workbook: Workbook, sheet: str, start: CellAddress, rows: Rows
) -> tuple[Workbook, CellRange]:
    """Write *rows* into the sheet called *sheet* ("" is the first) from *start* on.

    Returns the new workbook and the range that was written. Raises NotFound for an unknown sheet,
    Invalid if there is nothing to write or a cell cannot hold a value, Refused for a formula that
    is not calculated here.
    """
    target = workbook.sheet(sheet)
    width = max((len(row) for row in rows), default=0)
    if width == 0:
        raise Invalid(
            'There is nothing to write; give rows such as [["Name", "Hours"], ["Ada", 3]].'
        )
    area = CellRange(start.row, start.column, start.row + len(rows) - 1, start.column + width - 1)
    if area.bottom > LAST_ROW or area.right > LAST_COLUMN:
        raise Invalid(f"From {start}, these rows go past the sheet's last cell XFD1048576.")
    cells, formats = dict(target.cells), dict(target.formats)
    for down, row in enumerate(rows):
        for right, value in enumerate(row):
            if value is None:
                continue
            address = str(CellAddress(start.row + down, start.column + right))
            cells.pop(address, None)
            formats.pop(address, None)
            if typed := _typed(value, f"{target.name}!{address}", workbook.names):
                cells[address] = typed
    changed = workbook.with_sheet(Sheet(name=target.name, cells=cells, formats=formats))
    check_workbook_size(changed)
    return changed, area


def append(workbook: Workbook, sheet: str, rows: Rows) -> tuple[Workbook, CellRange]:
    """Write *rows* below the last used row, from the first used column on. See `write`."""
    used = workbook.sheet(sheet).used()
    start = CellAddress(used.bottom + 1, used.left) if used else CellAddress(1, 1)
    return write(workbook, sheet, start, rows)


def add_sheet(workbook: Workbook, name: str) -> Workbook:
    """Add an empty sheet at the end. Raises Invalid, or Refused if the name is taken."""
    _check_new_name(workbook, name)
    if len(workbook.sheets) == MAX_SHEETS:
        raise Refused(f"The workbook already has {MAX_SHEETS} sheets; use another workbook.")
    return workbook.model_copy(update={"sheets": (*workbook.sheets, Sheet(name=name))})


def rename_sheet(workbook: Workbook, old: str, new: str) -> Workbook:
    """Rename a sheet and all references to it.

    Raises NotFound, Invalid, and Refused if *new* is taken.
    """
    sheet = workbook.sheet(old)
    if new == sheet.name:
        return workbook
    others = tuple(other for other in workbook.sheets if other is not sheet)
    _check_new_name(workbook.model_copy(update={"sheets": others}), new)
    return engine.with_sheet_renamed(workbook, sheet.name, new)


def delete_sheet(workbook: Workbook, name: str) -> Workbook:
    """Delete a sheet; formulas that refer to it then show #REF!.

    Names defined on it are deleted, too. Raises NotFound, and Refused for the only sheet.
    """
    sheet = workbook.sheet(name)
    if len(workbook.sheets) == 1:
        raise Refused(f"{sheet.name} is the only sheet; delete the file instead.")
    kept = tuple(other for other in workbook.sheets if other is not sheet)
    names = {
        name: formula
        for name, formula in workbook.names.items()
        if not mentions_sheet(formula, sheet.name)
    }
    return Workbook(sheets=kept, names=names)


def _check_new_name(workbook: Workbook, name: str) -> None:
    check_sheet_name(name)
    if any(sheet.name.casefold() == name.casefold() for sheet in workbook.sheets):
        raise Refused(f"There is already a sheet {name!r}; choose another name.")


def _typed(value: str | int | float | bool, where: str, names: Mapping[str, str]) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        if not value:
            return ""
        check_cell(value, where, names)
        return canonical_input(value)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise Invalid(f"{where} cannot hold {str(value)[:40]}; no cell can hold such a number.")
    if isinstance(value, int) and int(number) != value:
        return str(value)  # an id with more digits than a number can hold stays text
    return number_input(number)[0]


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
    """Copy the row *source* into every row below it, down to *last_row*.

    Returns the changed workbook and the filled area. Raises NotFound for an unknown sheet. Raises
    Invalid for several rows, an empty row, or a last row that is not below it.
    """
    target = workbook.sheet(sheet)
    if source.height != 1:
        raise Invalid(f"{source} has {source.height} rows; give only the row to copy.")
    if not source.bottom < last_row <= LAST_ROW:
        raise Invalid(f"last_row must be below row {source.bottom} and at most {LAST_ROW}.")
    filled = [(place.column, typed) for place, typed in target.places.items() if place in source]
    if not filled:
        raise Invalid(f"{target.name} has nothing in {source}; first write the cells to copy.")
    if (last_row - source.bottom) * len(filled) > MAX_CELLS:
        raise Invalid(f"A workbook can have at most {MAX_CELLS} cells; choose a smaller last_row.")
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
    """Return the text *typed* as copied *rows* rows down; only formulas change.

    Raises Invalid if a reference would leave the sheet.
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
