"""Single functions that the engine gets wrong, and the calls that it gets right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trainee_bench.world.workbook.formula_tree import CellReference, FunctionCall
from trainee_bench.world.workbook.text_rewriting import rounded_text

_DAY_ZERO = {"YEAR": "1900", "MONTH": "1", "DAY": "0"}
"""The parts of day 0, which an empty cell is."""
_OF_PAIRS = {
    "COVARIANCE.P": "#DIV/0!",
    "COVARIANCE.S": "#DIV/0!",
    "SUMX2MY2": "0",
    "SUMX2PY2": "0",
    "SUMXMY2": "0",
}
"""Functions of pairs of numbers, each with its value if there are no pairs. If one of two values is
not a number, the engine says #N/A or takes it for 0."""
_PAIRS = (
    "IF(ROWS(tb_x)<>ROWS(tb_y),NA(),IF(ISERROR(SUM(tb_x,tb_y)),SUM(tb_x,tb_y),"
    "LET(tb_m,MAP(tb_x,tb_y,LAMBDA(tb_a,tb_b,IF(ISNUMBER(tb_a),ISNUMBER(tb_b),FALSE))),"
    "IF(ISERROR(MATCH(TRUE,tb_m,0)),{nothing},{name}(FILTER(tb_x,tb_m),FILTER(tb_y,tb_m))))))"
)


@dataclass(frozen=True)
class ChangeByCell:
    """The text to put around a reference if the text typed in its cell needs it."""

    separators: tuple[str, str]
    cell: CellReference
    beginnings: str
    """A typed text needs it if it begins with one of these characters."""

    def is_needed(self, typed_at: Callable[[CellReference], str]) -> bool:
        """Return whether the text typed in the cell needs it."""
        return typed_at(self.cell)[:1] in tuple(self.beginnings)


def rewritten_other(
    call: FunctionCall, name: str, singles: Sequence[bool]
) -> tuple[str, ...] | None:
    """Return the texts to write around the arguments of *call*; None if the engine gets it right.

    *singles* say of each argument whether it is a single value.
    """
    given = len(call.arguments)
    if name == "CHOOSE" and all(singles):  # without @ it is an array to ISTEXT, MATCH and others
        return ("@CHOOSE(", *[","] * (given - 1), ")")
    if name in ("AND", "OR") and (given > 1 or not all(singles)):
        return _with_all_errors(name, given)
    if name in _OF_PAIRS and given == 2:
        pairs = _PAIRS.format(name=name, nothing=_OF_PAIRS[name])
        return ("LET(tb_x,TOCOL(", "),tb_y,TOCOL(", f"),{pairs})")
    if name in ("MAXA", "MINA") and given == 1:
        return ("LET(tb_r,", f",IF(COUNTA(tb_r)=0,0,{name}(tb_r)))")
    if name == "ODD" and given == 1:  # of minus zero, the engine says -1
        return ("ODD((", ")+0)")
    if name in _DAY_ZERO and given == 1:
        return ("LET(tb_d,", f",IF((tb_d>=0)*(tb_d<1),{_DAY_ZERO[name]},{name}(tb_d)))")
    return rounded_text(call, name, not singles[0])


def _with_all_errors(name: str, given: int) -> tuple[str, ...]:
    """AND or OR, where an error counts wherever it stands: the engine stops at the first FALSE or
    TRUE, but XOR reads on."""
    variables = [f"tb_b{at}" for at in range(given)]
    values = ",".join(variables)
    before = [f",{variable}," for variable in variables]
    end = f",LET(tb_e,XOR({values}),IF(ISERROR(tb_e),tb_e,{name}({values}))))"
    return (f"LET{before[0].replace(',', '(', 1)}", *before[1:], end)
