"""Finds the kinds of values that function calls result in."""

from __future__ import annotations

from collections.abc import Sequence

from trainee_bench.world.workbook.array_rewriting import ArgumentKind
from trainee_bench.world.workbook.formula_tree import CellReference, Constant, Expression
from trainee_bench.world.workbook.functions import FunctionSignature

_NUMERIC_RESULTS = frozenset(
    "ABS ACOS ASIN ATAN COLUMN COS COSH DATE DAY DEGREES EVEN EXP FACT FIND FREQUENCY GROWTH INT "
    "ISOWEEKNUM LEN LINEST LN LOG10 MINVERSE MMULT MONTH MUNIT ODD POWER RADIANS ROW SEARCH "
    "SEQUENCE SIGN SIN SINH SQRT SUMIF TAN TANH TREND WEEKDAY YEAR".split()
)
_PASSED_ON = frozenset({ArgumentKind.RANGE, ArgumentKind.PASSED_RANGE})


def kind_of_result(
    name: str,
    signature: FunctionSignature,
    kinds: Sequence[ArgumentKind],
    arguments: tuple[Expression, ...],
) -> ArgumentKind:
    """Return the kind of a call's result, if its arguments are accepted."""
    if name in ("OFFSET", "INDIRECT"):
        return ArgumentKind.RANGE
    if name == "INDEX":
        return kinds[0] if _gives_part(arguments) else ArgumentKind.SINGLE
    if name in ("IF", "CHOOSE") and _passes_range_on(kinds):
        return ArgumentKind.PASSED_RANGE
    elementwise = [kind for at, kind in enumerate(kinds) if signature.letter(at) == "e"]
    if not signature.gives_array and all(kind is ArgumentKind.SINGLE for kind in elementwise):
        return ArgumentKind.SINGLE
    numeric = name in _NUMERIC_RESULTS or (
        signature.gives_array and bool(kinds) and kinds[0] is ArgumentKind.NUMBERS
    )
    return ArgumentKind.NUMBERS if numeric else ArgumentKind.ARRAY


def _passes_range_on(kinds: Sequence[ArgumentKind]) -> bool:
    """Whether a choice made by its first argument results in cells or single values."""
    chosen = set(kinds[1:])
    only = chosen <= {ArgumentKind.SINGLE, *_PASSED_ON}
    return kinds[0] is ArgumentKind.SINGLE and only and bool(chosen & _PASSED_ON)


def _gives_part(arguments: tuple[Expression, ...]) -> bool:
    """Whether INDEX gives a whole row or column: a position is 0, empty, or missing."""
    source = arguments[0].operands[0] if arguments[0].operands else None
    area = source.area if isinstance(source, CellReference) else None
    if len(arguments) == 2 and area is not None and area.height > 1 and area.width > 1:
        return True
    return any(argument.operands in ((), (Constant("0"),)) for argument in arguments[1:])
