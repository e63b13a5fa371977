"""The workbook as a world stores it, and the formulas that are refused.

A workbook has ordered sheets, whose cells are the texts that were typed. A formula is refused if it
is too long, depends on the clock, chance or the machine, or would be calculated wrongly by the
engine.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from functools import cached_property, lru_cache
from operator import itemgetter
from types import MappingProxyType

from pydantic import BaseModel, ConfigDict

from trainee_bench.world.errors import Invalid, NotFound, Refused
from trainee_bench.world.text_index import code_point, unprintable
from trainee_bench.world.workbook.addresses import (
    CellAddress,
    CellRange,
    bounding_range,
    parse_cell_address,
)
from trainee_bench.world.workbook.array_arguments import check_functions
from trainee_bench.world.workbook.formulas import (
    called_functions,
    placed,
    refers_to_tables,
    tokenize,
)
from trainee_bench.world.workbook.inputs import CellKind, display_text, interpret

MAX_FORMULA_LENGTH = 8_192
MAX_NESTING = 64

_CLOCK = "take the time from desk_now and write it as a value, such as 2026-11-21 or 09:30"
_CHANCE = "write the numbers you want as values"
_HOST = "it describes the program, not the data; ROW, COLUMN, ADDRESS and ISBLANK work"

REFUSED_FUNCTIONS = {
    "NOW": _CLOCK,
    "TODAY": _CLOCK,
    "RAND": _CHANCE,
    "RANDBETWEEN": _CHANCE,
    "RANDARRAY": _CHANCE,
    "CELL": _HOST,
    "INFO": _HOST,
}
"""Functions whose result does not follow from the workbook, and what to do instead."""
NO_NAMES: Mapping[str, str] = MappingProxyType({})


def check_formula(formula: str, where: str, names: Mapping[str, str] = NO_NAMES) -> None:
    """Refuse a formula that is not calculated here; *where* names its cell, *names* are defined
    names.

    Raises Invalid for a formula that is too long or too deeply nested. Raises Refused for a
    function that depends on the clock, on chance or on the machine, and for everything that the
    engine would calculate wrongly (see `array_arguments`).
    """
    if len(formula) > MAX_FORMULA_LENGTH:
        raise Invalid(
            f"The formula in {where} has {len(formula)} characters; the maximum is "
            f"{MAX_FORMULA_LENGTH}. Split it over several cells."
        )
    depth = called_again = 0
    before = ""
    for kind, _ in tokenize(formula):
        depth += (kind == "open") - (kind == "close")
        called_again += (before, kind) == ("close", "open")  # each call is inside the next one
        before = kind
        if max(depth, called_again) > MAX_NESTING:
            raise Invalid(
                f"The formula in {where} nests deeper than {MAX_NESTING} brackets. "
                "Split it over several cells."
            )
    for name in called_functions(formula):
        if name in REFUSED_FUNCTIONS:
            raise Refused(f"{name} is not available{placed(where)}: {REFUSED_FUNCTIONS[name]}.")
    if refers_to_tables(formula):
        raise Refused(
            f"The formula in {where} refers to a table or another file, which is not calculated "
            "here. Write ranges such as B2:B9 instead."
        )
    check_functions(formula, where, names)


MAX_SHEETS = 64
MAX_CELLS = 100_000
MAX_CHARACTERS = 4_000_000
MAX_TEXT_LENGTH = 32_767
MAX_SHEET_NAME_LENGTH = 31


class Sheet(BaseModel):
    """One sheet: its name, its cells by address ({"A1": "=SUM(B1:B3)"}), and the number formats
    that do not follow from the typed text ({"A1": "0.00%"})."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    cells: Mapping[str, str] = {}
    formats: Mapping[str, str] = {}

    @cached_property
    def places(self) -> Mapping[CellAddress, str]:
        """The cells by row and column, row by row."""
        parsed = [(parse_cell_address(address), typed) for address, typed in self.cells.items()]
        parsed.sort(key=itemgetter(0))
        return dict(parsed)

    def with_cell(self, at: CellAddress, typed: str) -> Sheet:
        """Return this sheet with *typed* in a free cell, without parsing the other cells again."""
        changed = self.model_copy(update={"cells": {**self.cells, str(at): typed}})
        changed.__dict__["places"] = dict(sorted([*self.places.items(), (at, typed)]))
        return changed

    def used(self) -> CellRange | None:
        """Return the smallest range that contains every cell, or None for an empty sheet."""
        return bounding_range(self.places)


