"""Mutations of a workbook's first sheet, changed as rows of cells and written back.

The other sheets stay the same. The first row holds the titles. Cells are as they are typed: "12.5",
"Ada", "=SUM(B2:B9)".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from trainee_bench.world.workbook import edits
from trainee_bench.world.workbook.addresses import CellAddress
from trainee_bench.world.workbook.edits import CellInput
from trainee_bench.world.workbook.model import Sheet, Workbook, empty_workbook
from trainee_bench.world.workbook.xlsx import from_xlsx, to_xlsx

Rows = list[list[CellInput]]
_START = CellAddress(1, 1)
_ELSEWHERE = CellAddress(4, 3)


def harmless_workbooks(workbook: Workbook) -> Iterator[tuple[str, Workbook]]:
    """Yield workbooks whose table, read by its titles, has the same meaning."""
    rows = rows_of(workbook.sheets[0])
    yield "another, empty sheet", edits.add_sheet(workbook, _other_name(workbook))
    yield "saved by another program", from_xlsx(to_xlsx(workbook))
    yield "columns in reverse order", _with_rows(workbook, [row[::-1] for row in rows])
    yield "an empty row in between", _with_rows(workbook, [*rows[:1], [], *rows[1:]])
    yield "a table that does not begin at A1", _with_rows(workbook, rows, _ELSEWHERE)
    for does, change in (("numbers as formulas", "={}+0"), ("numbers with more zeros", "{:.6f}")):
        changed = [[_with_number(cell, change) for cell in row] for row in rows]
        if changed != rows:
            yield does, _with_rows(workbook, changed)


def wrong_workbooks(workbook: Workbook) -> Iterator[tuple[str, Workbook]]:
    """Yield an empty workbook, and every change of `wrong_rows`."""
    yield "nothing", empty_workbook(workbook.sheets[0].name)
    for does, rows in wrong_rows(rows_of(workbook.sheets[0])):
        yield does, _with_rows(workbook, rows)


def _with_rows(workbook: Workbook, rows: Rows, start: CellAddress = _START) -> Workbook:
    """Return the workbook with *rows* on its first sheet, and nothing else there."""
    return workbook.with_sheet(workbook_of(rows, workbook.sheets[0].name, start).sheets[0])


def wrong_rows(rows: Sequence[Sequence[CellInput]]) -> Iterator[tuple[str, Rows]]:
    """Yield changed values, and dropped, added and swapped rows and columns, as far as possible."""
    for does, change in _CHANGES.items():
        changed = [list(row) for row in rows]
        if change(changed):
            yield does, changed


def rows_of(sheet: Sheet) -> Rows:
    """Return a sheet from A1 on, with rows of equal length; "" for empty cells."""
    used = sheet.used()
    if used is None:
        return []
    return [
        [sheet.places.get(CellAddress(row, column), "") for column in range(1, used.right + 1)]
        for row in range(1, used.bottom + 1)
    ]


def workbook_of(
    rows: Sequence[Sequence[CellInput]], sheet: str, start: CellAddress = _START
) -> Workbook:
    """Return a workbook of one sheet that holds *rows* from *start* on."""
    if not any(rows):
        return empty_workbook(sheet)
    return edits.write(empty_workbook(sheet), "", start, rows)[0]


# changes in place; each returns whether there was anything to change -----------------------------


def _number(cell: CellInput) -> float | None:
    """Return the number that is typed, None if it is not a number."""
    if isinstance(cell, bool) or cell is None:
        return None
    try:
        return float(cell)
    except ValueError:
        return None


def _with_number(cell: CellInput, form: str) -> CellInput:
    return cell if _number(cell) is None else form.format(_number(cell))


def _cells(rows: Rows, numbers: bool) -> list[tuple[int, int]]:
    """Return the places of numbers, or else of texts, below the titles."""
    return [
        (down, right)
        for down, row in enumerate(rows[1:], start=1)
        for right, cell in enumerate(row)
        if cell not in (None, "") and (_number(cell) is not None) is numbers
    ]


def _number_off(rows: Rows) -> bool:
    for down, right in _cells(rows, numbers=True)[:1]:
        rows[down][right] = round((_number(rows[down][right]) or 0) + 1, 4)
        return True
    return False


def _wrong_unit(rows: Rows) -> bool:
    for down, right in reversed(_cells(rows, numbers=True)):
        number = _number(rows[down][right])
        if number:
            rows[down][right] = number * 1000
            return True
    return False


def _text_off(rows: Rows) -> bool:
    for down, right in _cells(rows, numbers=False)[:1]:
        text = str(rows[down][right])
        rows[down][right] = text[:-1] + ("x" if text[-1] != "x" else "y")
        return True
    return False


def _row_dropped(rows: Rows) -> bool:
    if len(rows) < 2:
        return False
    rows.pop()
    return True


def _row_twice(rows: Rows) -> bool:
    if len(rows) < 2:
        return False
    rows.append(list(rows[1]))
    return True


def _column_dropped(rows: Rows) -> bool:
    for row in rows:
        row.pop()
    return bool(rows)


def _column_added(rows: Rows) -> bool:
    for down, row in enumerate(rows):
        row.append("done" if down else "comment")
    return bool(rows)


def _title_changed(rows: Rows) -> bool:
    if not rows or not rows[0]:
        return False
    rows[0][0] = f"{rows[0][0]} (new)"
    return True


def _titles_dropped(rows: Rows) -> bool:
    return bool(rows) and rows.pop(0) is not None


def _values_swapped(rows: Rows) -> bool:
    """Exchange two different values in a column of several.

    In a single column that would only change the order.
    """
    if len({right for row in rows for right, cell in enumerate(row) if cell}) < 2:
        return False
    for numbers in (False, True):
        places = _cells(rows, numbers)
        for down, right in places:
            for other, same in places:
                if right == same and rows[down][right] != rows[other][right]:
                    value = rows[down][right]
                    rows[down][right], rows[other][right] = rows[other][right], value
                    return True
    return False


_CHANGES: dict[str, Callable[[Rows], bool]] = {
    "a number off by one": _number_off,
    "a number in a wrong unit": _wrong_unit,
    "a letter of a text changed": _text_off,
    "two values swapped": _values_swapped,
    "a row dropped": _row_dropped,
    "a row twice": _row_twice,
    "a column dropped": _column_dropped,
    "a column added": _column_added,
    "a title changed": _title_changed,
    "no titles": _titles_dropped,
}


def _other_name(workbook: Workbook) -> str:
    names = {sheet.name.casefold() for sheet in workbook.sheets}
    return next(name for name in ("Notes", "More", "Empty") if name.casefold() not in names)
