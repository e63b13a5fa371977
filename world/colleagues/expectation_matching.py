"""Decides whether a message gives a value that a colleague expects, and counts wrong guesses.

Whole words are compared, regardless of case and separators (spaces, hyphens, full stops):
``DB-Prod-01``, ``db prod 01`` and ``DB-PROD01`` are equal, ``DB-Prod-011`` differs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from trainee_bench.world.colleagues.knowledge import Expectation
from trainee_bench.world.transaction import Transaction

SCHEMA = """
CREATE TABLE guess (
    holder TEXT NOT NULL, person TEXT NOT NULL, wrong INTEGER NOT NULL,
    PRIMARY KEY (holder, person)
) STRICT, WITHOUT ROWID;
"""

MAX_WRONG_GUESSES = 3
"""After this many messages with wrong values a colleague accepts no more that day."""

_WORD = re.compile(r"\d+(?:\.\d+)+(?!\w)|[^\W_]+")
_PIECE = re.compile(r"\d+(?:\.\d+)+|\d+|[^\W\d_]+")
_THOUSANDS = re.compile(r"(?<![\w.])\d{1,3}(?:,\d{3})+(?!\w)")
_IDENTIFIER = re.compile(r"[^\W_]+(?:[-_][^\W_]+)*")


class ExpectationMatch(StrEnum):
    """How a message relates to an expectation."""

    IT = "it"
    """The expected value, and no other value of its kind."""
    OTHER = "other"
    """A wrong value of the expected kind, alone or among others."""
    NOTHING = "nothing"


@dataclass(frozen=True)
class _Piece:
    """A run of letters or of digits; whether a word begins or ends with it."""

    text: str
    begins: bool
    ends: bool


def match_expectation(
    expectation: Expectation, message: str, others: Iterable[Expectation] = ()
) -> ExpectationMatch:
    """How *message* relates to *expectation*; what is expected by *others* of the same colleague
    may be said in it, too."""
    pieces = _pieces(message)
    groups = [
        [span for value in group for span in _spans(pieces, value)] for group in expectation.values
    ]
    right = [span for group in groups for span in group]
    wrong = [
        (first, last)
        for rival in expectation.rivals
        for first, last in _spans(pieces, rival)
        if not any(begin <= first and last <= end for begin, end in right)
    ]
    if wrong or _strangers(expectation, message, others):
        return ExpectationMatch.OTHER
    return ExpectationMatch.IT if groups and all(groups) else ExpectationMatch.NOTHING


class GuessCounter:
    """Counts the messages in which somebody gave a colleague wrong values."""

    def __init__(self, tx: Transaction):
        self._tx = tx

    def locked(self, holder: str, person: str) -> bool:
        """Whether *holder* accepts nothing more from *person* today."""
        return self.wrong_count(holder, person) >= MAX_WRONG_GUESSES

    def wrong_count(self, holder: str, person: str) -> int:
        """The number of messages in which *person* gave *holder* wrong values."""
        row = self._tx.row(
            "SELECT wrong FROM guess WHERE holder = ? AND person = ?", holder, person
        )
        return int(row["wrong"]) if row is not None else 0

    def increment(self, holder: str, person: str) -> None:
        """Count one more message."""
        self._tx.run(
            "INSERT INTO guess VALUES (?, ?, 1)"
            " ON CONFLICT (holder, person) DO UPDATE SET wrong = wrong + 1",
            holder,
            person,
        )


def _spans(pieces: list[_Piece], phrase: str) -> list[tuple[int, int]]:
    """Where the phrase occurs as whole words: first and last piece. An empty phrase never does."""
    wanted = [piece.text for piece in _pieces(phrase)]
    size = len(wanted)
    return [
        (at, at + size)
        for at in range(len(pieces) - size + 1)
        if size
        and pieces[at].begins
        and pieces[at + size - 1].ends
        and [piece.text for piece in pieces[at : at + size]] == wanted
    ]


def _pieces(text: str) -> list[_Piece]:
    plain = _plain(text)
    plain = _THOUSANDS.sub(lambda found: found[0].replace(",", ""), plain)
    return [
        _Piece(piece[0], piece.start() == 0, piece.end() == len(word[0]))
        for word in _WORD.finditer(plain)
        for piece in _PIECE.finditer(word[0])
    ]


def _plain(text: str) -> str:
    """*text* without differences in case and width, and without invisible characters."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if unicodedata.category(char) != "Cf")


def _strangers(expectation: Expectation, message: str, others: Iterable[Expectation]) -> bool:
    """Whether the message contains another identifier of the shape of an expected one, since not
    every rival of a code or number can be listed. What *others* expect is none."""
    expected = _expected_identifiers(expectation)
    shapes = {_shape(identifier) for identifier in expected}
    known = expected.union(*map(_expected_identifiers, others))
    return any(
        _shape(identifier) in shapes and identifier not in known
        for identifier in _identifiers([message])
    )


def _expected_identifiers(expectation: Expectation) -> set[str]:
    return set(_identifiers(value for group in expectation.values for value in group))


def _identifiers(texts: Iterable[str]) -> list[str]:
    """The words with a digit and at least three characters, without separators."""
    words = (
        re.sub(r"[-_]", "", word) for text in texts for word in _IDENTIFIER.findall(_plain(text))
    )
    return [word for word in words if len(word) >= 3 and any(char.isdigit() for char in word)]


def _shape(identifier: str) -> str:
    return "".join("9" if char.isdigit() else "a" for char in identifier)
