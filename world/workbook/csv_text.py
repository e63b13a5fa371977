"""Reads and writes sheets as CSV, by default according to RFC 4180, else in the file's own dialect.

Nothing in CSV is a formula: a field that begins with "=" is text. A file that is read and written
again stays the same, except that unnecessary quotes are dropped, short rows are filled up, and
empty columns and rows at the end are omitted.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from functools import lru_cache

from trainee_bench.world.errors import Invalid
from trainee_bench.world.workbook.addresses import CellAddress, CellRange
from trainee_bench.world.workbook.inputs import literal_input
from trainee_bench.world.workbook.model import (
    MAX_CELLS,
    MAX_CHARACTERS,
    MAX_TEXT_LENGTH,
    Sheet,
    Workbook,
    check_workbook,
)
from trainee_bench.world.workbook.values import SheetValues

_QUOTED = re.compile(r'"(?:[^"]|"")*"?')


@dataclass(frozen=True)
class Dialect:
    """The separators of fields and lines in a CSV text, and whether it begins with a byte order
    mark."""

    delimiter: str = ","
    newline: str = "\r\n"
    mark: bool = False


RFC_4180 = Dialect()


def sniff_dialect(text: str) -> Dialect:
    """Detect the dialect of *text*: its first line end, and the most frequent of , ; and tab before
    it."""
    unquoted = _QUOTED.sub("", text)
    line_end = re.search(r"\r\n|\r|\n", unquoted)
    first = unquoted[: line_end.start()] if line_end else unquoted
    delimiter = max(",;\t", key=first.count)
    newline = line_end.group() if line_end else RFC_4180.newline
    return Dialect(delimiter, newline, text.startswith("\ufeff"))


@lru_cache(maxsize=4)
def from_csv(text: str, sheet: str = "Sheet1") -> Workbook:
    """Parse *text* into a workbook of one sheet; numbers and dates are recognised.

    The last results are cached, and with them what is calculated from them. Raises Invalid if the
    text is not CSV or exceeds a limit.
    """
    if len(text) > MAX_CHARACTERS:
        raise Invalid(f"A CSV file can have at most {MAX_CHARACTERS} characters. Split it.")
    dialect = sniff_dialect(text)
    rows = csv.reader(
        io.StringIO(text.removeprefix("\ufeff"), newline=""),
        delimiter=dialect.delimiter,
        strict=False,
    )
    cells: dict[str, str] = {}
    try:
        for number, row in enumerate(rows, 1):
            for column, field in enumerate(row, 1):
                if field:
                    cells[str(CellAddress(number, column))] = literal_input(field)
            if len(cells) > MAX_CELLS:
                raise Invalid(
                    f"A workbook can have at most {MAX_CELLS} cells; this file has more. Split it."
                )
    except csv.Error as error:  # a field past the module's limit of 131,072 characters
        raise Invalid(
            f"Line {rows.line_num} is not CSV ({error}). A field can have at most "
            f'{MAX_TEXT_LENGTH} characters, and quotes in it are doubled: "a ""word""".'
        ) from None
    return check_workbook(Workbook(sheets=(Sheet(name=sheet, cells=cells),)))


def to_csv(sheet: SheetValues, dialect: Dialect = RFC_4180) -> str:
    """Write the sheet's values as CSV, from A1 to its last used row and column.

    Numbers are exact rather than formatted, dates are in ISO form. Raises Invalid for more than a
    million cells.
    """
    used = sheet.used
    written = io.StringIO(newline="")
    if used is not None:
        writer = csv.writer(written, delimiter=dialect.delimiter, lineterminator=dialect.newline)
        for row in sheet.grid(CellRange(1, 1, used.bottom, used.right)):
            writer.writerow("" if value is None else value.text for value in row)
    return ("\ufeff" if dialect.mark else "") + written.getvalue()
