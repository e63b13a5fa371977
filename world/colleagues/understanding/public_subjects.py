"""Matching of questions with public topics by their subject, not by how they ask.

Questions for a manual are worded alike for every subject: *where is it written down how …?* So
words of documents are left out. The other words count by how much they belong to one topic rather
than to all. With these weights they are compared with the asks of each topic and with the sentences
of its document (`Topic.about`).

All sums are in whole thousandths, so that every machine gets the same numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from trainee_bench.world.colleagues.understanding.answer_kinds import CONTENT_WEIGHT
from trainee_bench.world.colleagues.understanding.clause_context import unknown_ids_in
from trainee_bench.world.colleagues.understanding.clause_parsing import Clause, Word, word_weight
from trainee_bench.world.colleagues.understanding.identifiers import fits
from trainee_bench.world.colleagues.understanding.ids import IdKind, id_kind
from trainee_bench.world.colleagues.understanding.matcher import TopicMatcher
from trainee_bench.world.colleagues.understanding.normalise import normalize_text, split_clauses
from trainee_bench.world.colleagues.understanding.objections import names_another
from trainee_bench.world.colleagues.understanding.topic_profile import TopicProfile
from trainee_bench.world.colleagues.understanding.vocabulary import DEPARTMENTS
from trainee_bench.world.colleagues.understanding.word_vectors import (
    DIMENSIONS,
    Units,
    cosines_of,
    unit_of,
    word_vectors,
)

_FINE = 1000
_FAR, _NEAR = 0.25, 0.6
"""Cosines: words below the first are unrelated, words above the second mean the same."""
_CACHED_WORDS = 256
_MANY = 3
"""The least number of clauses of a message that may hold an anecdote beside its question."""

LIKELY = 390
"""The least score, in thousandths, of a question about a topic."""

LIKELY_PLACE, LEAD = 250, 60
"""The least score of a question for a person or a document, and the lead over other topics that it
needs. With a smaller lead both topics are named."""

OWN_WORDS = 60
"""The least lead by which the words of a message belong to a likely topic more than to others,
unless one of its keys is quoted."""

LIKE_THE_PAGE = 400
"""The closeness to a sentence of the topic's document that suffices instead."""

_OF_ASKS, _OF_PAGE = 500, 500
"""Weights, in thousandths, of the nearest ask and the nearest sentence of the document."""

_PERSON_OR_PAGE = 150
"""Weight of a topic that names a person or a document, as the question wants it."""

_QUOTED = 250
"""Weight of a quoted key of the topic."""

_DOCUMENT = 0.5
"""The least closeness to one of `_DOCUMENTS` of a word that only means a document."""
_DOCUMENTS = (
    "handbook", "manual", "guide", "instructions", "document", "rules", "policy", "regulations",
    "guidelines", "file", "written", "procedure", "page",
)  # fmt: skip
_THOSE = re.compile(r"\b(?:those|these|them|such)\b")
_PEOPLE = frozenset("person people colleague colleagues contact contacts expert".split())


@dataclass(frozen=True)
class SubjectMatch:
    """Match of a public topic, by its place among the listener's topics."""

    at: int
    score: int
    belongs: bool
    """Whether a part of the message belongs to this topic in particular."""
    names_contact: bool = False
    """Whether the message quotes a key and asks for a contact, whom this topic names."""


