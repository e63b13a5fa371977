"""Which formulas are refused: too long, dependent on the clock, chance or machine, or calculated
wrongly by the engine."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from trainee_bench.world.errors import Invalid, Refused
from trainee_bench.world.workbook.array_arguments import check_functions
from trainee_bench.world.workbook.formulas import called_functions, refers_to_tables, tokenize

MAX_FORMULA_LENGTH = 8_192
MAX_NESTING = 64

_CLOCK = "take the time from desk_now and write it as a value, such as 2026-11-21 or 09:30"
_CHANCE = "write the numbers you want as values"
_HOST = "it tells about the program, not the data; ROW, COLUMN, ADDRESS and ISBLANK work"

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
    """Refuse what is not calculated here; *where* names the cell, *names* are defined names.

    Raises Invalid for a formula that is too long or too deeply nested. Raises Refused for a
    function that depends on the clock, on chance or on the machine, and for everything that the
    engine would calculate wrongly (see `array_arguments`).
    """
    if len(formula) > MAX_FORMULA_LENGTH:
        raise Invalid(
            f"The formula in {where} has {len(formula)} characters; at most {MAX_FORMULA_LENGTH} "
            "are read. Split it over several cells."
        )
    depth = called_again = 0
    before = ""
    for kind, _ in tokenize(formula):
        depth += (kind == "open") - (kind == "close")
        called_again += (before, kind) == ("close", "open")  # each call is within the next one
        before = kind
        if max(depth, called_again) > MAX_NESTING:
            raise Invalid(
                f"The formula in {where} nests deeper than {MAX_NESTING} brackets. "
                "Split it over several cells."
            )
    for name in called_functions(formula):
        if name in REFUSED_FUNCTIONS:
            raise Refused(f"{name} is not available ({where}): {REFUSED_FUNCTIONS[name]}.")
    if refers_to_tables(formula):
        raise Refused(
            f"The formula in {where} refers to a table or another file, which is not calculated "
            "here. Write ranges such as B2:B9 instead."
        )
    check_functions(formula, where, names)
