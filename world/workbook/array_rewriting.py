"""Rewrites formulas in which the engine handles an array wrongly.

The engine calculates `COUNT(UNIQUE(A1:A9))` as 0 and refuses the same in TEXTJOIN. With MAP, FILTER
and REDUCE it calculates both correctly. In `SORT(A1:A9,,-1)` it needs the omitted argument. Some
functions are rewritten only in calls that it gets wrong. Only the engine sees the rewritten
formulas: files and results contain what was typed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import Protocol

from trainee_bench.world.workbook.formula_tree import CellReference, FunctionCall
from trainee_bench.world.workbook.functions import FunctionSignature
from trainee_bench.world.workbook.text_rewriting import AS_SHOWN, TAKING_TEXTS, rounded_text
from trainee_bench.world.workbook.typed_cells import TypedCells

_DAY_ZERO = {"YEAR": "1900", "MONTH": "1", "DAY": "0"}
"""The parts of day 0, the value of an empty cell."""
_OF_PAIRS = {
    "COVARIANCE.P": "#DIV/0!",
    "COVARIANCE.S": "#DIV/0!",
    "SUMX2MY2": "0",
    "SUMX2PY2": "0",
    "SUMXMY2": "0",
}
"""Functions of pairs of numbers, with their values if there are no pairs. If one value of a pair is
not a number, the engine says #N/A or takes it as 0."""
_PAIRS = (
    "IF(ROWS(tb_x)<>ROWS(tb_y),NA(),IF(ISERROR(SUM(tb_x,tb_y)),SUM(tb_x,tb_y),"
    "LET(tb_m,MAP(tb_x,tb_y,LAMBDA(tb_a,tb_b,IF(ISNUMBER(tb_a),ISNUMBER(tb_b),FALSE))),"
    "IF(ISERROR(MATCH(TRUE,tb_m,0)),{nothing},{name}(FILTER(tb_x,tb_m),FILTER(tb_y,tb_m))))))"
)

Separators = tuple[str, ...]
"""The texts before, between and behind the arguments of a call: one more than there are
arguments."""


class ChangeByCells(Protocol):
    """A change that depends on what is typed in cells."""

    def needed(self, typed: TypedCells) -> Separators | None:
        """Return the texts to write around a call or value, None if it needs none."""


@dataclass(frozen=True)
class ChangeByCell:
    """The texts to write around a value that is a single cell."""

    separators: Separators
    cell: CellReference
    is_needed_for: Callable[[str], bool]
    """Whether a text typed in the cell needs them."""

    def needed(self, typed: TypedCells) -> Separators | None:
        """Return the texts if the text typed in the cell needs them."""
        return self.separators if self.is_needed_for(typed.typed_at(self.cell)) else None


def rewritten_other(
    call: FunctionCall, name: str, singles: Sequence[bool]
) -> tuple[str, ...] | None:
    """Return the texts to write around the arguments of *call*; None if the engine gets it right.

    *singles* says of each argument whether it is a single value.
    """
    given = len(call.arguments)
    if name == "CHOOSE" and all(singles):  # without @, ISTEXT, MATCH and others see an array
        return ("@CHOOSE(", *[","] * (given - 1), ")")
    if name in ("AND", "OR") and (given > 1 or not all(singles)):
        return _with_all_errors(name, given)
    if name in _OF_PAIRS and given == 2:
        pairs = _PAIRS.format(name=name, nothing=_OF_PAIRS[name])
        return ("LET(tb_x,TOCOL(", "),tb_y,TOCOL(", f"),{pairs})")
    if name in ("MAXA", "MINA") and given == 1:
        return ("LET(tb_r,", f",IF(COUNTA(tb_r)=0,0,{name}(tb_r)))")
    if name == "ODD" and given == 1:  # for minus zero, the engine says -1
        return ("ODD((", ")+0)")
    if name in _DAY_ZERO and given == 1:
        return ("LET(tb_d,", f",IF((tb_d>=0)*(tb_d<1),{_DAY_ZERO[name]},{name}(tb_d)))")
    return rounded_text(call, name, not singles[0])


def _with_all_errors(name: str, given: int) -> tuple[str, ...]:
    """Rewrite AND or OR so that any error counts.

    The engine stops at the first FALSE or TRUE, but XOR reads all arguments.
    """
    variables = [f"tb_b{at}" for at in range(given)]
    values = ",".join(variables)
    before = [f",{variable}," for variable in variables]
    end = f",LET(tb_e,XOR({values}),IF(ISERROR(tb_e),tb_e,{name}({values}))))"
    return (f"LET{before[0].replace(',', '(', 1)}", *before[1:], end)


