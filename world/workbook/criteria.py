"""Criteria that the engine misreads, such as those of COUNTIF and SUMIFS."""

from __future__ import annotations

import re
from collections.abc import Mapping

from trainee_bench.world.workbook.addresses import CellAddress, CellRange
from trainee_bench.world.workbook.array_rewriting import as_written
from trainee_bench.world.workbook.criteria_alternatives import (
    WITH_CRITERIA,
    is_criterion,
)
from trainee_bench.world.workbook.formula_tree import (
    CellReference,
    Constant,
    Expression,
    FunctionCall,
    calls_in,
)
from trainee_bench.world.workbook.functions import FUNCTIONS, FunctionSignature

_RESIZED = re.compile(r"(?:SUM|AVERAGE)IF\(", re.I)
_COMPARED = re.compile("'?[<>](?!>)")
_WANTED = re.compile('"[<>](?!>)')
CRITERION = ("tb_criterion(", ")")
"""Text around a criterion (see `criteria_functions`)."""
_TRUTH_COMPARED = re.compile(r'"(?:[<>]=?)(?:TRUE|FALSE)"', re.I)


def may_compare(typed: str) -> bool:
    """Whether the criterion *typed* in a cell may be a comparison that the engine misreads."""
    return typed.startswith("=") or _COMPARED.match(typed) is not None


def may_be_resized(formula: str) -> bool:
    """Whether *formula* may contain a range that `ranges_for_engine` changes."""
    return _RESIZED.search(formula) is not None


def unequal_ranges(tree: Expression) -> str:
    """Say why a formula that compares ranges of unequal sizes is refused, "" if it compares none.

    The engine ignores the cells by which one of them is larger.
    """
    for call in calls_in(tree):
        name, signature = str(call.function), FUNCTIONS.get(str(call.function))
        if name not in WITH_CRITERIA or not name.endswith("IFS") or signature is None:
            continue
        areas = [
            area
            for at, argument in enumerate(call.arguments)
            if signature.letter(at) == "r" and (area := _area(argument))
        ]
        for area in areas[1:]:
            if (area.height, area.width) != (areas[0].height, areas[0].width):
                return f"{name} needs ranges of equal size, not {areas[0]} and {area}"
    return ""


def ranges_for_engine(
    call: FunctionCall, name: str, signature: FunctionSignature, formula: str
) -> Mapping[tuple[int, int], str]:
    """Return the texts that replace ranges of *call*, keyed by their places in *formula*.

    The engine does not accept a single cell as a range. SUMIF and AVERAGEIF read as many cells as
    are compared, regardless of the size of the last range.
    """
    if name not in WITH_CRITERIA:
        return {}
    found = {}
    compared = _area(call.arguments[0])
    for at, argument in enumerate(call.arguments):
        area = _area(argument) if signature.letter(at) == "r" else None
        if area is None:
            continue
        if name in ("SUMIF", "AVERAGEIF") and at == 2 and compared is not None:
            bottom, right = area.top + compared.height - 1, area.left + compared.width - 1
            wanted = CellRange(area.top, area.left, bottom, right)
        else:
            wanted = area
        if wanted != area or area.height == area.width == 1:
            (start, end), *_ = argument.spans
            sheet, mark, _ = formula[start:end].rpartition("!")
            corners = CellAddress(wanted.top, wanted.left), CellAddress(wanted.bottom, wanted.right)
            found[start, end] = f"{as_written(sheet)}{mark}{corners[0]}:{corners[1]}"
    return found


def _area(argument: Expression) -> CellRange | None:
    """Return the cells that *argument* names, None if it is anything else."""
    only = argument.operands[0] if len(argument.operands) == 1 and not argument.operators else None
    return only.area if isinstance(only, CellReference) else None


def may_be_misread(criterion: Expression) -> bool:
    """Whether the engine may misread *criterion*."""
    if not criterion.operands:
        return False
    first = criterion.operands[0]
    return not isinstance(first, Constant) or _WANTED.match(first.text) is not None


def criteria_objection(
    name: str, signature: FunctionSignature, arguments: tuple[Expression, ...]
) -> str:
    """Say why the criteria of a call are refused, "" if they are not.

    In "<TRUE" the engine takes TRUE for a text.
    """
    for position, criterion in enumerate(arguments):
        first = criterion.operands[0] if criterion.operands else None
        if not is_criterion(name, signature, position) or not isinstance(first, Constant):
            continue
        if _TRUTH_COMPARED.fullmatch(first.text):
            return (
                f"{name} cannot compare truth values, as in {first.text}. Count those that are "
                "equal: COUNTIF(B2:B9,TRUE)"
            )
    return ""
