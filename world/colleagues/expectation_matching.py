"""Decide whether a message gives a value that a colleague expects, and count wrong guesses.

Whole words are compared, regardless of case and separators (spaces, hyphens, full stops):
``DB-Prod-01``, ``db prod 01`` and ``DB-PROD01`` are equal, ``DB-Prod-011`` differs.

A message that lists many values of one kind gives none of them (see `MOST_ALIKE`). Several messages
with a few values each count as a list, too (see `values_tried`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from enum import StrEnum
from functools import lru_cache

from trainee_bench.world.colleagues.knowledge import Expectation, Shortfall, task_of
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
"""The most other values of its kind beside the expected value in one message."""

MOST_ALIKE_TRIED = 5
"""The most such values in all messages of a day; some may have been about something else."""

MOST_STRANGE_NUMBERS = 1
"""The most unrelated numbers in one message about a shortfall."""
MOST_STRANGE_TRIED = MAX_WRONG_GUESSES - 1
"""The most unrelated numbers in all messages of a day, as if each was a guess."""
_LACKS = re.compile(
    r"\b(?:miss\w*|lack\w*|short\w*|few|fewer|less|absent|gone|lost|los\w+|without|cut|dropp?ed|"
    r"left o\w+|omitted|skipped|outstanding|incomplete|truncated|more|rest|remain\w+|other|not|"
    r"never|gap|differ\w*|off)\b|n['’]t\b",
    re.IGNORECASE,
)
"""Words for things that are missing."""
_LINES = re.compile(
    r"\b(?:lines?|rows?|header\w*|heading\w*|titles?|column names)\b", re.IGNORECASE
)
"""Words for lines. The number of lines includes the line with the titles."""


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
    expectation: Expectation,
    message: HeardMessage,
    others: Iterable[Expectation] = (),
    files: Iterable[str] = (),
) -> ExpectationMatch:
    """Return how *message* relates to *expectation*.

    The message may also give values that *others* of the same colleague expect, and quote *files*
    that other facts are about."""
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
    if wrong or _strangers(expectation, message, others, files):
        return ExpectationMatch.OTHER
    if sum(bool(_spans(message, other)) for other in expectation.alike) > MOST_ALIKE:
        return ExpectationMatch.OTHER
    if not groups or not all(groups):
        partly = expectation.asks_back and groups and groups[0]
        return ExpectationMatch.PARTLY if partly else ExpectationMatch.NOTHING
    if expectation.shortfall is None:
        return ExpectationMatch.IT
    return _match_shortfall(expectation.shortfall, message, others)


def names_other_task(expectation: Expectation, message: HeardMessage) -> bool:
    """Return whether *message* names tasks, but not that of *expectation*."""
    named = {id.text for id in message.ids if id.kind is IdKind.TASK}
    return bool(named) and task_of(expectation.id) not in named


def values_tried(
    expectation: Expectation, message: HeardMessage, others: Iterable[Expectation] = ()
) -> frozenset[str]:
    """Return the values that *message* gives instead of the expected one, or beside it.

    Return none for a list that is too long to meet the expectation."""
    if expectation.shortfall is not None:
        if not all(any(_spans(message, value) for value in group) for group in expectation.values):
            return frozenset()
        strange = _strange_numbers(expectation.shortfall, message, others)
        found = {str(number) for number in strange}
        return frozenset(found if len(found) <= MOST_STRANGE_NUMBERS + 1 else ())
    if not expectation.alike:
        return frozenset()
    found = {other for other in expectation.alike if _spans(message, other)}
    return frozenset(found if len(found) <= MOST_ALIKE + 1 else ())


class GuessCounter:
    """Counter of messages that gave a colleague wrong values, and of those values.

    A *holder* is a colleague's id, or another name under which their values are counted.
    """

    def __init__(self, tx: Transaction):
        self._tx = tx

    def locked(self, holder: str, person: str) -> bool:
        """Return whether *holder* accepts nothing more from *person* today."""
        return self.wrong_count(holder, person) >= MAX_WRONG_GUESSES

    def wrong_count(self, holder: str, person: str) -> int:
        """Return the number of messages in which *person* gave *holder* wrong values."""
        row = self._tx.row(
            "SELECT wrong FROM guess WHERE holder = ? AND person = ?", holder, person
        )
        return int(row["wrong"]) if row is not None else 0

    def try_values(
        self, expectation: Expectation, holder: str, person: str, values: Collection[str]
    ) -> None:
        """Record that *person* gave these *values* instead of the expected one, or beside it.

        After too many different values the *holder* accepts nothing more."""
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
                holder,
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
    """Return the first and last piece of each occurrence of *phrase* as whole words.

    An empty phrase never occurs."""
    return spans_of(hear(phrase).pieces, message.pieces)


def _strangers(
    expectation: Expectation,
    message: HeardMessage,
    others: Iterable[Expectation],
    files: Iterable[str],
) -> bool:
    """Return whether the message has an identifier of the same shape as an expected one.

    Not every rival of a code or number can be listed. Values that *others* expect do not count, nor
    do *files*."""
    expected = _expected_identifiers(expectation.values)
    shapes = {_shape(identifier) for identifier in expected}
    known = expected.union(*(_expected_identifiers(other.values) for other in others))
    known |= _expected_identifiers((tuple(files),))
    return any(
        _shape(identifier) in shapes and identifier not in known
        for identifier in _identifiers(message)
    )


def _match_shortfall(
    missing: Shortfall, message: HeardMessage, others: Iterable[Expectation]
) -> ExpectationMatch:
    """Compare the numbers in the message with the records that are there or missing.

    The message may state one unrelated number, and numbers that *others* expect."""
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
    """Return the numbers in *message* that fit neither *missing* nor the shortfalls of *others*."""
    strangers = set(message.numbers) - {0, 1}
    for short in (missing, *(other.shortfall for other in others if other.shortfall)):
        there, whole = short.there, short.whole
        strangers -= {there, whole, whole - there, there + 1, whole + 1}
    return strangers


@lru_cache(maxsize=1_024)
def _expected_identifiers(values: tuple[tuple[str, ...], ...]) -> frozenset[str]:
    return frozenset(
        word for group in values for value in group for word in _identifiers(hear(value))
    )


def _identifiers(message: HeardMessage) -> list[str]:
    """Return ids with a digit and three or more characters, without separators and endings. The ids
    of tasks say what a message is about."""
    stems = (
        id.text.rpartition(".")[0] if id.kind is IdKind.FILE else id.text
        for id in message.ids
        if id.kind is not IdKind.TASK
    )
    words = (re.sub(r"[-_]", "", stem.casefold()) for stem in stems)
    return [word for word in words if len(word) >= 3 and any(char.isdigit() for char in word)]


def _shape(identifier: str) -> str:
    return "".join("9" if char.isdigit() else "a" for char in identifier)
