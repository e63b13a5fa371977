"""Decides whether a message gives a value that a colleague expects, and counts wrong guesses.

Whole words are compared, regardless of case and separators (spaces, hyphens, full stops):
``DB-Prod-01``, ``db prod 01`` and ``DB-PROD01`` are equal, ``DB-Prod-011`` differs.

A message that lists many values of one kind says none of them: see `MOST_ALIKE`. Several messages
with a few of them each are a list, too: see `values_tried`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from enum import StrEnum
from functools import lru_cache

from trainee_bench.world.colleagues.knowledge import Expectation, Shortfall
from trainee_bench.world.colleagues.understanding import HeardMessage, hear
from trainee_bench.world.colleagues.understanding.ids import IdKind
from trainee_bench.world.colleagues.understanding.said_values import spans_of
from trainee_bench.world.transaction import Transaction

SCHEMA = """
CREATE TABLE guess (
    holder TEXT NOT NULL, person TEXT NOT NULL, wrong INTEGER NOT NULL,
    PRIMARY KEY (holder, person)
) STRICT, WITHOUT ROWID;
CREATE TABLE tried_value (
    expectation TEXT NOT NULL, person TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (expectation, person, value)
) STRICT, WITHOUT ROWID;
"""

MAX_WRONG_GUESSES = 3
"""After this many messages with wrong values a colleague accepts no more that day."""

MOST_ALIKE = 2
"""A message that says the expected value may contain so many others of its kind."""

MOST_ALIKE_TRIED = 5
"""So many of them all messages of a day together: some may have been about something else."""

MOST_STRANGE_NUMBERS = 1
"""A message about a shortfall may state so many numbers that have nothing to do with it."""
MOST_STRANGE_TRIED = MAX_WRONG_GUESSES - 1
"""All messages of a day together may state so many, as if each was a guess."""
_LACKS = re.compile(
    r"\b(?:miss\w*|lack\w*|short\w*|few|fewer|less|absent|gone|lost|los\w+|without|cut|dropp?ed|"
    r"left o\w+|omitted|skipped|outstanding|incomplete|truncated|more|rest|remain\w+|other|not|"
    r"never|gap|differ\w*|off)\b|n['’]t\b",
    re.IGNORECASE,
)
"""Words that say that something is not there."""
_LINES = re.compile(
    r"\b(?:lines?|rows?|header\w*|heading\w*|titles?|column names)\b", re.IGNORECASE
)
"""Words for lines: their number includes the line with the titles."""


class ExpectationMatch(StrEnum):
    """How a message relates to an expectation."""

    IT = "it"
    """The expected value, and no other value of its kind."""
    OTHER = "other"
    """A wrong value of the expected kind, alone or among others."""
    PARTLY = "partly"
    """The subject of the value, without the value."""
    NOTHING = "nothing"


def match_expectation(
    expectation: Expectation, message: HeardMessage, others: Iterable[Expectation] = ()
) -> ExpectationMatch:
    """How *message* relates to *expectation*; what is expected by *others* of the same colleague
    may be said in it, too."""
    groups = [
        [span for value in group for span in _spans(message, value)] for group in expectation.values
    ]
    right = [span for group in groups for span in group]
    wrong = [
        (first, last)
        for rival in expectation.rivals
        for first, last in _spans(message, rival)
        if not any(begin <= first and last <= end for begin, end in right)
    ]
    if wrong or _strangers(expectation, message, others):
        return ExpectationMatch.OTHER
    if sum(bool(_spans(message, other)) for other in expectation.alike) > MOST_ALIKE:
        return ExpectationMatch.OTHER
    if not groups or not all(groups):
        partly = expectation.asks_back and groups and groups[0]
        return ExpectationMatch.PARTLY if partly else ExpectationMatch.NOTHING
    if expectation.shortfall is None:
        return ExpectationMatch.IT
    return _match_shortfall(expectation.shortfall, message, others)


def values_tried(
    expectation: Expectation, message: HeardMessage, others: Iterable[Expectation] = ()
) -> frozenset[str]:
    """The values that *message* gives in place of the expected one or beside it, none for a list
    that is so long that it cannot meet the expectation."""
    if expectation.shortfall is not None:
        if not all(any(_spans(message, value) for value in group) for group in expectation.values):
            return frozenset()
        found = {str(one) for one in _strange_numbers(expectation.shortfall, message, others)}
        return frozenset(found if len(found) <= MOST_STRANGE_NUMBERS + 1 else ())
    if not expectation.alike:
        return frozenset()
    found = {other for other in expectation.alike if _spans(message, other)}
    return frozenset(found if len(found) <= MOST_ALIKE + 1 else ())


class GuessCounter:
    """Counts the messages in which somebody gave a colleague wrong values, and those values."""

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

    def try_values(self, expectation: Expectation, person: str, values: Collection[str]) -> None:
        """Note that *person* gave these *values* in place of the expected one or beside it. After
        too many different ones its holder accepts nothing more."""
        for value in values:
            self._tx.run(
                "INSERT OR IGNORE INTO tried_value VALUES (?, ?, ?)",
                expectation.id,
                person,
                value,
            )
        tried = self._tx.rows(
            "SELECT value FROM tried_value WHERE expectation = ? AND person = ?",
            expectation.id,
            person,
        )
        most = MOST_ALIKE_TRIED if expectation.shortfall is None else MOST_STRANGE_TRIED
        if len(tried) > most:
            self._tx.run(
                "INSERT OR REPLACE INTO guess VALUES (?, ?, ?)",
                expectation.holder,
                person,
                MAX_WRONG_GUESSES,
            )

    def increment(self, holder: str, person: str) -> None:
        """Count one more message."""
        self._tx.run(
            "INSERT INTO guess VALUES (?, ?, 1)"
            " ON CONFLICT (holder, person) DO UPDATE SET wrong = wrong + 1",
            holder,
            person,
        )


def _spans(message: HeardMessage, phrase: str) -> list[tuple[int, int]]:
    """Where the phrase occurs as whole words: first and last piece. An empty phrase never does."""
    return spans_of(hear(phrase).pieces, message.pieces)


def _strangers(
    expectation: Expectation, message: HeardMessage, others: Iterable[Expectation]
) -> bool:
    """Whether the message contains another identifier of the shape of an expected one, since not
    every rival of a code or number can be listed. What *others* expect is none."""
    expected = _expected_identifiers(expectation.values)
    shapes = {_shape(identifier) for identifier in expected}
    known = expected.union(*(_expected_identifiers(other.values) for other in others))
    return any(
        _shape(identifier) in shapes and identifier not in known
        for identifier in _identifiers(message)
    )


def _match_shortfall(
    missing: Shortfall, message: HeardMessage, others: Iterable[Expectation]
) -> ExpectationMatch:
    """Whether the message says by a number how many are there or how many are not. It may state
    other numbers only if *others* are about them, and one more."""
    said, strangers = message.numbers, _strange_numbers(missing, message, others)
    right = (
        missing.there in said
        or (missing.whole - missing.there in said and _LACKS.search(message.text))
        or (missing.there + 1 in said and _LINES.search(message.text))
        # "records 38 to 52 are missing"
        or ({missing.there + 1, missing.whole} <= said and _LACKS.search(message.text))
    )
    if len(strangers) > MOST_STRANGE_NUMBERS:
        return ExpectationMatch.OTHER
    if right:
        return ExpectationMatch.IT
    return ExpectationMatch.OTHER if strangers else ExpectationMatch.PARTLY


def _strange_numbers(
    missing: Shortfall, message: HeardMessage, others: Iterable[Expectation]
) -> set[int]:
    """The numbers in *message* that have to do neither with what is *missing* nor with what is
    missing for *others*."""
    strangers = set(message.numbers) - {0, 1}
    for one in (missing, *(other.shortfall for other in others if other.shortfall)):
        strangers -= {one.there, one.whole, one.whole - one.there, one.there + 1, one.whole + 1}
    return strangers


@lru_cache(maxsize=1_024)
def _expected_identifiers(values: tuple[tuple[str, ...], ...]) -> frozenset[str]:
    return frozenset(
        word for group in values for value in group for word in _identifiers(hear(value))
    )


def _identifiers(message: HeardMessage) -> list[str]:
    """The ids with a digit and at least three characters, without separators and file endings."""
    stems = (
        id.text.rpartition(".")[0] if id.kind is IdKind.FILE else id.text for id in message.ids
    )
    words = (re.sub(r"[-_]", "", stem.casefold()) for stem in stems)
    return [word for word in words if len(word) >= 3 and any(char.isdigit() for char in word)]


def _shape(identifier: str) -> str:
    return "".join("9" if char.isdigit() else "a" for char in identifier)
