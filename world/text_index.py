"""An index of texts by their trigrams, which narrows a search to the texts worth reading.

    few texts ──► no index, every text is read
    many      ──► each search indexes some more of them, reads the rest, and asks the index

The index repeats other tables, so no digest covers it. It is in the world's own database, and so in
its forks and snapshots. Its answers are candidates. They include every text that contains all the
words, and may include others, because the index compares Unicode letters without regard to case.

Looking up a trigram costs as much as there are texts with it. A second, small index of every 256th
text tells the rare trigrams of a query, which alone are then looked up.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from trainee_bench.world.transaction import Transaction

FILE_TEXT, MAIL_TEXT, MAIL_SAMPLE = "file_text", "mail_text", "mail_sample"
TEXT_INDEXES = frozenset({FILE_TEXT, MAIL_TEXT, MAIL_SAMPLE})
"""The names of all indexes."""
_LENGTH = 3
"""Characters of a trigram; shorter words cannot be looked up."""
_MOST_TRIGRAMS = 12
"""Maximum trigrams of a query that are looked up; this many leave few texts without the words."""
SAMPLED = 256
"""A sample has each text whose number is a multiple of this."""
FREQUENT = 40
"""A trigram in this many texts of a sample is frequent."""
_MOST_RARE = 4
"""Maximum rare trigrams of a query that are looked up; a few leave little to read."""


class TextIndex:
    """The index called *name* of texts in *columns*, within one transaction.

    Texts have ascending numbers. Those up to `newest` are in the index.
    """

    def __init__(self, tx: Transaction, name: str, columns: Sequence[str]):
        self._tx = tx
        self._name = name
        self._columns = ", ".join(columns)

    @property
    def newest(self) -> int:
        """The number of the newest text in the index; 0 if there is none."""
        if not self._exists:
            return 0
        found = self._tx.row(f"SELECT max(id) FROM {self._name}_docsize")
        return int(found[0] or 0) if found is not None else 0

    def add_selected(self, sql: str, *values: str | int) -> None:
        """Add the rows of a SELECT: first the number, then each column's text."""
        self.make()
        self._tx.run(f"INSERT INTO {self._name} (rowid, {self._columns}) {sql}", *values)

    def rarest(self, trigrams: Sequence[str]) -> list[str]:
        """Return the few of *trigrams* that are rare in this sample; all, if each is frequent."""
        if not trigrams or not self._exists:
            return list(trigrams)
        found = self._tx.row(_counts_in(self._name, len(trigrams)), *map(_quoted, trigrams))
        assert found is not None
        counted = sorted(zip(found, trigrams, strict=True), key=lambda pair: int(pair[0]))
        rare = [trigram for count, trigram in counted if count < FREQUENT]
        return rare[:_MOST_RARE] or list(trigrams)

    def make(self) -> None:
        """Create the index, without any texts, unless it exists."""
        if not self._exists:
            self._tx.run(
                f"CREATE VIRTUAL TABLE {self._name} USING fts5({self._columns},"
                " tokenize = 'trigram', content = '', detail = 'none')"
            )

    @property
    def _exists(self) -> bool:
        sql = "SELECT 1 FROM sqlite_master WHERE name = ?"
        return self._tx.row(sql, self._name) is not None


@lru_cache(maxsize=32)
def _counts_in(name: str, trigrams: int) -> str:
    """Return the statement that counts the texts with each of several trigrams, up to a limit."""
    counts = (
        f"(SELECT count(*) FROM (SELECT 1 FROM {name} WHERE {name} MATCH ?{number}"
        f" LIMIT {FREQUENT}))"
        for number in range(1, trigrams + 1)
    )
    return f"SELECT {', '.join(counts)}"


def trigrams_of(words: Sequence[str]) -> list[str]:
    """Return the trigrams to look up to find texts with all *words*; none if all are too short.

    SQLite's tokenizer ends at a NUL, so words with one are not looked up.
    """
    trigrams = dict.fromkeys(
        trigram for word in words if "\0" not in word for trigram in _spread(word)
    )
    return list(trigrams)[:_MOST_TRIGRAMS]


def trigram_query(trigrams: Sequence[str]) -> str:
    """Return what to match to find texts with all *trigrams*; "" if there are none."""
    return " ".join(map(_quoted, trigrams))


def _quoted(trigram: str) -> str:
    return '"' + trigram.replace('"', '""') + '"'


def _spread(word: str) -> list[str]:
    """Return a few trigrams spread over *word*; none if it is too short.

    They need not cover the word: looking up a trigram costs as much as there are texts with it.
    """
    last = len(word) - _LENGTH
    if last <= 0:
        return [word] if last == 0 else []
    gaps = max(len(word) // _LENGTH, 2) - 1
    starts = [last * number // gaps for number in range(gaps + 1)]
    return [word[at : at + _LENGTH] for at in starts]


_JOINERS = "\u200c\u200d"
"""Characters that join or divide letters, as in Persian words and in emoji of several people."""
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def unprintable(text: str) -> str:
    """Return the first character of *text* that no line may contain, as in "U+0007"; "" if there is
    none.

    Every kind of space is text, and so are the joiners of letters and emoji.
    """
    if text.isprintable():
        return ""
    found = (c for c in text if unicodedata.category(c) in _UNPRINTABLE and c not in _JOINERS)
    return next(map(code_point, found), "")


def code_point(character: str) -> str:
    """Return the name of a *character* that cannot be shown, for errors: "U+0007"."""
    return f"U+{ord(character):04X}"
