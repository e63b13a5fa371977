"""Finds formulas that the engine would calculate wrongly: unknown functions, and misplaced arrays.

Given an array where it expects a single value, the engine may say 0 instead of refusing:
``SUM(COUNTIFS(A1:A9,{"in","out"}))``. So each argument is classified before anything is calculated,
and compared with what `functions` says about its position. Formulas that `array_rewriting` can
rewrite are calculated in that form; all others are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from trainee_bench.world.errors import Invalid, Refused
from trainee_bench.world.workbook.array_rewriting import (
    MAY_BE_REWRITTEN,
    OUR_NAMES,
    ArgumentKind,
    ChangeByCell,
    ChangeByCells,
    Objection,
    Places,
    Separators,
    accept,
    arrays_to_be_rewritten,
    as_written,
    completed_call,
    rewritten_call,
    rewritten_other,
    with_separators,
)
from trainee_bench.world.workbook.criteria import (
    CRITERION,
    criteria_objection,
    may_be_misread,
    may_be_resized,
    may_compare,
    ranges_for_engine,
    unequal_ranges,
)
from trainee_bench.world.workbook.criteria_alternatives import (
    criteria_rewriting,
    is_criterion,
)
from trainee_bench.world.workbook.formula_tree import (
    ArrayConstant,
    CellReference,
    Constant,
    Expression,
    FunctionCall,
    MalformedFormula,
    NameReference,
    Operand,
    parse_formula,
    part_of,
    why_malformed,
)
from trainee_bench.world.workbook.formulas import called_functions, placed, with_first_rows
from trainee_bench.world.workbook.functions import FUNCTIONS, FunctionSignature
from trainee_bench.world.workbook.lookup_rewriting import (
    CLIPPED,
    LOOKUPS,
    clipped,
    rewritten_lookup,
)
from trainee_bench.world.workbook.result_kinds import kind_of_result
from trainee_bench.world.workbook.text_rewriting import (
    AS_SHOWN,
    arguments_as_texts,
    format_objection,
    is_formula,
    may_show_digits,
    only_cell,
    pieces,
)
from trainee_bench.world.workbook.typed_cells import TypedCells

_COMPARING = frozenset({"=", "<", ">", "<=", ">=", "<>", "&"})
_COUNTING = ("COUNT", "COUNTA", "COUNTBLANK")
_WITH_LAMBDA = frozenset("BYCOL BYROW MAKEARRAY MAP REDUCE SCAN".split())
_Variables = Mapping[str, ArgumentKind]


def check_functions(formula: str, where: str, names: Mapping[str, str]) -> None:
    """Refuse *formula* if it would not be calculated correctly; *where* names its cell.

    *names* are the workbook's defined names. Raises Refused. Raises Invalid for a malformed
    formula, of which the engine would calculate a part.
    """
    verdict = _verdict(formula, names)
    if verdict.objection:
        raise Refused(f"{verdict.objection}{placed(where)}.")
    if verdict.is_malformed:
        raise Invalid(why_malformed(formula, where))
    try:
        objection = unequal_ranges(parse_formula(formula))
    except Invalid as error:
        raise Invalid(f"The formula in {where} has an invalid cell reference. {error}") from None
    if objection:
        raise Refused(f"{objection}{placed(where)}.")


def formula_for_engine(
    formula: str,
    names: Mapping[str, str],
    rows: int,
    typed: TypedCells,
    prefix: str = OUR_NAMES,
) -> str:
    """Return *formula*, which `check_functions` has accepted, in a form that the engine gets right.

    Lookups in whole columns read only the first *rows* rows, the rows that a workbook uses. Names
    that begin with *prefix* are ours: variables, and functions of `criteria_functions`.
    """
    if not MAY_BE_REWRITTEN.search(formula) or not (
        _verdict(formula, names).to_be_rewritten or may_be_resized(formula)
    ):
        return formula
    changes, by_cells = _changes(formula, tuple(sorted(names.items())), rows)
    needed = {
        at: separators
        for at, change in by_cells.items()
        if (separators := change.needed(typed)) is not None
    }
    return with_separators(formula, {**changes, **needed}, prefix)


def may_spill(formula: str, names: Mapping[str, str]) -> bool:
    """Whether *formula* may fill more than its own cell."""
    return _verdict(formula, names).may_spill


@dataclass(frozen=True)
class _Verdict:
    """The result of checking a formula: why it is refused ("" if it is not), whether the engine
    needs it rewritten, whether it may fill several cells, and whether it is malformed."""

    objection: str = ""
    to_be_rewritten: bool = False
    may_spill: bool = False
    is_malformed: bool = False


def _verdict(formula: str, names: Mapping[str, str]) -> _Verdict:
    return _verdict_on_alike(with_first_rows(formula), tuple(sorted(names.items())))


@lru_cache(maxsize=4_096)
def _verdict_on_alike(formula: str, names: tuple[tuple[str, str], ...]) -> _Verdict:
    """Check a formula. Cached, since a column's formulas differ only in rows."""
    try:
        kind, found = _classified(formula, names, 1)
        return _Verdict(
            to_be_rewritten=bool(found.changes or found.changes_by_cells),
            may_spill=kind is not ArgumentKind.SINGLE,
        )
    except Objection as objection:
        return _Verdict(str(objection))
    except (MalformedFormula, Invalid) as error:  # or past the last row or column
        called = called_functions(formula)
        unknown = next((_unknown(name) for name in called if name not in FUNCTIONS), "")
        return _Verdict(unknown, is_malformed=isinstance(error, MalformedFormula))


