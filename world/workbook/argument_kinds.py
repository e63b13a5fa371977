"""The kinds of arguments of a function, and the kinds that each place takes."""

from __future__ import annotations

from enum import Enum


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
    "s": "takes a single value as its {nth} argument, no range or array. Give each value a formula "
    "of its own (sheets_fill copies it), or use MAP: MAP(values,LAMBDA(x,{name}(...)))",
    "r": "takes cells as its {nth} argument, no calculated array. Put the array into cells first "
    "(its formula spills) and name those",
    "n": "takes cells or an array of numbers as its {nth} argument; blanks, texts and truth values "
    "in any other array would be counted. Put the array into cells first (its formula spills) and "
    "name those",
}
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


class Objection(Exception):
    """A function or an argument that is refused; says which, without a full stop."""


def accept(letter: str, name: str, position: int, kind: ArgumentKind) -> None:
    """Raises Objection if a place with this *letter* (see `functions`) does not take the *kind*."""
    if kind not in ACCEPTED[letter]:
        nth = _ORDINALS[position] if position < len(_ORDINALS) else f"{position + 1}th"
        raise Objection(f"{name} {_NEXT_STEP[letter].format(name=name, nth=nth)}")
