"""A table with gaps: how large, what is seen of it, and what belongs into its blanks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


class TableDifficulty(StrEnum):
    """How large the table is, and how much of it is missing."""

    VERY_EASY = "very_easy"
    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
    VERY_HARD = "very_hard"


@dataclass(frozen=True)
class TableSize:
    """Rows (or, of quarterly data, units), per cent of rows with a blank, length of a gap."""

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

Row = list[str | Fraction]
"""A row as it is drawn: what belongs into a blank may be given as an exact value."""
BlankCells = Mapping[int, str]
"""Rows with a blank, in order, and the column it is in."""


@dataclass(frozen=True)
class BlankCell:
    """A blank cell (row and column counted from 0, the header left out), the exact value that
    belongs there, and how far a value handed in may lie from it."""

    row: int
    column: int
    value: Fraction
    slack: Fraction


@dataclass(frozen=True)
class GappedTable:
    """A table as it lies on the drive, and its blanks. ``told_trigger`` is what a colleague knows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    blanks: tuple[BlankCell, ...]
    told: str = ""

    @property
    def csv(self) -> str:
        """The table as text. No cell needs quotes."""
        return "".join(f"{','.join(line)}\n" for line in (self.columns, *self.rows))


def rounding_slack(decimals: int) -> Fraction:
    """Half a unit of the last decimal, so that either way of rounding a half is right."""
    return Fraction(1, 2 * 10**decimals)


def with_blanks(
    columns: tuple[str, ...], decimals: Mapping[str, int], rows: Sequence[Row], dug: BlankCells
) -> GappedTable:
    """The table of complete *rows* with its blanks dug."""
    seen = [[str(cell) for cell in row] for row in rows]
    blanks = []
    for row, name in dug.items():
        column = columns.index(name)
        blanks.append(
            BlankCell(row, column, Fraction(rows[row][column]), rounding_slack(decimals[name]))
        )
        seen[row][column] = ""
    return GappedTable(columns, tuple(map(tuple, seen)), tuple(blanks))


def format_decimal(units: int, decimals: int = 2) -> str:
    """*units* of the last of so many decimals as a plain number: 1234 is "12.34"."""
    return f"{Decimal(units).scaleb(-decimals):f}"


def round_half_away(value: Fraction, decimals: int) -> str:
    """*value* with so many decimals, a half away from zero."""
    units = int(abs(value) * 10**decimals + Fraction(1, 2))
    return format_decimal(units if value >= 0 else -units, decimals)


def previous_month(day: date) -> date:
    """The first day of the month that was over last on *day*."""
    return (day.replace(day=1) - timedelta(days=1)).replace(day=1)


def month_and_year(month: date) -> str:
    """Such as "September 2025"."""
    return f"{MONTHS[month.month - 1]} {month.year}"
