"""Criteria that the engine misreads, such as those of COUNTIF and SUMIFS."""

from __future__ import annotations

import re

from trainee_bench.world.workbook.formula_tree import Constant, Expression
from trainee_bench.world.workbook.functions import FunctionSignature

_WITH_CRITERIA = frozenset(
    "AVERAGEIF AVERAGEIFS COUNTIF COUNTIFS MAXIFS MINIFS SUMIF SUMIFS".split()
)
_UNEQUAL = re.compile(r'"<>(?:-?[0-9.]+)?"')


def criteria_objection(
    name: str, signature: FunctionSignature, arguments: tuple[Expression, ...]
) -> str:
    """Why the criteria of a call are refused, "" if they are not.

    The engine leaves empty cells out for "<>x", though they differ from x.
    """
    if name not in _WITH_CRITERIA:
        return ""
    for position, criterion in enumerate(arguments):
        first = criterion.operands[0] if criterion.operands else None
        if signature.letter(position) == "r" or not isinstance(first, Constant):
            continue
        if first.text.startswith('"<>') and (criterion.operators or not _UNEQUAL.match(first.text)):
            return (
                f"{name} leaves out empty cells where a text is to be unequal, as in {first.text}. "
                'Compare the cells themselves: SUMPRODUCT((B2:B9<>"x")*C2:C9)'
            )
    return ""
