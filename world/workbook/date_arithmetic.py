"""Finds formulas that calculate with dates but result in a number.

The engine gives every sum and product the format of its cells: it shows the 90 days between two
dates as 1900-03-30. Here each formula has a *degree*: 1 for a date, 0 for a number. Degrees are
added like the operands, and multiplied and divided by constants. A result with another degree than
1 is not a date; half the sum of two dates is one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import isclose

from trainee_bench.world.errors import Invalid
from trainee_bench.world.workbook.addresses import CellAddress, CellRange
from trainee_bench.world.workbook.formats import is_date_format, is_time_format
from trainee_bench.world.workbook.formula_tree import (
    CellReference,
    Constant,
    Expression,
    FunctionCall,
    MalformedFormula,
    Operand,
    parse_formula,
)
from trainee_bench.world.workbook.formulas import called_functions
from trainee_bench.world.workbook.inputs import CellKind, interpret
from trainee_bench.world.workbook.model import Sheet, Workbook

_MAKES_DATE = frozenset({"DATE", "DATEVALUE", "EDATE", "EOMONTH", "WORKDAY", "WORKDAY.INTL"})
_PASSES_DATE_ON = {
    **dict.fromkeys(
        "AVERAGE CEILING FLOOR IFERROR IFNA INDEX INT LARGE MAX MAXIFS MEDIAN MIN MINIFS MODE "
        "MODE.SNGL PERCENTILE QUARTILE ROUND ROUNDDOWN ROUNDUP SMALL SUM TRUNC".split(),
        0,
    ),
    **dict.fromkeys(("CHOOSE", "IF"), 1),
    **dict.fromkeys(("LOOKUP", "XLOOKUP"), 2),
}
"""Functions whose result is a date if the argument at this position is one."""
_ANY_FURTHER = frozenset("AVERAGE CHOOSE IF IFERROR IFNA MAX MEDIAN MIN MODE MODE.SNGL".split())
"""Those of them whose further arguments count too: the first argument may be an empty cell."""
_DATE, _NUMBER = 1.0, 0.0
_ADDS = frozenset({"+", "-"})
_MULTIPLIES = frozenset({"*", "/", "^"})
Place = tuple[int, CellAddress]
"""The number of a sheet, and a cell in it."""


def numbers_among_dates(workbook: Workbook) -> frozenset[Place]:
    """Return the formulas of *workbook* without a format that calculate with dates and result in a
    number."""
    formulas = [
        (number, at, typed)
        for number, sheet in enumerate(workbook.sheets)
        for at, typed in sheet.places.items()
        if interpret(typed).kind is CellKind.FORMULA
    ]
    if not formulas or not _has_dates(workbook, [typed for _, _, typed in formulas]):
        return frozenset()
    degrees = _Degrees(workbook)
    return frozenset(
        (number, at)
        for number, at, _ in formulas
        if str(at) not in workbook.sheets[number].formats and degrees.is_number((number, at))
    )


def _has_dates(workbook: Workbook, formulas: Sequence[str]) -> bool:
    if any(_MAKES_DATE.intersection(called_functions(formula)) for formula in formulas):
        return True
    return any(
        _shows_date(sheet.formats.get(address, interpret(typed).format))
        for sheet in workbook.sheets
        for address, typed in sheet.cells.items()
    )


def _shows_date(code: str) -> bool:
    return is_date_format(code) and not is_time_format(code)


def _degree_of(code: str) -> float:
    return _DATE if _shows_date(code) else _NUMBER


def _tree(formula: str) -> Expression | None:
    try:
        return parse_formula(formula)
    except (MalformedFormula, Invalid):  # the engine shows an error
        return None


class _Degrees:
    """The degrees of a workbook's cells, each computed once."""

    def __init__(self, workbook: Workbook):
        self._sheets = workbook.sheets
        self._numbers = {sheet.name.casefold(): at for at, sheet in enumerate(workbook.sheets)}
        self._known: dict[Place, float] = {}
        self._last: dict[tuple[int, CellRange], CellAddress | None] = {}
        self._filled_cells: dict[int, _FilledCells] = {}

    def is_number(self, place: Place) -> bool:
        """Whether the formula at *place* calculates with dates and results in a number."""
        sheet, tree = place[0], _tree(self._typed(place))
        if tree is None:
            return False
        self._settle(tree, sheet)
        found = self._expression(tree, sheet)
        return not isclose(found, _DATE) and self._calculates_with_dates(tree, sheet)

    def _calculates_with_dates(self, tree: Expression, sheet: int) -> bool:
        return any(
            self._calculates_with_dates(operand, sheet)
            if isinstance(operand, Expression)
            else isclose(self._operand(operand, sheet), _DATE)
            or self._is_sum_of_dates(operand, sheet)
            for operand in tree.operands
        )

    def _is_sum_of_dates(self, operand: Operand, sheet: int) -> bool:
        """Whether the engine gives a sum the format of the dates in it."""
        return isinstance(operand, FunctionCall) and any(
            self._calculates_with_dates(argument, sheet) for argument in operand.arguments
        )

    def _settle(self, tree: Expression, sheet: int) -> None:
        """Compute the degrees of the cells on which *tree* depends, dependencies first.

        It is not recursive, since a chain of cells may be longer than Python's stack.
        """
        waiting = [(place, False) for place in self._cells(tree, sheet)]
        while waiting:
            place, ready = waiting.pop()
            if ready:
                found = _tree(self._sheets[place[0]].places[place[1]])
                self._known[place] = _NUMBER if found is None else self._expression(found, place[0])
            elif place not in self._known:
                typed, own = self._typed(place), self._sheets[place[0]]
                code = own.formats.get(str(place[1]), "") or interpret(typed or "x").format
                self._known[place] = _degree_of(code)  # used for circular references
                is_formula = typed.startswith("=") and str(place[1]) not in own.formats
                found = _tree(typed) if is_formula else None
                if found is not None:
                    waiting.append((place, True))
                    waiting += [(cell, False) for cell in self._cells(found, place[0])]

    def _cells(self, tree: Expression, sheet: int) -> Iterator[Place]:
        """Yield the cell that decides the degree of each reference in *tree*."""
        for operand in tree.operands:
            if isinstance(operand, CellReference):
                place = self._deciding(operand, sheet)
                if place is not None:
                    yield place
            elif isinstance(operand, Expression):
                yield from self._cells(operand, sheet)
            elif isinstance(operand, FunctionCall):
                for argument in operand.arguments:
                    yield from self._cells(argument, sheet)

    def _deciding(self, reference: CellReference, sheet: int) -> Place | None:
        """Return the last non-empty cell of a reference: the first may be a title."""
        number = self._numbers.get(reference.sheet.casefold(), -1) if reference.sheet else sheet
        area = reference.area
        if area is None or number < 0:
            return None
        if area.height == area.width == 1:
            at = CellAddress(area.top, area.left)
            return (number, at) if at in self._sheets[number].places else None
        if (number, area) not in self._last:
            self._last[number, area] = self._filled(number).last_in(area)
        found = self._last[number, area]
        return None if found is None else (number, found)

    def _filled(self, sheet: int) -> _FilledCells:
        if sheet not in self._filled_cells:
            self._filled_cells[sheet] = _FilledCells(self._sheets[sheet])
        return self._filled_cells[sheet]

    def _typed(self, place: Place) -> str:
        return self._sheets[place[0]].places.get(place[1], "")

    def _expression(self, tree: Expression, sheet: int) -> float:
        if not tree.operators <= _ADDS | _MULTIPLIES | {"@"}:
            return _NUMBER
        total = product = _NUMBER
        for place, operand in enumerate(tree.operands):
            before = tree.between[place - 1] if place else "+"
            if before in _ADDS:
                total += product
                negative = (before == "-") != (place in tree.negated)
                product = self._operand(operand, sheet) * (-1 if negative else 1)
            elif product:
                product *= _factor(operand, before) * (-1 if place in tree.negated else 1)
        return total + product

    def _operand(self, operand: Operand, sheet: int) -> float:
        match operand:
            case CellReference():
                place = self._deciding(operand, sheet)
                return _NUMBER if place is None else self._known.get(place, _NUMBER)
            case Expression():
                return self._expression(operand, sheet)
            case FunctionCall(function=str() as name, arguments=arguments):
                return self._function(name, arguments, sheet)
            case _:
                return _NUMBER

    def _function(self, name: str, arguments: tuple[Expression, ...], sheet: int) -> float:
        if name in _MAKES_DATE:
            return _DATE
        if name in ("VLOOKUP", "HLOOKUP") and len(arguments) > 2:
            return self._looked_up(arguments[1], sheet, across=name == "VLOOKUP", by=arguments[2])
        if name not in _PASSES_DATE_ON:
            return _NUMBER
        if name == "SUM":
            return sum((self._added_up(argument, sheet) for argument in arguments), start=_NUMBER)
        first = min(_PASSES_DATE_ON[name], len(arguments) - 1)
        counting = arguments[first:] if name in _ANY_FURTHER else arguments[first : first + 1]
        degrees = (self._expression(argument, sheet) for argument in counting)
        return next((degree for degree in degrees if degree), _NUMBER)

    def _added_up(self, tree: Expression, sheet: int) -> float:
        """Return the degree of the sum of all cells of *tree*, which may be a range."""
        only = tree.operands[0] if len(tree.operands) == 1 else None
        area = only.area if isinstance(only, CellReference) else None
        return self._expression(tree, sheet) * (area.height * area.width if area else 1)

    def _looked_up(self, table: Expression, sheet: int, *, across: bool, by: Expression) -> float:
        """Return the degree of the column, or row, of *table* with the number *by*, a constant."""
        cells = table.operands[0] if len(table.operands) == 1 else None
        number = getattr(by.operands[0], "text", "") if len(by.operands) == 1 else ""
        if not isinstance(cells, CellReference) or cells.area is None or not number.isdecimal():
            return _NUMBER
        area, step = cells.area, int(number) - 1
        part = (
            CellRange(area.top, area.left + step, area.bottom, area.left + step)
            if across
            else CellRange(area.top + step, area.left, area.top + step, area.right)
        )
        place = self._deciding(CellReference(part, cells.sheet), sheet)
        if place is None:
            return _NUMBER
        typed, own = self._typed(place), self._sheets[place[0]]
        return _degree_of(own.formats.get(str(place[1]), interpret(typed).format))


