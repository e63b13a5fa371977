"""The sheets server: read, write, query and calculate workbooks and CSV files."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, WithJsonSchema

from trainee_bench.mcp_servers.serving.arguments import GREATEST_LENGTH
from trainee_bench.mcp_servers.serving.result_text import (
    MAX_CELL_LENGTH,
    MAX_SINGLE_CELL_LENGTH,
    CellData,
    cell_data,
    cell_text,
    csv_line,
    estimate_tokens,
    first_lines,
    paginate_cells,
    truncate,
)
from trainee_bench.mcp_servers.serving.toolbox import FileUse, Toolbox
from trainee_bench.world.apps.sheets import RangeContents, SheetChange, SheetInfo, Sheets
from trainee_bench.world.errors import Invalid
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.workbook.addresses import CellRange
from trainee_bench.world.workbook.edits import CellInput
from trainee_bench.world.workbook.grouping import parse_aggregate
from trainee_bench.world.workbook.query import Condition, Operator, Selection

TOOLS = Toolbox(
    "sheets",
    "Workbooks (.xlsx) and .csv files on the drive and in your workspace.",
    opt_in=False,
    examples=(
        ("sheets_create", {"path": "workspace:/a.xlsx"}),
        (
            "sheets_write",
            {"path": "workspace:/a.xlsx", "start": "A1", "rows": [["name"], [1]]},
        ),
        ("sheets_append", {"path": "workspace:/a.xlsx", "rows": [[2]]}),
        ("sheets_read", {"path": "workspace:/a.xlsx"}),
        ("sheets_query", {"path": "workspace:/a.xlsx"}),
        ("sheets_calculate", {"expression": "1 + 2"}),
        ("sheets_fill", {"path": "workspace:/a.xlsx", "source": "A2", "last_row": 4}),
        ("sheets_change", {"path": "workspace:/a.xlsx", "action": "add", "sheet": "More"}),
        (
            "sheets_convert",
            {"source": "workspace:/a.xlsx", "target": "workspace:/b.csv", "sheet": "Sheet1"},
        ),
    ),
)

MAX_ERRORS_SHOWN = 10
MAX_ROW_LENGTH = 1_800
"""Maximum tokens of the column names and one row of a query together."""

_AGGREGATES = '"count", or sum, average, min, max or distinct and a column: "sum Hours"'
# One type per schema: some model services refuse a list of types, or values without a type.
_SCALARS = {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]}
_CELLS = {"anyOf": [*_SCALARS["anyOf"], {"type": "null"}]}
_ROWS = {
    "type": "array",
    "description": "Rows of cells",
    "items": {"type": "array", "items": _CELLS},
}

Path = Annotated[str, Field(description="e.g. drive:/sales/q3.xlsx")]
SheetName = Annotated[str, Field(description="Default: the first")]
Workbook = Annotated[str, Field(description="File path")]
RowsIn = Annotated[list[list[CellInput]], WithJsonSchema(_ROWS)]
# Shorter than pydantic's schema of the union: the size of the office's schemas is bounded.
Scalar = Annotated[str | int | float | bool, WithJsonSchema(_SCALARS)]


class Filter(BaseModel, extra="forbid"):
    """One test on one column."""

    column: str
    op: Operator
    value: Scalar


Filters = Annotated[
    list[Filter],
    WithJsonSchema(
        {
            "type": "array",
            "description": "All must hold",
            "items": {
                "type": "object",
                "properties": {
                    "column": {"type": "string", "description": "Column name"},
                    "op": {
                        "type": "string",
                        "enum": [operator.value for operator in Operator],
                        "description": "Test",
                    },
                    "value": {**_SCALARS, "description": "Value to compare with"},
                },
                "required": ["column", "op", "value"],
                "additionalProperties": False,
            },
        }
    ),
]


class RangeRead(BaseModel, frozen=True):
    """A part of a sheet; dates and times are text. ``next_range`` continues it downwards,
    ``right_range`` to the right; each is None if nothing is left there."""

    sheet: str
    range: str = ""
    rows: tuple[tuple[CellData, ...], ...] = ()
    next_range: str | None = None
    right_range: str | None = None


class QueryPage(BaseModel, frozen=True):
    """Rows of a table with their row numbers, or groups, which have none. ``total`` counts
    everything that was found."""

    columns: tuple[str, ...]
    row_numbers: tuple[int, ...]
    rows: tuple[tuple[CellData, ...], ...]
    total: int
    next_offset: int | None


class SheetList(BaseModel, frozen=True):
    """The sheets of a workbook, in order."""

    path: str
    sheets: tuple[SheetInfo, ...]


class CalculationResult(BaseModel, frozen=True):
    """The value of an expression: rows of an array, or one row with one value."""

    rows: tuple[tuple[CellData, ...], ...]


@TOOLS.tool(read_only=True, expensive=True)
def sheets_list(tx: Transaction, path: Workbook) -> Result[SheetList]:
    """List a workbook's sheets with their used ranges and numbers of formulas."""
    sheets = Sheets(tx).sheets(path)
    lines = [
        f"{sheet.name}: {sheet.used or 'empty'}"
        + (f", {sheet.formulas} formulas" if sheet.formulas else "")
        for sheet in sheets
    ]
    return Result("\n".join(lines), SheetList(path=path, sheets=sheets))


