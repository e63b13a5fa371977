"""Formulas as trees: the functions they call, and with which arguments.

The parser reads a formula to its end and refuses malformed formulas, of which the engine would
ignore the rest. `array_arguments` and `date_arithmetic` use the trees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from trainee_bench.world.workbook.addresses import CellRange, parse_cell_range

_OF_SHEET = r"(?:'(?:[^']|'')+'|[^\W\d][\w.]*)!"
_SHEET = rf"(?:{_OF_SHEET})?"
_LIKE_CELL = r"\$?[A-Za-z]{1,3}\$?[0-9]"
"""A cell after a sheet's name. If it is like this, the engine ignores the text that follows."""
_CELL = r"\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6}"
_COLUMN, _ROW = r"\$?[A-Za-z]{1,3}", r"\$?[0-9]{1,7}"
_AREA = rf"{_CELL}:{_CELL}|{_COLUMN}:{_COLUMN}|{_ROW}:{_ROW}|{_CELL}"
_TOKEN = re.compile(
    rf"""\s*(?:
      (?P<constant>"(?:[^"]|"")*" | {_SHEET}\#(?:N/A|DIV/0!|[A-Z]+[!?]))
    | (?P<sheet>{_SHEET})(?P<area>{_AREA})(?![\w.(!])
    | (?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?![\w.])
    | (?:{_OF_SHEET}(?!{_LIKE_CELL}))?(?P<name>[^\W\d][\w.]*)
    | (?P<sign><=|>=|<>|[-+*/^%&=<>:@\#(){{}},;])
    )""",
    re.VERBOSE,
)
_PREFIX = re.compile(r"(?:_XLFN\.|_XLWS\.|_XLUDF\.)+")
_BEFORE = frozenset({"+", "-", "@"})
_BETWEEN = frozenset({"+", "-", "*", "/", "^", "&", "=", "<", ">", "<=", ">=", "<>", ":"})
_AFTER_EXPRESSION = frozenset({",", ")", "end"})
_SHOWN = 20


class MalformedFormula(Exception):
    """A text is not a formula. ``rest`` is the part that cannot be parsed, "" if the text ends too
    early."""

    def __init__(self, rest: str):
        super().__init__(rest)
        self.rest = rest if len(rest) <= _SHOWN else f"{rest[:_SHOWN]}…"


@dataclass(frozen=True)
class Constant:
    """A number, a text, a truth value or an error, as written."""

    text: str


@dataclass(frozen=True)
class ArrayConstant:
    """An array in braces; ``numeric`` says whether it contains only numbers."""

    numeric: bool


@dataclass(frozen=True)
class CellReference:
    """One or more cells; ``area`` is None for a spilled range (A1#).

    ``sheet`` is the name of their sheet as written, "" for the formula's own sheet.
    """

    area: CellRange | None
    sheet: str = ""


@dataclass(frozen=True)
class NameReference:
    """A defined name or a variable of LET or LAMBDA, in capitals."""

    name: str


@dataclass(frozen=True)
class FunctionCall:
    """A call by name (in capitals), or of the LAMBDA that results from an expression.

    ``separators`` are the places in the formula, as (start, end), of the name with its opening
    bracket, of the commas, and of the closing bracket: one more than there are arguments.
    """

    function: str | Expression
    arguments: tuple[Expression, ...]
    separators: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Expression:
    """Operands and the operators around and between them; an omitted argument has neither.

    ``between`` are the operators between the operands, in order. ``negated`` are the positions of
    operands that follow a minus sign. ``spans`` are the places of the operands in the formula, with
    their signs, as (start, end).
    """

    operands: tuple[Operand, ...]
    operators: frozenset[str]
    between: tuple[str, ...] = ()
    negated: frozenset[int] = frozenset()
    spans: tuple[tuple[int, int], ...] = ()


Operand: TypeAlias = (
    Constant | ArrayConstant | CellReference | NameReference | FunctionCall | Expression
)


@lru_cache(maxsize=16_384)
def parse_formula(formula: str) -> Expression:
    """Parse *formula*, with or without a leading "=". Raises MalformedFormula."""
    reader = _TreeReader(formula.rstrip(), int(formula.startswith("=")))
    found = reader.expression()
    if reader.sign != "end" or not found.operands:
        raise reader.malformed()
    return found


def part_of(tree: Expression, first: int, last: int) -> Expression:
    """Return the operands of *tree* from *first* to *last*, with the operators before and between
    them."""
    negated = frozenset(at - first for at in tree.negated if first <= at <= last)
    return Expression(
        tree.operands[first : last + 1],
        frozenset(tree.between[first:last]).union("-" if negated else ""),
        tree.between[first:last],
        negated,
        spans=tree.spans[first : last + 1],
    )


def calls_in(tree: Expression) -> Iterator[FunctionCall]:
    """Yield every function call in *tree*."""
    waiting: list[Operand] = [tree]
    while waiting:
        match waiting.pop():
            case Expression(operands=operands):
                waiting += operands
            case FunctionCall(arguments=arguments) as call:
                waiting += arguments
                yield call


def why_malformed(formula: str, where: str) -> str:
    """Write the error text for a malformed *formula*; *where* names its cell."""
    try:
        parse_formula(formula)
        rest = ""
    except MalformedFormula as error:
        rest = error.rest
    place = f"cannot be read from “{rest}” on" if rest else "ends too early"
    return (
        f"The formula in {where} {place}. Put an operator between values, a comma between "
        "arguments and a point before decimals. Write '2026'!A1 for a cell of a sheet whose name "
        "begins with a digit, and close each bracket."
    )


