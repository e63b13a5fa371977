"""Mutations of single values of a right deliverable: off by a little, other sign, misspelt.

A little is eleven units of the last requested decimal, or one unit of a whole number. That is more
than any tolerance should forgive, and less than a hundred times as much. Values are JSON values
and the cells of CSV files and of all sheets of a workbook. In other texts they are the lines and
the numbers in them.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from trainee_bench.harness.testbench.mutations import Mutant
from trainee_bench.harness.testbench.workbook_mutations import Rows, rows_of, workbook_of
from trainee_bench.meta_tasks.authoring.tables import csv_text
from trainee_bench.world.workbook.model import Workbook

MAX_COLUMNS = 8
"""The number of columns (fields, lines) that are changed; each further seed takes the next ones."""
CELLS = 2
"""The number of cells changed in each column, because a tolerance may apply to some cells only."""
_UNITS = 11
_LATE = timedelta(minutes=11)
_CLOCK = re.compile(r"\d\d:\d\d")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_NUMBER_IN_TEXT = re.compile(r"(?<![\w.:/-])-?\d+(?:\.\d+)?(?![\w:/-]|\.\d)")
"""A separate number, which is not part of a date, a time, a path or an id."""
_DECIMALS = re.compile(
    r"`(?P<name>\w+)` \((?:integer|number), [^\n]*?"
    r"(?:(?P<count>\d+|one|two|three|four) decimals?|(?P<cent>\bcents?\b|EUR))"
)
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4}
_LETTER = re.compile(r"[^\W_](?=[\W_]*$)")
"""The last letter or digit of a text."""

Value = str | int | float | bool | None


def leaf_mutants(path: str, text: str, objective: str, seed: int) -> Iterator[Mutant]:
    """Yield mutants of the text file at *path*, each with a different value in one place.

    *objective* says how many decimals its fields have.
    """
    data = _json(text)
    if data is not None:
        yield from _of_json(data, asked_decimals(objective), seed)
    elif path.endswith(".csv"):
        rows = [*csv.reader(io.StringIO(text))]
        for name, changed in changed_cells(rows, asked_decimals(objective), seed):
            yield Mutant(name, csv_text(changed))
    else:
        yield from _of_lines(text, seed)


def leaf_workbooks(workbook: Workbook, objective: str, seed: int) -> Iterator[tuple[str, Workbook]]:
    """Yield mutants of every sheet of a workbook, column by column."""
    for place, sheet in enumerate(workbook.sheets):
        where = f"{sheet.name}, " if place else ""
        for change, rows in changed_cells(rows_of(sheet), asked_decimals(objective), seed):
            (changed,) = workbook_of(rows, sheet.name).sheets
            yield f"{where}{change}", workbook.with_sheet(changed)


def asked_decimals(objective: str) -> Mapping[str, int]:
    """Return how many decimals an objective asks for, by the name of the field."""
    return {
        found["name"]: 2 if found["cent"] else _COUNTS.get(found["count"]) or int(found["count"])
        for found in _DECIMALS.finditer(objective)
    }


def changes_of(value: Value, decimals: int) -> Iterator[tuple[str, Value]]:
    """Yield different values in place of *value*, each with the name of the change."""
    if value is None:
        yield "a value instead of none", 1
    elif isinstance(value, bool):
        yield "the contrary", not value
    elif isinstance(value, int | float):
        little = 1 if isinstance(value, int) else round(_UNITS * 10.0**-decimals, decimals + 1)
        for name, changed in (("a little more", value + little), ("a little less", value - little)):
            yield name, changed if isinstance(value, int) else round(changed, decimals + 1)
        if value:
            yield "another sign", -value
    elif _NUMBER.fullmatch(value):
        yield from _changed_number(value, decimals)
    elif _DATE.fullmatch(value):
        for name, days in (("a year later", 366), ("a year earlier", -366)):
            yield name, f"{date.fromisoformat(value) + timedelta(days):%Y-%m-%d}"
    elif _CLOCK.fullmatch(value):
        clock = datetime.strptime(value, "%H:%M")
        yield "a little later", f"{clock + _LATE:%H:%M}"
        yield "a little earlier", f"{clock - _LATE:%H:%M}"
    elif _LETTER.search(value):
        yield "a letter changed", _LETTER.sub(lambda m: "x" if m[0] != "x" else "y", value)


def _changed_number(written: str, decimals: int) -> Iterator[tuple[str, str]]:
    """Yield different values of a number written in a text, each with the name of the change."""
    own = len(written.partition(".")[2])
    value = float(written) if max(own, decimals) else int(written)
    for name, changed in changes_of(value, max(own, decimals)):
        yield name, f"{changed:.{max(own, decimals)}f}"


def changed_cells(
    rows: Sequence[Sequence[Any]], asked: Mapping[str, int], seed: int
) -> Iterator[tuple[str, Rows]]:
    """Yield tables with a different value in one cell, several for each column.

    The first row holds the titles. *asked* are the decimals of columns by title; other columns have
    as many as any of their cells.
    """
    columns = range(max(map(len, rows), default=0))
    for column in _some(columns, seed):
        title = str(rows[0][column]) if column < len(rows[0]) else f"column {column + 1}"
        cells = {
            at: str(row[column])
            for at, row in enumerate(rows)
            if at and column < len(row) and row[column] not in ("", None)
        }
        numbers = [cell for cell in cells.values() if _NUMBER.fullmatch(cell)]
        decimals = asked.get(title) or max((_decimals(cell) for cell in numbers), default=0)
        for at in _chosen([*cells], seed):
            for name, value in _changes_of_cell(cells[at], decimals):
                changed = [list(row) for row in rows]
                changed[at][column] = str(value)
                yield f"{title}: {name}", changed


def _chosen(places: Sequence[int], seed: int) -> list[int]:
    """Choose CELLS of *places*, far from each other and different for each seed."""
    count = min(CELLS, len(places))
    return [
        places[(seed * CELLS + turn * len(places) // count) % len(places)] for turn in range(count)
    ]


def _decimals(written: str) -> int:
    return len(written.partition(".")[2])


def _changes_of_cell(cell: str, decimals: int) -> Iterator[tuple[str, Value]]:
    """Yield different texts of a cell; a formula gives a slightly larger value."""
    if cell.startswith("="):
        yield "a little more", f"={cell[1:]}+{_UNITS * 10.0**-decimals:.{decimals}f}"
    else:
        yield from changes_of(cell, decimals)


def _of_json(data: Any, asked: Mapping[str, int], seed: int) -> Iterator[Mutant]:
    columns: dict[str, list[tuple[Any, Any]]] = {}
    _collect(data, "", columns)
    for column in _some(list(columns), seed):
        places = columns[column]
        node, key = places[seed % len(places)]
        value, name = node[key], column.rpartition(".")[2]
        decimals = asked.get(name) or max(1, *(_written_decimals(n[k]) for n, k in places))
        if isinstance(value, str):
            decimals = asked.get(name, 0)
        if name in asked and type(value) is int:
            value = float(value)
        for change, changed in changes_of(value, decimals):
            node[key] = changed
            yield Mutant(f"{column or 'value'}: {change}", json.dumps(data))
        node[key] = value


def _collect(node: Any, name: str, columns: dict[str, list[tuple[Any, Any]]]) -> None:
    """Sort the places of all values under *node* by the names that lead to them."""
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in items:
        inner = f"{name}.{key}".strip(".") if isinstance(node, dict) else name
        if isinstance(value, dict | list):
            _collect(value, inner, columns)
        else:
            columns.setdefault(inner, []).append((node, key))


def _of_lines(text: str, seed: int) -> Iterator[Mutant]:
    lines = text.splitlines(keepends=True)
    filled = [at for at, line in enumerate(lines) if _LETTER.search(line)]
    for at in _some(filled, seed):
        line = lines[at].rstrip("\n")
        ending = lines[at][len(line) :]
        for name, new_line in _changed_line(line):
            changed = [*lines[:at], f"{new_line}{ending}", *lines[at + 1 :]]
            yield Mutant(f"line {at + 1}: {name}", "".join(changed))


def _changed_line(line: str) -> Iterator[tuple[str, str]]:
    """Yield a line with a different value for each number in it, and with a letter changed."""
    for number in _NUMBER_IN_TEXT.finditer(line):
        for name, changed in _changed_number(number[0], 0):
            yield f"{number[0]}: {name}", line[: number.start()] + changed + line[number.end() :]
    if not _NUMBER.fullmatch(line):
        for name, value in changes_of(line, 0):
            yield name, str(value)


def _some(items: Sequence[Any], seed: int) -> Sequence[Any]:
    """Return at most MAX_COLUMNS of *items*; each further seed takes the next ones."""
    if len(items) <= MAX_COLUMNS:
        return items
    first = seed * MAX_COLUMNS
    return [items[(first + place) % len(items)] for place in range(MAX_COLUMNS)]


def _written_decimals(value: Any) -> int:
    return len(str(value).partition(".")[2]) if type(value) is float else 0


def _json(text: str) -> Any | None:
    try:
        data = json.loads(text)
    except ValueError:
        return None
    return data if isinstance(data, dict | list) else None
