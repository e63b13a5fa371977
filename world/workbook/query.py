"""Selects rows of a table by conditions on its columns, sorts them, and picks columns.

Numbers, dates and times compare as numbers, texts ignoring case. A number is neither less nor
greater than a text. A text that begins with a date, such as 2025-05-12T09:03, is compared with a
date as both are written.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from trainee_bench.world.errors import Invalid, NotFound
from trainee_bench.world.workbook.addresses import CellRange
from trainee_bench.world.workbook.inputs import CellKind, interpret
from trainee_bench.world.workbook.values import CellValue, SheetValues

Row = list[CellValue | None]
NumberedRow = tuple[int, Row]
"""A row and its number in the sheet."""


class Operator(StrEnum):
    """The comparison of a cell with a condition's value."""

    EQUAL = "="
    UNEQUAL = "!="
    LESS = "<"
    AT_MOST = "<="
    GREATER = ">"
    AT_LEAST = ">="
    CONTAINS = "contains"


@dataclass(frozen=True)
class Condition:
    """A test on one column. A text value is read as if typed into a cell; "" means empty."""

    column: str
    operator: Operator
    value: str | int | float | bool


@dataclass(frozen=True)
class SheetTable:
    """A header and the rows below it. ``first_row`` is the number of the first row in the sheet."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    first_row: int


@dataclass(frozen=True)
class Selection:
    """The rows found: each row's number in the sheet and its values of ``columns``."""

    columns: tuple[str, ...]
    rows: tuple[NumberedRow, ...]


def read_table(sheet: SheetValues, area: CellRange | None = None) -> SheetTable:
    """Read the table in *area*, or in the used part of the sheet. Its first row is the header.

    Raises NotFound if there is none, Invalid if two columns have the same name.
    """
    used = sheet.used
    area = used if area is None or used is None else area.within(used)
    if area is None:
        raise NotFound(f"There is no table in {sheet.name}: the range is empty; give another one.")
    header, *rows = sheet.grid(area)
    columns = tuple("" if value is None else value.text.strip() for value in header)
    named = [name.casefold() for name in columns if name]
    if not named:
        raise NotFound(
            f"Row {area.top} of {sheet.name} has no column names; give the table's range."
        )
    twice = sorted({name for name in named if named.count(name) > 1})
    if twice:
        raise Invalid(f"Two columns are called {twice[0]!r}; rename one of them in row {area.top}.")
    return SheetTable(columns, tuple(rows), area.top + 1)


def select_rows(
    source: SheetTable,
    where: Sequence[Condition] = (),
    sort_by: Sequence[str] = (),
    columns: Sequence[str] = (),
) -> Selection:
    """Return the rows of *source* that meet every condition, without empty rows.

    *sort_by* names columns, the most significant first; "-Amount" sorts in descending order. The
    sort is stable, and empty cells come last. Raises NotFound for an unknown column.
    """
    found = sorted_rows(source, matching_rows(source, where), sort_by)
    kept = [column_index(source, name) for name in columns] or [
        at for at, name in enumerate(source.columns) if name
    ]
    return Selection(
        tuple(source.columns[at] for at in kept),
        tuple((number, [row[at] for at in kept]) for number, row in found),
    )


def matching_rows(source: SheetTable, where: Sequence[Condition]) -> list[NumberedRow]:
    """Return the rows that meet every condition, with their numbers and without empty rows.

    Raises NotFound for an unknown column.
    """
    tests = [(column_index(source, condition.column), _test(condition)) for condition in where]
    return [
        (number, row)
        for number, row in enumerate(source.rows, source.first_row)
        if any(value is not None for value in row) and all(test(row[at]) for at, test in tests)
    ]


def sorted_rows(
    source: SheetTable, rows: Sequence[NumberedRow], sort_by: Sequence[str]
) -> list[NumberedRow]:
    """Sort *rows* of *source* as `select_rows` says. Raises NotFound for an unknown column."""
    found = list(rows)
    for name in reversed(sort_by):
        down = name.startswith("-") and name.casefold() not in _folded(source)
        _sort(found, column_index(source, name[1:] if down else name), down)
    return found


def _folded(source: SheetTable) -> list[str]:
    return [name.casefold() for name in source.columns]


def column_index(source: SheetTable, name: str) -> int:
    """Return the index of the column called *name*, ignoring case. Raises NotFound."""
    folded = _folded(source)
    wanted = name.strip().casefold()
    if not wanted or wanted not in folded:
        there = ", ".join(name for name in source.columns if name)
        raise NotFound(f"There is no column {name[:40]!r}; columns: {there[:600]}.")
    return folded.index(wanted)


_ORDERS: dict[Operator, Callable[[Any, Any], bool]] = {
    Operator.LESS: operator.lt,
    Operator.AT_MOST: operator.le,
    Operator.GREATER: operator.gt,
    Operator.AT_LEAST: operator.ge,
}


def _test(condition: Condition) -> Callable[[CellValue | None], bool]:
    asked = condition.operator
    if asked is Operator.CONTAINS:
        part = _text(condition.value).casefold()
        return lambda value: value is not None and part in value.text.casefold()
    wanted, written = _comparable(condition.value), _text(condition.value).strip().casefold()
    is_date = _BEGINS_WITH_DATE.match(written) is not None

    def keys(value: CellValue | None) -> tuple[ComparisonKey, ComparisonKey]:
        own = comparison_key(value)
        if is_date and own[0] == _TEXT and _BEGINS_WITH_DATE.match(str(own[1])):
            return own, (_TEXT, written)
        return own, wanted

    if asked is Operator.EQUAL:
        return lambda value: operator.eq(*keys(value))
    if asked is Operator.UNEQUAL:
        return lambda value: operator.ne(*keys(value))
    compare = _ORDERS[asked]

    def in_order(value: CellValue | None) -> bool:
        (kind, content), (sought, bound) = keys(value)
        return kind == sought and kind != _EMPTY[0] and compare(content, bound)

    return in_order


_BEGINS_WITH_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)")
_TEXT = 1
_EMPTY = (3, "")
ComparisonKey = tuple[int, float | str]


def comparison_key(value: CellValue | None) -> ComparisonKey:
    """Return the key by which a cell is compared: the kind of its value, then the value."""
    if value is None or value.text == "":
        return _EMPTY
    if value.kind is CellKind.NUMBER:
        # Rounded as in a spreadsheet, so that 0.1 + 0.2 equals 0.3.
        return 0, float(f"{value.value:.15g}")
    if value.kind is CellKind.BOOLEAN:
        return 2, float(value.value)
    return _TEXT, str(value.value).casefold()


def _comparable(value: str | int | float | bool) -> ComparisonKey:
    if isinstance(value, bool):
        return 2, float(value)
    if isinstance(value, int | float):
        return 0, float(f"{value:.15g}")
    if value == "":
        return _EMPTY
    content = interpret(value)
    text = str(content.value)
    return comparison_key(CellValue(content.kind, content.value, text, text))


def _text(value: str | int | float | bool) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return value if isinstance(value, str) else f"{value:.15g}"


def _sort(rows: list[NumberedRow], at: int, down: bool) -> None:
    filled = [row for row in rows if comparison_key(row[1][at]) != _EMPTY]
    empty = [row for row in rows if comparison_key(row[1][at]) == _EMPTY]
    filled.sort(key=lambda row: comparison_key(row[1][at]), reverse=down)
    rows[:] = filled + empty
