"""Rewrites criteria that no single criterion of the engine expresses, as several that exclude
each other.

For "2025-09-01" and "TRUE" the engine misses cells that hold the same text, for "50%" it misses
numbers, and for "<>pear" numbers and empty cells. Each such criterion becomes up to three
alternatives for the same range. No cell matches two of them, so their counts and sums add up. Texts
are compared with a text just before the sought one and a text just behind it, which are no numbers.

Every alternative reads the whole range once more, so those that cannot match are left out: cells
typed in the range tell whether it may hold texts that look like numbers, or numbers. For a
criterion that follows only from calculation, functions of our own find its alternatives.

A numeral remains as it is: for "7", the engine counts the number 7 and the texts 7 and 007, as
Excel does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from trainee_bench.world.workbook.array_rewriting import as_written
from trainee_bench.world.workbook.criteria_functions import NUMBERS_ONLY
from trainee_bench.world.workbook.formula_tree import (
    CellReference,
    Constant,
    Expression,
    FunctionCall,
)
from trainee_bench.world.workbook.functions import FunctionSignature
from trainee_bench.world.workbook.inputs import CellKind, interpret
from trainee_bench.world.workbook.known_criteria import (
    Alternative,
    alternatives,
    may_need_alternatives,
)
from trainee_bench.world.workbook.typed_cells import UNKNOWN, Held, TypedCells

WITH_CRITERIA = frozenset(
    "AVERAGEIF AVERAGEIFS COUNTIF COUNTIFS MAXIFS MINIFS SUMIF SUMIFS".split()
)
_MOST_WRITTEN = 4
"""Maximum calls to write for the combinations of several criteria."""


@dataclass(frozen=True)
class _Criterion:
    """A criterion of a call: the *position* of its argument, the text of the *range* it is for, and
    the *cells* of that range, None if they are unknown. *written* is None if the engine reads the
    criterion correctly whatever it comes to."""

    position: int
    range: str
    cells: CellReference | None
    written: Expression | None


@dataclass(frozen=True)
class CriteriaRewriting:
    """A call whose criteria the engine may be unable to express by single criteria."""

    name: str
    arguments: tuple[str, ...]
    """Ranges as the engine needs them, and variables for everything else."""
    criteria: tuple[_Criterion, ...]

    def needed(self, typed: TypedCells) -> tuple[str, ...] | None:
        """Return the texts to write around the arguments of the call, None if the engine reads its
        criteria correctly."""
        found = {criterion.position: _alternatives(criterion, typed) for criterion in self.criteria}
        usual = {criterion.position: [[f"tb_k{criterion.position}"]] for criterion in self.criteria}
        if found == usual:
            return None
        known = [texts for texts in found.values() if texts is not None]
        if len(known) < len(found) or prod(map(len, known)) > _MOST_WRITTEN:
            calculated = {
                criterion.position: _those_of(typed.held_in(criterion.cells))
                for criterion in self.criteria
                if (texts := found[criterion.position]) is None or len(texts) > 1
            }
        else:
            calculated = {}
        for at in calculated:
            pair = [f"tb_{part}(tb_k{at},tb_c{at},tb_j{at})" for part in ("first", "second")]
            found[at] = [pair]
        combinations = product(*(found[criterion.position] or [] for criterion in self.criteria))
        body = self._body([self._matched(each) for each in combinations], calculated)
        if calculated:
            most = f"MAX({','.join(f'tb_c{at}' for at in calculated)})"
            if all(found[at] == usual[at] for at in found if at not in calculated):
                body = f"IF({most}=1,{self.name}({','.join(self.arguments)}),{body})"
            body = "".join(f"tb_c{at},tb_kind(tb_k{at})," for at in calculated) + body
        given = range(len(self.arguments))
        positions = {criterion.position for criterion in self.criteria}
        variables = [f",tb_{'k' if at in positions else 'a'}{at}," for at in given]
        return (f"LET({variables[0][1:]}", *variables[1:], f",{body})")

    def _matched(self, alternatives: Sequence[Alternative]) -> str:
        return ",".join(
            f"{sought.range},{criterion}"
            for sought, alternative in zip(self.criteria, alternatives, strict=True)
            for criterion in alternative
        )

    def _body(self, matched: Sequence[str], calculated: Mapping[int, str]) -> str:
        """Return the formula over these combinations of ranges and criteria, and over the
        alternatives of the *calculated* criteria, which these functions number."""

        def over(name: str, call: Callable[[str], str]) -> str:
            formula = ",".join(map(call, matched))
            if len(matched) > 1:
                formula = f"{name}({formula})"
            for at, those in calculated.items():
                formula = f"{name}(MAP({those}(tb_c{at}),LAMBDA(tb_j{at},{formula})))"
            return formula

        def counted(each: str) -> str:
            return f"COUNTIFS({each},{chosen},{NUMBERS_ONLY})"

        name, is_one = self.name, len(matched) == 1 and not calculated
        if name.startswith("COUNT"):
            return over("SUM", lambda each: f"COUNTIFS({each})")
        is_first = name.endswith("IFS") or len(self.arguments) == 2
        chosen = self.arguments[0 if is_first else 2]
        if name.startswith("SUM"):
            return over("SUM", lambda each: f"SUMIFS({chosen},{each})")
        if is_one:
            return f"{name.removesuffix('S')}S({chosen},{matched[0]})"
        if name.startswith("AVERAGE"):
            summed = over("SUM", lambda each: f"SUMIFS({chosen},{each})")
            return f"{summed}/{over('SUM', counted)}"
        # MAXIFS says 0 if nothing matches, which is no value.
        extreme, nothing = name[:3], "-9E307" if name == "MAXIFS" else "9E307"
        found = over(
            extreme, lambda each: f"IF({counted(each)}=0,{nothing},{name}({chosen},{each}))"
        )
        return f"LET(tb_m,{found},IF(tb_m={nothing},0,tb_m))"


def criteria_rewriting(
    call: FunctionCall,
    name: str,
    signature: FunctionSignature,
    formula: str,
    ranges: Mapping[tuple[int, int], str],
) -> CriteriaRewriting | None:
    """Return how to rewrite *call*, or None if the engine reads its criteria correctly.

    *ranges* are texts that replace ranges, keyed by their places in *formula*.
    """
    given = call.arguments
    if name not in WITH_CRITERIA or not all(argument.operands for argument in given):
        return None
    letters = [signature.letter(at) for at in range(len(given))]
    if len(given) < 2 or (letters[-1] == "r" and name.endswith("IFS")):
        return None  # the engine reports it
    if not name.endswith("IFS") and len(given) > 2 + (name != "COUNTIF"):
        return None
    positions = [at for at in range(1, len(given)) if is_criterion(name, signature, at)]
    arguments = tuple(
        f"tb_k{at}" if at in positions else _range_text(argument, formula, ranges) or f"tb_a{at}"
        for at, argument in enumerate(given)
    )
    criteria = tuple(
        _Criterion(
            at,
            arguments[compared],
            _only_cells(given[compared]),
            given[at] if _may_need(given[at]) else None,
        )
        for at in positions
        for compared in [at - 1 if name.endswith("IFS") else 0]
    )
    if all(criterion.written is None for criterion in criteria):
        return None
    return CriteriaRewriting(name, arguments, criteria)


def is_criterion(name: str, signature: FunctionSignature, position: int) -> bool:
    """Whether the function *name* takes a criterion at *position*."""
    if name in ("SUMIF", "AVERAGEIF", "COUNTIF"):
        return position == 1
    return name in WITH_CRITERIA and signature.letter(position) != "r"


def _may_need(criterion: Expression) -> bool:
    if criterion.between and "&" not in criterion.between:
        return False  # a number or a truth value
    if criterion.negated and len(criterion.operands) == 1:
        return False
    first = criterion.operands[0]
    if not isinstance(first, Constant):
        return True
    text = _text(first)
    if criterion.operators:
        return text is None or re.match(r">|<(?!>)", text) is None
    return text is not None and may_need_alternatives(text)


def _text(constant: Constant) -> str | None:
    return constant.text[1:-1].replace('""', '"') if constant.text.startswith('"') else None


def _alternatives(criterion: _Criterion, typed: TypedCells) -> list[Alternative] | None:
    """Return the alternatives for *criterion*, None if they follow only from calculation."""
    variable = f"tb_k{criterion.position}"
    if criterion.written is None:
        return [[variable]]
    only = criterion.written.operands[0] if len(criterion.written.operands) == 1 else None
    text: str | None
    if criterion.written.operators:
        return None
    if isinstance(only, Constant):
        text = _text(only)
    elif isinstance(only, CellReference) and only.area and only.area.height == only.area.width == 1:
        content = interpret(typed.typed_at(only) or "0")
        if typed.typed_at(only) == UNKNOWN or content.kind is CellKind.FORMULA:
            return None
        text = str(content.value) if content.kind is CellKind.TEXT else None
    else:
        return None
    if text is None:
        return [[variable]]
    return alternatives(text, typed.held_in(criterion.cells), variable)


def _those_of(held: Held) -> str:
    """Return our function that numbers the alternatives for cells that hold what *held* says."""
    if held.texts:
        return "tb_all" if held.values else "tb_texts"
    return "tb_values"


def _only_cells(argument: Expression) -> CellReference | None:
    only = argument.operands[0] if len(argument.operands) == 1 else None
    return only if isinstance(only, CellReference) and not argument.operators else None


def _range_text(
    argument: Expression, formula: str, ranges: Mapping[tuple[int, int], str]
) -> str | None:
    """Return the text of cells, which the engine accepts as a range only where they are written."""
    if _only_cells(argument) is None:
        return None
    (start, end), *_ = argument.spans
    return ranges.get((start, end)) or as_written(formula[start:end].strip())
