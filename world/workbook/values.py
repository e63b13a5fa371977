"""The values of a workbook's cells: inputs as they mean, formulas as they calculate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from world.errors import Invalid
from world.workbook import engine
from world.workbook.addresses import LAST_COLUMN, LAST_ROW, Area, Place, around
from world.workbook.exact import Beyond, Cell, exact_text, exact_value
from world.workbook.formats import GENERAL, is_date_format, is_time_format, result_text, shown
from world.workbook.formulas import areas, multiplies, refers_to_cells
from world.workbook.inputs import Kind, displayed, interpret, is_moment
from world.workbook.model import Sheet, Workbook, check_cell

LARGEST_GRID = 1_000_000
_LARGEST = 10**308


@dataclass(frozen=True)
class Value:
    """One cell's value.

    ``text`` is exact: an input as it was typed, a result to 15 digits, a date in ISO form.
    ``formatted`` is the same under the cell's number format, perhaps rounded.
    """

    kind: Kind
    value: float | str | bool
    text: str
    formatted: str


@dataclass(frozen=True)
class SheetValues:
    """A calculated sheet: the values of all cells that show something."""

    name: str
    cells: Mapping[Place, Value]

    @cached_property
    def used(self) -> Area | None:
        """The smallest area that holds every value."""
        return around(self.cells)

    def grid(self, area: Area) -> list[list[Value | None]]:
        """The values of *area* row by row, None for empty cells.

        Raises Invalid for more than a million cells.
        """
        if area.height * area.width > LARGEST_GRID:
            raise Invalid(
                f"{area} of {self.name} spans {area.height * area.width} cells, at most "
                f"{LARGEST_GRID} are laid out at once. Name a smaller range."
            )
        return [
            [self.cells.get(Place(row, column)) for column in range(area.left, area.right + 1)]
            for row in range(area.top, area.bottom + 1)
        ]


def calculate(workbook: Workbook) -> tuple[SheetValues, ...]:
    """The values of every sheet, in their order. Raises Invalid where it cannot be calculated."""
    results = engine.calculate(workbook)
    return tuple(
        _sheet_values(sheet, found) for sheet, found in zip(workbook.sheets, results, strict=True)
    )


def calculate_expression(expression: str) -> list[list[Value]]:
    """What one expression comes to, with or without "=" before it; an array row by row.

    Raises Invalid for an empty expression or one that names cells, and what formulas raise.
    """
    formula = _formula(expression)
    if refers_to_cells(formula):
        raise Invalid(
            "This expression names cells, so say of which file; or write the values themselves."
        )
    return calculate_within(Workbook(sheets=(Sheet(name="Sheet1"),)), "", formula)


def calculate_within(workbook: Workbook, sheet: str, expression: str) -> list[list[Value]]:
    """What *expression* would come to in a free cell of the sheet called *sheet*.

    Raises NotFound for an unknown sheet, Invalid, and what formulas raise.
    """
    formula = _formula(expression)
    check_cell(formula, "the expression")
    target = workbook.sheet(sheet)
    sheets = calculate(workbook)
    exact = _exactly(formula, sheets, target.name)
    if exact is not None:
        return [[exact]]
    # Beside and below everything, so that it lies in no column or row it may refer to.
    used = sheets[workbook.sheets.index(target)].used or Area(1, 1, 1, 1)
    at = Place(used.bottom + 2, used.right + 2)
    named = [area for area in areas(formula) if at in area]
    if named:  # beside what it names, or below
        column = max(area.right for area in named) + 2
        row = max(area.bottom for area in named) + 2
        at = Place(at.row, column) if column <= LAST_COLUMN else Place(row, at.column)
    if at.row > LAST_ROW or at.column > LAST_COLUMN:
        raise Invalid(f"{target.name} is used up to its last cell; calculate on a smaller sheet.")
    cells = {**target.cells, str(at): formula}
    scratch = workbook.with_sheet(Sheet(name=target.name, cells=cells, formats=target.formats))
    found = calculate(scratch)[workbook.sheets.index(target)]
    if found.used is None:
        return []
    below = Area(at.row, at.column, found.used.bottom, found.used.right)
    return [[value for value in row if value is not None] for row in found.grid(below)]


def _exactly(formula: str, sheets: Sequence[SheetValues], here: str) -> Value | None:
    """What *formula* comes to on the sheet called *here*, None if that is for the engine to say."""
    by_name = {sheet.name.casefold(): sheet for sheet in sheets}

    def lookup(name: str, wanted: Area) -> list[Cell]:
        sheet = by_name.get((name or here).casefold())
        if sheet is None:
            raise Beyond
        return [_cell(value) for at, value in sheet.cells.items() if at in wanted]

    found = exact_value(formula, lookup)
    if isinstance(found, bool):
        text = "TRUE" if found else "FALSE"
        return Value(Kind.BOOLEAN, found, text, text)
    if found is None or abs(found) > _LARGEST:
        return None
    text = exact_text(found) or result_text(float(found))
    return Value(Kind.NUMBER, float(found), text, text)


def _cell(value: Value) -> Cell:
    """A cell's value for exact arithmetic. Raises Beyond for an error, a date or a time."""
    if value.kind is Kind.ERROR:
        raise Beyond
    if value.kind is not Kind.NUMBER:
        return bool(value.value) if value.kind is Kind.BOOLEAN else str(value.value)
    try:
        return Fraction(value.text)
    except ValueError:  # formatted: €12.50, 12.5%, 1,250.00, 2026-11-21, 09:30
        if is_moment(value.text):
            raise Beyond from None
        return Fraction(repr(float(value.value)))


def _formula(expression: str) -> str:
    formula = "=" + expression.strip().removeprefix("=").strip()
    if formula == "=":
        raise Invalid("There is nothing to calculate; write an expression like ROUND(12.5*3, 2).")
    return formula


def _sheet_values(sheet: Sheet, results: Mapping[Place, engine.Calculated]) -> SheetValues:
    cells: dict[Place, Value] = {}
    for at, typed in sheet.places.items():
        if at not in results:
            cells[at] = _input_value(typed, sheet.formats.get(str(at), GENERAL))
    for at, result in results.items():
        code = result.content.format
        formula = sheet.places.get(at, "")
        if is_time_format(code) and str(at) not in sheet.formats and multiplies(formula):
            # The engine still calls it a time; 0.5 hours would be shown as 12:00.
            code = GENERAL
        cells[at] = _result_value(result, code)
    return SheetValues(sheet.name, dict(sorted(cells.items())))


def _input_value(typed: str, code: str) -> Value:
    return _remembered(typed, code) if len(typed) <= 40 else _new_input_value(typed, code)


def _new_input_value(typed: str, code: str) -> Value:
    content, text = interpret(typed), displayed(typed)
    formatted = text
    if code and isinstance(content.value, float):
        formatted = shown(content.value, code) or text
    return Value(content.kind, content.value, text, formatted)


_remembered = lru_cache(maxsize=16_384)(_new_input_value)


def _result_value(result: engine.Calculated, code: str) -> Value:
    kind, value = result.content.kind, result.content.value
    if kind is Kind.NUMBER:
        number = float(value)
        formatted = shown(number, code)
        if is_date_format(code):
            exact = formatted or result_text(number)
            return Value(kind, number, exact, exact)
        return Value(kind, number, result_text(number), formatted or result.formatted)
    if kind is Kind.BOOLEAN:
        text = "TRUE" if value else "FALSE"
        return Value(kind, bool(value), text, text)
    return Value(kind, str(value), str(value), str(value))
