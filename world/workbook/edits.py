"""Edits of a workbook. Each returns a new workbook and leaves the old one unchanged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from trainee_bench.world.errors import Invalid, Refused
from trainee_bench.world.workbook import engine
from trainee_bench.world.workbook.addresses import LAST_COLUMN, LAST_ROW, CellAddress, CellRange
from trainee_bench.world.workbook.formulas import mentions_sheet
from trainee_bench.world.workbook.inputs import canonical_input, number_input
from trainee_bench.world.workbook.model import (
    MAX_SHEETS,
    Sheet,
    Workbook,
    check_cell,
    check_sheet_name,
    check_workbook_size,
)

CellInput = str | int | float | bool | None
"""What can be written into a cell: text is read as if typed, "" clears the cell, None keeps it."""

Rows = Sequence[Sequence[CellInput]]


def write(
    workbook: Workbook, sheet: str, start: CellAddress, rows: Rows
) -> tuple[Workbook, CellRange]:
    """Put *rows* into the sheet called *sheet* ("" is the first) from *start* on.

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
        raise Invalid(f"From {start}, these rows reach past the sheet's last cell XFD1048576.")
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
        raise Refused(f"The workbook has {MAX_SHEETS} sheets already; use another workbook.")
    return workbook.model_copy(update={"sheets": (*workbook.sheets, Sheet(name=name))})


def rename_sheet(workbook: Workbook, old: str, new: str) -> Workbook:
    """Rename a sheet and all references to it.

    Raises NotFound, Invalid, and Refused if *new* is taken.
    """
    sheet = workbook.sheet(old)
    if new == sheet.name:
        return workbook
    others = tuple(one for one in workbook.sheets if one is not sheet)
    _check_new_name(workbook.model_copy(update={"sheets": others}), new)
    return engine.with_sheet_renamed(workbook, sheet.name, new)


def delete_sheet(workbook: Workbook, name: str) -> Workbook:
    """Delete a sheet; formulas that refer to it show #REF! from then on.

    Names defined on it are deleted, too. Raises NotFound, and Refused for the only sheet.
    """
    sheet = workbook.sheet(name)
    if len(workbook.sheets) == 1:
        raise Refused(f"{sheet.name} is the only sheet; delete the file instead.")
    kept = tuple(one for one in workbook.sheets if one is not sheet)
    names = {
        name: formula
        for name, formula in workbook.names.items()
        if not mentions_sheet(formula, sheet.name)
    }
    return Workbook(sheets=kept, names=names)


def _check_new_name(workbook: Workbook, name: str) -> None:
    check_sheet_name(name)
    if any(one.name.casefold() == name.casefold() for one in workbook.sheets):
        raise Refused(f"There is a sheet {name!r} already; choose another name.")


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
        raise Invalid(f"{where} cannot hold {str(value)[:40]}; no cell holds such a number.")
    if isinstance(value, int) and int(number) != value:
        return str(value)  # more digits than a number keeps: an id, kept as text
    return number_input(number)[0]
