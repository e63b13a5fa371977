"""Random tables and formulas over them, the same for the same seed.

Each formula is generated for a result type: number, text, truth value or date. One line describes
each function by the types of its arguments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from benchmarks.formula_specs import (
    BREAKS,
    CRITERIA,
    DATES,
    KINDS,
    LITERALS,
    NUMBERS,
    NUMERALS,
    ODD_TEXTS,
    RANGES,
    TEXTS,
    TRUTHS,
    WORDS,
)
from trainee_bench.world.workbook.inputs import is_date_or_time, text_input


@dataclass(frozen=True)
class Table:
    """Cells as typed, by column kind; ``columns`` has the letter of each column and its kind."""

    cells: Mapping[str, str]
    columns: Mapping[str, str]
    first: int
    last: int

    def mentioned(self, formula: str) -> dict[str, str]:
        """Return the text typed in each cell that *formula* names."""
        found = re.findall(
            r"(?<![:\w])\$?([A-Z])\$?(\d+)(?::\$?([A-Z])\$?(\d+))?(?![\w(])", formula
        )
        places = [
            f"{letter}{row}"
            for first, top, end, bottom in found
            for letter in "ABCDEFGHIJ"
            if first <= letter <= (end or first)
            for row in range(int(top), int(bottom or top) + 1)
        ]
        return {place: self.cells.get(place, "") for place in dict.fromkeys(places)}

    def has_blank_in(self, formula: str) -> bool:
        """Whether a cell that *formula* names is empty."""
        return not all(self.mentioned(formula).values())

    def mixes_dates_in(self, formula: str) -> bool:
        """Whether *formula* names an empty cell, or a date in a column of mixed values."""
        return any(
            not typed or (self.columns[place[0]] == "mixed" and is_date_or_time(typed))
            for place, typed in self.mentioned(formula).items()
        )


@dataclass(frozen=True)
class RandomFormula:
    """A formula and its type: number, text, truth, date, or broken."""

    text: str
    type: str


def random_table(chance: Random) -> Table:
    """A table of ten columns, with or without titles and blanks."""
    last, titled = chance.randint(5, 12), chance.random() < 0.5
    kinds = list(KINDS)
    chance.shuffle(kinds)
    columns = dict(zip("ABCDEFGHIJ", kinds, strict=True))
    cells: dict[str, str] = {}
    blank = chance.choice((0, 0.1, 0.3))
    for letter, kind in columns.items():
        first = 1 + titled
        values = _column(chance, kind, last - first + 1)
        if titled:
            cells[f"{letter}1"] = "#" if kind == "sorted words" else kind.title()
        for row, typed in enumerate(values, first):
            if chance.random() >= blank:
                cells[f"{letter}{row}"] = typed
    return Table(cells, columns, 1 + titled, last)


def _column(chance: Random, kind: str, size: int) -> list[str]:
    numbers = [_typed_number(chance) for _ in range(size)]
    words = [text_input(chance.choice(WORDS)) for _ in range(size)]
    days = [_day(chance).isoformat() for _ in range(size)]
    match kind:
        case "up":
            return sorted(numbers, key=float)
        case "down":
            return sorted(numbers, key=float, reverse=True)
        case "number":
            return numbers
        case "word":
            return words
        case "sorted words":
            return sorted(words, key=str.casefold)
        case "date":
            return days
        case "dates up":
            return sorted(days)
        case "truth":
            return [chance.choice(("TRUE", "FALSE")) for _ in range(size)]
        case _:
            odd = [text_input(chance.choice(ODD_TEXTS) or "'") for _ in range(size)]
            pools = (numbers, numbers, words, odd, days)
            return [chance.choice(chance.choice(pools)) for _ in range(size)]


def _typed_number(chance: Random) -> str:
    value = chance.choice(
        (chance.randint(-20, 120), chance.randint(0, 9), chance.randint(-99, 999) / 4)
    )
    return f"{value:g}"


def _day(chance: Random) -> date:
    return date(2019, 1, 1) + timedelta(days=chance.randint(0, 2800))


def _specs(written: str) -> list[list[str]]:
    return [spec.split() for spec in written.split(";")]


_BY_TYPE = {
    "n": _specs(NUMBERS),
    "t": _specs(TEXTS),
    "b": _specs(TRUTHS),
    "d": _specs(DATES),
}
_TYPES = {"n": "number", "t": "text", "b": "truth", "d": "date"}


class FormulaMaker:
    """Makes formulas over one table."""

    def __init__(self, table: Table, chance: Random):
        self._table = table
        self._chance = chance
        self._rows = (table.first, table.last)

    def formula(self) -> RandomFormula:
        """One formula; one in twelve is broken at a random place."""
        chance, table = self._chance, self._table
        self._rows = (table.first, table.last)
        if chance.random() < 0.3:
            top = chance.randint(1, table.last - 1)
            self._rows = (top, chance.randint(top + 1, table.last + 2))
        letter = chance.choices("ntbd", (60, 15, 12, 13))[0]
        text = "=" + self.make(letter, chance.choice((1, 2, 2, 3)))
        if chance.random() < 1 / 12:
            broken = self._broken(text)
            return RandomFormula(broken if len(broken) > 1 else "=)", "broken")
        return RandomFormula(text, _TYPES[letter])

    def make(self, letter: str, depth: int) -> str:
        """An expression of the type *letter*."""
        chance = self._chance
        if depth <= 0 or chance.random() < 0.12:
            return self._leaf(letter)
        if chance.random() < 0.4:
            return self._operation(letter, depth)
        name, *arguments = chance.choice(_BY_TYPE[letter])
        given = [
            argument
            for argument in arguments
            if argument[0] != "?" or len(argument) == 1 or chance.random() < 0.5
        ]
        return (
            f"{name}({','.join(self._argument(argument.lstrip('?'), depth) for argument in given)})"
        )

    def _operation(self, letter: str, depth: int) -> str:
        chance, make = self._chance, self.make
        less = depth - 1
        match letter:
            case "n":
                return chance.choice(
                    (self._sum, self._sum, self._sign, self._days, self._looked_up)
                )(less)
            case "t":
                if chance.random() < 0.3:
                    return self._look_up("word", depth)
                return f"{make('t', less)}&{make(chance.choice('tnt'), less)}"
            case "b":
                kind = chance.choice("nnntd")
                sign = chance.choice(("=", "<", ">", "<=", ">=", "<>"))
                return f"({make(kind, less)}{sign}{make(kind, less)})"
            case _:
                if chance.random() < 0.3:
                    return self._look_up("date", depth)
                return f"({make('d', less)}{chance.choice('+-')}{self._argument('k', 0)})"

    def _sum(self, depth: int) -> str:
        sign = self._chance.choice("++--**/^")
        right = self._argument("k", 0) if sign == "^" else self.make("n", depth)
        found = f"{self.make('n', depth)}{sign}{right}"
        return f"({found})" if self._chance.random() < 0.5 else found

    def _sign(self, depth: int) -> str:
        return self._chance.choice(("-{}", "+{}", "{}%", "-({})", "({})%", "--{}")).format(
            self.make("n", depth)
        )

    def _days(self, depth: int) -> str:
        return f"({self.make('d', depth)}-{self.make('d', depth)})"

    def _looked_up(self, depth: int) -> str:
        return self._look_up("number", depth)

    def _look_up(self, wanted: str, depth: int) -> str:
        """A lookup that gives a value of the kind *wanted*."""
        chance = self._chance
        sought, keys = chance.choice(
            (("g", "up"), ("t", "sorted words"), ("o", "dates up"), ("g", "down"))
        )
        key, told = self._letter(keys), self._letter(wanted)
        value = self._argument(sought, depth - 1)
        top, bottom = self._rows
        near = chance.random() < 0.5
        if keys == "down":
            at = f"MATCH({value},{key}{top}:{key}{bottom},{-1 if near else 0})"
            return f"INDEX({told}{top}:{told}{bottom},{at})"
        whole = chance.random() < 0.15

        def column(letter: str) -> str:
            return f"{letter}:{letter}" if whole else f"{letter}{top}:{letter}{bottom}"

        if near and chance.random() < 0.4:
            return f"LOOKUP({value},{column(key)},{column(told)})"
        if key < told:
            table = f"{key}:{told}" if whole else f"${key}${top}:${told}${bottom}"
            mode = chance.choice(("", ",TRUE", ",1")) if near else chance.choice((",FALSE", ",0"))
            return f"VLOOKUP({value},{table},{ord(told) - ord(key) + 1}{mode})"
        at = f"MATCH({value},{column(key)},{chance.choice((1, '')) if near else 0})".replace(
            ",)", ")"
        )
        return f"INDEX({column(told)},{at})"

    def _leaf(self, letter: str) -> str:
        chance = self._chance
        if letter == "n":
            kinds = ("number", "up", "down", "number", "mixed")
            return (
                chance.choice(NUMERALS)
                if chance.random() < 0.5
                else self._cell(chance.choice(kinds))
            )
        if letter == "t":
            word = chance.choice(WORDS if chance.random() < 0.8 else ODD_TEXTS)
            return f'"{word}"' if chance.random() < 0.5 else self._cell("word")
        if letter == "b":
            return (
                chance.choice(("TRUE", "FALSE")) if chance.random() < 0.4 else self._cell("truth")
            )
        if chance.random() < 0.3:
            day = _day(chance)
            return f"DATE({day.year},{day.month},{day.day})"
        return self._cell(chance.choice(("date", "dates up")))

    def _argument(self, kind: str, depth: int) -> str:
        chance = self._chance
        if kind in ("n", "t", "b", "d"):
            return self.make(kind, depth - 1)
        if kind in RANGES:
            return self._range(chance.choice(RANGES[kind]))
        literals = LITERALS.get(kind)
        if literals is not None:
            return chance.choice(literals)
        match kind:
            case "p":
                return (
                    f"(ABS({self.make('n', depth - 1)})+1)"
                    if depth > 1
                    else str(chance.randint(1, 9))
                )
            case "g":
                kinds = ("up", "down", "number")
                return (
                    self._cell(chance.choice(kinds))
                    if chance.random() < 0.5
                    else _typed_number(chance)
                )
            case "o":
                return self._leaf("d")
            case "e" | "l":
                day = _day(chance) + timedelta(days=4000 if kind == "l" else 0)
                return f"DATE({day.year},{day.month},{day.day})"
            case "x":
                return f'"{chance.choice(WORDS)[0]}"'
            case "s":
                return f'"{_day(chance).isoformat()}"'
            case "c":
                return (
                    f"TIME({chance.randint(0, 23)},{chance.randint(0, 59)},{chance.randint(0, 59)})"
                )
            case "A":
                return self._array()
            case "L":
                return f"{self._range('number')}{chance.choice('<>')}{self._argument('g', 0)}"
            case "own":
                kind = chance.choice(("number", "up", "down"))
                cells = self._range(kind)
                first, last = cells.split(":")
                return f"{chance.choice((first, last))},{cells}"
            case "X1":
                return self._cell(chance.choice(KINDS))
            case "E":
                return chance.choice(("NA()", "1/0"))
            case "C":
                number, word = _typed_number(chance), chance.choice(WORDS[:-3])
                return chance.choice(CRITERIA).format(n=number, w=word, a=word[0])
            case _:
                return kind

    def _array(self) -> str:
        chance = self._chance
        first, second = self._range("number"), self._range(chance.choice(("up", "number", "down")))
        sign, number = chance.choice("<>"), self._argument("g", 0)
        return chance.choice(
            (
                f"({first}{sign}{number})*{second}",
                f"IF({first}{sign}{number},{second})",
                f"{first}*{second}",
                f'({self._range("word")}="{chance.choice(WORDS)}")*{second}',
                f"IF({first}{sign}{number},{second},0)",
                f"ABS({first}-{number})",
                "{1,2,3}",
                f"{{1;2;3}}*{number}",
            )
        )

    def _letter(self, kind: str) -> str:
        letters = [letter for letter, its_kind in self._table.columns.items() if its_kind == kind]
        return self._chance.choice(letters)

    def _cell(self, kind: str) -> str:
        letter, chance = self._letter(kind), self._chance
        row = chance.randint(self._table.first, self._table.last)
        return chance.choice((f"{letter}{row}", f"{letter}{row}", f"${letter}${row}"))

    def _range(self, kind: str) -> str:
        letter = self._letter(kind)
        return f"{letter}{self._rows[0]}:{letter}{self._rows[1]}"

    def _broken(self, formula: str) -> str:
        """*formula* with a part inserted, removed, or cut off."""
        chance = self._chance
        at = chance.randint(1, len(formula))
        match chance.randrange(4):
            case 0:
                end = min(len(formula), at + chance.randint(1, 3))
                return formula[:at] + formula[end:]
            case 1:
                pieces = re.findall(r"\w+|\W", formula)
                del pieces[chance.randrange(1, len(pieces))]
                return "".join(pieces)
            case 2:
                return formula + chance.choice(BREAKS)
            case _:
                return formula[:at] + chance.choice(BREAKS) + formula[at:]
