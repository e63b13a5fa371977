"""Repair of typos: the known word that is nearest to an unknown one."""

from collections.abc import Iterable

from trainee_bench.world.colleagues.understanding.common_words import COMMON_WORDS
from trainee_bench.world.colleagues.understanding.vocabulary import STOP_WORDS

_SHORTEST = 4
"""The least length of a repaired word. Shorter words are all one slip away from others."""


def edit_distance(a: str, b: str, most: int) -> int:
    """Return the number of insertions, deletions, substitutions and swaps between two words.

    Return `most + 1` if it is more than *most*.
    """
    if abs(len(a) - len(b)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return last[-1]


def allowed_typos(length: int) -> int:
    """Return the number of slips that are repaired in a word of this length."""
    return 1 if length < 8 else 2


def _letters(word: str) -> int:
    bits = 0
    for c in word:
        bits |= 1 << (ord(c) % 61)
    return bits


class SpellChecker:
    """Finder of the words of a vocabulary behind typos."""

    def __init__(self, words: Iterable[str]) -> None:
        self._by_start: dict[tuple[str, int], list[tuple[str, int]]] = {}
        for word in sorted({word for word in words if len(word) >= _SHORTEST}):
            key = (word[0], len(word))
            self._by_start.setdefault(key, []).append((word, _letters(word)))

    def nearest_word(self, word: str) -> tuple[str, ...]:
        """Return the nearest words with the same first letter, or () if none is near enough."""
        if len(word) < _SHORTEST or len(word) > 24:
            return ()
        most = allowed_typos(len(word))
        best: list[str] = []
        letters = _letters(word)
        for length in range(len(word) - most, len(word) + most + 1):
            for other, its in self._by_start.get((word[0], length), ()):
                if (letters ^ its).bit_count() > 2 * most:
                    continue
                apart = edit_distance(word, other, most)
                if apart < most or (apart == most and not best):
                    if apart < most:
                        most, best = apart, []
                    best.append(other)
                elif apart == most:
                    best.append(other)
        return tuple(best)


COMMON_SPELLER = SpellChecker([*STOP_WORDS, *COMMON_WORDS])