@TOOLS.tool(read_only=True, expensive=True, effort=1)
def sheets_read(
    tx: Transaction,
    path: Path,
    range: Annotated[str, Field(description="e.g. A1:D20 or B:B")] = "",
    sheet: SheetName = "",
    formulas: Annotated[bool, Field(description="Show what was typed")] = False,
) -> Result[RangeRead]:
    """Read cells (default: all of the first sheet) as CSV lines, each after its row number.
    formulas=true shows formulas instead of results. Long ranges come in pages; the first line of
    the result says how to continue."""
    return _read_result(Sheets(tx).read(path, range, sheet), formulas)


@TOOLS.tool(read_only=True, expensive=True, effort=10)
def sheets_query(
    tx: Transaction,
    path: Workbook,
    where: Filters = [],  # noqa: B006
    columns: Annotated[list[str], Field(description="Default: all")] = [],  # noqa: B006
    group_by: Annotated[list[str], Field(description="Columns")] = [],  # noqa: B006
    aggregates: Annotated[list[str], Field(description=_AGGREGATES)] = [],  # noqa: B006
    sort_by: Annotated[list[str], Field(description='"-Hours": largest first')] = [],  # noqa: B006
    sheet: SheetName = "",
    range: Annotated[str, Field(description="e.g. A1:D20")] = "",
    limit: Annotated[int, Field(ge=1, description="Maximum rows")] = 40,
    offset: Annotated[int, Field(ge=0, description="Rows to skip")] = 0,
) -> Result[QueryPage]:
    """Select the rows of a table that meet all conditions; with group_by or aggregates, count or
    aggregate them by group. The first row of the range names the columns. Comparisons ignore
    case. Long results come in pages; the first line of the result says how to continue."""
    conditions = [Condition(test.column, test.op, test.value) for test in where]
    sheets = Sheets(tx)
    grouped = bool(group_by or aggregates)
    if not grouped:
        found = sheets.query(path, conditions, columns, sort_by, sheet, range)
    elif columns:
        raise Invalid("A grouped query shows its groups and aggregates; leave columns out.")
    else:
        measures = [parse_aggregate(text) for text in aggregates or ["count"]]
        found = sheets.group(path, group_by, measures, conditions, sort_by, sheet, range)
    return _query_result(found, grouped, limit, offset)


@TOOLS.tool(expensive=True, longest=GREATEST_LENGTH, files=FileUse.MAKES, content="rows", effort=10)
def sheets_create(
    tx: Transaction,
    path: Path,
    rows: RowsIn = [],  # noqa: B006
    sheet: Annotated[str, Field(description="Name of the sheet")] = "",
) -> Result[SheetChange]:
    """Create a new .xlsx or .csv file with rows from A1 on, as in sheets_write. A .csv has no
    formulas."""
    return _change_result("Made", Sheets(tx).create(path, rows, sheet))