class Workbook(BaseModel):
    """Ordered sheets and defined names ({"Rate": "Sheet1!$A$1"}). Equal content gives equal
    JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sheets: tuple[Sheet, ...]
    names: Mapping[str, str] = {}

    def sheet(self, name: str = "") -> Sheet:
        """Return the sheet called *name*, ignoring case; the first for "". Raises NotFound."""
        if not name:
            return self.sheets[0]
        for sheet in self.sheets:
            if sheet.name.casefold() == name.casefold():
                return sheet
        there = ", ".join(sheet.name for sheet in self.sheets)
        raise NotFound(f"There is no sheet {name[:40]!r}; sheets: {there}.")

    def with_sheet(self, changed: Sheet) -> Workbook:
        """Return this workbook with *changed* in place of the sheet of the same name."""
        sheets = (changed if sheet.name == changed.name else sheet for sheet in self.sheets)
        return self.model_copy(update={"sheets": tuple(sheets)})

    def has_formulas(self) -> bool:
        """Whether any cell holds a formula."""
        return any(
            interpret(typed).kind is CellKind.FORMULA
            for sheet in self.sheets
            for typed in sheet.cells.values()
        )

    def dump(self) -> str:
        """Return the canonical JSON, which the world stores and digests."""
        return json.dumps(
            self.model_dump(), sort_keys=True, ensure_ascii=False, separators=(",", ":")
        )


@lru_cache(maxsize=4)
def parse_workbook(text: str) -> Workbook:
    """Parse the *text* written by :meth:`Workbook.dump`."""
    return Workbook.model_validate_json(text)


def empty_workbook(sheet: str = "Sheet1") -> Workbook:
    """Create a workbook with one empty sheet. Raises Invalid if no sheet can have this name."""
    check_sheet_name(sheet)
    return Workbook(sheets=(Sheet(name=sheet),))


def check_workbook(workbook: Workbook) -> Workbook:
    """Return *workbook*, if it is valid.

    Raises Invalid if it exceeds a limit or a cell cannot be stored, Refused for a formula that is
    not calculated here.
    """
    if not 1 <= len(workbook.sheets) <= MAX_SHEETS:
        raise Invalid(f"A workbook needs 1 to {MAX_SHEETS} sheets, not {len(workbook.sheets)}.")
    names = [sheet.name.casefold() for sheet in workbook.sheets]
    if len(set(names)) < len(names):
        raise Invalid("Two sheets have the same name; give each sheet a different name.")
    check_workbook_size(workbook)
    for sheet in workbook.sheets:
        check_sheet_name(sheet.name)
        for address, typed in sheet.cells.items():
            check_cell(typed, f"{sheet.name}!{address}", workbook.names)
    for name, formula in workbook.names.items():
        check_formula(formula, f"the name {name}", workbook.names)
    return workbook


def check_workbook_size(workbook: Workbook) -> None:
    """Raise Invalid if there are too many cells or characters."""
    count = sum(len(sheet.cells) for sheet in workbook.sheets)
    if count > MAX_CELLS:
        raise Invalid(f"A workbook can have at most {MAX_CELLS} cells, not {count}. Split it.")
    size = sum(len(typed) for sheet in workbook.sheets for typed in sheet.cells.values())
    if size > MAX_CHARACTERS:
        raise Invalid(
            f"A workbook can have at most {MAX_CHARACTERS} characters, not {size}. Split it."
        )


def check_cell(typed: str, where: str, names: Mapping[str, str] = NO_NAMES) -> None:
    """Raise Invalid for a text that no cell can hold, Refused for a formula not calculated here.

    *names* are the workbook's defined names.
    """
    if len(display_text(typed)) > MAX_TEXT_LENGTH:
        raise Invalid(
            f"{where} has {len(typed)} characters; a cell can have at most {MAX_TEXT_LENGTH}."
        )
    if character := _not_written(typed):
        raise Invalid(
            f"{where} contains the control character {character}; only tabs and line breaks are "
            "allowed."
        )
    if interpret(typed).kind is CellKind.FORMULA:
        check_formula(typed, where, names)


def check_sheet_name(name: str) -> None:
    """Raise Invalid if no sheet can have this name."""
    if (
        not 1 <= len(name) <= MAX_SHEET_NAME_LENGTH
        or name != name.strip()
        or name != name.strip("'")
        or set(name) & set("[]:*?/\\")
        or unprintable(name)
    ):
        raise Invalid(
            f"{name[:40]!r} cannot be a sheet's name; use 1 to {MAX_SHEET_NAME_LENGTH} printable "
            "characters without [ ] : * ? / \\ and without spaces or apostrophes at the ends."
        )


def _not_written(text: str) -> str:
    """Return the first character of *text* that no cell can hold, as in "U+0007"; "" if there is
    none."""
    if text.isprintable():
        return ""
    found = (
        letter
        for letter in text
        if (unicodedata.category(letter) in ("Cc", "Cs") and letter not in "\t\n\r")
        or letter in "\ufffe\uffff"
    )
    return next(map(code_point, found), "")
