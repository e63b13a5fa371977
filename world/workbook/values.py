"""The values of a workbook's cells: of typed inputs, and of calculated formulas."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from threading import Lock

from trainee_bench.world.errors import Invalid, Refused
from trainee_bench.world.workbook import engine
from trainee_bench.world.workbook.addresses import (
    LAST_COLUMN,
    LAST_ROW,
    CellAddress,
    CellRange,
    bounding_range,
    parse_cell_address,
)
from trainee_bench.world.workbook.exact_arithmetic import (
    ExactValue,
    NotExact,
    exact_text,
    exact_value,
)
from trainee_bench.world.workbook.formats import (
    GENERAL,
    format_number,
    is_date_format,
    is_time_format,
    result_text,
)
from trainee_bench.world.workbook.formulas import (
    EXPRESSION,
    multiplies,
    referenced_ranges,
    refers_to_cells,
)
from trainee_bench.world.workbook.inputs import CellKind, display_text, interpret, is_date_or_time
from trainee_bench.world.workbook.model import Sheet, Workbook, check_cell

NOT_CALCULATED = "#N/IMPL!"
"""The error that the engine shows for arguments it does not accept."""
MAX_GRID_CELLS = 1_000_000
_LARGEST = 10**308
_MOST_CELLS_READ = 400_000
"""Maximum cells that an exact calculation reads, over all its ranges."""
_LOCK = Lock()


@dataclass(frozen=True)
class CellValue:
    """One cell's value.

    ``text`` is exact: an input as typed, a result to 15 digits, a date in ISO form. ``formatted``
    is the same in the cell's number format, which may round it.
    """

    kind: CellKind
    value: float | str | bool
    text: str
    formatted: str


@dataclass(frozen=True)
class SheetValues:
    """A calculated sheet: the values of all non-empty cells."""

    name: str
    cells: Mapping[CellAddress, CellValue]

    @cached_property
    def used(self) -> CellRange | None:
        """The smallest range that contains every value."""
        return bounding_range(self.cells)

    def grid(self, area: CellRange) -> list[list[CellValue | None]]:
        """Return the values of *area* row by row, None for empty cells.

        Raises Invalid for more than a million cells.
        """
        if area.height * area.width > MAX_GRID_CELLS:
            raise Invalid(
                f"{area} of {self.name} spans {area.height * area.width} cells; the maximum at "
                f"once is {MAX_GRID_CELLS}. Give a smaller range."
            )
        return [
            [
                self.cells.get(CellAddress(row, column))
                for column in range(area.left, area.right + 1)
            ]
            for row in range(area.top, area.bottom + 1)
        ]


def calculate(workbook: Workbook) -> tuple[SheetValues, ...]:
    """Return the values of every sheet, in order. Raises Invalid if they cannot be calculated.

    The last workbooks are cached by identity: `parse_workbook` gives one object for one text.
    """
    with _LOCK:
        for known, shown in _CALCULATED:
            if known is workbook:
                return shown
    results = engine.calculate(workbook)
    found = tuple(
        _sheet_values(sheet, found) for sheet, found in zip(workbook.sheets, results, strict=True)
    )
    with _LOCK:
        _CALCULATED.append((workbook, found))
    return found


_CALCULATED: deque[tuple[Workbook, tuple[SheetValues, ...]]] = deque(maxlen=4)


def calculate_expression(expression: str) -> list[list[CellValue]]:
    """Return the value of an expression, with or without a leading "=": its rows, if it is an
    array.

    Raises Invalid for an empty expression or one that refers to cells, and the errors of formulas.
    """
    formula = _formula(expression)
    check_cell(formula, EXPRESSION)
    if refers_to_cells(formula):
        raise Invalid(
            "This expression refers to cells; give the path of their file, or write the values."
        )
    return calculate_within(Workbook(sheets=(Sheet(name="Sheet1"),)), "", formula)


def calculate_within(workbook: Workbook, sheet: str, expression: str) -> list[list[CellValue]]:
    """Return the value that *expression* would have in a free cell of the sheet called *sheet*.

    The last value is cached by the workbook's identity. Raises NotFound for an unknown sheet,
    Invalid, and the errors of formulas.
    """
    with _LOCK:
        for known, where, asked, values in _CALCULATED_WITHIN:
            if known is workbook and (where, asked) == (sheet, expression):
                return values
    values = _calculate_within(workbook, sheet, expression)
    with _LOCK:
        _CALCULATED_WITHIN.append((workbook, sheet, expression, values))
    return values


_CALCULATED_WITHIN: deque[tuple[Workbook, str, str, list[list[CellValue]]]] = deque(maxlen=1)


def _calculate_within(workbook: Workbook, sheet: str, expression: str) -> list[list[CellValue]]:
    formula = _formula(expression)
    check_cell(formula, EXPRESSION, workbook.names)
    target = workbook.sheet(sheet)
    sheets = calculate(workbook)
    exact = _exactly(formula, sheets, target.name)
    if exact is not None:
        return [[exact]]
    # Right of and below everything, so that it is in no column or row it may refer to.
    used = sheets[workbook.sheets.index(target)].used or CellRange(1, 1, 1, 1)
    at = CellAddress(used.bottom + 2, used.right + 2)
    named = [area for area in referenced_ranges(formula) if at in area]
    if named:  # beside the ranges it names, or below them
        column = max(area.right for area in named) + 2
        row = max(area.bottom for area in named) + 2
        at = CellAddress(at.row, column) if column <= LAST_COLUMN else CellAddress(row, at.column)
    if at.row > LAST_ROW or at.column > LAST_COLUMN:
        raise Invalid(f"{target.name} is filled up to its last cell; calculate on a smaller sheet.")
    scratch = workbook.with_sheet(target.with_cell(at, formula))
    results = engine.calculate(scratch)[workbook.sheets.index(target)]
    cells = {
        place: _formula_value(result, formula, formatted=False)
        for place, result in results.items()
        if place.row >= at.row and place.column >= at.column
    }
    found = SheetValues(target.name, cells)
    if found.used is None:
        return []
    check_calculated(found, found.used, "The expression")
    return [[value for value in row if value is not None] for row in found.grid(found.used)]


def check_calculated(sheet: SheetValues, area: CellRange, subject: str = "") -> None:
    """Raise Refused if the engine cannot calculate a formula in *area*.

    *subject* describes the agent's text, if it is not a formula in a cell.
    """
    for at, value in sheet.cells.items():
        if value.text == NOT_CALCULATED and value.kind is CellKind.ERROR and at in area:
            raise Refused(
                f"{subject or f'The formula in {at}'} passes an array where the engine does not "
                "accept one. Put the array into cells first and refer to those cells, or use MAP."
            )


def _exactly(formula: str, sheets: Sequence[SheetValues], here: str) -> CellValue | None:
    """Return the exact value of *formula* on the sheet *here*, or None if the engine must calculate
    it."""
    by_name = {sheet.name.casefold(): sheet for sheet in sheets}

    left = _MOST_CELLS_READ

    def lookup(name: str, wanted: CellRange) -> list[ExactValue]:
        nonlocal left
        sheet = by_name.get((name or here).casefold())
        if sheet is None:
            raise NotExact
        if wanted.height == wanted.width == 1:
            value = sheet.cells.get(CellAddress(wanted.top, wanted.left))
            return [] if value is None else [_cell(value)]
        left -= len(sheet.cells)
        if left < 0:
            raise NotExact
        return [_cell(value) for at, value in sheet.cells.items() if at in wanted]

    found = exact_value(formula, lookup)
    if isinstance(found, bool):
        text = "TRUE" if found else "FALSE"
        return CellValue(CellKind.BOOLEAN, found, text, text)
    if found is None or abs(found) > _LARGEST:
        return None
    text = exact_text(found) or result_text(float(found))
    return CellValue(CellKind.NUMBER, float(found), text, text)


def _cell(value: CellValue) -> ExactValue:
    """Return a cell's value for exact arithmetic. Raises NotExact for an error, a date or a
    time."""
    if value.kind is CellKind.ERROR:
        raise NotExact
    if value.kind is not CellKind.NUMBER:
        return bool(value.value) if value.kind is CellKind.BOOLEAN else str(value.value)
    try:
        return Fraction(value.text)
    except ValueError:  # formatted: €12.50, 12.5%, 1,250.00, 2026-11-21, 09:30
        if is_date_or_time(value.text):
            raise NotExact from None
        return Fraction(repr(float(value.value)))


def _formula(expression: str) -> str:
    formula = "=" + expression.strip().removeprefix("=").strip()
    if formula == "=":
        raise Invalid("There is nothing to calculate; write an expression like ROUND(12.5*3, 2).")
    return formula


def _sheet_values(
    sheet: Sheet, results: Mapping[CellAddress, engine.CalculatedCell]
) -> SheetValues:
    formats = {parse_cell_address(address): code for address, code in sheet.formats.items()}
    cells: dict[CellAddress, CellValue] = {}
    for at, typed in sheet.places.items():
        result = results.get(at)
        cells[at] = (
            _input_value(typed, formats.get(at, GENERAL))
            if result is None
            else _formula_value(result, typed, formatted=at in formats)
        )
    spilled = results.keys() - cells.keys()
    for at in spilled:
        cells[at] = _formula_value(results[at], "", formatted=at in formats)
    return SheetValues(sheet.name, dict(sorted(cells.items())) if spilled else cells)


def _formula_value(result: engine.CalculatedCell, formula: str, *, formatted: bool) -> CellValue:
    """Return a formula's result; *formatted* says that its cell has a number format."""
    code = result.content.format
    if is_time_format(code) and not formatted and multiplies(formula):
        # The engine still treats it as a time and would show 0.5 hours as 12:00.
        code = GENERAL
    return _result_value(result, code)


def _input_value(typed: str, code: str) -> CellValue:
    return _remembered(typed, code) if len(typed) <= 40 else _new_input_value(typed, code)


def _new_input_value(typed: str, code: str) -> CellValue:
    content, text = interpret(typed), display_text(typed)
    formatted = text
    if code and isinstance(content.value, float):
        formatted = format_number(content.value, code) or text
    return CellValue(content.kind, content.value, text, formatted)


_remembered = lru_cache(maxsize=16_384)(_new_input_value)


def _result_value(result: engine.CalculatedCell, code: str) -> CellValue:
    kind, value = result.content.kind, result.content.value
    if kind is CellKind.NUMBER:
        number = float(value)
        formatted = format_number(number, code)
        if is_date_format(code):
            exact = formatted or result_text(number)
            return CellValue(kind, number, exact, exact)
        return CellValue(kind, number, result_text(number), formatted or result.formatted)
    if kind is CellKind.BOOLEAN:
        text = "TRUE" if value else "FALSE"
        return CellValue(kind, bool(value), text, text)
    return CellValue(kind, str(value), str(value), str(value))
