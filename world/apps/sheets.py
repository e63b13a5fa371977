"""Sheets: reads, writes and calculates workbooks (.xlsx) and CSV files.

The files app stores them: a workbook as canonical JSON, a CSV file as text. A CSV file is a
workbook of one sheet without formulas. It keeps its dialect (separator, line ends, byte order mark)
when it is written.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from trainee_bench.world.apps.files import Files
from trainee_bench.world.errors import Invalid, Refused
from trainee_bench.world.filesystem.paths import VirtualPath, parse_file_path
from trainee_bench.world.transaction import Event, Transaction
from trainee_bench.world.workbook import edits, values
from trainee_bench.world.workbook.addresses import (
    CellAddress,
    CellRange,
    parse_cell_address,
    parse_cell_range,
)
from trainee_bench.world.workbook.csv_text import Dialect, from_csv, sniff_dialect, to_csv
from trainee_bench.world.workbook.edits import CellInput, Rows, fill_down
from trainee_bench.world.workbook.grouping import Aggregate, group_rows
from trainee_bench.world.workbook.inputs import CellKind, interpret
from trainee_bench.world.workbook.model import (
    Workbook,
    check_workbook,
    empty_workbook,
    parse_workbook,
)
from trainee_bench.world.workbook.query import Condition, Selection, read_table, select_rows
from trainee_bench.world.workbook.values import CellValue, SheetValues
from trainee_bench.world.workbook.xlsx import from_xlsx, to_xlsx

SCHEMA = ""

CSV_SHEET = "Sheet1"
MAX_ROWS, MAX_COLUMNS = 2_000, 400
"""The most rows and columns that are read at once; the next range has more."""
NEW_CSV_DIALECT = Dialect(newline="\n")
"""The dialect of new CSV files: RFC 4180, but with plain line feeds."""


@dataclass(frozen=True)
class RangeContents:
    """The contents of an area of a sheet: values, and what was typed; None for empty cells.

    A large area has only its first rows and columns.
    """

    sheet: str
    area: CellRange | None
    rows: Sequence[Sequence[CellValue | None]]
    typed: Sequence[Sequence[str | None]]


class SheetInfo(BaseModel, frozen=True):
    """A sheet of a workbook; ``used`` is the range that contains all its cells, "" if none."""

    name: str
    used: str
    formulas: int


class CellError(BaseModel, frozen=True):
    """A cell that shows an error after a change."""

    cell: str
    error: str


class SheetChange(BaseModel, frozen=True):
    """The file, sheet and range that were written, and the cells in it that show errors."""

    path: str
    sheet: str
    range: str
    flaws: tuple[CellError, ...] = ()


class Sheets:
    """The workbooks and CSV files as the actor sees them.

    Every verb raises Invalid for an invalid path, a file of another kind, or a workbook that cannot
    be calculated. It raises NotFound for a missing file or sheet.
    """

    def __init__(self, tx: Transaction):
        self._files = Files(tx)

    # reading --------------------------------------------------------------------------

    def workbook(self, path: str) -> Workbook:
        """Return the workbook at *path*; a CSV file becomes a workbook of one sheet."""
        at = _table_file(path)
        if at.extension == "xlsx":
            return parse_workbook(self._files.workbook(path))
        return from_csv(self._files.text(path), CSV_SHEET)

    def sheets(self, path: str) -> tuple[SheetInfo, ...]:
        """List the sheets in their order."""
        workbook = self.workbook(path)
        return tuple(
            SheetInfo(
                name=sheet.name,
                used=str(shown.used or ""),
                formulas=sum(
                    interpret(typed).kind is CellKind.FORMULA for typed in sheet.cells.values()
                ),
            )
            for sheet, shown in zip(workbook.sheets, values.calculate(workbook), strict=True)
        )

    def values(self, path: str, sheet: str = "") -> SheetValues:
        """Return the calculated values of one sheet, the first for ""."""
        workbook = self.workbook(path)
        index = workbook.sheets.index(workbook.sheet(sheet))
        return values.calculate(workbook)[index]

    def read(self, path: str, range_text: str = "", sheet: str = "") -> RangeContents:
        """Return the used part of a range, or of the whole sheet for "". Raises Invalid for a
        malformed range."""
        workbook = self.workbook(path)
        source = workbook.sheet(sheet)
        shown = values.calculate(workbook)[workbook.sheets.index(source)]
        wanted = parse_cell_range(range_text) if range_text.strip() else shown.used
        found = wanted.within(shown.used) if wanted and shown.used else None
        if found is None:
            return RangeContents(source.name, None, (), ())
        part = CellRange(
            found.top,
            found.left,
            min(found.bottom, found.top + MAX_ROWS - 1),
            min(found.right, found.left + MAX_COLUMNS - 1),
        )
        typed = [
            [
                source.places.get(CellAddress(row, column))
                for column in range(part.left, part.right + 1)
            ]
            for row in range(part.top, part.bottom + 1)
        ]
        return RangeContents(source.name, found, shown.grid(part), typed)

    def query(
        self,
        path: str,
        where: Sequence[Condition] = (),
        columns: Sequence[str] = (),
        sort_by: Sequence[str] = (),
        sheet: str = "",
        range_text: str = "",
    ) -> Selection:
        """Return rows of the table in a range (the whole sheet for ""), whose first row is the
        header.

        Raises NotFound for an unknown column.
        """
        within = parse_cell_range(range_text) if range_text.strip() else None
        return select_rows(read_table(self.values(path, sheet), within), where, sort_by, columns)

    def group(
        self,
        path: str,
        group_by: Sequence[str],
        aggregates: Sequence[Aggregate],
        where: Sequence[Condition] = (),
        sort_by: Sequence[str] = (),
        sheet: str = "",
        range_text: str = "",
    ) -> Selection:
        """Return groups of rows with their aggregates; see `group_rows`."""
        within = parse_cell_range(range_text) if range_text.strip() else None
        table = read_table(self.values(path, sheet), within)
        return group_rows(table, where, group_by, aggregates, sort_by)

    def calculate(self, expression: str, path: str = "", sheet: str = "") -> list[list[CellValue]]:
        """Calculate an expression, which may refer to cells of *path*; an array comes row
        by row."""
        if path:
            return values.calculate_within(self.workbook(path), sheet, expression)
        return values.calculate_expression(expression)

    # changing -------------------------------------------------------------------------

    def create(self, path: str, rows: Rows = (), sheet: str = "") -> SheetChange:
        """Create a workbook or CSV file. Raises Refused if the file exists."""
        at = _table_file(path)
        if self._files.exists(path):
            raise Refused(f"{at} already exists; write to it, or choose another name.")
        if sheet and at.extension != "xlsx":
            raise Refused("A .csv file has no sheet names; omit sheet, or make an .xlsx file.")
        workbook, written = empty_workbook(sheet or CSV_SHEET), None
        if rows:
            workbook, written = edits.write(workbook, "", CellAddress(1, 1), rows)
        return self._put(path, workbook, workbook.sheets[0].name, written, NEW_CSV_DIALECT)

    def write(self, path: str, start: str, rows: Rows, sheet: str = "") -> SheetChange:
        """Write *rows* into the cells from *start* on; see `edits.write`."""
        workbook, written = edits.write(
            self.workbook(path), sheet, parse_cell_address(start.strip()), rows
        )
        return self._put(path, workbook, workbook.sheet(sheet).name, written)

    def append(self, path: str, rows: Rows, sheet: str = "") -> SheetChange:
        """Write *rows* below the last used row."""
        workbook, written = edits.append(self.workbook(path), sheet, rows)
        return self._put(path, workbook, workbook.sheet(sheet).name, written)

    def fill_down(self, path: str, source: str, last_row: int, sheet: str = "") -> SheetChange:
        """Copy the row of cells *source* into the rows below, down to *last_row*."""
        workbook, written = fill_down(
            self.workbook(path), sheet, parse_cell_range(source), last_row
        )
        return self._put(path, workbook, workbook.sheet(sheet).name, written)

    def add_sheet(self, path: str, name: str) -> SheetChange:
        """Add an empty sheet at the end. Raises Refused for a CSV file or a name that is taken."""
        return self._put(path, edits.add_sheet(self._real(path), name), name, None)

    def rename_sheet(self, path: str, old: str, new: str) -> SheetChange:
        """Rename a sheet; formulas follow. Raises Refused for a CSV file or a name that is
        taken."""
        return self._put(path, edits.rename_sheet(self._real(path), old, new), new, None)

    def delete_sheet(self, path: str, name: str) -> SheetChange:
        """Delete a sheet. Raises Refused for a CSV file or the only sheet."""
        workbook = edits.delete_sheet(self._real(path), name)
        return self._put(path, workbook, workbook.sheets[0].name, None)

    def convert(self, source: str, target: str, sheet: str = "") -> SheetChange:
        """Write the workbook at *source*, or one of its sheets, in the format of *target*'s
        extension.

        A .csv file gets the values of one sheet. Raises Refused if *target* exists.
        """
        workbook = self.workbook(source)
        if self._files.exists(target):
            raise Refused(f"{parse_file_path(target)} already exists; choose another name.")
        at = _table_file(target)
        shown = values.calculate(workbook)[workbook.sheets.index(workbook.sheet(sheet))]
        if at.extension == "xlsx":
            self._files.write_workbook(target, workbook.dump())
        else:
            self._files.write_text(target, to_csv(shown, _habits(at, NEW_CSV_DIALECT)))
        return SheetChange(path=str(at), sheet=shown.name, range=str(shown.used or ""))

    # exchange with other programs -------------------------------------------------------

    def import_xlsx(self, path: str, file: bytes) -> SheetChange:
        """Store an .xlsx file's workbook at *path*. Raises Invalid, Refused (see `from_xlsx`)."""
        workbook = from_xlsx(file)
        return self._put(path, workbook, workbook.sheets[0].name, None)

    def export_xlsx(self, path: str) -> bytes:
        """Return the workbook or CSV file at *path* as an .xlsx file for other programs."""
        return to_xlsx(self.workbook(path))

    # helpers --------------------------------------------------------------------------

    def _real(self, path: str) -> Workbook:
        if _table_file(path).extension != "xlsx":
            raise Refused("A .csv file has one unnamed sheet; convert it to .xlsx first.")
        return self.workbook(path)

    def _put(
        self,
        path: str,
        workbook: Workbook,
        sheet: str,
        written: CellRange | None,
        habits: Dialect | None = None,
    ) -> SheetChange:
        """Store *workbook* if it can be calculated, and report cells in *written* that show
        errors."""
        at, text = _table_file(path), workbook.dump()
        workbook = parse_workbook(text)  # the cached object that was calculated beforehand
        if at.extension != "xlsx" and workbook.has_formulas():
            raise Refused(
                "A .csv file has only values. Convert it to .xlsx first, or write the "
                "value that sheets_calculate gives."
            )
        shown = values.calculate(workbook)[workbook.sheets.index(workbook.sheet(sheet))]
        if written is not None:
            values.check_calculated(shown, written)
        if at.extension == "xlsx":
            self._files.write_workbook(path, text)
        else:
            known = habits or sniff_dialect(self._files.text(path))
            self._files.write_text(path, to_csv(shown, _habits(at, known)))
        flaws = tuple(
            CellError(cell=str(cell), error=value.text)
            for cell, value in shown.cells.items()
            if written is not None and cell in written and value.kind is CellKind.ERROR
        )
        return SheetChange(path=str(at), sheet=sheet, range=str(written or ""), flaws=flaws)


