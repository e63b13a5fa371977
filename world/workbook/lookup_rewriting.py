"""Rewrites lookups of the nearest value so that the engine calculates them correctly.

The engine searches a range by halves, counts blanks, and takes a text as 0. The rewritten lookups
skip values of another type than the sought value, as Excel does, and the last of equal values
counts. In an unsorted range, they find the nearest value at any position.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from trainee_bench.world.workbook.formula_tree import Constant, Expression, FunctionCall

LOOKUPS = frozenset({"HLOOKUP", "LOOKUP", "MATCH", "VLOOKUP", "XLOOKUP", "XMATCH"})
CLIPPED = LOOKUPS - {"XLOOKUP", "XMATCH"}
"""Lookups that read whole columns slowly even when they look for an equal value."""
_COLUMNS = re.compile(r"\s*((?:(?:'(?:[^']|'')+'|[\w.]+)!)?\$?[A-Za-z]{1,3}):(\$?[A-Za-z]{1,3})\s*")

# Values of tb_v's type: numbers are less than any text, and texts are less than truth values.
_LIKE = (
    'IFERROR(IF(ISTEXT(tb_v),(tb_r>"")*(tb_r<FALSE),'
    'IF(ISLOGICAL(tb_v),(tb_r>=FALSE)*(tb_r<>""),tb_r<"")),FALSE)'
)
_PLACE = (
    "LET(tb_k,{like},INDEX(FILTER(SEQUENCE(ROWS(tb_r),COLUMNS(tb_r)),tb_k,NA()),"
    "XMATCH(IF(ISBLANK(tb_v),0,tb_v),FILTER(tb_r,tb_k,NA()),{mode},{order})))"
)
_IS_ZERO = "IF(ISNUMBER(tb_v),tb_v=0,ISBLANK(tb_v))"
"""Whether the value is 0: the engine takes blanks as 0 when it looks for an equal value."""
_LAST, _FIRST = "-1", "1"


def rewritten_lookup(call: FunctionCall, name: str) -> tuple[str, ...] | None:
    """Return the texts to write around the arguments of *call*, or None if it looks for an equal
    value."""
    given = len(call.arguments)
    if name == "MATCH" and given in (2, 3):
        return _match(call)
    if name in ("HLOOKUP", "VLOOKUP") and given in (3, 4):
        return _table(call, name)
    if name == "LOOKUP" and given in (2, 3):
        return _lookup(given)
    if name == "XMATCH" and given in (3, 4) and (mode := _nearest(call, 2)):
        variables = ("v", "r", "m", "o")[:given]
        return (*_let(*variables), f",{_place(mode, 'tb_o' if given == 4 else _FIRST)})")
    if name == "XLOOKUP" and given in (5, 6) and (mode := _nearest(call, 4)):
        return _xlookup(call, mode)
    if name in ("XLOOKUP", "XMATCH") and _may_be_zero(call.arguments[0]):
        return _exact_zero(call, name)
    return None


def clipped(argument: str, rows: int, names: Mapping[str, str]) -> str | None:
    """Clip *argument*, whole columns or a name for them, to its first *rows* rows.

    These are the rows that a workbook uses. None for any other argument.
    """
    meaning = names.get(argument.strip().upper(), argument).removeprefix("=")
    found = _COLUMNS.fullmatch(meaning)
    return f"{found[1]}1:{found[2]}{rows}" if found else None


def _place(mode: str, order: str) -> str:
    return _PLACE.format(like=_LIKE, mode=mode, order=order)


def _let(*variables: str) -> tuple[str, ...]:
    """Return the texts before each of the first arguments, which make them variables."""
    first, *others = variables
    return (f"LET(tb_{first},", *[f",tb_{other}," for other in others])


def _literal(argument: Expression) -> str | None:
    """Return the constant *argument*, "0" if it is omitted; None for a calculated value."""
    if not argument.operands:
        return "0"
    (first, *others) = argument.operands
    if others or not isinstance(first, Constant) or argument.operators - {"-", "+"}:
        return None
    text = {"TRUE": "1", "FALSE": "0"}.get(first.text.upper(), first.text)
    return f"-{text}" if argument.negated and text != "0" else text


def _may_be_zero(sought: Expression) -> bool:
    """Whether the sought value may be 0: as written, it is not a text and not another number."""
    if len(sought.operands) != 1 or not isinstance(sought.operands[0], Constant):
        return True
    return sought.operands[0].text.strip("0.") == ""


def _nearest(call: FunctionCall, position: int) -> str | None:
    """Return the mode of XMATCH or XLOOKUP if it is the next smaller or larger value."""
    found = _literal(call.arguments[position])
    return found if found in ("-1", "1") else None


def _match(call: FunctionCall) -> tuple[str, ...] | None:
    if len(call.arguments) == 2:
        return (*_let("v", "r"), f",{_place('-1', _LAST)})")
    kind = _literal(call.arguments[2])
    if kind == "0":
        return None
    larger, smaller = _place("1", _LAST), _place("-1", _LAST)
    if kind is not None:
        return (*_let("v", "r", "m"), f",{larger if kind.startswith('-') else smaller})")
    chosen = f"IF(N(tb_m)=0,MATCH(tb_v,tb_r,0),IF(tb_m<0,{larger},{smaller}))"
    return (*_let("v", "r", "m"), f",{chosen})")


def _table(call: FunctionCall, name: str) -> tuple[str, ...] | None:
    near = _literal(call.arguments[3]) if len(call.arguments) == 4 else "1"
    if near == "0" and not _may_be_zero(call.arguments[0]):
        return None
    across = name == "HLOOKUP"
    keys = "INDEX(tb_t,1,0)" if across else "INDEX(tb_t,0,1)"
    place = f"LET(tb_r,{keys},{_place('-1', _LAST)})"
    at = f"tb_c,{place}" if across else f"{place},tb_c"
    found = f"IF(tb_c*1<1,#VALUE!,INDEX(tb_t,{at}))"
    exact = f"{name}(tb_v,tb_t,tb_c,FALSE)"
    if across:
        at_zero = f"INDEX(tb_t,tb_c,MATCH(0,{keys},0))"
    else:
        at_zero = f"INDEX(tb_t,MATCH(0,{keys},0),tb_c)"
    exact = f"IF({_IS_ZERO},IF(tb_c*1<1,#VALUE!,{at_zero}),{exact})"
    if near == "0":
        return (*_let("v", "t", "c", "a"), f",{exact})")
    if len(call.arguments) == 3:
        return (*_let("v", "t", "c"), f",{found})")
    if near is None:
        found = f"IF(tb_a,{found},{exact})"
    return (*_let("v", "t", "c", "a"), f",{found})")


def _lookup(given: int) -> tuple[str, ...]:
    place = _place("-1", _LAST)
    if given == 3:
        return (*_let("v", "r", "s"), f",INDEX(tb_s,{place}))")
    # LOOKUP searches the longer side of a table and returns from its last row or column.
    wide = "IF(COLUMNS(tb_t)>ROWS(tb_t),{},{})"
    keys = wide.format("INDEX(tb_t,1,0)", "INDEX(tb_t,0,1)")
    told = wide.format("INDEX(tb_t,ROWS(tb_t),tb_p)", "INDEX(tb_t,tb_p,COLUMNS(tb_t))")
    return (*_let("v", "t"), f",LET(tb_r,{keys},tb_p,{place},{told}))")


def _xlookup(call: FunctionCall, mode: str) -> tuple[str, ...]:
    given = len(call.arguments)
    otherwise = "tb_n" if call.arguments[3].operands else "NA()"
    place = _place(mode, "tb_o" if given == 6 else _FIRST)
    row = "IF(ROWS(tb_r)>1,INDEX(tb_s,tb_p,0),INDEX(tb_s,0,tb_p))"
    found = f",LET(tb_p,{place},IF(ISNA(tb_p),IF(ISERROR(tb_v),tb_v,{otherwise}),{row})))"
    before = [*_let("v", "r", "s", "n", "m", "o")[:given]]
    if not call.arguments[3].operands:
        before[4] = f"0{before[4]}"
    return (*before, found)


_LEFT_OUT = {"XMATCH": ("", "", "0", "1"), "XLOOKUP": ("", "", "", "NA()", "0", "1")}


def _exact_zero(call: FunctionCall, name: str) -> tuple[str, ...] | None:
    """Rewrite XMATCH or XLOOKUP for an equal value, so that blanks do not match 0."""
    given = len(call.arguments)
    variables = ("v", "r", "m", "o") if name == "XMATCH" else ("v", "r", "s", "n", "m", "o")
    if not 2 + (name == "XLOOKUP") <= given <= len(variables):
        return None
    place = _place("0", "tb_o" if given == len(variables) else _FIRST)
    usual = f"{name}({','.join(f'tb_{variable}' for variable in variables[:given])})"
    if name == "XLOOKUP":
        otherwise = "tb_n" if given > 3 else "NA()"
        row = "IF(ROWS(tb_r)>1,INDEX(tb_s,tb_p,0),INDEX(tb_s,0,tb_p))"
        place = f"LET(tb_p,{place},IF(ISNA(tb_p),{otherwise},{row}))"
    found = f",IF(IF(ISNUMBER(tb_v),tb_v=0,FALSE),{place},{usual}))"
    around = [*_let(*variables[:given]), found]
    for position, argument in enumerate(call.arguments):
        if not argument.operands:
            around[position + 1] = _LEFT_OUT[name][position] + around[position + 1]
    return tuple(around)
