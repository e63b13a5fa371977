"""The submitted table and its grading."""

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
    """Grading data: the path of the submitted copy, and the table."""

    path: str
    table: GappedTable


def count_right(text: str, table: GappedTable) -> int | InvalidDeliverable:
    """Count the blanks with the right value in *text* (CSV).

    Returns InvalidDeliverable if *text* differs from the table elsewhere than in the blanks.
    """
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
    """Describe the first difference from the table outside the blanks; "" if there is none."""
    if len(given) != len(table.rows):
        return f"the file has {len(given)} rows below the header, not {len(table.rows)}"
    for place, (row, expected) in enumerate(zip(given, table.rows, strict=True), start=1):
        if len(row) != len(expected):
            return f"row {place} has {len(row)} cells, not {len(expected)}"
        for name, cell, before in zip(table.columns, row, expected, strict=True):
            if before and cell != before:
                return f"{name} in row {place} was changed to {cell!r}"
    return ""
