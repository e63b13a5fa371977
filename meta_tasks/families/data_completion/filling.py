"""Tables that are completed: what the manual says of each column, and every blank filled by it."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from trainee_bench.meta_tasks.authoring import (
    WORD,
    TextTemplate,
)
from trainee_bench.meta_tasks.families.data_completion.dataset import parse_number, round_half_away

RatesByCategory = Mapping[str, Mapping[str, Fraction]]
"""What colleagues told: by category, each rate by its name in the manual."""
Rows = list[dict[str, str]]
"""A table's cells by column."""


@dataclass(frozen=True)
class ManualLine:
    """A line of the manual: what a missing value of a column is, and its decimals."""

    column: str
    formula: str
    decimals: int


_MANUAL_LINE = TextTemplate(ManualLine, "| {column} | {formula} | {decimals} |", {"column": WORD})


def section_lines(manual: str, title: str) -> dict[str, ManualLine]:
    """The lines that stand under a title of the manual, by column."""
    section = manual.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return {line.column: line for line in _MANUAL_LINE.find_all(section)}


# filling ------------------------------------------------------------------------------------


def complete_text(
    text: str, section: str, lines: Mapping[str, ManualLine], rates: RatesByCategory
) -> str:
    """The table in *text* (CSV without quotes) with every blank filled by the *lines* of its
    section of the manual: again and again, since some values need others to be found first."""
    columns, *cells = [line.split(",") for line in text.splitlines()]
    rows = [dict(zip(columns, row, strict=True)) for row in cells]
    from_other_rows = _FROM_OTHER_ROWS.get(section)
    while blanks := [(n, name) for n, row in enumerate(rows) for name in columns if not row[name]]:
        found = {}
        for number, column in blanks:
            value = (
                from_other_rows(rows, number, column)
                if from_other_rows
                else _by_formula(lines[column].formula, _known(rows, number, rates))
            )
            if value is not None:
                found[number, column] = round_half_away(value, lines[column].decimals)
        assert found, "the rest cannot be found"
        for (number, column), cell in found.items():
            rows[number][column] = cell
    return "".join(f"{','.join(line)}\n" for line in (columns, *(row.values() for row in rows)))


def _known(rows: Rows, number: int, rates: RatesByCategory) -> dict[str, Fraction]:
    """What is known for a row, by the names of the manual."""
    row = rows[number]
    cells = dict(row)
    if "qoq" in row:
        branch = [other for other in rows if other["entity"] == row["entity"]]
        at = branch.index(row)
        for name, near in (("last", branch[at - 1 : at]), ("next", branch[at + 1 : at + 2])):
            for other in near:
                cells |= {name: other["quarter_total"], f"{name}_qoq": other["qoq"]}
    numbers = {name: parse_number(cell) for name, cell in cells.items()}
    known = {name: value for name, value in numbers.items() if value is not None}
    for cell in row.values():
        known |= rates.get(cell, {})
    return known


def _on_straight_line(rows: Rows, number: int, column: str) -> Fraction:
    """Between the last value before a gap and the first after it."""
    shown = [at for at, row in enumerate(rows) if row[column]]
    before = max(at for at in shown if at < number)
    after = min(at for at in shown if at > number)
    start, end = Fraction(rows[before][column]), Fraction(rows[after][column])
    return start + (end - start) * (number - before) / (after - before)


def _rolling_mean(rows: Rows, number: int, column: str) -> Fraction:
    """Of the metric over seven days, or over those there are."""
    window = [Fraction(row["metric"]) for row in rows[max(0, number - 6) : number + 1]]
    return sum(window, Fraction(0)) / len(window)


_FROM_OTHER_ROWS: Mapping[str, Callable[[Rows, int, str], Fraction]] = {
    "inventory.daily_interpolation": _on_straight_line,
    "web.rolling_avg": _rolling_mean,
}
"""Sections whose lines say in words, not as a formula, what belongs in a blank."""
_OPERATORS: Mapping[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def _by_formula(formulas: str, names: Mapping[str, Fraction]) -> Fraction | None:
    """What the first of the formulas "A, or B" comes to whose names are all known."""
    for formula in formulas.split(", or "):
        tree = ast.parse(formula, mode="eval")
        if all(node.id in names for node in ast.walk(tree) if isinstance(node, ast.Name)):
            return _value(tree.body, names)
    return None


def _value(node: ast.expr, names: Mapping[str, Fraction]) -> Fraction:
    """What a formula of names, whole numbers, + - * / and brackets comes to."""
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](_value(left, names), _value(right, names))
        case ast.Name(id=name):
            return names[name]
        case ast.Constant(value=int(number)):
            return Fraction(number)
        case _:
            raise AssertionError(f"no formula: {ast.dump(node)}")
