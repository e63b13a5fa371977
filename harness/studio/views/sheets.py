"""Workbooks and CSV files as the page shows them: a window of one sheet."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from trainee_bench.harness.studio.views.app_view import AppView, Marks, ViewRequest
from trainee_bench.harness.studio.views.files import every_file, file_marks
from trainee_bench.mcp_servers.serving.result_text import CellData, cell_data
from trainee_bench.world.apps.sheets import SheetInfo, Sheets
from trainee_bench.world.errors import WorldError
from trainee_bench.world.filesystem.paths import parse_file_path
from trainee_bench.world.filesystem.store import FileInfo
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.workbook.addresses import LAST_ROW, CellAddress, CellRange

_ENDINGS = frozenset({"xlsx", "csv", "tsv"})
_CELLS, _MOST_ROWS, _FEWEST_ROWS, _COLUMNS = 500, 50, 20, 60
"""The part of a sheet that is given at once: an amount that browsers draw without delay."""


class SheetWindow(BaseModel):
    """Rows of a sheet from number *top* on, from column A; ``typed`` has the formulas by cell.
    ``rows_used`` and ``columns_used`` give the size of the sheet."""

    path: str
    sheet: str
    sheets: tuple[SheetInfo, ...]
    top: int
    rows_used: int
    columns_used: int
    rows: tuple[tuple[CellData, ...], ...]
    typed: dict[str, str]
    at_once: int = 0
    """The most rows that are given at once."""
    flaw: str = ""
    """The reason why it cannot be shown."""


class SheetsView(BaseModel):
    """All files that are tables, and a window of the opened one."""

    books: tuple[FileInfo, ...]
    book: SheetWindow | None


def _show(tx: Transaction, request: ViewRequest) -> SheetsView:
    books = _books(tx)
    there = any(book.path == request.item for book in books)
    return SheetsView(books=books, book=_window(tx, request) if there else None)


def _books(tx: Transaction) -> tuple[FileInfo, ...]:
    return tuple(info for info in every_file(tx) if is_table(info))


def is_table(info: FileInfo) -> bool:
    """Return whether a file is shown as a table."""
    return parse_file_path(info.path).extension in _ENDINGS


def _window(tx: Transaction, request: ViewRequest) -> SheetWindow:
    sheets = Sheets(tx)
    try:
        infos = sheets.sheets(request.item)
        wanted = {info.name for info in infos} & {request.sheet}
        shown = sheets.values(request.item, request.sheet if wanted else "")
        source = sheets.workbook(request.item).sheet(shown.name)
    except WorldError as error:  # the agent broke this table
        return SheetWindow(
            path=request.item,
            sheet="",
            sheets=(),
            top=1,
            rows_used=0,
            columns_used=0,
            rows=(),
            typed={},
            flaw=str(error),
        )
    used = shown.used
    rows_used, columns_used = (used.bottom, used.right) if used else (0, 0)
    top = max(1, min(request.top, rows_used, LAST_ROW))
    width = min(columns_used, _COLUMNS)
    height = max(_FEWEST_ROWS, min(_MOST_ROWS, _CELLS // max(width, 1)))
    area = CellRange(top, 1, min(top + height - 1, rows_used), width)
    typed = {
        str(cell): text
        for row in range(area.top, area.bottom + 1)
        for column in range(1, area.right + 1)
        if (text := source.places.get(cell := CellAddress(row, column))) and text.startswith("=")
    }
    return SheetWindow(
        path=request.item,
        sheet=shown.name,
        sheets=infos,
        top=top,
        rows_used=rows_used,
        columns_used=columns_used,
        rows=tuple(tuple(map(cell_data, row)) for row in shown.grid(area)) if used else (),
        typed=typed,
        at_once=height,
    )


def _marks(tx: Transaction) -> Marks:
    return file_marks(_books(tx))


def _within(before: BaseModel, after: BaseModel) -> Sequence[str]:
    """Return the addresses of the changed cells; none for a new table."""
    assert isinstance(before, SheetsView) and isinstance(after, SheetsView)
    old, new = before.book, after.book
    if old is None or new is None or old.sheet != new.sheet or old.top != new.top:
        return ()
    height = max(len(old.rows), len(new.rows))
    width = max((len(row) for row in (*old.rows, *new.rows)), default=0)
    return [
        str(CellAddress(new.top + row, column + 1))
        for row in range(height)
        for column in range(width)
        if _cell(old, row, column) != _cell(new, row, column)
    ]


def _cell(window: SheetWindow, row: int, column: int) -> CellData:
    if row < len(window.rows) and column < len(window.rows[row]):
        return window.rows[row][column]
    return None


VIEW = AppView("sheets", _show, _marks, _within)
