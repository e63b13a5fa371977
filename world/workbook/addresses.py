"""Cell addresses (B3) and ranges (B3:D9), and their notation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from trainee_bench.world.errors import Invalid

LAST_ROW = 1_048_576
LAST_COLUMN = 16_384

_PLACE = re.compile(r"\$?([A-Za-z]{1,3})\$?([1-9][0-9]{0,6})", re.ASCII)
_AREA = re.compile(
    r"\$?([A-Za-z]{1,3})?\$?([1-9][0-9]{0,6})?(?::\$?([A-Za-z]{1,3})?\$?([1-9][0-9]{0,6})?)?",
    re.ASCII,
)


class CellAddress(NamedTuple):
    """A cell's row and column, both counted from 1; addresses sort row by row."""

    row: int
    column: int

    def __str__(self) -> str:
        return f"{column_letters(self.column)}{self.row}"


@dataclass(frozen=True)
class CellRange:
    """A rectangle of cells; its bounds are inclusive."""

    top: int
    left: int
    bottom: int
    right: int

    def __str__(self) -> str:
        first, last = CellAddress(self.top, self.left), CellAddress(self.bottom, self.right)
        return str(first) if first == last else f"{first}:{last}"

    @property
    def height(self) -> int:
        """The number of rows."""
        return self.bottom - self.top + 1

    @property
    def width(self) -> int:
        """The number of columns."""
        return self.right - self.left + 1

    def __contains__(self, place: CellAddress) -> bool:
        return self.top <= place.row <= self.bottom and self.left <= place.column <= self.right

    def places(self) -> Iterator[CellAddress]:
        """Yield every cell, row by row."""
        for row in range(self.top, self.bottom + 1):
            for column in range(self.left, self.right + 1):
                yield CellAddress(row, column)

    def within(self, other: CellRange) -> CellRange | None:
        """Return the intersection of both ranges, or None."""
        top, bottom = max(self.top, other.top), min(self.bottom, other.bottom)
        left, right = max(self.left, other.left), min(self.right, other.right)
        return CellRange(top, left, bottom, right) if top <= bottom and left <= right else None


@lru_cache(maxsize=1_024)
def column_letters(column: int) -> str:
    """Return the letters of a column counted from 1: 1 is A, 27 is AA."""
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


@lru_cache(maxsize=1_024)
def column_number(letters: str) -> int:
    """Return the number of a column, counted from 1. Raises Invalid past XFD."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    if number > LAST_COLUMN:
        raise Invalid(f"There is no column {letters.upper()}; the last column is XFD.")
    return number


@lru_cache(maxsize=131_072)  # as many as a workbook has cells
def parse_cell_address(text: str) -> CellAddress:
    """Parse the address of a cell, such as B3. Raises Invalid."""
    found = _PLACE.fullmatch(text)
    if found is None or int(found[2]) > LAST_ROW:
        raise Invalid(f"{text[:40]!r} is not a cell; write it like B3.")
    return CellAddress(int(found[2]), column_number(found[1]))


def parse_cell_range(text: str) -> CellRange:
    """Parse a range: B3, B3:D9, whole columns B:D or whole rows 3:9. Raises Invalid."""
    found = _AREA.fullmatch(text.strip())
    wrong = Invalid(f"{text[:40]!r} is not a range; write it like B3:D9, B3, B:D or 3:9.")
    if found is None:
        raise wrong
    column, row, last_column, last_row = found.groups()
    if ":" not in text:
        if column is None or row is None:
            raise wrong
        last_column, last_row = column, row
    if last_column is None and last_row is None:
        raise wrong
    if (column is None) != (last_column is None) or (row is None) != (last_row is None):
        raise wrong
    columns = (column_number(column or "A"), column_number(last_column or "XFD"))
    rows = (int(row or 1), int(last_row or LAST_ROW))
    if max(rows) > LAST_ROW:
        raise Invalid(f"There is no row {max(rows)}; the last row is {LAST_ROW}.")
    return CellRange(min(rows), min(columns), max(rows), max(columns))


def bounding_range(places: Iterable[CellAddress]) -> CellRange | None:
    """Return the smallest range that contains all *places*, or None if there are none."""
    found = list(places)
    if not found:
        return None
    rows, columns = [place.row for place in found], [place.column for place in found]
    return CellRange(min(rows), min(columns), max(rows), max(columns))
