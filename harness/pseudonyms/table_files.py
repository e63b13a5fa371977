"""Tables: CSV files, and the columns of any table by their headers."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterable, Sequence

from trainee_bench.harness.pseudonyms.evidence import is_person_like
from trainee_bench.harness.pseudonyms.folding import WORD
from trainee_bench.harness.pseudonyms.lexicon import is_first_name, is_last_name
from trainee_bench.harness.pseudonyms.meanings import Meaning, meaning_of
from trainee_bench.harness.pseudonyms.visitor import Place, Visitor
from trainee_bench.world.workbook.csv_text import sniff_dialect

_SAMPLE = 200
_LEAST_SHARE = 0.4
"""The share of listed names from which a column "name" holds people."""


def column_meanings(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[Meaning]:
    """Return the meaning of each column, by its header and, for "name", by some of its *rows*."""
    meanings = [meaning_of(title) for title in header]
    if Meaning.NAME in meanings:
        sample = list(rows)
        for at, meaning in enumerate(meanings):
            if meaning is Meaning.NAME:
                cells = [row[at] for row in sample if at < len(row) and row[at].strip()]
                named = sum(_is_listed(cell) for cell in cells)
                people = bool(cells) and named >= _LEAST_SHARE * len(cells)
                meanings[at] = Meaning.PERSON if people else Meaning.TEXT
    return meanings


def _is_listed(cell: str) -> bool:
    words = WORD.findall(cell)
    if not is_person_like(words):
        return False
    return any(is_first_name(word) or is_last_name(word) for word in words)


def rewrite_csv(text: str, visitor: Visitor, place: Place) -> str:
    """Return the CSV file *text* as *visitor* changes it; rows without changes keep their bytes.

    Raises csv.Error for text that is no CSV, such as a field of more than 131,072 characters.
    """
    dialect = sniff_dialect(text[:100_000])
    lines = text.splitlines(keepends=True)
    sample = list(itertools.islice(csv.reader(lines, delimiter=dialect.delimiter), _SAMPLE + 1))
    if not sample:
        return text
    meanings = column_meanings(sample[0], sample[1:])
    reader = csv.reader(lines, delimiter=dialect.delimiter)
    made = []
    begin = 0
    for row in reader:
        raw = "".join(lines[begin : reader.line_num])
        at = Place(place.file, place.part, begin + 1)
        changed = _changed_row(row, meanings, visitor, at, header=begin == 0)
        begin = reader.line_num
        made.append(raw if changed == row else _written(changed, raw, dialect.delimiter))
    return "".join(made)


def _changed_row(
    row: Sequence[str], meanings: Sequence[Meaning], visitor: Visitor, place: Place, *, header: bool
) -> list[str]:
    return [
        visitor.text(cell, place)
        if header or meaning is Meaning.TEXT
        else visitor.field(cell, meaning, place)
        for cell, meaning in itertools.zip_longest(
            row, meanings[: len(row)], fillvalue=Meaning.TEXT
        )
    ]


def _written(row: Sequence[str], raw: str, delimiter: str) -> str:
    """Write a changed row with the line end of *raw*, all quoted if *raw* quotes all fields."""
    end = raw[len(raw.rstrip("\r\n")) :]
    quoted = raw.count('"') >= 2 * len(row)
    into = io.StringIO()
    if quoted:
        writer = csv.writer(into, delimiter=delimiter, lineterminator="", quoting=csv.QUOTE_ALL)
    else:
        writer = csv.writer(into, delimiter=delimiter, lineterminator="")
    writer.writerow(row)
    return into.getvalue() + end
