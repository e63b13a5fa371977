"""Converts .csv and .tsv files to UTF-8 with commas and plain numbers."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence

from trainee_bench.harness.office_import.converted import ConvertedFile, with_ending
from trainee_bench.harness.office_import.decimal_columns import with_plain_numbers
from trainee_bench.harness.office_import.refusals import ItemRefused
from trainee_bench.harness.office_import.text_decoding import decode_text
from trainee_bench.harness.support.text import printable
from trainee_bench.world.errors import WorldError
from trainee_bench.world.workbook.csv_text import from_csv

_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_SAMPLE_ROWS = 200
_SHOWN_ROWS = 5
_MAX_CHARACTERS = 4_000_000


def table_file(name: str, data: bytes, encoding: str = "") -> ConvertedFile:
    """Return the table *data* as a .csv file: UTF-8, commas, and lines that end in LF.

    Decimal commas and separators of thousands are removed from columns that prove them. Raises
    ItemRefused if the file is no table or is too large.
    """
    decoded = decode_text(data, encoding)
    text, notes = decoded.text, list(decoded.notes)
    if len(text) > _MAX_CHARACTERS:
        raise ItemRefused(
            f"It has {len(text):,} characters; a table can have {_MAX_CHARACTERS:,}. Split it."
        )
    given, text = _declared_delimiter(text)
    if given:
        notes.append("Its first line only named the separator (sep=); it was left out.")
    delimiter = given or _sniffed(text, "\t" if name.lower().endswith((".tsv", ".tab")) else ",")
    if delimiter != ",":
        notes.append(f"Its fields were separated by {_DELIMITERS[delimiter]}.")
    rows = _rows(text, delimiter)
    while rows and not any(rows[-1]):
        rows.pop()
    if not rows:
        raise ItemRefused("It has no rows. Export it again, or leave it out.")
    notes += _ragged(rows)
    cleaned = [[_printable(field) for field in row] for row in rows]
    if cleaned != rows:
        notes.append("Its control characters became spaces.")
        rows = cleaned
    rows, number_notes = with_plain_numbers(rows)
    notes += number_notes
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator="\n").writerows(rows)
    target = with_ending(name, ".csv") if not name.lower().endswith(".csv") else name
    if target != name:
        notes.append(f"It is now called {target}.")
    result = written.getvalue()
    try:
        from_csv(result)
    except WorldError as error:
        raise ItemRefused(f"It is no table that can be read here: {error}") from None
    encoded = result.encode()
    if encoded != data and not notes:
        notes.append("Only line ends and unnecessary quotes were changed.")
    return ConvertedFile(target, encoded, encoded != data or target != name, tuple(notes))


def _declared_delimiter(text: str) -> tuple[str, str]:
    """Return the separator that Excel's first line "sep=;" names, and the text after that line."""
    first, newline, rest = text.partition("\n")
    line = first.strip("\r").strip('"')
    is_declared = bool(newline) and len(line) == 5 and line.lower().startswith("sep=")
    return (line[4], rest) if is_declared and line[4] in _DELIMITERS else ("", text)


def _sniffed(text: str, usual: str) -> str:
    """Return the delimiter with which most of the first rows have the same number of fields."""
    sample = "".join(text.splitlines(keepends=True)[:_SAMPLE_ROWS])
    best, best_score = usual, 0.0
    for delimiter in (usual, *(other for other in _DELIMITERS if other != usual)):
        try:
            widths = Counter(
                len(row) for row in csv.reader(io.StringIO(sample), delimiter=delimiter) if row
            )
        except csv.Error:
            continue
        wide = {width: count for width, count in widths.items() if width > 1}
        if not wide:
            continue
        width, count = max(wide.items(), key=lambda item: item[1])
        score = count / widths.total() + min(width, 50) / 1_000
        if score > best_score + 1e-9:
            best, best_score = delimiter, score
    return best


def _rows(text: str, delimiter: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=False)
    try:
        return list(reader)
    except csv.Error as error:
        raise ItemRefused(
            f"Line {reader.line_num:,} is not CSV ({error}). Export it again, with quotes around "
            "texts that contain the separator."
        ) from None


def _printable(field: str) -> str:
    if field.isprintable():
        return field
    return "".join(c if c in "\t\r\n" else printable(c) for c in field)


def _ragged(rows: Sequence[Sequence[str]]) -> list[str]:
    """Name the rows that have more or fewer fields than the first one."""
    width = len(rows[0])
    ragged = [number for number, row in enumerate(rows, 1) if len(row) != width and any(row)]
    if not ragged:
        return []
    shown = ", ".join(str(number) for number in ragged[:_SHOWN_ROWS])
    more = f" and {len(ragged) - _SHOWN_ROWS:,} more" if len(ragged) > _SHOWN_ROWS else ""
    return [
        f"Row {shown}{more} has another number of fields than the first row ({width}); it was kept "
        "as it is."
        if len(ragged) == 1
        else f"Rows {shown}{more} have another number of fields than the first row ({width}); they "
        "were kept as they are."
    ]
