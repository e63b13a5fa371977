"""A table as the result: how it is written and read, and which of its columns are right.

Each column but the first is graded by itself, if its values are neither guessed nor copied: then a
table with one wrong column earns the points of the others. All rows have to be there, and no more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from math import nan
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, create_model
from pydantic.fields import FieldInfo

from trainee_bench.meta_tasks.answers import TextKind, text_key
from trainee_bench.meta_tasks.authoring.tables import TableRow, read_table
from trainee_bench.meta_tasks.checkpoints import GradingContext, Verdict
from trainee_bench.meta_tasks.offices.answer_code import Row
from trainee_bench.meta_tasks.offices.spellings import spellings
from trainee_bench.meta_tasks.offices.task_file import ColumnFile, TableHandIn
from trainee_bench.meta_tasks.offices.telling_columns import tolerance
from trainee_bench.meta_tasks.offices.values import (
    Value,
    ValueKind,
    kind_of,
    parse_value,
    write_value,
)

_NUMBER = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,30})?(?:[eE][-+]?[0-9]{1,3})?")
_TEXT_KINDS = {
    "id": TextKind.RECORD,
    "person": TextKind.PERSON,
    ValueKind.CLOCK: TextKind.CLOCK,
    ValueKind.DATE: TextKind.TEXT,
    ValueKind.TEXT: TextKind.TEXT,
}


@dataclass(frozen=True)
class TableAnswer:
    """A right table: its path, its columns, its rows in any order, and the columns that earn
    points by themselves (see `telling_columns`)."""

    path: str
    columns: Mapping[str, ColumnFile]
    rows: tuple[Row, ...]
    telling: frozenset[str] = frozenset()

    @property
    def model(self) -> type[TableRow]:
        """The model that reads a row. Fields are numbered, since a title may be any text."""
        fields = {
            f"column_{number}": _field(title, column, [row[title] for row in self.rows])
            for number, (title, column) in enumerate(self.columns.items())
        }
        return create_model("OfficeRow", __base__=TableRow, **fields)

    def verdict(self, grading: GradingContext[Any]) -> Verdict:
        """Return whether the submitted table has exactly the right rows."""
        return self._compared(grading).verdict(self.columns)

    def column_verdict(self, grading: GradingContext[Any], title: str) -> Verdict:
        """Return whether the right rows are there, each with the right value in one column.

        A column that says nothing by itself needs all others, too.
        """
        return self._compared(grading).verdict([title] if title in self.telling else self.columns)

    def _compared(self, grading: GradingContext[Any]) -> _Compared:
        model = self.model
        given = read_table(grading, self.path, model)
        titles = dict(zip(self.columns, model.model_fields.values(), strict=True))
        right = [
            model.model_validate({n: _as_read(row[n], field) for n, field in titles.items()})
            for row in self.rows
        ]
        key = next(iter(model.model_fields))
        mine = {grading.keys.of(row, key): row for row in given}
        asked = {grading.keys.of(row, key): row for row in right}
        flaws = []
        if len(given) > len(mine):
            flaws.append("some rows are there twice")
        if mine.keys() - asked.keys():
            flaws.append("some rows do not belong there")
        if asked.keys() - mine.keys():
            flaws.append("some rows are missing")
        both = mine.keys() & asked.keys()
        mixed = {
            title
            for title, column in self.columns.items()
            if column.kind is None and any(isinstance(row[title], Decimal) for row in self.rows)
        }
        wrong = {
            title
            for name, (title, column) in zip(model.model_fields, self.columns.items(), strict=True)
            if any(
                _differ(grading, mine[id], asked[id], name, column, title in mixed) for id in both
            )
        }
        return _Compared(len(given), tuple(flaws), frozenset(wrong))


@dataclass(frozen=True)
class _Compared:
    """How a table differs from the right one: the number of its rows, what is wrong with their
    keys, and the columns in which a value is wrong."""

    count: int
    flaws: tuple[str, ...]
    wrong: frozenset[str]

    def verdict(self, titles: Iterable[str]) -> Verdict:
        """Return whether the rows are right as far as these columns go."""
        flaws = [f"not every {title} is right" for title in titles if title in self.wrong]
        seen = "; ".join([f"{self.count} rows", *self.flaws, *flaws])
        return Verdict(not self.flaws and not flaws, seen)


def _field(title: str, column: ColumnFile, values: Sequence[Value]) -> Any:
    kind = column_kind(column, values)
    annotation: Any = (
        Annotated[float, BeforeValidator(_number)]
        if kind is ValueKind.NUMBER
        else Annotated[str, _TEXT_KINDS[kind], BeforeValidator(_text)]
    )
    return annotation, Field(alias=title, description=column.says)


def _number(cell: object) -> object:
    """Return a number, or NaN, which is wrong in every column, for a cell that has none."""
    if isinstance(cell, str) and not _NUMBER.fullmatch(cell.strip()):
        return nan
    return nan if cell is None else cell


def _text(cell: object) -> object:
    return "" if cell is None else cell


def column_kind(column: ColumnFile, values: Sequence[Value]) -> ValueKind | Literal["id", "person"]:
    """Return the kind of a column: as declared, or that of all its right *values*."""
    if column.kind is not None:
        return column.kind
    kinds = {kind_of(value) for value in values}
    return kinds.pop() if len(kinds) == 1 else ValueKind.TEXT


def _cell(value: Value) -> str | float:
    return float(value) if isinstance(value, Decimal) else write_value(value)


def _as_read(value: Value, field: FieldInfo) -> str | float:
    """Return a right value as its field reads it. A column of words and numbers has texts."""
    if isinstance(value, Decimal) and field.annotation is str:
        return f"{value.normalize():f}"
    return _cell(value)


def _differ(
    grading: GradingContext[Any],
    given: TableRow,
    right: TableRow,
    name: str,
    column: ColumnFile,
    mixed: bool,
) -> bool:
    """Return whether two cells differ. A *mixed* column has words and numbers."""
    mine, asked = getattr(given, name), getattr(right, name)
    if isinstance(day := parse_value(asked) if isinstance(asked, str) else "", date):
        return text_key(mine) not in map(text_key, spellings(day))
    if isinstance(asked, float):
        return not abs(mine - asked) <= tolerance(column)  # NaN differs, too
    numbers = [parse_value(text) for text in (mine, asked)] if mixed else []
    if numbers and all(isinstance(number, Decimal) for number in numbers):
        return abs(float(mine) - float(asked)) > tolerance(column)
    return grading.keys.of(given, name) != grading.keys.of(right, name)


def table_cells(table: TableHandIn, rows: Sequence[Row]) -> tuple[tuple[str | float, ...], ...]:
    """Return the titles and rows as the sheets tools write them."""
    lines = [tuple(_cell(row[title]) for title in table.columns) for row in rows]
    return (tuple(table.columns), *lines)
