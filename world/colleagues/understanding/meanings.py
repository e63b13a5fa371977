"""Closeness of a clause and its message to the asks of each topic of an office."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from trainee_bench.world.colleagues.understanding.clause_parsing import Clause, Word
from trainee_bench.world.colleagues.understanding.normalise import stem
from trainee_bench.world.colleagues.understanding.topic_profile import TopicProfile
from trainee_bench.world.colleagues.understanding.word_vectors import (
    Units,
    cosines_of,
    word_vectors,
)

_FAR, _NEAR = 0.25, 0.6
"""Cosines: words below the first are unrelated, words above the second mean the same. *Closed* and
*shut* are at 0.57, *percentage* and *rate* at 0.34."""
_OTHER_WORD = 0.95
"""The greatest closeness of two different words."""
_CACHED_WORDS = 256
_FINE = 1000
"""The factor for whole thousandths, whose sums are exact."""


@dataclass(frozen=True, eq=False)
class ClauseMeaning:
    """Closeness of one clause to each topic, from 0 to 1, by the topics' places."""

    asked: Sequence[float]
    """Closeness of the nearest ask to the clause, or to the clause within its message."""
    explained: NDArray[np.float64]
    """Closeness of the topic to each word of the clause."""
    message: Sequence[float]
    """Share of the whole message that belongs to the topic."""
    covered: Sequence[float]
    """Share of the topic's core that occurs in the clause or its message."""
    repeated: Sequence[float]
    """Greatest share of an ask that occurs in the clause or its message."""


class OfficeMeanings:
    """Meanings of all topics' asks and words, in a few matrices."""

    def __init__(self, profiles: Sequence[TopicProfile]) -> None:
        self._asks = np.concatenate([profile.meanings for profile in profiles])
        self._ask_starts = _starts([len(profile.meanings) for profile in profiles])
        words = sorted({word for profile in profiles for word in profile.words})
        places = {word: place for place, word in enumerate(words)}
        self._stems: dict[str, list[int]] = {}
        for word, place in places.items():
            self._stems.setdefault(stem(word), []).append(place)
        self._words: Units = word_vectors().units(words)
        self._row = lru_cache(_CACHED_WORDS)(self._close_to)
        # a topic without words gets a place that is close to nothing
        own = [[places[word] for word in p.words] or [len(words)] for p in profiles]
        self._own = np.array([place for some in own for place in some])
        self._own_starts = _starts([len(some) for some in own])
        asks = [
            [
                (places[w.text], int(w.weight * _FINE))
                for w in ask.words
                if w.weight and w.stem not in profile.names
            ]
            or [(len(words), _FINE)]
            for profile in profiles
            for ask in profile.asks
        ]
        self._ask_words = np.array([place for some in asks for place, _ in some])
        self._ask_weights = np.array([weight for some in asks for _, weight in some])
        self._ask_word_starts = _starts([len(some) for some in asks])
        self._repeat_starts = _starts([len(profile.asks) for profile in profiles])
        self._core = [[[places[word] for word in group] for group in p.core] for p in profiles]

    def of(self, clause: Clause, rest: Sequence[Clause]) -> ClauseMeaning:
        """Return how close *clause*, with the *rest* of its message, comes to each topic."""
        vectors = word_vectors()
        here = self._said(clause)
        around = [word for other in rest for word in self._said(other)]
        asked = self._nearest(vectors.phrase([*here, *around]))
        if around and not clause.hollow:
            asked = np.maximum(asked, self._nearest(vectors.phrase(here)))
        close = self._closeness(clause.words)
        by_topic = np.maximum.reduceat(close[:, self._own], self._own_starts, axis=1)
        others = [word for other in rest for word in other.words]
        every = np.vstack([close, self._closeness(others)])
        message = every.max(axis=0, initial=0.0)
        covered = [
            sum(max(float(message[at]) for at in group) for group in core) / len(core)
            if core
            else 1.0
            for core in self._core
        ]
        said = (message * _FINE).astype(np.int64)[self._ask_words] * self._ask_weights
        got = np.add.reduceat(said, self._ask_word_starts)
        whole = np.add.reduceat(self._ask_weights * _FINE, self._ask_word_starts)
        repeated = np.maximum.reduceat(got / whole, self._repeat_starts)
        return ClauseMeaning(
            asked=[float(value) for value in asked],
            explained=by_topic,
            message=self._shares(every, [*clause.words, *others]),
            covered=covered,
            repeated=[float(value) for value in repeated],
        )

    def _shares(self, close: NDArray[np.float64], words: Sequence[Word]) -> list[float]:
        """Return the share of *words* that belongs to each topic, given their *close* values."""
        sizes = np.array([int(word.weight * _FINE) for word in words], np.int64)
        by_topic = np.maximum.reduceat(close[:, self._own], self._own_starts, axis=1)
        got = (by_topic * _FINE).astype(np.int64).T @ sizes
        whole = int(sizes.sum()) * _FINE
        return [int(share) / whole if whole else 0.0 for share in got]

    def _nearest(self, phrase: Units) -> NDArray[np.float64]:
        """Return how close a phrase comes to the nearest ask of each topic."""
        return np.maximum.reduceat(cosines_of(phrase, self._asks), self._ask_starts)

    def _said(self, clause: Clause) -> list[str]:
        """Return the words of a clause without names that occur in no topic."""
        return [word.text for word in clause.words if not word.name or word.stem in self._stems]

    def _closeness(self, words: Sequence[Word]) -> NDArray[np.float64]:
        """Return the closeness of each word to each word of the office; the last column is 0."""
        found = np.zeros((len(words), len(self._words) + 1))
        for row, word in enumerate(words):
            if word.weight:
                found[row] = self._row(word.text)
        return found

    def _close_to(self, word: str) -> NDArray[np.float64]:
        cosines = cosines_of(word_vectors().unit(word), self._words)
        found = np.zeros(len(self._words) + 1)
        found[:-1] = np.clip((cosines - _FAR) / (_NEAR - _FAR), 0.0, 1.0) * _OTHER_WORD
        for place in self._stems.get(stem(word), ()):
            if cosines[place] >= _FAR:  # care and car share their stem, not their meaning
                found[place] = 1.0
        return found


def _starts(sizes: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