class PublicSubjects:
    """Public topics among a matcher's: those from the place *first* on."""

    def __init__(self, matcher: TopicMatcher, first: int) -> None:
        self._matcher = matcher
        self._first = first
        self._profiles = matcher.profiles[first:]
        self._ask_words = [_by_ask(profile.topic.asks) for profile in self._profiles]
        self._word = lru_cache(_CACHED_WORDS)(self._close_to)
        self._asks = [_phrases(profile.topic.asks) for profile in self._profiles]
        self._pages = [_phrases(profile.topic.about) for profile in self._profiles]

    def best(self, clauses: Sequence[Clause]) -> SubjectMatch | None:
        """Return the best topic for the message, even if it is unlikely; None without topics."""
        return next(iter(self._ranked(clauses)), None)

    def likely(self, clauses: Sequence[Clause]) -> tuple[SubjectMatch, ...]:
        """Return the topic of the message; two if either is possible; none if all are unlikely.

        Much of a long message may be an anecdote. So in a message of many clauses a question for
        a person decides alone if it is closer to a topic than the whole. If all clauses together
        are about nothing, each question decides alone.
        """
        whole = self._likely(clauses)
        if len(clauses) < _MANY or any(match.names_contact for match in whole):
            return whole
        if not whole:
            kinds = frozenset({"who", "where", "how"})
            single = [[clause] for clause in clauses if clause.asks and clause.kinds & kinds]
            return self._surest(_questions(clauses, kinds)) or self._surest(
                part for part in single if _has_subject(part[0])
            )
        questions = _questions(clauses, frozenset({"who"}))
        asked = self._surest(part for part in questions if not any(map(_points_back, part)))
        return asked if asked and asked[0].score > whole[0].score else whole

    def _surest(self, parts: Iterable[Sequence[Clause]]) -> tuple[SubjectMatch, ...]:
        """Return the topics that these parts of a message are surely about, at most two."""
        found = dict[int, SubjectMatch]()
        for part in parts:
            for match in self._likely(part):
                if match.score >= max(LIKELY, found[match.at].score if match.at in found else 0):
                    found[match.at] = match
        return tuple(sorted(found.values(), key=lambda match: (-match.score, match.at))[:2])

    def _likely(self, clauses: Sequence[Clause]) -> tuple[SubjectMatch, ...]:
        """Return the same for clauses that are all about one subject."""
        ranked = [match for match in self._ranked(clauses) if match.belongs]
        if any(match.names_contact for match in ranked):
            ranked = [match for match in ranked if match.names_contact]
        near = [match for match in ranked if ranked[0].score - match.score < LEAD]
        if not ranked or ranked[0].score < LIKELY:
            leads = ranked and ranked[0].score >= LIKELY_PLACE and any(_wanted(clauses))
            return tuple(near) if leads and len(near) <= 2 else ()
        return tuple(match for match in near if match.score >= LIKELY)[:2]

    def _ranked(self, clauses: Sequence[Clause]) -> list[SubjectMatch]:
        """Return the topics that the message does not exclude, the likeliest first."""
        places = [at for at, profile in enumerate(self._profiles) if self._fits(profile, clauses)]
        words = [word for clause in clauses for word in clause.words]
        if not places or not words:
            return []
        scores = self._scores(clauses, words)
        found = [SubjectMatch(self._first + at, *scores[at]) for at in places]
        return sorted(found, key=lambda match: (-match.score, match.at))

    def _asked_about(self, clauses: Sequence[Clause]) -> frozenset[str]:
        """Return the quoted keys that a question for a person is about.

        Usually these are names of files, without those in statements of the writer unless the
        question points back to them (*I review x.csv. Who knows it?*). They are all quoted keys if
        the question only asks who (*How good is the fit in Wuhan? Who in Marketing knows?*)."""
        asking = [clause for clause in clauses if "who" in clause.kinds]
        leans = any(clause.refers or clause.hollow for clause in asking)
        only_who = any(_says_only_who(clause) for clause in asking)
        said = [clause for clause in clauses if asking and (leans or not clause.states)]
        quoted = self._matcher.quoted(said)
        return frozenset(key for key in quoted if only_who or id_kind(key) is IdKind.FILE)

    def _scores(
        self, clauses: Sequence[Clause], words: Sequence[Word]
    ) -> list[tuple[int, bool, bool]]:
        """Return the score of each topic for these clauses and words, and the other two fields of
        its `SubjectMatch`."""
        close = np.stack([self._word(word.text) for word in words])
        sizes = np.array([_size(word) for word in words], np.int64)
        others = max(1, len(self._profiles) - 1)
        together = close.sum(axis=1)
        common = together // len(self._profiles) if len(self._profiles) > 1 else 0 * together
        lead = close - (together[:, None] - close) // others
        by_word = (sizes @ lead) // max(int(sizes.sum()), _FINE)
        vectors = word_vectors()
        phrase = np.zeros_like(vectors.vector(""))
        for word, size, shared in zip(words, sizes, common, strict=True):
            phrase += vectors.vector(word.text) * int(size * (_FINE - shared) // _FINE)
        unit = unit_of(phrase)
        quoted = self._matcher.quoted(clauses)
        asked_about = self._asked_about(clauses)
        person, page = _wanted(clauses)
        liking = person - page
        found = []
        for at, profile in enumerate(self._profiles):
            quotes = any(key in quoted for key in profile.keys)
            score = (
                int(by_word[at])
                + _OF_ASKS * _nearest(unit, self._asks[at]) // _FINE
                + _OF_PAGE * _nearest(unit, self._pages[at]) // _FINE
                + _PERSON_OR_PAGE * (liking if profile.wants_person else -liking)
                + _QUOTED * quotes
            )
            says = _nearest(unit, self._pages[at]) >= LIKE_THE_PAGE
            belongs = quotes or says or int(by_word[at]) >= OWN_WORDS
            contact = profile.wants_person and any(key in asked_about for key in profile.keys)
            found.append((score, belongs, contact))
        return found

    def _close_to(self, word: str) -> NDArray[np.int64]:
        """Return how close a word is to each topic's asks, in thousandths.

        This is the mean of the two closest asks, since a word may occur in one ask by chance."""
        unit = word_vectors().unit(word)
        found = []
        for words, starts in self._ask_words:
            cosines = cosines_of(unit, words)
            close = np.clip((cosines - _FAR) / (_NEAR - _FAR), 0.0, 1.0)
            by_ask = np.maximum.reduceat((close * _FINE).astype(np.int64), starts)
            found.append(int(np.sort(by_ask)[-2:].sum()) // 2)
        return np.array(found, np.int64)

    def _fits(self, profile: TopicProfile, clauses: Sequence[Clause]) -> bool:
        """Return whether the message names no other file or city than the topic."""
        if not profile.keys:
            return True
        quoted, strangers = self._matcher.quoted(clauses), unknown_ids_in(clauses)
        fit = fits(profile.keys, quoted, strangers)
        return fit == "exact" or (
            fit == "open" and not any(names_another(clause, profile) for clause in clauses)
        )


def _questions(clauses: Sequence[Clause], kinds: frozenset[str]) -> Iterator[list[Clause]]:
    """Yield the questions of these *kinds* that name their subject, with the clauses that continue
    them."""
    for asks, group in groupby(clauses, key=lambda clause: clause.asks):
        together = list(group)
        wants = any(clause.kinds & kinds for clause in together)
        if asks and wants and any(map(_has_subject, together)):
            yield together


def _has_subject(clause: Clause) -> bool:
    """Return whether a question names its subject, perhaps by an example: *bills like that*."""
    solid = [word for word in clause.words if word.weight >= CONTENT_WEIGHT]
    return any(word.text not in DEPARTMENTS for word in solid) and (
        not clause.refers or "who" in clause.kinds
    )


def _points_back(clause: Clause) -> bool:
    """Return whether a question for a person names its subject only by pointing back to it: *who
    handles those here?*"""
    return "who" in clause.kinds and _THOSE.search(clause.text) is not None


def _size(word: Word) -> int:
    """Return the weight of a word; 0 for a name and for a word of documents."""
    return 0 if word.name or _is_of_documents(word.text) else int(word.weight * _FINE)


def _says_only_who(clause: Clause) -> bool:
    """Return whether a question for a person has no subject: it points back, or names at most a
    department."""
    if clause.refers and not clause.marks:
        return True
    return all(word.weight < CONTENT_WEIGHT or word.text in DEPARTMENTS for word in clause.words)


@lru_cache(maxsize=512)
def _by_ask(asks: tuple[str, ...]) -> tuple[Units, NDArray[np.int64]]:
    """Return the words of all asks, one in a row, and the first row of each ask."""
    said = [words for words in map(_words_of, asks) if words]
    starts = np.cumsum([0, *map(len, said[:-1])])
    return word_vectors().units([word for words in said for word in words]), starts


def _words_of(sentence: str) -> list[str]:
    """Return the content words of a sentence, without ids and words of documents."""
    tokens = [token for unit in split_clauses(normalize_text(sentence)) for token in unit.tokens]
    said = [token.text for token in tokens if not token.literal and word_weight(token.text)]
    return [word for word in said if not _is_of_documents(word)]


@lru_cache(maxsize=4_096)
def _is_of_documents(word: str) -> bool:
    vectors = word_vectors()
    return bool(cosines_of(vectors.unit(word), vectors.units(_DOCUMENTS)).max() >= _DOCUMENT)


def _wanted(clauses: Sequence[Clause]) -> tuple[bool, bool]:
    """Return whether the message asks for a person, and whether for a document."""
    words = [word.text for clause in clauses for word in clause.words if not word.part]
    person = any("who" in clause.kinds for clause in clauses) or not _PEOPLE.isdisjoint(words)
    places = any(clause.kinds & {"where", "how"} for clause in clauses)
    page = places or any(_is_of_documents(word) for word in words)
    return person, page


@lru_cache(maxsize=512)
def _phrases(sentences: tuple[str, ...]) -> Units:
    """Return the meaning of each sentence without its words of documents."""
    found = [word_vectors().phrase(_words_of(sentence)) for sentence in sentences]
    return np.stack(found) if found else np.zeros((1, DIMENSIONS), np.float32)


def _nearest(phrase: Units, sentences: Units) -> int:
    """Return how close a phrase comes to the nearest sentence, in thousandths."""
    return int(cosines_of(phrase, sentences).max() * _FINE)
