"""What was handed in, compared with what belongs there."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from trainee_bench.meta_tasks.deliverable import InvalidDeliverable
from trainee_bench.meta_tasks.families.data_completion.table import GappedTable

_NUMBER = re.compile(r"[+-]?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE][+-]?\d{1,2})?", re.ASCII)


@dataclass(frozen=True)
class FilledCells:
    """How many of the blanks hold the right value, where nothing else was changed."""

    right: int
    blanks: int


def compare_with_table(text: str, table: GappedTable) -> FilledCells | InvalidDeliverable:
    """The table in *text* (CSV), or in what it is not the table that was to be completed."""
    try:
        given = [*csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))]
    except csv.Error as error:
        return InvalidDeliverable(f"the file is not CSV ({error})")
    while given and not any(given[-1]):
        given.pop()
    if not given:
        return InvalidDeliverable("the file is empty")
    if tuple(given[0]) != table.columns:
        return InvalidDeliverable("the header is not that of the table")
    flaw = _difference(given[1:], table)
    if flaw is not None:
        return flaw
    rows = given[1:]
    right = sum(
        value is not None and abs(value - blank.value) <= blank.slack
        for blank in table.blanks
        for value in (parse_number(rows[blank.row][blank.column]),)
    )
    return FilledCells(right, len(table.blanks))


def _difference(given: Sequence[Sequence[str]], table: GappedTable) -> InvalidDeliverable | None:
    """What differs from the table elsewhere than in a blank."""
    if len(given) != len(table.rows):
        return InvalidDeliverable(
            f"the file has {len(given)} rows below the header, not {len(table.rows)}"
        )
    for place, (row, expected) in enumerate(zip(given, table.rows, strict=True), start=1):
        if len(row) != len(expected):
            return InvalidDeliverable(f"row {place} has {len(row)} cells, not {len(expected)}")
        for name, cell, before in zip(table.columns, row, expected, strict=True):
            if before and cell != before:
                return InvalidDeliverable(f"{name} in row {place} was {before!r} and was changed")
    return None


def parse_number(cell: str) -> Fraction | None:
    """The plain number in a cell, if it has one."""
    plain = cell.strip()
    return Fraction(Decimal(plain)) if _NUMBER.fullmatch(plain) else None