class ArgumentKind(Enum):
    """The kind of value that an expression has, as far as its text tells."""

    SINGLE = "a single value"
    RANGE = "a range of cells"
    NUMBERS = "an array of numbers"
    PASSED_RANGE = "a range that a function passes on"
    ARRAY = "an array"


ACCEPTED = {
    "s": frozenset({ArgumentKind.SINGLE}),
    "r": frozenset({ArgumentKind.SINGLE, ArgumentKind.RANGE}),
    "n": frozenset({ArgumentKind.SINGLE, ArgumentKind.RANGE, ArgumentKind.NUMBERS}),
    "e": frozenset(ArgumentKind),
    "a": frozenset(ArgumentKind),
}
_NEXT_STEP = {
    "s": "takes a single value as its {nth} argument, not a range or array. Write one formula for "
    "each value (sheets_fill copies it), or use MAP: MAP(values,LAMBDA(x,{name}(...)))",
    "r": "takes cells as its {nth} argument, not a calculated array. Put the array into cells "
    "first (its formula spills) and refer to those cells",
    "n": "takes cells or an array of numbers as its {nth} argument; blanks, texts and truth values "
    "in any other array would be counted. Put the array into cells first (its formula spills) and "
    "refer to those cells",
}
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


class Objection(Exception):
    """A function or an argument is refused. The text says which, without a full stop."""


def accept(letter: str, name: str, position: int, kind: ArgumentKind) -> None:
    """Raise Objection if a position with this *letter* (see `functions`) does not accept the
    *kind*."""
    if kind not in ACCEPTED[letter]:
        nth = _ORDINALS[position] if position < len(_ORDINALS) else f"{position + 1}th"
        raise Objection(f"{name} {_NEXT_STEP[letter].format(name=name, nth=nth)}")


_IS_NUMBER = "LAMBDA(tb_v,IF(ISNUMBER(tb_v),1,0))"
_IS_NUMBER_OR_ERROR = "LAMBDA(tb_v,IF(ISERROR(tb_v),TRUE,ISNUMBER(tb_v)))"
# Without any numbers, texts remain, for which each function says what it says without numbers.
_NUMBERS = ("LET(tb_c,TOCOL(", f'),FILTER(tb_c,MAP(tb_c,{_IS_NUMBER_OR_ERROR}),{{"",""}}))')
_COUNTED = {
    "COUNT": ("IFERROR(SUM(MAP(", f",{_IS_NUMBER})),0)"),
    "COUNTA": ("IFERROR(SUM(MAP(", ",LAMBDA(tb_v,1))),1)"),
}
"""Text around an array to count its values. An error in place of an array counts as one value."""
_OF_NUMBERS = frozenset({"AVERAGE", "GEOMEAN", "HARMEAN", "KURT", "MEDIAN", "SKEW"})
_SHOWN = "tb_v".join(AS_SHOWN)
_JOINED = {
    "CONCAT": ("", f"LAMBDA(tb_a,tb_v,tb_a&{_SHOWN})"),
    "TEXTJOIN": ("tb_d,tb_e,", f'LAMBDA(tb_a,tb_v,IF(AND(tb_e,tb_v=""),tb_a,tb_a&tb_d&{_SHOWN}))'),
}
"""The text before the values, and how each value is added to the text so far."""

_LEFT_OUT = {
    "SORT": {1: "1", 2: "1", 3: "FALSE"},
    "SORTBY": dict.fromkeys(range(2, 254, 2), "1"),
    "TAKE": {1: "1048576", 2: "16384"},
}
"""The defaults of omitted arguments that the engine does not know."""

REWRITTEN_FUNCTIONS = frozenset({*_COUNTED, *_OF_NUMBERS, *_JOINED})
"""The functions in which an array can be rewritten."""

_OTHERS = (
    "& AND CHOOSE COVARIANCE DAY DOLLAR FIXED IF LOOKUP MATCH MAXA MINA MONTH ODD OR SUMX TEXT YEAR"
).split()
MAY_BE_REWRITTEN = re.compile(
    "|".join([*sorted(REWRITTEN_FUNCTIONS), *_LEFT_OUT, *_OTHERS, *TAKING_TEXTS]), re.I
)
"""Matches every formula that may have to be rewritten, and few others."""

Places = tuple[tuple[int, int], ...]
"""The places of a call's separators in a formula (`FunctionCall.separators`)."""


