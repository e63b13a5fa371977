"""One change of each value of a right deliverable: off by a little, with another sign, misspelt.

A little is more than any tolerance should forgive and less than a hundred of them: eleven units of
the last decimal that is asked for, one of a whole number.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from trainee_bench.harness.testbench.mutations import Mutant
from trainee_bench.harness.testbench.workbook_mutations import Rows, rows_of, workbook_of
from trainee_bench.world.workbook.model import Workbook

MAX_COLUMNS = 8
"""Of so many columns (fields, lines) a value is changed; each further seed takes the next ones."""
_UNITS = 11
_LATE = timedelta(minutes=11)
_CLOCK = re.compile(r"\d\d:\d\d")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_DECIMALS = re.compile(
    r"`(?P<name>\w+)` \((?:integer|number), [^\n]*?"
    r"(?:(?P<count>\d+|one|two|three|four) decimals?|(?P<cent>\bcents?\b|EUR))"
)
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4}
_LETTER = re.compile(r"[^\W_](?=[\W_]*$)")
"""The last letter or digit of a text."""

Value = str | int | float | bool


def leaf_mutants(path: str, text: str, objective: str, seed: int) -> Iterator[Mutant]:
    """Mutants of the text file at *path*, each with another value in one place. *objective*
    says how many decimals its fields have."""
    data = _json(text)
    if data is not None:
        yield from _of_json(data, asked_decimals(objective), seed)
    elif path.endswith(".csv"):
        rows = [*csv.reader(io.StringIO(text))]
        for name, changed in changed_cells(rows, seed):
            yield Mutant(name, _as_csv(changed))
    else:
        yield from _of_lines(text, seed)


def leaf_workbooks(workbook: Workbook, seed: int) -> Iterator[tuple[str, Workbook]]:
    """The same for the first sheet of a workbook, column by column."""
    name = workbook.sheets[0].name
    for change, rows in changed_cells(rows_of(workbook), seed):
        yield change, workbook_of(rows, name)


def asked_decimals(objective: str) -> Mapping[str, int]:
    """How many decimals an objective asks for, by the name of the field."""
    return {
        found["name"]: 2 if found["cent"] else _COUNTS.get(found["count"]) or int(found["count"])
        for found in _DECIMALS.finditer(objective)
    }


def changes_of(value: Value, decimals: int) -> Iterator[tuple[str, Value]]:
    """Other values in place of *value*, each with what was done to it."""
    if isinstance(value, bool):
        yield "the contrary", not value
    elif isinstance(value, int | float):
        little = 1 if isinstance(value, int) else round(_UNITS * 10.0**-decimals, decimals + 1)
        for name, other in (("a little more", value + little), ("a little less", value - little)):
            yield name, other if isinstance(value, int) else round(other, decimals + 1)
        if value:
            yield "another sign", -value
    elif _CLOCK.fullmatch(value):
        clock = datetime.strptime(value, "%H:%M")
        yield "a little later", f"{clock + _LATE:%H:%M}"
        yield "a little earlier", f"{clock - _LATE:%H:%M}"
    elif _LETTER.search(value):
        yield "a letter changed", _LETTER.sub(lambda m: "x" if m[0] != "x" else "y", value)


def changed_cells(rows: Sequence[Sequence[Any]], seed: int) -> Iterator[tuple[str, Rows]]:
    """A table with another value in one cell of each column; the first row holds the titles."""
    columns = range(len(rows[0])) if rows else range(0)
    for column in _some(columns, seed):
        filled = [at for at, row in enumerate(rows) if at and column < len(row) and row[column]]
        if not filled:
            continue
        at = filled[seed % len(filled)]
        value, decimals = _typed(str(rows[at][column]))
        for name, other in changes_of(value, decimals):
            changed = [list(row) for row in rows]
            changed[at][column] = str(other)
            yield f"{rows[0][column]}: {name}", changed


def _typed(cell: str) -> tuple[Value, int]:
    """What a cell holds, and with how many decimals."""
    if not _NUMBER.fullmatch(cell):
        return cell, 0
    decimals = len(cell.partition(".")[2])
    return (float(cell), decimals) if decimals else (int(cell), 0)


def _of_json(data: Any, asked: Mapping[str, int], seed: int) -> Iterator[Mutant]:
    columns: dict[str, list[tuple[Any, Any]]] = {}
    _collect(data, "", columns)
    for column in _some(list(columns), seed):
        places = columns[column]
        node, key = places[seed % len(places)]
        value, name = node[key], column.rpartition(".")[2]
        decimals = asked.get(name) or max(1, *(_written_decimals(n[k]) for n, k in places))
        if name in asked and type(value) is int:
            value = float(value)
        for change, other in changes_of(value, decimals):
            node[key] = other
            yield Mutant(f"{column or 'value'}: {change}", json.dumps(data))
        node[key] = value


def _collect(node: Any, name: str, columns: dict[str, list[tuple[Any, Any]]]) -> None:
    """Sort the places of all values under *node* by the names that lead to them."""
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in items:
        inner = f"{name}.{key}".strip(".") if isinstance(node, dict) else name
        if isinstance(value, dict | list):
            _collect(value, inner, columns)
        elif value is not None:
            columns.setdefault(inner, []).append((node, key))


def _of_lines(text: str, seed: int) -> Iterator[Mutant]:
    lines = text.splitlines(keepends=True)
    filled = [at for at, line in enumerate(lines) if _LETTER.search(line)]
    for at in _some(filled, seed):
        for name, other in changes_of(lines[at].rstrip("\n"), 0):
            ending = lines[at][len(lines[at].rstrip("\n")) :]
            changed = [*lines[:at], f"{other}{ending}", *lines[at + 1 :]]
            yield Mutant(f"line {at + 1}: {name}", "".join(changed))


def _some(items: Sequence[Any], seed: int) -> Sequence[Any]:
    """At most MAX_COLUMNS of *items*; each further seed takes the next ones."""
    if len(items) <= MAX_COLUMNS:
        return items
    first = seed * MAX_COLUMNS
    return [items[(first + place) % len(items)] for place in range(MAX_COLUMNS)]


def _written_decimals(value: Any) -> int:
    return len(str(value).partition(".")[2]) if type(value) is float else 0


def _as_csv(rows: Rows) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)
    return written.getvalue()


def _json(text: str) -> Any | None:
    try:
        data = json.loads(text)
    except ValueError:
        return None
    return data if isinstance(data, dict | list) else None