@TOOLS.tool(
    destructive=True, expensive=True, longest=GREATEST_LENGTH, files=FileUse.CHANGES, effort=10
)
def sheets_write(
    tx: Transaction,
    path: Workbook,
    start: Annotated[str, Field(description="Top left cell, e.g. B2")],
    rows: RowsIn,
    sheet: SheetName = "",
) -> Result[SheetChange]:
    """Write cells as if you typed them, e.g. 12.5, 2026-11-21, 50% or =SUM(B2:B9). For a text that
    begins with =, put ' before it. "" empties a cell, null leaves it unchanged. An array formula
    spills into free cells. The result lists cells that then show errors."""
    return _change_result("Wrote", Sheets(tx).write(path, start, rows, sheet))


@TOOLS.tool(expensive=True, longest=GREATEST_LENGTH, files=FileUse.CHANGES, effort=10)
def sheets_append(
    tx: Transaction, path: Workbook, rows: RowsIn, sheet: SheetName = ""
) -> Result[SheetChange]:
    """Add rows below the last used row, as in sheets_write."""
    return _change_result("Appended", Sheets(tx).append(path, rows, sheet))


@TOOLS.tool(destructive=True, expensive=True, files=FileUse.CHANGES, effort=10)
def sheets_fill(
    tx: Transaction,
    path: Workbook,
    source: Annotated[str, Field(description="Cells of one row, e.g. D2:E2")],
    last_row: Annotated[int, Field(description="Number of the last row")],
    sheet: SheetName = "",
) -> Result[SheetChange]:
    """Copy cells down to last_row. References in formulas move along unless fixed by $."""
    return _change_result("Filled", Sheets(tx).fill_down(path, source, last_row, sheet))


@TOOLS.tool(destructive=True, expensive=True, files=FileUse.CHANGES, effort=10)
def sheets_change(
    tx: Transaction,
    path: Workbook,
    action: Annotated[Literal["add", "rename", "delete"], Field(description="What to do")],
    sheet: Annotated[str, Field(description="Name of the sheet")],
    new_name: Annotated[str, Field(description="For rename only")] = "",
) -> Result[SheetChange]:
    """Add, rename or delete a sheet of a workbook. Formulas keep working after a rename."""
    sheets = Sheets(tx)
    if action == "rename":
        return _change_result(
            f"Renamed {sheet} to {new_name}", sheets.rename_sheet(path, sheet, new_name)
        )
    if new_name:
        raise Invalid("new_name is only for rename; give the sheet's name in sheet.")
    if action == "add":
        return _change_result(f"Added {sheet}", sheets.add_sheet(path, sheet))
    return _change_result(f"Deleted {sheet}", sheets.delete_sheet(path, sheet))


@TOOLS.tool(expensive=True, files=FileUse.MAKES, effort=10)
def sheets_convert(
    tx: Transaction,
    source: Workbook,
    target: Annotated[str, Field(description="Path of the new file")],
    sheet: SheetName = "",
) -> Result[SheetChange]:
    """Make a new .csv from one sheet's values (default: the first), or an .xlsx from a .csv."""
    change = Sheets(tx).convert(source, target, sheet)
    return Result(f"Made {change.path} from {change.sheet} {change.range}.", change)


@TOOLS.tool(read_only=True, expensive=True, effort=10)
def sheets_calculate(
    tx: Transaction,
    expression: Annotated[str, Field(description="e.g. ROUND(12.5*3,2)")],
    path: Annotated[str, Field(description="File with the cells")] = "",
    sheet: SheetName = "",
) -> Result[CalculationResult]:
    """Calculate one expression as a spreadsheet does. With a path, it may refer to that file's
    cells, e.g. SUMIF(B:B,">8"). Changes nothing. The error for an unknown function lists the known
    ones."""
    rows = Sheets(tx).calculate(expression, path, sheet)
    texts = [[cell_text(value) for value in row] for row in rows]
    width = max((len(row) for row in texts), default=0)
    if not width:
        return Result("The result is empty.", CalculationResult(rows=()))
    part = paginate_cells(CellRange(1, 1, len(texts), width), texts).area
    lines = [csv_line(row[: part.width], MAX_SINGLE_CELL_LENGTH) for row in texts[: part.height]]
    if part.height < len(texts) or part.width < width:
        lines.append(
            f"(the first {part.height} of {len(texts)} rows and {part.width} of {width} columns; "
            "use INDEX for other parts)"
        )
    kept = (row[: part.width] for row in rows[: part.height])
    data = CalculationResult(rows=tuple(tuple(cell_data(value) for value in row) for row in kept))
    return Result("\n".join(lines), data)