class _TreeReader:
    """Reads one token ahead; ``sign`` is that token if it is a sign, else ""."""

    def __init__(self, text: str, start: int):
        self._text = text
        self._tokens = _tokens(text, start)
        self.sign = ""
        self._token: re.Match[str] | None = None
        self._end = start
        self._advance()

    def malformed(self) -> MalformedFormula:
        """Return the error that the formula cannot be parsed from here on."""
        at = len(self._text) if self._token is None else self._token.start()
        return MalformedFormula(self._text[at:].strip())

    def expression(self) -> Expression:
        """Read operands with operators between them, up to a comma or closing bracket.

        An omitted argument has none. Raises MalformedFormula.
        """
        operands: list[Operand] = []
        operators: set[str] = set()
        between: list[str] = []
        negated: set[int] = set()
        spans: list[tuple[int, int]] = []
        if self.sign in _AFTER_EXPRESSION:
            return Expression((), frozenset())
        while True:
            start = self._end
            if self._take(_BEFORE, operators).count("-") % 2:
                negated.add(len(operands))
            operand = self._operand()
            if percent := self._take(frozenset("%"), set()):  # binds tighter than what follows
                operand = Expression((operand,), frozenset(percent))
            operands.append(operand)
            spans.append((start, self._end))
            if self.sign in _AFTER_EXPRESSION:
                return Expression(
                    tuple(operands),
                    frozenset(operators.union(between)),
                    tuple(between),
                    frozenset(negated),
                    tuple(spans),
                )
            if self.sign not in _BETWEEN:
                raise self.malformed()
            between.append(self.sign)
            self._advance()

    def _take(self, signs: frozenset[str], operators: set[str]) -> str:
        """Take all signs of this kind that come next, and add them to *operators*."""
        taken = ""
        while self.sign in signs:
            taken += self.sign
            self._advance()
        operators.update(taken)
        return taken

    def _operand(self) -> Operand:
        token = self._token
        if self.sign == "(":
            found: Operand = self._arguments_as_group()
        elif self.sign == "{":
            found = self._array()
        elif token is None or self.sign:
            raise self.malformed()
        else:
            self._advance()
            if token["area"]:
                area = parse_cell_range(token["area"].replace("$", ""))
                found = CellReference(area, _sheet_name(token["sheet"]))
            elif token["name"]:
                name = _PREFIX.sub("", token["name"].upper(), count=1)
                start = token.start("name")
                found = self._call(name, start) if self._is_at("(") else _named(name)
            else:
                found = Constant(token.group().strip())
        while self.sign in ("#", "("):
            if self.sign == "#" and isinstance(found, CellReference | NameReference):
                self._advance()
                found = CellReference(None)
            elif self.sign == "#" or not isinstance(found, FunctionCall):
                raise self.malformed()
            else:
                found = self._call(Expression((found,), frozenset()), self._place()[0])
        return found

    def _call(self, function: str | Expression, start: int) -> FunctionCall:
        arguments, separators = self._arguments()
        return FunctionCall(function, arguments, ((start, separators[0][1]), *separators[1:]))

    def _arguments(self) -> tuple[tuple[Expression, ...], tuple[tuple[int, int], ...]]:
        """Read the arguments between brackets; return them and the places of brackets and
        commas."""
        separators = [self._place()]
        self._advance()  # the opening bracket
        found = [self.expression()]
        while self.sign == ",":
            separators.append(self._place())
            self._advance()
            found.append(self.expression())
        if self.sign != ")":
            raise self.malformed()
        separators.append(self._place())
        self._advance()
        return tuple(found), tuple(separators)

    def _place(self) -> tuple[int, int]:
        assert self._token is not None
        return self._token.span("sign")

    def _arguments_as_group(self) -> Expression:
        parts, _ = self._arguments()
        if not all(part.operands for part in parts):
            raise self.malformed()
        return parts[0] if len(parts) == 1 else Expression(parts, frozenset({":"}))

    def _array(self) -> ArrayConstant:
        """Read constants with commas or semicolons between them, in braces."""
        numeric = True
        while self.sign != "}":
            self._advance()  # the opening brace, a comma or a semicolon
            self._take(_BEFORE, set())
            if self._token is None or self.sign or not self._is_constant(self._token):
                raise self.malformed()
            numeric = numeric and self._token["number"] is not None
            self._advance()
            if self.sign not in (",", ";", "}"):
                raise self.malformed()
        self._advance()
        return ArrayConstant(numeric)

    def _is_constant(self, token: re.Match[str]) -> bool:
        name = (token["name"] or "").upper()
        return name in ("TRUE", "FALSE") or bool(token["number"] or token["constant"])

    def _is_at(self, sign: str) -> bool:
        return self.sign == sign

    def _advance(self) -> None:
        self._end = self._end if self._token is None else self._token.end()
        self._token = next(self._tokens, None)
        self.sign = "end" if self._token is None else self._token["sign"] or ""


def _tokens(text: str, at: int) -> Iterator[re.Match[str]]:
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise MalformedFormula(text[at:].strip())
        yield token
        at = token.end()


def _sheet_name(written: str) -> str:
    """Parse the sheet name *written* before its cells, such as ``'My sheet'!``."""
    name = written.removesuffix("!")
    return name[1:-1].replace("''", "'") if name.startswith("'") else name


def _named(name: str) -> Constant | NameReference:
    return Constant(name) if name in ("TRUE", "FALSE") else NameReference(name)