class WorkbookAppears(Event):
    """A workbook appears somewhere: rows for each sheet, as typed, or an .xlsx file in base64."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    sheets: dict[str, list[list[CellInput]]] = Field(default_factory=dict)
    xlsx_base64: str = ""

    @model_validator(mode="after")
    def _has_one_content(self) -> Self:
        if bool(self.sheets) == bool(self.xlsx_base64):
            raise ValueError("a workbook that appears needs either sheets or xlsx_base64")
        return self

    def fire(self, tx: Transaction) -> None:
        """Write the workbook, replacing an existing file."""
        if self.xlsx_base64:
            workbook = from_xlsx(base64.b64decode(self.xlsx_base64, validate=True))
        else:
            first, *others = self.sheets
            workbook = empty_workbook(first)
            for name in others:
                workbook = edits.add_sheet(workbook, name)
            for name, rows in self.sheets.items():
                if rows:
                    workbook, _ = edits.write(workbook, name, CellAddress(1, 1), rows)
        Files(tx).write_workbook(self.path, check_workbook(workbook).dump())


def _table_file(path: str) -> VirtualPath:
    at = parse_file_path(path)
    if at.extension not in ("xlsx", "csv", "tsv"):
        raise Invalid(
            f"{at} is not a workbook; the sheets tools work on .xlsx, .csv and .tsv files."
        )
    return at


def _habits(at: VirtualPath, dialect: Dialect) -> Dialect:
    """Return *dialect*, with tabs as separators for a new .tsv file."""
    if at.extension == "tsv" and dialect is NEW_CSV_DIALECT:
        return Dialect(delimiter="\t", newline=dialect.newline)
    return dialect