def arrays_to_be_rewritten(
    name: str, signature: FunctionSignature, kinds: list[ArgumentKind]
) -> frozenset[int]:
    """Return the positions of arrays that the engine handles wrongly in a function of several
    values."""
    if name not in REWRITTEN_FUNCTIONS:
        return frozenset()
    if name == "COUNTA":  # the engine ignores empty cells in an array
        return frozenset(at for at, kind in enumerate(kinds) if kind is ArgumentKind.ARRAY)
    letters = [signature.letter(at) for at in range(len(kinds))]
    return frozenset(
        at
        for at, (letter, kind) in enumerate(zip(letters, kinds, strict=True))
        if letter in "nr" and kind not in ACCEPTED[letter]
    )


def rewritten_call(call: FunctionCall, name: str, arrays: Collection[int]) -> Separators | None:
    """Return the texts to write around the arguments of *call*, or None if it cannot be rewritten.

    *arrays* are the positions of the arguments that are arrays.
    """
    complete = all(argument.operands for argument in call.arguments)
    if name not in REWRITTEN_FUNCTIONS or not complete:
        return None
    is_array = [position in arrays for position in range(len(call.arguments))]
    if name in _COUNTED:
        return _around_runs("SUM(", is_array, (f"{name}(", ")"), _COUNTED[name], ")")
    if name in _OF_NUMBERS:
        return _around_runs(f"{name}(", is_array, ("", ""), _NUMBERS, ")")
    return _joined(name, is_array)


def completed_call(call: FunctionCall, name: str) -> Separators | None:
    """Return the texts to write around the arguments of *call* to fill in omitted ones, or None."""
    defaults = _LEFT_OUT.get(name, {})
    absent = [
        at for at, argument in enumerate(call.arguments) if at in defaults and not argument.operands
    ]
    if not absent:
        return None
    separators = [f"{name}(", *[","] * (len(call.arguments) - 1), ")"]
    for position in absent:
        separators[position] += defaults[position]
    return tuple(separators)


OUR_NAMES = "tb_"
"""How the names begin that rewritten formulas use, unless a workbook has such names."""


_KEPT = "\0"


def as_written(text: str) -> str:
    """Return *text* of a formula so that `with_separators` takes no part of it for a name of
    ours."""
    return text.replace(OUR_NAMES, f"{OUR_NAMES[:-1]}{_KEPT}{OUR_NAMES[-1]}")


def free_prefix(texts: Iterable[str]) -> str:
    """Return how our names begin in a workbook with these formulas and names, so that they hide
    none of its names."""
    prefix = OUR_NAMES
    while any(prefix in text.casefold() for text in texts):
        prefix = f"t{prefix}"
    return prefix


def with_separators(formula: str, changes: Mapping[Places, Separators], prefix: str) -> str:
    """Replace the separators at these places of *formula*; our names begin with *prefix*."""
    replaced = [
        (place, text)
        for _, place, text in sorted(
            (_order(places, at), place, text)
            for places, separators in changes.items()
            for at, (place, text) in enumerate(zip(places, separators, strict=True))
        )
    ]
    written, read = [], 0
    for (start, end), text in replaced:
        written += [formula[read:start], text.replace(OUR_NAMES, prefix).replace(_KEPT, "")]
        read = end
    return "".join((*written, formula[read:]))


def _order(places: Places, at: int) -> tuple[int, ...]:
    """Return a key that sorts insertions at the same place.

    Text that ends there comes first. Inner ends come before outer ends, and outer beginnings before
    inner beginnings.
    """
    ends = at == len(places) - 1 and at > 0
    return (*places[at], not ends, -places[0][0] if ends else -places[-1][1])


def _joined(name: str, is_array: Sequence[bool]) -> Separators:
    leading, step = _JOINED[name]
    values = is_array[2:] if leading else is_array
    runs = 1 + sum(before or after for before, after in pairwise(values))
    start = "REDUCE(" * runs + '"",'
    joined = _around_runs(start, values, (f"{name}({leading}", ")"), ("", ""), "", f",{step})")
    if not leading:
        return joined
    # Each value, even the first, has the delimiter before it.
    behind = f"{joined[-1]},LEN(tb_d)+1,99999))"
    return ("LET(tb_d,", ",tb_e,", f",MID({joined[0]}", *joined[1:-1], behind)


def _around_runs(
    start: str,
    is_array: Sequence[bool],
    around_others: tuple[str, str],
    around_array: tuple[str, str],
    end: str,
    behind_each: str = "",
) -> Separators:
    """Wrap each array by itself, and the arguments between arrays together."""
    found = []
    text = start
    for position, array in enumerate(is_array):
        if position and not (array or is_array[position - 1]):
            text = ","
        else:
            if position:
                text += ","
            text += (around_array if array else around_others)[0]
        found.append(text)
        last = position + 1 == len(is_array)
        text = ""
        if last or array or is_array[position + 1]:
            text = (around_array if array else around_others)[1] + behind_each
    return (*found, text + end)