@lru_cache(maxsize=4_096)
def _changes(
    formula: str, names: tuple[tuple[str, str], ...], rows: int
) -> tuple[Mapping[Places, Separators], Mapping[Places, ChangeByCells]]:
    classifier = _classified(formula, names, rows)[1]
    return classifier.changes, classifier.changes_by_cells


def _classified(
    formula: str, names: tuple[tuple[str, str], ...], rows: int
) -> tuple[ArgumentKind, _Classifier]:
    """Return the kind of *formula*, and its classifier. Raises Objection, MalformedFormula."""
    meanings = {name.upper(): meaning for name, meaning in names}
    classifier = _Classifier(formula, meanings, rows)
    kinds = {name: _named_kind(meaning) for name, meaning in meanings.items()}
    return classifier.kind(parse_formula(formula), kinds), classifier


def _unknown(name: str) -> str:
    return (
        f"{name} is not calculated here. Write its result as a value, or use one of these "
        f"functions: {', '.join(sorted(FUNCTIONS))}"
    )


def _named_kind(meaning: str) -> ArgumentKind:
    """Return the kind of a defined name: a cell or constant, or something larger."""
    try:
        tree = parse_formula(meaning)
    except MalformedFormula:
        return ArgumentKind.ARRAY
    if not tree.operators and len(tree.operands) == 1:
        (operand,) = tree.operands
        if isinstance(operand, CellReference):
            return _referred(operand)
        if isinstance(operand, Constant):
            return ArgumentKind.SINGLE
    return ArgumentKind.ARRAY


def _referred(reference: CellReference) -> ArgumentKind:
    area = reference.area
    single = area is not None and area.height == area.width == 1
    return ArgumentKind.SINGLE if single else ArgumentKind.RANGE


