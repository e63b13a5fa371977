"""Tells what is typed in the cells that a formula reads, as far as that is known before it is
calculated."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from trainee_bench.world.workbook.addresses import CellAddress, CellRange
from trainee_bench.world.workbook.formula_tree import CellReference
from trainee_bench.world.workbook.inputs import CellKind, interpret
from trainee_bench.world.workbook.like_numbers import looks_like_value

UNKNOWN = "="
"""The typed text of a cell whose content follows only from calculation."""


@dataclass(frozen=True)
class Held:
    """Whether cells may hold texts that look like numbers or truth values, and such values
    themselves."""

    texts: bool
    values: bool


UNKNOWN_CONTENT = Held(texts=True, values=True)


@dataclass(frozen=True)
class TypedCells:
    """The typed texts of all sheets, for a formula on the sheet *here*.

    Without *here*, a reference that names no sheet is unknown.
    """

    sheets: Mapping[str, TypedSheet]
    """By their names, casefolded."""
    here: TypedSheet | None = None

    def on(self, sheet: str) -> TypedCells:
        """Return the same cells, as a formula on this sheet refers to them."""
        return TypedCells(self.sheets, self.sheets[sheet.casefold()])

    def typed_at(self, cell: CellReference) -> str:
        """Return the text typed in *cell*, `UNKNOWN` if a formula may fill it."""
        sheet = self._sheet(cell)
        if sheet is None or cell.area is None:
            return UNKNOWN
        return sheet.typed_at(CellAddress(cell.area.top, cell.area.left))

    def held_in(self, cells: CellReference | None) -> Held:
        """Return what *cells* may hold; None stands for unknown cells."""
        sheet = self._sheet(cells) if cells else None
        if sheet is None or cells is None or cells.area is None:
            return UNKNOWN_CONTENT
        return sheet.held_in(cells.area)

    def _sheet(self, cells: CellReference) -> TypedSheet | None:
        return self.sheets.get(cells.sheet.casefold()) if cells.sheet else self.here


@dataclass
class _Column:
    """The rows, in order, of what matters in a column."""

    texts: list[int] = field(default_factory=list)
    values: list[int] = field(default_factory=list)
    formulas: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class TypedSheet:
    """The typed texts of one sheet, row by row. *spills_from* is the corner from which on, to the
    right and below, formulas may fill empty cells, None if they fill none."""

    places: Mapping[CellAddress, str]
    spills_from: CellAddress | None

    def typed_at(self, at: CellAddress) -> str:
        """Return the text typed at *at*, `UNKNOWN` if a formula may fill that cell."""
        corner = self.spills_from
        is_free = corner is None or at.row < corner.row or at.column < corner.column
        return self.places.get(at, "" if is_free else UNKNOWN)

    def held_in(self, area: CellRange) -> Held:
        """Return what the cells of *area* may hold."""
        corner = self.spills_from
        if corner is not None and area.bottom >= corner.row and area.right >= corner.column:
            return UNKNOWN_CONTENT
        columns = [column for at, column in self._columns.items() if area.left <= at <= area.right]
        if any(_has_row(column.formulas, area) for column in columns):
            return UNKNOWN_CONTENT
        return Held(
            texts=any(_has_row(column.texts, area) for column in columns),
            values=any(_has_row(column.values, area) for column in columns),
        )

    @cached_property
    def _columns(self) -> Mapping[int, _Column]:
        found: defaultdict[int, _Column] = defaultdict(_Column)
        for at, typed in self.places.items():  # row by row
            content = interpret(typed)
            match content.kind:
                case CellKind.FORMULA:
                    found[at.column].formulas.append(at.row)
                case CellKind.NUMBER | CellKind.BOOLEAN:
                    found[at.column].values.append(at.row)
                case CellKind.TEXT if looks_like_value(str(content.value)):
                    found[at.column].texts.append(at.row)
        return found


def _has_row(rows: Sequence[int], area: CellRange) -> bool:
    at = bisect_left(rows, area.top)
    return at < len(rows) and rows[at] <= area.bottom