def _query_result(found: Selection, grouped: bool, limit: int, offset: int) -> Result[QueryPage]:
    """Return a page of what a query found; groups have no row number."""
    total = len(found.rows)
    if total == 1:
        what = "group" if grouped else "row matches"
    else:
        what = "groups" if grouped else "rows match"
    if offset and offset >= total:
        raise Invalid(f"Only {total} {what}; give a smaller offset.")
    wanted = found.rows[offset : offset + limit]
    lines = first_lines(
        [
            ("" if grouped else f"{number}: ") + csv_line(cell_text(value) for value in row)
            for number, row in wanted
        ]
    )
    if estimate_tokens("\n".join([csv_line(found.columns), *lines[:1]])) > MAX_ROW_LENGTH:
        raise Invalid("A row is too long to show; name only the columns you need.")
    following = offset + len(lines)
    more = following if following < total else None
    head = f"{total} {what}"
    head += f", {offset + 1}-{following} shown" if lines and len(lines) < total else ""
    head += "" if more is None else f"; continue with offset={more}"
    shown = wanted[: len(lines)]
    data = QueryPage(
        columns=tuple(map(truncate, found.columns)),
        row_numbers=() if grouped else tuple(number for number, _ in shown),
        rows=tuple(tuple(cell_data(value, MAX_CELL_LENGTH) for value in row) for _, row in shown),
        total=total,
        next_offset=more,
    )
    names = csv_line(found.columns)
    return Result("\n".join([head, names if grouped else f"columns: {names}", *lines]), data)


def _read_result(reading: RangeContents, formulas: bool) -> Result[RangeRead]:
    """Return a reading's first page, as values or as typed."""
    if reading.area is None:
        return Result(f"{reading.sheet}: no cells there.", RangeRead(sheet=reading.sheet))
    texts = [
        [
            typed if formulas and typed else cell_text(value)
            for value, typed in zip(*row, strict=True)
        ]
        for row in zip(reading.rows, reading.typed, strict=True)
    ]
    part = paginate_cells(reading.area, texts)
    head = f"{reading.sheet} {part.area}"
    if part.below or part.right:
        head += f" of {reading.area}"
    head += f"; continue with range={part.below}" if part.below else ""
    head += f"; more columns: range={part.right}" if part.right else ""
    lines = [head, *part.lines]
    rows = tuple(
        tuple(
            truncate(text, part.longest)
            if formulas and text.startswith("=")
            else cell_data(value, part.longest)
            for value, text in zip(values[: part.area.width], row, strict=False)
        )
        for values, row in zip(reading.rows[: part.area.height], texts, strict=False)
    )
    data = RangeRead(
        sheet=reading.sheet,
        range=str(part.area),
        rows=rows,
        next_range=str(part.below) if part.below else None,
        right_range=str(part.right) if part.right else None,
    )
    return Result("\n".join(lines), data)


def _change_result(done: str, change: SheetChange) -> Result[SheetChange]:
    """Return what was done, and which cells now show errors."""
    where = f" {change.sheet} {change.range}" if change.range else ""
    text = f"{done}{where} in {change.path}."
    if change.flaws:
        flaws = [f"{flaw.cell} {flaw.error}" for flaw in change.flaws[:MAX_ERRORS_SHOWN]]
        more = len(change.flaws) - len(flaws)
        text += f" These show errors: {', '.join(flaws)}" + (f" and {more} more." if more else ".")
    return Result(text, change.model_copy(update={"flaws": change.flaws[:MAX_ERRORS_SHOWN]}))
