"""Reads formulas token by token, so that a text such as "NOW(" is not mistaken for a call
of NOW."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import pairwise

from trainee_bench.world.errors import Invalid
from trainee_bench.world.workbook.addresses import CellRange, parse_cell_range

_TOKEN = re.compile(
    r"""
      (?P<text>(?:"[^"]*")+)
    | (?P<quoted>(?:'[^']*')+)
    | (?P<name>[^\W\d][\w.]*)
    | (?P<number>\d[\w.]*)
    | (?P<open>[({])
    | (?P<close>[)}])
    | (?P<space>\s+)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_PREFIX = re.compile(r"(?:_XLFN\.|_XLWS\.|_XLUDF\.)+")
_RANGE = re.compile(
    r"(?<![\w.$])\$?[A-Z]{0,3}\$?[0-9]{0,7}:\$?[A-Z]{0,3}\$?[0-9]{0,7}(?![\w.])", re.I
)
_CELL = re.compile(r"(?<![:\w.$!])(\$?[A-Za-z]{1,3}\$?)[1-9][0-9]{0,6}(?![:\w.(!])", re.ASCII)
_CORNERS = re.compile(
    r"(?<![:\w.$!])(\$?[A-Za-z]{1,3}\$?)([1-9][0-9]{0,6}):(\$?[A-Za-z]{1,3}\$?)([1-9][0-9]{0,6})"
    r"(?![:\w.(!])",
    re.ASCII,
)
_REFERENCE = re.compile(r"[A-Z]{1,3}[1-9][0-9]{0,6}", re.ASCII)


EXPRESSION = "the expression"
"""The place of a formula that is calculated alone, in error messages."""


def placed(where: str) -> str:
    """Return the cell *where* for the end of an error message, "" for an expression alone."""
    return "" if where == EXPRESSION else f" ({where})"


def tokenize(formula: str) -> Iterator[tuple[str, str]]:
    """Yield the formula's tokens as (kind, text), without spaces."""
    for found in _TOKEN.finditer(formula):
        kind = found.lastgroup or "other"
        if kind != "space":
            yield kind, found.group()


def without_added_operators(formula: str, names: Collection[str]) -> str:
    """Remove the ``@`` that the engine writes before an undefined name in *formula*.

    *names* are the defined names in upper case: before them, ``@`` has a meaning.
    """
    tokens = [(found.lastgroup, found.group()) for found in _TOKEN.finditer(formula)]
    if ("other", "@") not in tokens:
        return formula

    def unknown(at: int) -> bool:
        kind, text = tokens[at] if at < len(tokens) else ("", "")
        called = tokens[at + 1 : at + 2] == [("open", "(")]
        defined = text.upper() in names or _REFERENCE.fullmatch(text) is not None
        return kind == "name" and not called and not defined

    return "".join(
        text
        for at, (kind, text) in enumerate(tokens)
        if (kind, text) != ("other", "@") or not unknown(at + 1)
    )


def called_functions(formula: str) -> tuple[str, ...]:
    """Return the functions that *formula* calls, in order, in capitals and without Excel's
    prefixes."""
    called = []
    name = ""
    for kind, text in tokenize(formula):
        if name and text == "(":
            called.append(_PREFIX.sub("", name.upper(), count=1))
        name = text if kind == "name" else ""
    return tuple(called)


def refers_to_cells(formula: str) -> bool:
    """Whether *formula* names a cell, a range or another sheet."""
    read = [*tokenize(formula.replace("$", "")), ("end", "")]
    for (kind, text), (_, following) in pairwise(read):
        if kind == "other" and text in "!:":
            return True
        if kind == "name" and following != "(" and _REFERENCE.fullmatch(text.upper()):
            return True
    return False


def referenced_ranges(formula: str) -> tuple[CellRange, ...]:
    """Return the ranges of several cells to which *formula* refers, on any sheet."""
    plain = "".join(text if kind != "text" else " " for kind, text in tokenize(formula))
    found = []
    for written in _RANGE.findall(plain):
        try:
            found.append(parse_cell_range(written))
        except Invalid:  # past the last row or column; the engine reports it
            continue
    return tuple(found)


def multiplies(formula: str) -> bool:
    """Whether *formula* multiplies or divides: a time multiplied by 24 is no longer a time."""
    return any(kind == "other" and text in "*/" for kind, text in tokenize(formula))


def refers_to_tables(formula: str) -> bool:
    """Whether *formula* names a table's column or another file: Sales[Amount], [1]Sheet!A1."""
    return any(text == "[" for _, text in tokenize(formula))


def mentions_sheet(formula: str, sheet: str) -> bool:
    """Whether *formula* refers to the sheet called *sheet*."""
    wanted = sheet.casefold()
    read = [*tokenize(formula), ("end", "")]
    for (kind, text), (_, following) in pairwise(read):
        if following == "!":
            name = text[1:-1].replace("''", "'") if kind == "quoted" else text
            if name.casefold() == wanted:
                return True
    return False


def with_first_rows(formula: str) -> str:
    """Replace rows in *formula* by 1 in each cell and by 1 and 2 in each range.

    So all formulas of a column become alike.
    """
    return _CORNERS.sub(_moved_range, _CELL.sub(r"\g<1>1", formula))


def _moved_range(found: re.Match[str]) -> str:
    first_column, first, last_column, last = found.groups()
    return f"{first_column}1:{last_column}{1 if first == last else 2}"