class _Classifier:
    """Classifies the parts of a formula; ``changes`` are the rewritten parts for the engine."""

    def __init__(self, formula: str, meanings: Mapping[str, str], rows: int) -> None:
        self.changes: dict[Places, Separators] = {}
        self.changes_by_cells: dict[Places, ChangeByCells] = {}
        self._formula = formula
        self._meanings = meanings
        self._rows = rows

    def kind(self, tree: Expression, variables: _Variables) -> ArgumentKind:
        """Return the kind of *tree*."""
        kinds = [self._operand(operand, variables) for operand in tree.operands]
        if ":" in tree.operators:
            raise Objection(
                "A range with a calculated end, such as A1:INDEX(A:A,3), and several ranges in one "
                "pair of brackets are not calculated here; OFFSET gives a range of any size"
            )
        for first, last in pieces(tree):
            if all(kind is ArgumentKind.SINGLE for kind in kinds[first : last + 1]):
                self._change_value(part_of(tree, first, last), AS_SHOWN, is_formula)
        if not tree.operators or not kinds:
            return kinds[0] if kinds else ArgumentKind.SINGLE
        if all(kind is ArgumentKind.SINGLE for kind in kinds) or "@" in tree.operators:
            return ArgumentKind.SINGLE
        return ArgumentKind.ARRAY if tree.operators & _COMPARING else ArgumentKind.NUMBERS

    def _operand(self, operand: Operand, variables: _Variables) -> ArgumentKind:
        match operand:
            case CellReference():
                return _referred(operand)
            case ArrayConstant(numeric=numeric):
                return ArgumentKind.NUMBERS if numeric else ArgumentKind.ARRAY
            case NameReference(name=name):
                return variables.get(name, ArgumentKind.SINGLE)
            case FunctionCall():
                return self._call(operand, variables)
            case Expression():
                return self.kind(operand, variables)
            case _:
                return ArgumentKind.SINGLE

    def _call(self, call: FunctionCall, variables: _Variables) -> ArgumentKind:
        name = call.function
        if isinstance(name, Expression) or name in variables:
            # A LAMBDA is checked where it is written, with single values.
            for position, argument in enumerate(call.arguments):
                accept("s", "LAMBDA", position, self.kind(argument, variables))
            found = name if isinstance(name, Expression) else None
            return self.kind(found, variables) if found else variables[str(name)]
        if name == "LET":
            return self._let(call.arguments, variables)
        if name == "LAMBDA":
            return self._body(call, variables, ArgumentKind.SINGLE)
        if name in _WITH_LAMBDA:
            return self._over(name, call.arguments, variables)
        signature = FUNCTIONS.get(name)
        if signature is None:
            raise Objection(_unknown(name))
        kinds = [self.kind(argument, variables) for argument in call.arguments]
        arrays = arrays_to_be_rewritten(name, signature, kinds)
        rewritten = rewritten_call(call, name, arrays) if arrays else completed_call(call, name)
        if name in LOOKUPS:
            rewritten = rewritten_lookup(call, name)
            if rewritten or name in CLIPPED:
                self._clip(call)
        if rewritten:
            self.changes[call.separators] = rewritten
        elif other := rewritten_other(call, name, [kind is ArgumentKind.SINGLE for kind in kinds]):
            self.changes[call.separators] = other
        ranges = ranges_for_engine(call, name, signature, self._formula)
        self.changes.update({(place,): (text,) for place, text in ranges.items()})
        if all(
            kind is ArgumentKind.SINGLE or signature.letter(position) == "r"
            for position, kind in enumerate(kinds)
        ) and (change := criteria_rewriting(call, name, signature, self._formula, ranges)):
            self.changes_by_cells[call.separators] = change
        for position, kind in enumerate(kinds):
            if not (rewritten and position in arrays):
                accept(signature.letter(position), name, position, kind)
            if kind is ArgumentKind.SINGLE:
                self._change_argument(name, signature, position, call.arguments[position])
        if name == "EXPAND" and not all(argument.operands for argument in call.arguments):
            raise Objection("EXPAND needs all its arguments here; write rows and columns")
        objection = criteria_objection(name, signature, call.arguments)
        objection = objection or format_objection(call, name) or _unknown_name(call, variables)
        if objection:
            raise Objection(objection)
        return kind_of_result(name, signature, kinds, call.arguments)

    def _change_argument(
        self, name: str, signature: FunctionSignature, position: int, argument: Expression
    ) -> None:
        """Wrap an argument, a single value, in what the engine needs to read it correctly."""
        if is_criterion(name, signature, position) and may_be_misread(argument):
            self._change_value(argument, CRITERION, may_compare)
        if position < arguments_as_texts(name):
            self._change_value(argument, AS_SHOWN, is_formula)

    def _change_value(
        self, value: Expression, around: tuple[str, str], is_needed_for: Callable[[str], bool]
    ) -> None:
        """Wrap a value in *around*, if it may need it. A cell needs it only if *is_needed_for* says
        so of the text typed there."""
        if around is AS_SHOWN and not may_show_digits(value):
            return
        start, end = value.spans[0][0], value.spans[-1][1]
        places = ((start, start), (end, end))
        cell = only_cell(value)
        if cell is None:
            self.changes[places] = around
        else:
            self.changes_by_cells[places] = ChangeByCell(around, cell, is_needed_for)

    def _clip(self, call: FunctionCall) -> None:
        """Let a lookup read only the rows that the workbook uses."""
        for (_, start), (end, _) in pairwise(call.separators):
            found = clipped(self._formula[start:end], self._rows, self._meanings)
            if found:
                self.changes[((start, end),)] = (as_written(found),)

    def _let(self, arguments: tuple[Expression, ...], variables: _Variables) -> ArgumentKind:
        known = dict(variables)
        for name, meaning in zip(arguments[:-1:2], arguments[1:-1:2], strict=False):
            known[_variable(name)] = self.kind(meaning, known)
        return self.kind(arguments[-1], known)

    def _body(self, call: FunctionCall, variables: _Variables, given: ArgumentKind) -> ArgumentKind:
        *parameters, body = call.arguments
        return self.kind(body, {**variables, **{_variable(name): given for name in parameters}})

    def _over(
        self, name: str, arguments: tuple[Expression, ...], variables: _Variables
    ) -> ArgumentKind:
        """Return the kind of a function that calls a LAMBDA for values, rows or columns."""
        *given, last = arguments
        kinds = [self.kind(argument, variables) for argument in given]
        given_kind = ArgumentKind.SINGLE
        if name in ("BYROW", "BYCOL"):
            of_range = kinds[:1] == [ArgumentKind.RANGE]
            given_kind = ArgumentKind.PASSED_RANGE if of_range else ArgumentKind.ARRAY
        operand = last.operands[0] if len(last.operands) == 1 else None
        if isinstance(operand, FunctionCall) and operand.function == "LAMBDA":
            found = self._body(operand, variables, given_kind)
            if name == "REDUCE" and found is not ArgumentKind.SINGLE:  # its accumulator grows
                return self._body(operand, variables, ArgumentKind.ARRAY)
        else:
            found = self.kind(last, variables)
        return found if name == "REDUCE" else ArgumentKind.ARRAY


def _unknown_name(call: FunctionCall, variables: _Variables) -> str:
    """Say why a call that counts an undefined name is refused: the engine would count nothing."""
    for argument in call.arguments if call.function in _COUNTING else ():
        only = argument.operands[0] if len(argument.operands) == 1 else None
        if isinstance(only, NameReference) and only.name not in variables:
            return f"There is no name {only.name}. Write a range with a colon, such as B2:B9"
    return ""


def _variable(written: Expression) -> str:
    if len(written.operands) == 1 and isinstance(written.operands[0], NameReference):
        return written.operands[0].name
    if len(written.operands) == 1 and isinstance(written.operands[0], CellReference):
        raise Objection("A name in LET or LAMBDA must not look like a cell; use total or t_1")
    raise Objection(
        "LET and LAMBDA need a variable name before each value, as in LET(t,SUM(A1:A3),t*2)"
    )
