"""Calculates simple expressions exactly, with fractions instead of floating-point numbers.

The engine calculates in binary, where 0.1+0.2-0.3 is 5.55e-17 and 2^53+1 is 2^53. Expressions of
numbers, cells, operators and the most common functions are calculated here instead. All others
(dates, texts, arrays, errors, other functions) are left to the engine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import ceil, factorial, floor, prod
from typing import TypeVar

from trainee_bench.world.errors import Invalid
from trainee_bench.world.workbook.addresses import CellRange, parse_cell_range

ExactValue = Fraction | bool | str
Lookup = Callable[[str, CellRange], Sequence[ExactValue]]
"""Returns the non-empty cells of a range of the sheet with this name ("" for the current sheet)."""
Term = Fraction | bool
T = TypeVar("T")

MAX_DIGITS = 30
"""Maximum digits of a result before and after the decimal point."""
_MOST_BITS = 4_096
_LARGEST_FACTORIAL = 170
_MOST_PLACES = 100

_SHEET = r"(?:(?P<sheet>'(?:[^']|'')+'|[^\W\d][\w.]*)!)?"
_CELL = r"\$?[A-Za-z]{1,3}\$?[0-9]{1,7}"
_TOKEN = re.compile(
    rf"""\s*(?:
      (?P<function>[A-Za-z][A-Za-z0-9.]*)\s*\(
    | {_SHEET}(?P<area>{_CELL}:{_CELL}|\$?[A-Za-z]{{1,3}}:\$?[A-Za-z]{{1,3}}|\$?\d+:\$?\d+|{_CELL})
      (?![\w.!:(])
    | (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{{1,3}})?)(?![\w.])
    | (?P<sign><=|>=|<>|[-+*/^%(),<>=])
    )""",
    re.VERBOSE | re.ASCII,
)


class NotExact(Exception):
    """This expression cannot be calculated exactly here."""


def exact_value(formula: str, lookup: Lookup) -> Fraction | bool | None:
    """Return the exact value of *formula*, or None if it cannot be calculated here."""
    try:
        reader = _Reader(formula.removeprefix("="), lookup)
        found = reader.comparison()
        reader.expect_end()
    except (NotExact, Invalid, ZeroDivisionError, RecursionError):
        return None
    return found


def exact_text(value: Fraction) -> str | None:
    """Return *value* as a decimal number, or None if it has too many digits or infinitely many."""
    rest, places = value.denominator, 0
    while rest % 10 == 0:
        rest, places = rest // 10, places + 1
    for factor in (2, 5):
        while rest % factor == 0:
            rest, places = rest // factor, places + 1
    if rest != 1 or places > MAX_DIGITS or abs(value) >= 10**MAX_DIGITS:
        return None
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    whole, part = digits[: len(digits) - places], digits[len(digits) - places :].rstrip("0")
    return ("-" if value < 0 else "") + whole + (f".{part}" if part else "")


class _Reader:
    """Parses an expression from left to right and calculates it on the way."""

    def __init__(self, text: str, lookup: Lookup):
        self._lookup = lookup
        self._tokens: list[re.Match[str]] = []
        self._next = 0
        at, text = 0, text.rstrip()
        while at < len(text):
            token = _TOKEN.match(text, at)
            if token is None:
                raise NotExact
            self._tokens.append(token)
            at = token.end()

    def expect_end(self) -> None:
        """Raise NotExact if anything is left."""
        if self._next < len(self._tokens):
            raise NotExact

    def comparison(self) -> Term:
        """Read a sum, or a comparison of two sums."""
        left = self._sum()
        sign = self._taken("=", "<>", "<", ">", "<=", ">=")
        if not sign:
            return left
        right = self._sum()
        if isinstance(left, bool) or isinstance(right, bool):
            raise NotExact
        outcomes = {
            "=": left == right,
            "<>": left != right,
            "<": left < right,
            ">": left > right,
            "<=": left <= right,
            ">=": left >= right,
        }
        return outcomes[sign]

    def _sum(self) -> Term:
        found = self._product()
        while sign := self._taken("+", "-"):
            left, right = _number(found), _number(self._product())
            found = _kept(left + right if sign == "+" else left - right)
        return found

    def _product(self) -> Term:
        found = self._power()
        while sign := self._taken("*", "/"):
            left, right = _number(found), _number(self._power())
            found = _kept(left * right if sign == "*" else left / right)
        return found

    def _power(self) -> Term:
        found = self._signed()
        while self._taken("^"):
            found = _raised(_number(found), _number(self._signed()))
        return found

    def _signed(self) -> Term:
        if self._taken("-"):
            return -_number(self._signed())
        if self._taken("+"):
            return _number(self._signed())
        found = self._operand()
        while self._taken("%"):
            found = _number(found) / 100
        return found

    def _operand(self) -> Term:
        if self._taken("("):
            found = self.comparison()
            self._need(")")
            return found
        token = self._take()
        if token["number"]:
            if len(token["number"]) > _MOST_BITS:  # Python reads at most 4,300 digits
                raise NotExact
            return _kept(Fraction(token["number"]))
        if token["area"]:
            return self._cell(token)
        if token["function"]:
            return self._called(token["function"].upper())
        raise NotExact

    def _called(self, name: str) -> Fraction:
        if name in _OF_ALL:
            parts = self._arguments(self._numbers)
            return _kept(_OF_ALL[name]([number for part in parts for number in part]))
        if name not in _OF_EACH:
            raise NotExact
        least, most, function = _OF_EACH[name]
        given = self._arguments(lambda: _number(self.comparison()))
        if not least <= len(given) <= most:
            raise NotExact
        return _kept(function(*given))

    def _arguments(self, read: Callable[[], T]) -> list[T]:
        """Read the arguments, each with *read*, up to the closing parenthesis."""
        found = [read()]
        while self._taken(","):
            found.append(read())
        self._need(")")
        return found

    def _numbers(self) -> list[Fraction]:
        """Read an argument's numbers: those of an area, or one."""
        token = self._tokens[self._next] if self._next < len(self._tokens) else None
        after = self._sign_at(self._next + 1)
        if token is not None and token["area"] and after in (",", ")"):
            self._next += 1
            return [cell for cell in self._cells(token) if isinstance(cell, Fraction)]
        return [_number(self.comparison())]

    def _cell(self, token: re.Match[str]) -> Fraction:
        if ":" in token["area"]:
            raise NotExact
        cells = self._cells(token)
        return _number(cells[0]) if cells else Fraction(0)

    def _cells(self, token: re.Match[str]) -> Sequence[ExactValue]:
        sheet = token["sheet"] or ""
        if sheet.startswith("'"):
            sheet = sheet[1:-1].replace("''", "'")
        return self._lookup(sheet, parse_cell_range(token["area"]))

    def _take(self) -> re.Match[str]:
        if self._next == len(self._tokens):
            raise NotExact
        self._next += 1
        return self._tokens[self._next - 1]

    def _sign_at(self, place: int) -> str:
        return (self._tokens[place]["sign"] or "") if place < len(self._tokens) else ""

    def _taken(self, *signs: str) -> str:
        """Take the next token and return it, if it is one of these signs; else return ""."""
        sign = self._sign_at(self._next)
        if sign not in signs:
            return ""
        self._next += 1
        return sign

    def _need(self, sign: str) -> None:
        if not self._taken(sign):
            raise NotExact


def _number(term: ExactValue) -> Fraction:
    if isinstance(term, Fraction):
        return term
    raise NotExact


def _kept(number: Fraction) -> Fraction:
    """Return *number*. Raises NotExact if it has so many digits that calculating takes long."""
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > _MOST_BITS:
        raise NotExact
    return number


def _raised(number: Fraction, exponent: Fraction) -> Fraction:
    size = max(number.numerator.bit_length(), number.denominator.bit_length())
    if exponent.denominator != 1 or number == exponent == _NONE:
        raise NotExact
    if abs(exponent) * size > _MOST_BITS:
        raise NotExact
    return _kept(number ** int(exponent))


def _rounder(whole: Callable[[Fraction], int]) -> Callable[..., Fraction]:
    """Return a function that rounds to a number of decimal places (negative: before the point).

    *whole* rounds a non-negative number to an integer.
    """

    def rounded(number: Fraction, places: Fraction = _NONE) -> Fraction:
        if places.denominator != 1 or abs(places) > _MOST_PLACES:
            raise NotExact
        step = Fraction(10) ** int(places)
        size = whole(abs(number) * step) / step
        return -size if number < 0 else size

    return rounded


def _whole(number: Fraction) -> int:
    if number.denominator != 1:
        raise NotExact
    return int(number)


def _factorial(number: Fraction) -> Fraction:
    if not 0 <= number <= _LARGEST_FACTORIAL:
        raise NotExact
    return Fraction(factorial(_whole(number)))


def _of_some(function: Callable[[Sequence[Fraction]], Fraction]) -> Reduction:
    """Wrap *function* to raise NotExact if there are no numbers."""

    def reduced(numbers: Sequence[Fraction]) -> Fraction:
        if not numbers:
            raise NotExact
        return function(numbers)

    return reduced


Reduction = Callable[[Sequence[Fraction]], Fraction]
_NONE = Fraction(0)
_HALF = Fraction(1, 2)
_down = _rounder(floor)
_OF_ALL: Mapping[str, Reduction] = {
    "SUM": lambda numbers: sum(numbers, _NONE),
    "COUNT": lambda numbers: Fraction(len(numbers)),
    "PRODUCT": _of_some(lambda numbers: prod(numbers, start=Fraction(1))),
    "AVERAGE": _of_some(lambda numbers: sum(numbers, _NONE) / len(numbers)),
    "MIN": _of_some(min),
    "MAX": _of_some(max),
}
_OF_EACH: Mapping[str, tuple[int, int, Callable[..., Fraction]]] = {
    # name: minimum and maximum number of arguments, and the function
    "ABS": (1, 1, abs),
    "SIGN": (1, 1, lambda number: Fraction((number > 0) - (number < 0))),
    "INT": (1, 1, lambda number: Fraction(floor(number))),
    "TRUNC": (1, 2, _down),
    "ROUND": (2, 2, _rounder(lambda size: floor(size + _HALF))),
    "ROUNDUP": (2, 2, _rounder(ceil)),
    "ROUNDDOWN": (2, 2, _down),
    "MOD": (2, 2, lambda number, by: number - by * floor(number / by)),
    "QUOTIENT": (2, 2, lambda number, by: _down(number / by)),
    "POWER": (2, 2, _raised),
    "FACT": (1, 1, _factorial),
}