def _factor(operand: Operand, before: str) -> float:
    """Return the factor of a degree for an operand after the operator *before*; 0 unless it is a
    constant."""
    try:
        number = float(operand.text) if isinstance(operand, Constant) else _NUMBER
        return number if before == "*" else 1 / number if before == "/" else _NUMBER
    except (ValueError, ZeroDivisionError):
        return _NUMBER


class _FilledCells:
    """The non-empty cells of a sheet, sorted by row and by column.

    A column of running totals has as many ranges as cells, so each range must be searched fast.
    """

    def __init__(self, sheet: Sheet):
        self._rows, self._columns = (
            defaultdict[int, list[int]](list),
            defaultdict[int, list[int]](list),
        )
        for row, column in sorted(sheet.places):
            self._rows[row].append(column)
            self._columns[column].append(row)

    def last_in(self, area: CellRange) -> CellAddress | None:
        """Return the last cell in *area*, row by row."""
        if area.width <= area.height:
            columns = _keys_within(self._columns, area.left, area.right)
            lasts = (
                (_last(self._columns[column], area.top, area.bottom), column) for column in columns
            )
            found = max(lasts, default=(0, 0))
        else:
            rows = _keys_within(self._rows, area.top, area.bottom)
            lasts = ((row, _last(self._rows[row], area.left, area.right)) for row in rows)
            found = max((place for place in lasts if place[1]), default=(0, 0))
        return CellAddress(*found) if all(found) else None


def _keys_within(numbers: Mapping[int, object], first: int, last: int) -> list[int]:
    few = range(first, last + 1) if last - first < len(numbers) else numbers
    return [number for number in few if first <= number <= last and number in numbers]


def _last(numbers: Sequence[int], first: int, last: int) -> int:
    """Return the last of the sorted *numbers* from *first* to *last*; 0 if there is none."""
    at = bisect_right(numbers, last) - 1
    return numbers[at] if at >= 0 and numbers[at] >= first else 0
