"""Words and numbers of a text for comparison, regardless of case and separators.

``DB-Prod-01``, ``db prod 01`` and ``DB-PROD01`` are equal, ``DB-Prod-011`` differs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from trainee_bench.world.folding import MARKS

_WORD = re.compile(rf"\d+(?:\.\d+)+(?!\w)|(?:[^\W_]|[{MARKS}])+")
_PIECE = re.compile(rf"\d+(?:\.\d+)+|\d+|(?:[^\W\d_]|[{MARKS}])+")
_THOUSANDS = re.compile(r"(?<![\w.])\d{1,3}(?:,\d{3})+(?!\w)")
_NAME = re.compile(r"(?<![\w./+-])[\w./+-]+")
"""A word, or perhaps a path or the name of a file."""
_NO_NUMBER = re.compile(
    r"\b[a-z]+:/\S+|(?<!\d)(?:\d{4}-\d\d(?:-\d\d)?|\d{1,2}\.\d{1,2}\.\d{2,4}"
    r"|\d{1,2}:\d\d(?:\s?[ap]m)?|\d{1,20}(?:\.\d{1,20})?\s?(?:%|per\s?cent)"
    r"|\d{1,20}\.\d{1,20})"
)
_NUMBER = re.compile(r"(?<![\w-])(?:\d{1,3}(?:,\d{3})+|\d+)(?!\w)")
_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SPOKEN = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})(?:[- ](?P<unit>{'|'.join(_SMALL[1:10])}))?"
    rf"|(?P<alone>{'|'.join(sorted(_SMALL, key=len, reverse=True))}))\b"
)


@dataclass(frozen=True)
class Piece:
    """Run of letters or of digits, and whether a word begins or ends with it."""

    text: str
    begins: bool
    ends: bool


def uniform_text(text: str) -> str:
    """Return *text* with characters of uniform width, and without invisible characters."""
    return "".join(
        c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf"
    )


def pieces_of(uniform: str) -> tuple[Piece, ...]:
    """Return the runs of letters and digits of a uniform text."""
    plain = _THOUSANDS.sub(lambda found: found[0].replace(",", ""), uniform.casefold())
    return tuple(
        Piece(piece[0], piece.start() == 0, piece.end() == len(word[0]))
        for word in _WORD.finditer(plain)
        for piece in _PIECE.finditer(word[0])
    )


def spans_of(wanted: Sequence[Piece], pieces: Sequence[Piece]) -> list[tuple[int, int]]:
    """Return the first and last piece of each occurrence of *wanted* as whole words."""
    size, texts = len(wanted), [piece.text for piece in wanted]
    return [
        (at, at + size)
        for at in range(len(pieces) - size + 1)
        if size
        and pieces[at].begins
        and pieces[at + size - 1].ends
        and [piece.text for piece in pieces[at : at + size]] == texts
    ]


def stated_numbers(uniform: str) -> set[int]:
    """Return the whole numbers that a text states in digits or, below a hundred, in words.

    Numbers in names, paths, dates, times, amounts and percentages do not count."""
    plain = _NO_NUMBER.sub(" ", _NAME.sub(_without_file, uniform.casefold()))
    digits = {int(found[0].replace(",", "")) for found in _NUMBER.finditer(plain)}
    return digits | {_spoken(found) for found in _SPOKEN.finditer(plain)}


def _without_file(found: re.Match[str]) -> str:
    """Return the word that was *found*, or "" if it is a path or the name of a file."""
    stem, dot, ending = found[0].rstrip("./+-").rpartition(".")
    named = ending.isalpha() and 2 <= len(ending) <= 5 and any(c.isalpha() for c in stem)
    return "" if dot and named else found[0]


def _spoken(found: re.Match[str]) -> int:
    tens, unit, alone = found["tens"], found["unit"], found["alone"]
    if alone:
        return _SMALL.index(alone)
    return 10 * (2 + _TENS.index(tens)) + (_SMALL.index(unit) if unit else 0)
