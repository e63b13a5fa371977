"""The completed table that is handed in, and how many of its blanks are right."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from trainee_bench.meta_tasks.authoring import InvalidDeliverable
from trainee_bench.meta_tasks.families.data_completion.subject.dataset import (
    GappedTable,
    parse_number,
)


@dataclass(frozen=True)
class CompletionTruth:
    """The table as it is graded, and where its copy is handed in."""

    path: str
    table: GappedTable


def count_right(text: str, table: GappedTable) -> int | InvalidDeliverable:
    """How many blanks hold the right value in *text* (CSV), or in what it is not the table that
    was to be completed."""
    try:
        given = [*csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))]
    except csv.Error as error:
        return InvalidDeliverable(f"the file is not CSV ({error})")
    while given and not any(given[-1]):
        given.pop()
    if not given:
        return InvalidDeliverable("the file is empty")
    header, *rows = given
    if tuple(header) != table.columns:
        return InvalidDeliverable("the header is not that of the table")
    changed = _change(rows, table)
    if changed:
        return InvalidDeliverable(changed)
    cells = [(parse_number(rows[blank.row][blank.column]), blank) for blank in table.blanks]
    return sum(
        value is not None and abs(value - blank.value) <= blank.slack for value, blank in cells
    )


def _change(given: Sequence[Sequence[str]], table: GappedTable) -> str:
    """The first thing that differs from the table elsewhere than in a blank; "" for nothing."""
    if len(given) != len(table.rows):
        return f"the file has {len(given)} rows below the header, not {len(table.rows)}"
    for place, (row, expected) in enumerate(zip(given, table.rows, strict=True), start=1):
        if len(row) != len(expected):
            return f"row {place} has {len(row)} cells, not {len(expected)}"
        for name, cell, before in zip(table.columns, row, expected, strict=True):
            if before and cell != before:
                return f"{name} in row {place} is {cell!r}, which was changed"
    return ""
