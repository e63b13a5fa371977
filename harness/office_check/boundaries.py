"""Limits that nobody has vouched for: is a value that equals the limit over it?

An answer's code compares a column with a value of policy if its result jumps where the value passes
that of a record. No page proves what holds at the limit itself; a row worked out by a person does.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import partial

from trainee_bench.meta_tasks.offices.answer_code import Row
from trainee_bench.meta_tasks.offices.instance import literal_instance
from trainee_bench.meta_tasks.offices.office_task import FolderTask
from trainee_bench.meta_tasks.offices.values import Value, parse_cells, write_value
from trainee_bench.meta_tasks.task_context import CompositionError

TRIED = 12
"""The most records of a column with which a limit is compared."""
_STEP, _STEEP = Decimal("0.000001"), 10
"""A step so small that no rounding changes within it by chance."""
_SOME_DAY = date(2026, 3, 2)
Rows = Mapping[str, Row]
"""Rows by the key of the table."""


@dataclass(frozen=True)
class Boundary:
    """A value of policy that the answer compares with a column, and at which no checked row lies.

    ``record`` is the key of a record that lies there, "" if there is none.
    """

    name: str
    value: Value
    file: str
    column: str
    record: str

    def __str__(self) -> str:
        limit = write_value(self.value)
        said = (
            f"policy.{self.name} is compared with {self.column} of {self.file}, but no row of "
            f"checked has {self.column} {limit}, so nobody has vouched for the limit itself; "
        )
        if self.record:
            return f"{said}work out {self.record} by hand, and add it to the checked rows"
        return f"{said}give a record {self.column} {limit}, work it out by hand, and add it to them"


def open_boundaries(family: type[FolderTask]) -> Iterator[Boundary]:
    """Yield the values of policy that a table's code compares, and for which no checked row lies at
    the limit. Tasks without checked rows have none: another claim asks for these rows."""
    source = family.source
    if not source.code or not source.file.checked:
        return
    checked = _checked_keys(family)
    tables = _tables(family)
    for name, value in sorted(family.policy().items()):
        if name not in family().rule_names or isinstance(value, str):
            continue
        at_limit = _jumping(family, name, value)
        if any(
            _equal(rows, column, value, _key(family)) & at_limit & checked
            for rows in tables.values()
            for column in rows[0]
        ):
            continue
        compared = next(_compared(family, name, value, tables), None)
        if compared is None:
            continue
        there = sorted(_equal(tables[compared[0]], compared[1], value, _key(family)) & at_limit)
        yield Boundary(name, value, *compared, record=there[0] if there else "")


def _tables(family: type[FolderTask]) -> Mapping[str, Sequence[Row]]:
    """Return the tables of the literal instance that have the answer's key as a column."""
    key = _key(family)
    seen = family().seen_files(literal_instance(family.source, family.setting.policy))
    return {
        name: file
        for name, file in seen.items()
        if not isinstance(file, str) and file and key in file[0]
    }


def _compared(
    family: type[FolderTask], name: str, value: Value, tables: Mapping[str, Sequence[Row]]
) -> Iterator[tuple[str, str]]:
    """Yield each file and column with which the value is compared: where the value passes that of a
    record, the record's result jumps."""
    key = _key(family)
    for file, rows in tables.items():
        for column in rows[0]:
            alike = [row for row in rows if type(row[column]) is type(value)]
            nearest = sorted(alike, key=partial(_distance, column, value))
            for row in nearest[:TRIED]:
                if write_value(row[key]) in _jumping(family, name, row[column]):
                    yield file, column
                    break


def _equal(rows: Sequence[Row], column: str, value: Value, key: str) -> frozenset[str]:
    """Return the keys of the records that have the value in a column."""
    return frozenset(write_value(row[key]) for row in rows if row[column] == value)


def _key(family: type[FolderTask]) -> str:
    """Return the column that identifies a row of the answer."""
    return next(iter(family.source.file.table.columns))


def _jumping(family: type[FolderTask], name: str, value: Value) -> frozenset[str]:
    """Return the keys of the rows that jump where the value of the rule passes *value*."""
    try:
        below, above, further = (
            _rows(family, name, _shifted(value, steps)) for steps in (-1, 1, 2)
        )
    except (CompositionError, ArithmeticError, ValueError):
        return frozenset()  # no such value is possible
    return frozenset(
        key
        for key in {*below, *above}
        if _jumps(below.get(key, {}), above.get(key, {}), further.get(key, {}))
    )


def _rows(family: type[FolderTask], name: str, value: Value) -> Rows:
    """Return the right rows with another value of a rule, by key."""
    instance = literal_instance(family.source, family.setting.policy)
    rows = family().right_rows(replace(instance, policy={**instance.policy, name: value}))
    key = _key(family)
    return {write_value(row[key]): row for row in rows}


def _jumps(below: Row, above: Row, further: Row) -> bool:
    """Return whether a row changes by more than the value does: in a text, or steeply."""
    if below.keys() != above.keys():
        return True
    for column, first in below.items():
        second, third = above[column], further.get(column)
        if not (isinstance(first, Decimal) and isinstance(second, Decimal)):
            if first != second:
                return True
        elif isinstance(third, Decimal) and abs(second - first) > max(
            _STEEP * abs(third - second), _STEEP * _STEP, _last_place(first, second)
        ):
            return True
    return False


def _last_place(*numbers: Decimal) -> Decimal:
    """Return the unit of the last decimal place, by which a rounded number may jump; 0 for whole
    numbers, which may be counts."""
    places = min(int(number.as_tuple().exponent) for number in numbers if number.is_finite())
    return Decimal(1).scaleb(places) if places < 0 else Decimal(0)


def _shifted(value: Value, steps: int) -> Value:
    """Return a value that is a little smaller or larger."""
    if isinstance(value, Decimal):
        return value + steps * _STEP
    if isinstance(value, date):
        return value + timedelta(days=steps)
    assert isinstance(value, time), "texts are left out"
    moved = datetime.combine(_SOME_DAY, value) + timedelta(minutes=steps)
    if moved.date() != _SOME_DAY:
        raise ValueError("midnight is passed")
    return moved.time()


def _distance(column: str, right: Value, row: Row) -> float:
    left = row[column]
    if isinstance(left, Decimal) and isinstance(right, Decimal):
        return float(abs(left - right))
    if isinstance(left, date) and isinstance(right, date):
        return abs((left - right).days)
    if isinstance(left, time) and isinstance(right, time):
        return abs((left.hour - right.hour) * 60 + left.minute - right.minute)
    return 0.0


def _checked_keys(family: type[FolderTask]) -> frozenset[str]:
    lines = list(csv.reader(io.StringIO(family.source.pools[family.source.file.checked])))
    rows = parse_cells([dict(zip(lines[0], line, strict=False)) for line in lines[1:] if line])
    key = _key(family)
    return frozenset(write_value(row[key]) for row in rows if key in row)
