"""Formulas as trees: which functions they call, and with which arguments.

Only as much as `array_arguments` needs: the operands and operators of an expression in no order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from trainee_bench.world.workbook.addresses import CellRange, parse_cell_range

_SHEET = r"(?:(?:'(?:[^']|'')+'|[\w.]+)!)?"
_CELL = r"\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6}"
_AREA = rf"{_CELL}:{_CELL}|\$?[A-Za-z]{{1,3}}:\$?[A-Za-z]{{1,3}}|\$?\d{{1,7}}:\$?\d{{1,7}}|{_CELL}"
_TOKEN = re.compile(
    rf"""\s*(?:
      (?P<constant>"(?:[^"]|"")*" | {_SHEET}\#(?:N/A|DIV/0!|[A-Z]+[!?]))
    | {_SHEET}(?P<area>{_AREA})(?![\w.(!])
    | (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])
    | (?:{_SHEET})(?P<name>[^\W\d][\w.]*)
    | (?P<sign><=|>=|<>|[-+*/^%&=<>:@\#(){{}},;])
    )""",
    re.VERBOSE,
)
_PREFIX = re.compile(r"(?:_XLFN\.|_XLWS\.|_XLUDF\.)+")
_OPERATORS = frozenset({"+", "-", "*", "/", "^", "%", "&", "=", "<", ">", "<=", ">=", "<>", ":"})


class MalformedFormula(Exception):
    """This is no formula; the engine says what is wrong with it."""


@dataclass(frozen=True)
class Constant:
    """A number, a text, a truth value or an error, as written."""

    text: str


@dataclass(frozen=True)
class ArrayConstant:
    """An array in braces; ``numeric`` if it holds numbers only."""

    numeric: bool


@dataclass(frozen=True)
class CellReference:
    """One or more cells of whatever sheet; ``area`` is None for a spilled range (A1#)."""

    area: CellRange | None


@dataclass(frozen=True)
class NameReference:
    """A defined name or a variable of LET or LAMBDA, in capitals."""

    name: str


@dataclass(frozen=True)
class FunctionCall:
    """A call by name (in capitals), or of the LAMBDA that an expression gives.

    ``separators`` say where in the formula stand the name with its opening bracket, the commas,
    and the closing bracket, as (start, end): one more than there are arguments.
    """

    function: str | Expression
    arguments: tuple[Expression, ...]
    separators: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Expression:
    """Operands and the operators around and between them; an argument left out has neither."""

    operands: tuple[Operand, ...]
    operators: frozenset[str]


Operand: TypeAlias = (
    Constant | ArrayConstant | CellReference | NameReference | FunctionCall | Expression
)


def parse_formula(formula: str) -> Expression:
    """The tree of *formula*, with or without "=" before it. Raises MalformedFormula."""
    reader = _TreeReader(formula.rstrip(), int(formula.startswith("=")))
    found = reader.expression()
    if reader.sign != "end":
        raise MalformedFormula
    return found


class _TreeReader:
    """Reads one token ahead; ``sign`` is that token if it is a sign, else ""."""

    def __init__(self, text: str, start: int):
        self._tokens = _tokens(text, start)
        self.sign = ""
        self._token: re.Match[str] | None = None
        self._advance()

    def expression(self) -> Expression:
        """Operands and operators up to a comma or closing bracket."""
        operands: list[Operand] = []
        operators: set[str] = set()
        while self.sign not in (",", ")", "end"):
            if self.sign in _OPERATORS or self.sign == "@":
                operators.add(self.sign)
                self._advance()
            else:
                operands.append(self._operand())
        return Expression(tuple(operands), frozenset(operators))

    def _operand(self) -> Operand:
        token = self._token
        if self.sign == "(":
            found: Operand = self._arguments_as_group()
        elif self.sign == "{":
            found = self._array()
        elif token is None or self.sign:
            raise MalformedFormula
        else:
            self._advance()
            if token["area"]:
                found = CellReference(parse_cell_range(token["area"].replace("$", "")))
            elif token["name"]:
                name = _PREFIX.sub("", token["name"].upper(), count=1)
                start = token.start("name")
                found = self._call(name, start) if self._is_at("(") else _named(name)
            else:
                found = Constant(token.group().strip())
        while self.sign in ("#", "("):
            if self.sign == "#":
                self._advance()
                found = CellReference(None)
            else:
                found = self._call(Expression((found,), frozenset()), self._place()[0])
        return found

    def _call(self, function: str | Expression, start: int) -> FunctionCall:
        arguments, separators = self._arguments()
        return FunctionCall(function, arguments, ((start, separators[0][1]), *separators[1:]))

    def _arguments(self) -> tuple[tuple[Expression, ...], tuple[tuple[int, int], ...]]:
        """What stands between brackets, and where the brackets and commas stand."""
        separators = [self._place()]
        self._advance()  # the opening bracket
        found = [self.expression()]
        while self.sign == ",":
            separators.append(self._place())
            self._advance()
            found.append(self.expression())
        if self.sign != ")":
            raise MalformedFormula
        separators.append(self._place())
        self._advance()
        return tuple(found), tuple(separators)

    def _place(self) -> tuple[int, int]:
        assert self._token is not None
        return self._token.span("sign")

    def _arguments_as_group(self) -> Expression:
        parts, _ = self._arguments()
        return parts[0] if len(parts) == 1 else Expression(parts, frozenset({":"}))

    def _array(self) -> ArrayConstant:
        numeric = True
        while self.sign != "}":
            self._advance()
            if self.sign in ("end", "{"):
                raise MalformedFormula
            if self._token is not None and not self.sign:
                numeric = numeric and self._token["number"] is not None
        self._advance()
        return ArrayConstant(numeric)

    def _is_at(self, sign: str) -> bool:
        return self.sign == sign

    def _advance(self) -> None:
        self._token = next(self._tokens, None)
        self.sign = "end" if self._token is None else self._token["sign"] or ""


def _tokens(text: str, at: int) -> Iterator[re.Match[str]]:
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise MalformedFormula
        yield token
        at = token.end()


def _named(name: str) -> Constant | NameReference:
    return Constant(name) if name in ("TRUE", "FALSE") else NameReference(name)
