"""Columns of a right table that earn points by themselves, since they take work.

A column is cheap if it takes few bits to guess. Then few of its values differ for the grader, or a
table, a page, an earlier column or the order of the rows has almost all of them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from math import log2

from trainee_bench.meta_tasks.answers import text_key
from trainee_bench.meta_tasks.offices.answer_code import Row, Seen
from trainee_bench.meta_tasks.offices.spellings import spellings
from trainee_bench.meta_tasks.offices.task_file import ColumnFile
from trainee_bench.meta_tasks.offices.values import Value, parse_value, write_value

MIN_BITS = 7
"""A column that is easier to guess than seven tosses of a coin earns nothing alone."""
_CELLS = re.compile(r"[|\t;,]")

Known = Sequence[Sequence[Value]]
"""The values that somebody may copy for each right row; none where there is no such row."""


def tolerance(column: ColumnFile) -> float:
    """Return by how much a number of a column may differ from the right one."""
    return 0.51 * 10.0**-column.decimals


def telling_columns(
    columns: Mapping[str, ColumnFile], rows: Sequence[Row], seen: Iterable[Seen]
) -> frozenset[str]:
    """Return the columns whose right values earn points by themselves.

    *columns* are those of the table, the one that identifies a row first; *seen* are the files that
    an agent can copy from.
    """
    key, *others = columns
    sources = [source for file in seen for source in _copies(file, [row[key] for row in rows])]
    sources.append([(Decimal(number),) for number in range(1, len(rows) + 1)])
    sources.append([(row[key],) for row in rows])
    found = set()
    for title in others:
        values, column = [row[title] for row in rows], columns[title]
        if all(_bits(values, known, column) >= MIN_BITS for known in ([], *sources)):
            found.add(title)
        sources.append([(value,) for value in values])
    return frozenset(found)


def _bits(values: Sequence[Value], known: Known, column: ColumnFile) -> float:
    """Return how many bits it takes to guess all *values* if one knows how often each occurs, and
    has those *known*."""
    groups = _groups(values, column)
    counts = Counter(groups)
    differing = [
        group
        for group, value, copied in zip(groups, values, known or [()] * len(values), strict=True)
        if not any(_same(value, other, column) for other in copied)
    ]
    bits = sum(log2(len(values) / counts[group]) for group in differing)
    return bits + _places(len(differing), len(values))


def _places(some: int, total: int) -> float:
    """Return how many bits it takes to tell which *some* of *total* values differ."""
    parts = (some / total, 1 - some / total) if total else ()
    return sum(-total * part * log2(part) for part in parts if part)


def _groups(values: Sequence[Value], column: ColumnFile) -> list[Hashable]:
    """Return for each value the group of those that one and the same answer gets right."""
    numbers = sorted({value for value in values if isinstance(value, Decimal)})
    if not numbers or not all(isinstance(value, Decimal) for value in values):
        return [_folded(value, column) for value in values]
    firsts, width = numbers[:1], Decimal(2 * tolerance(column))
    for number in numbers:
        if number - firsts[-1] > width:
            firsts.append(number)
    return [bisect_right(firsts, value) for value in values]


def _same(value: Value, other: Value, column: ColumnFile) -> bool:
    if isinstance(value, Decimal) and isinstance(other, Decimal):
        return abs(value - other) <= Decimal(tolerance(column))
    if isinstance(value, date):
        return text_key(write_value(other)) in map(text_key, spellings(value))
    return _folded(value, column) == _folded(other, column)


def _folded(value: Value, column: ColumnFile) -> str:
    if column.kind == "id":
        return write_value(value).strip()
    return text_key(_label(value))


# what can be copied ---------------------------------------------------------------------------


def _copies(file: Seen, keys: Sequence[Value]) -> Iterator[Known]:
    """Yield each column of a file that stands beside the *keys*."""
    table = _lines(file) if isinstance(file, str) else file
    wanted = {_label(key) for key in keys}
    for name in table[0] if table else ():
        by_key: dict[str, list[Row]] = defaultdict(list)
        for line in table:
            if (label := _label(line.get(name, ""))) in wanted:
                by_key[label].append(line)
        if 2 * len(by_key) < len(wanted) or not by_key:
            continue
        beside = [by_key.get(_label(key), []) for key in keys]
        for title in dict.fromkeys(title for lines in beside for line in lines for title in line):
            yield [[line[title] for line in lines if title in line] for lines in beside]


def _lines(text: str) -> list[Row]:
    """Return the lines of a text that have cells, as in a table of a page."""
    cells = [_CELLS.split(line.strip().strip("|")) for line in text.splitlines()]
    width = max(map(len, cells), default=0)
    if width < 2:
        return []
    return [
        {str(n): parse_value(" ".join(line[n : n + 1])) for n in range(width)}
        for line in cells
        if len(line) > 1
    ]


def _label(value: Value) -> str:
    """Return a value as it is compared with others that may be of another kind."""
    value = parse_value(value)
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    return write_value(value).casefold()
