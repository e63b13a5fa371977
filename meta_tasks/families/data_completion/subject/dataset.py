"""Tables with blanks, and the base of their kinds: columns, decimals, places of blanks."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from random import Random

from trainee_bench.meta_tasks.authoring import TaskContext, month_before

NOT_APPLICABLE = "n/a"
"""Marks a cell that can have no value; it is not a blank."""
MIN_GUESS_ERROR = 10
"""Minimum distance of an easy wrong value from the right one, in tolerances."""
QUARTERS = ("2024-Q1", "2024-Q2", "2024-Q3", "2024-Q4")

_NUMBER = re.compile(r"[+-]?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE][+-]?\d{1,2})?", re.ASCII)
_DAYS = 28
"""Number of days that every month has."""

Row = list[str | Fraction]
"""A complete row; the value for a blank may be exact."""
BlankCells = Mapping[int, str]
"""Columns of blanks by row, in the order of rows."""


class TableDifficulty(StrEnum):
    """The size of the table and the share of missing cells."""

    VERY_EASY = "very_easy"
    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
    VERY_HARD = "very_hard"


@dataclass(frozen=True)
class TableSize:
    """Rows (units for quarterly data), per cent of rows with a blank, and length of a gap."""

    rows: int
    percent: int
    gap: int


TABLE_SIZES: Mapping[TableDifficulty, TableSize] = {
    TableDifficulty.VERY_EASY: TableSize(30, 5, 1),
    TableDifficulty.EASY: TableSize(50, 8, 1),
    TableDifficulty.MEDIUM: TableSize(80, 15, 3),
    TableDifficulty.HARD: TableSize(120, 25, 5),
    TableDifficulty.VERY_HARD: TableSize(200, 35, 7),
}


# the table ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class BlankCell:
    """A blank cell, its exact value, and the tolerance for submitted values.

    Row and column count from 0, without the header.
    """

    row: int
    column: int
    value: Fraction
    slack: Fraction


@dataclass(frozen=True)
class GappedTable:
    """A table as it is on the drive, and its blanks."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    blanks: tuple[BlankCell, ...]

    @property
    def csv(self) -> str:
        """The table as text. No cell needs quotes."""
        return "".join(f"{','.join(line)}\n" for line in (self.columns, *self.rows))


def rounding_slack(decimals: int) -> Fraction:
    """Return half a unit of the last decimal, so that a half may be rounded up or down."""
    return Fraction(1, 2 * 10**decimals)


def format_decimal(units: int, decimals: int = 2) -> str:
    """Write *units* of the last decimal as a plain number: 1234 is "12.34"."""
    return f"{Decimal(units).scaleb(-decimals):f}"


def round_half_away(value: Fraction, decimals: int) -> str:
    """Round *value* to *decimals*, halves away from zero."""
    units = int(abs(value) * 10**decimals + Fraction(1, 2))
    return format_decimal(units if value >= 0 else -units, decimals)


def draw_codes(draws: Random, prefix: str, count: int) -> list[str]:
    """Draw different codes, in ascending order."""
    return [f"{prefix}-{number}" for number in sorted(draws.sample(range(1_000, 10_000), count))]


def draw_day(draws: Random, month: date) -> str:
    """Draw a day of *month*."""
    return str(month.replace(day=draws.randint(1, _DAYS)))


def parse_number(cell: str) -> Fraction | None:
    """Return the plain number in a cell, or None."""
    plain = cell.strip()
    return Fraction(Decimal(plain)) if _NUMBER.fullmatch(plain) else None


# the kinds ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class DatasetKind(ABC):
    """One kind of data set: its columns, and the decimals of those that may have blanks.

    ``is_solvable(dug, run, rows)`` returns whether all blanks of a table with *rows* rows can be
    found; *run* are the rows of the gap that was added to *dug* last.
    """

    columns: tuple[str, ...]
    decimals: Mapping[str, int]
    is_solvable: Callable[[BlankCells, range, int], bool] = field(
        default=lambda dug, run, rows: True, kw_only=True
    )

    @abstractmethod
    def table(self, context: TaskContext, size: TableSize) -> GappedTable:
        """Draw a table whose blanks cannot be guessed."""

    def draw_blank_cells(self, draws: Random, rows: int, size: TableSize) -> BlankCells:
        """Draw the places of blanks: gaps in one column each, separated by a complete row."""
        wanted, found = max(1, rows * size.percent // 100), dict[int, str]()
        for start in draws.sample(range(rows), rows):
            if len(found) == wanted:
                break
            run = range(start, min(start + size.gap, start + wanted - len(found)))
            if run.stop > rows or any(row in found for row in range(start - 1, run.stop + 1)):
                continue
            for column in draws.sample(list(self.decimals), len(self.decimals)):
                tried = found | dict.fromkeys(run, column)
                if self.is_solvable(tried, run, rows):
                    found = tried
                    break
        assert len(found) == wanted, f"{rows} rows of {self.columns} have no {wanted} blanks"
        return dict(sorted(found.items()))

    def with_blanks(self, rows: Sequence[Row], dug: BlankCells) -> GappedTable:
        """Blank the cells *dug* in complete *rows*."""
        seen = [[str(cell) for cell in row] for row in rows]
        blanks = []
        for row, name in dug.items():
            column = self.columns.index(name)
            slack = rounding_slack(self.decimals[name])
            blanks.append(BlankCell(row, column, Fraction(rows[row][column]), slack))
            seen[row][column] = ""
        return GappedTable(self.columns, tuple(map(tuple, seen)), tuple(blanks))


@dataclass(frozen=True)
class SelfContainedKind(DatasetKind):
    """A kind whose blanks follow from the file alone.

    ``draw_rows(draws, dug, rows, month)`` draws *rows* complete rows that satisfy the formulas.
    They are of *month*, or of days that end with it.
    """

    draw_rows: Callable[[Random, BlankCells, int, date], list[Row]]

    def table(self, context: TaskContext, size: TableSize) -> GappedTable:
        """Draw a table from the public streams, again while its blanks could be guessed."""
        rows = size.rows * (len(QUARTERS) if "quarter" in self.columns else 1)
        dug = self.draw_blank_cells(context.stream("blanks"), rows, size)
        draws, month = context.stream("values"), month_before(context.day.starts.date())
        while True:
            table = self.with_blanks(self.draw_rows(draws, dug, rows, month), dug)
            if not is_guessable(table):
                return table


def is_guessable(table: GappedTable) -> bool:
    """Return whether an easy fill comes near the right value in more than a quarter of the blanks.

    Easy fills are the cell above, the cell below, the column's mean and its commonest value.
    """
    near = Counter[str]()
    for column in sorted({blank.column for blank in table.blanks}):
        cells = [row[column] for row in table.rows]
        seen = [cell for cell in cells if _is_number(cell)]
        mean = sum(map(float, seen)) / len(seen)
        commonest = float(Counter(seen).most_common(1)[0][0])
        for blank in table.blanks:
            if blank.column == column:
                above = float(next(filter(_is_number, reversed(cells[: blank.row])), "nan"))
                below = float(next(filter(_is_number, cells[blank.row :]), "nan"))
                fills = {"mean": mean, "commonest": commonest, "above": above, "below": below}
                near.update(name for name, fill in fills.items() if _is_near(fill, blank))
    return max(near.values(), default=0) * 4 > len(table.blanks)


def _is_near(fill: float, blank: BlankCell) -> bool:
    return abs(fill - float(blank.value)) < MIN_GUESS_ERROR * float(blank.slack)


def _is_number(cell: str) -> bool:
    return cell not in ("", NOT_APPLICABLE)
