"""Groups rows of a table by columns, with counts, sums and similar measures of each group.

Sums and averages are calculated without rounding. Empty cells are ignored. A text in place of a
number is refused, since ignoring it would silently give a wrong total.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from trainee_bench.world.errors import Invalid
from trainee_bench.world.workbook.exact_arithmetic import exact_text
from trainee_bench.world.workbook.formats import result_text
from trainee_bench.world.workbook.inputs import CellKind, is_date_or_time
from trainee_bench.world.workbook.query import (
    ComparisonKey,
    Condition,
    NumberedRow,
    Selection,
    SheetTable,
    column_index,
    comparison_key,
    matching_rows,
    sorted_rows,
)
from trainee_bench.world.workbook.values import CellValue


class Measure(StrEnum):
    """A measure of a group."""

    COUNT = "count"
    DISTINCT = "distinct"
    SUM = "sum"
    AVERAGE = "average"
    MIN = "min"
    MAX = "max"


@dataclass(frozen=True)
class Aggregate:
    """A measure of one column; "" (only for a count) means the rows themselves."""

    measure: Measure
    column: str

    def __str__(self) -> str:
        return f"{self.measure} {self.column}".strip()


def parse_aggregate(text: str) -> Aggregate:
    """Parse an aggregate such as "count" or "sum Hours". Raises Invalid."""
    measure, _, column = text.strip().partition(" ")
    try:
        found = Aggregate(Measure(measure.lower()), column.strip())
    except ValueError:
        found = None
    if found is None or not (found.column or found.measure is Measure.COUNT):
        raise Invalid(
            f"{text[:60]!r} is not an aggregate; write count, or one of distinct, sum, average, "
            'min and max with a column, such as "sum Hours".'
        )
    return found


def group_rows(
    source: SheetTable,
    where: Sequence[Condition],
    group_by: Sequence[str],
    aggregates: Sequence[Aggregate],
    sort_by: Sequence[str] = (),
) -> Selection:
    """Return a row for each group of rows that meet every condition: its columns, then its
    aggregates.

    Groups are in the order of their first rows unless *sort_by* names columns of the result;
    without *group_by*, all rows are one group. Texts that differ only in case are one group. Raises
    NotFound for an unknown column, Invalid for adding up texts or dates.
    """
    keys = [column_index(source, name) for name in group_by]
    measured = [
        column_index(source, aggregate.column) if aggregate.column else None
        for aggregate in aggregates
    ]
    groups: dict[tuple[ComparisonKey, ...], list[NumberedRow]] = {} if keys else {(): []}
    for number, row in matching_rows(source, where):
        group = tuple(comparison_key(row[at]) for at in keys)
        groups.setdefault(group, []).append((number, row))
    rows = [
        [
            *(members[0][1][at] for at in keys),
            *(
                _measured(aggregate, at, members)
                for aggregate, at in zip(aggregates, measured, strict=True)
            ),
        ]
        for members in groups.values()
    ]
    result = SheetTable(
        (*(source.columns[at] for at in keys), *map(str, aggregates)), tuple(rows), 1
    )
    return Selection(result.columns, tuple(sorted_rows(result, list(enumerate(rows, 1)), sort_by)))


def _measured(
    aggregate: Aggregate, at: int | None, members: Sequence[NumberedRow]
) -> CellValue | None:
    if at is None:
        return _number(Fraction(len(members)))
    filled = [
        (number, value)
        for number, row in members
        if (value := row[at]) is not None and value.text != ""
    ]
    if aggregate.measure is Measure.COUNT:
        return _number(Fraction(len(filled)))
    if aggregate.measure is Measure.DISTINCT:
        return _number(Fraction(len({comparison_key(value) for _, value in filled})))
    for number, value in filled:
        if value.kind is not CellKind.NUMBER:
            raise Invalid(
                f"Row {number} has {value.text[:40]!r} in {aggregate.column}, which is not a "
                "number. sum, average, min and max need numbers: leave such rows out with where, "
                "or use count or distinct."
            )
    if aggregate.measure in (Measure.MIN, Measure.MAX):
        choose = min if aggregate.measure is Measure.MIN else max
        return choose((value for _, value in filled), key=lambda value: value.value, default=None)
    return _total(aggregate, filled)


def _total(aggregate: Aggregate, filled: Sequence[tuple[int, CellValue]]) -> CellValue | None:
    """Return the sum or average."""
    for number, value in filled:
        if is_date_or_time(value.text):
            raise Invalid(
                f"Row {number} has {value.text} in {aggregate.column}; dates and times have min "
                "and max, but no sum or average here."
            )
    total = sum((_exact(value) for _, value in filled), Fraction(0))
    if aggregate.measure is Measure.SUM:
        return _number(total)
    return _number(total / len(filled)) if filled else None


def _exact(value: CellValue) -> Fraction:
    try:
        return Fraction(value.text)
    except ValueError:  # formatted: €12.50, 1,250.00
        return Fraction(repr(float(value.value)))


def _number(value: Fraction) -> CellValue:
    text = exact_text(value) or result_text(float(value))
    return CellValue(CellKind.NUMBER, float(value), text, text)
