"""How the oracle works out missing values, from the formulas as the manual has them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

RatesByCategory = Mapping[str, Mapping[str, Fraction]]
"""What colleagues told: by category, each rate by its name in the manual."""


@dataclass(frozen=True)
class FormulaLine:
    """A line of the manual: what a missing value is, and its decimals."""

    formula: str
    decimals: int

    def written(self, value: Fraction) -> str:
        """*value* as it is handed in, a half rounded up."""
        units = (2 * value.numerator * 10**self.decimals + value.denominator) // (
            2 * value.denominator
        )
        sign = "-" if units < 0 else ""
        digits = str(abs(units)).zfill(self.decimals + 1)
        if not self.decimals:
            return sign + digits
        return f"{sign}{digits[: -self.decimals]}.{digits[-self.decimals :]}"


@dataclass(frozen=True)
class WorkingTable:
    """A table in work: its columns, and cells that are filled one by one."""

    columns: list[str]
    rows: list[list[str]]

    @classmethod
    def parse(cls, text: str) -> Self:
        """The table in a CSV text without quotes."""
        columns, *rows = [line.split(",") for line in text.splitlines()]
        return cls(columns, rows)

    @property
    def text(self) -> str:
        """The table as CSV."""
        return "".join(f"{','.join(row)}\n" for row in (self.columns, *self.rows))

    def at(self, column: str) -> int:
        """The place of a column."""
        return self.columns.index(column)

    def blanks(self) -> list[tuple[int, str]]:
        """Row and column of each empty cell."""
        return [
            (number, column)
            for number, row in enumerate(self.rows)
            for column, cell in zip(self.columns, row, strict=True)
            if not cell
        ]

    def value(self, row: int, column: str) -> Fraction:
        """The number in a cell."""
        return Fraction(self.rows[row][self.at(column)])

    def fill(self, row: int, column: str, text: str) -> None:
        """Put a value into a cell."""
        self.rows[row][self.at(column)] = text


def fill_blanks(
    section: str, sheet: WorkingTable, lines: Mapping[str, FormulaLine], rates: RatesByCategory
) -> str:
    """The text of *sheet* with every blank filled by the *lines* of its section of the manual."""
    _WAYS.get(section, _by_formula)(sheet, lines, rates)
    return sheet.text


def _by_formula(
    sheet: WorkingTable, lines: Mapping[str, FormulaLine], rates: RatesByCategory
) -> None:
    for row, column in sheet.blanks():
        cells = dict(zip(sheet.columns, sheet.rows[row], strict=True))
        names: dict[str, Fraction] = {}
        for name, cell in cells.items():
            names |= rates.get(cell, {})
            if name in lines and cell:
                names[name] = Fraction(cell)
        value = evaluate_formula(lines[column].formula, names)
        sheet.fill(row, column, lines[column].written(value))


def _growth(sheet: WorkingTable, lines: Mapping[str, FormulaLine], rates: RatesByCategory) -> None:
    """Fill again and again what can be filled, until nothing is blank."""
    formulas = lines["quarter_total"].formula.split(", or ")
    where = {(row[0], row[1]): number for number, row in enumerate(sheet.rows)}
    quarters = list(dict.fromkeys(row[1] for row in sheet.rows))
    while blanks := sheet.blanks():
        for row, column in blanks:
            entity, quarter = sheet.rows[row][:2]
            at = quarters.index(quarter)
            around = {
                "last": where[entity, quarters[at - 1]] if at else None,
                "next": where[entity, quarters[at + 1]] if at + 1 < len(quarters) else None,
            }
            names = _known(sheet, row, around)
            for formula in [lines["qoq"].formula] if column == "qoq" else formulas:
                if _names(formula) <= set(names):
                    sheet.fill(row, column, lines[column].written(evaluate_formula(formula, names)))
                    break
        assert len(sheet.blanks()) < len(blanks), "the rest cannot be found"


def _known(sheet: WorkingTable, row: int, around: Mapping[str, int | None]) -> dict[str, Fraction]:
    """What is known of a branch's quarter, by the names of the manual."""
    cells = {"quarter_total": (row, "quarter_total"), "qoq": (row, "qoq")}
    for name, other in around.items():
        if other is not None:
            cells |= {name: (other, "quarter_total"), f"{name}_qoq": (other, "qoq")}
    return {
        name: Fraction(sheet.rows[at][sheet.at(column)])
        for name, (at, column) in cells.items()
        if sheet.rows[at][sheet.at(column)] not in ("", "n/a")
    }


def _straight(
    sheet: WorkingTable, lines: Mapping[str, FormulaLine], rates: RatesByCategory
) -> None:
    """On the straight line between the last value before a gap and the first after it."""
    blanks = sheet.blanks()
    missing = {row for row, _ in blanks}
    shown = [row for row in range(len(sheet.rows)) if row not in missing]
    filled = []
    for row, column in blanks:
        before = max(other for other in shown if other < row)
        after = min(other for other in shown if other > row)
        start, end = sheet.value(before, column), sheet.value(after, column)
        value = start + (end - start) * (row - before) / (after - before)
        filled.append((row, column, lines[column].written(value)))
    for row, column, text in filled:
        sheet.fill(row, column, text)


def _rolling(sheet: WorkingTable, lines: Mapping[str, FormulaLine], rates: RatesByCategory) -> None:
    """The mean of the metric over seven days, or over those there are."""
    for row, column in sheet.blanks():
        days = range(max(0, row - 6), row + 1)
        mean = sum(sheet.value(day, "metric") for day in days) / Fraction(len(days))
        sheet.fill(row, column, lines[column].written(mean))


_WAYS: Mapping[str, Callable[[WorkingTable, Mapping[str, FormulaLine], RatesByCategory], None]] = {
    "sales.qoq_rate": _growth,
    "inventory.daily_interpolation": _straight,
    "web.rolling_avg": _rolling,
}


# formulas -----------------------------------------------------------------------------------

_OPERATORS: Mapping[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def evaluate_formula(formula: str, names: Mapping[str, Fraction]) -> Fraction:
    """What a formula of names, whole numbers, + - * / and brackets comes to."""
    return _value(ast.parse(formula, mode="eval").body, names)


def _value(node: ast.expr, names: Mapping[str, Fraction]) -> Fraction:
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](_value(left, names), _value(right, names))
        case ast.Name(id=name):
            return names[name]
        case ast.Constant(value=int(number)):
            return Fraction(number)
        case _:
            raise AssertionError(f"no formula: {ast.dump(node)}")


def _names(formula: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(formula)) if isinstance(node, ast.Name)}
