"""Which public topic a question is about: its subject decides, not how it asks.

Questions for a manual are worded alike whatever the manual is about: *where is it written down
how …?* So words of documents are left out, and what is left of the question counts by how much it
belongs to one topic rather than to all. The same words, weighed like that, are compared with the
asks of each topic and with what its document says (`Topic.about`).

Everything is summed in whole thousandths, so that every machine gets the same numbers.
"""

from __future__ import annotations

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
"""Words less close than the one have nothing to do with each other; those closer than the other
mean the same."""
_CACHED_WORDS = 256
_MANY = 3
"""From so many clauses on, a message may tell more than its question is about."""

LIKELY = 390
"""The score, in thousandths, from which on a question is about a topic."""

LIKELY_PLACE, LEAD = 250, 60
"""The same for a question that wants a person or something written, if the topic leads the others
by as much as the second says. With a smaller lead both are named."""

OWN_WORDS = 60
"""A topic is likely only if the words of the message belong to it more than to the others by this
much, or an id of it is quoted."""

LIKE_THE_PAGE = 400
"""Or if it comes as near to a sentence of the topic's document."""

_OF_ASKS, _OF_PAGE = 500, 500
"""What the nearest ask and the nearest sentence of the document count beside the words, in
thousandths."""

_PERSON_OR_PAGE = 150
"""What it counts that the topic names whom to ask, or where something stands, as the question
wants it."""

_QUOTED = 250
"""What it counts that an id of the topic is quoted."""

_DOCUMENT = 0.5
"""Words closer than this to one of `_DOCUMENTS` say only that something is written down."""
_DOCUMENTS = (
    "handbook", "manual", "guide", "instructions", "document", "rules", "policy", "regulations",
    "guidelines", "file", "written", "procedure", "page",
)  # fmt: skip
_PEOPLE = frozenset("person people colleague colleagues contact contacts expert".split())


@dataclass(frozen=True)
class SubjectMatch:
    """A public topic, by its place among the listener's topics, and how well it agrees."""

    at: int
    score: int
    belongs: bool
    """Something of the message is of this topic in particular."""
    names_contact: bool = False
    """The message asks whom to ask about something that it quotes, and this topic says that."""


class PublicSubjects:
    """The public topics among a matcher's: those from the place *first* on."""

    def __init__(self, matcher: TopicMatcher, first: int) -> None:
        self._matcher = matcher
        self._first = first
        self._profiles = matcher.profiles[first:]
        self._ask_words = [_by_ask(profile.topic.asks) for profile in self._profiles]
        self._word = lru_cache(_CACHED_WORDS)(self._close_to)
        self._asks = [_phrases(profile.topic.asks) for profile in self._profiles]
        self._pages = [_phrases(profile.topic.about) for profile in self._profiles]

    def best(self, clauses: Sequence[Clause]) -> SubjectMatch | None:
        """The topic that the message is most likely about, however unlikely; None for none."""
        return next(iter(self._ranked(clauses)), None)

    def likely(self, clauses: Sequence[Clause]) -> tuple[SubjectMatch, ...]:
        """The topic that the message is about; two if it may be about either; none if unlikely.

        Much of a long message may be an anecdote. So in a message of many clauses a question for
        a person decides alone if it is closer to a topic than the whole. If all clauses together
        are about nothing, each question decides alone.
        """
        whole = self._likely(clauses)
        if len(clauses) < _MANY or any(match.names_contact for match in whole):
            return whole
        if not whole:
            return self._surest(_questions(clauses, frozenset({"who", "where", "how"})))
        asked = self._surest(_questions(clauses, frozenset({"who"})))
        return asked if asked and asked[0].score > whole[0].score else whole

    def _surest(self, parts: Iterable[Sequence[Clause]]) -> tuple[SubjectMatch, ...]:
        """The topic that one of these parts of a message is surely about; the two surest if there
        are several."""
        found = dict[int, SubjectMatch]()
        for part in parts:
            for match in self._likely(part):
                if match.score >= max(LIKELY, found[match.at].score if match.at in found else 0):
                    found[match.at] = match
        return tuple(sorted(found.values(), key=lambda match: (-match.score, match.at))[:2])

    def _likely(self, clauses: Sequence[Clause]) -> tuple[SubjectMatch, ...]:
        """The same for clauses that are all about one thing."""
        ranked = [match for match in self._ranked(clauses) if match.belongs]
        if any(match.names_contact for match in ranked):
            ranked = [match for match in ranked if match.names_contact]
        near = [match for match in ranked if ranked[0].score - match.score < LEAD]
        if not ranked or ranked[0].score < LIKELY:
            leads = ranked and ranked[0].score >= LIKELY_PLACE and any(_wanted(clauses))
            return tuple(near) if leads and len(near) <= 2 else ()
        return tuple(match for match in near if match.score >= LIKELY)[:2]

    def _ranked(self, clauses: Sequence[Clause]) -> list[SubjectMatch]:
        """The topics that the message does not exclude, the likeliest first."""
        places = [at for at, profile in enumerate(self._profiles) if self._fits(profile, clauses)]
        words = [word for clause in clauses for word in clause.words]
        if not places or not words:
            return []
        scores = self._scores(clauses, words)
        found = [SubjectMatch(self._first + at, *scores[at]) for at in places]
        return sorted(found, key=lambda match: (-match.score, match.at))

    def _asked_about(self, clauses: Sequence[Clause]) -> frozenset[str]:
        """What a question for somebody is about, of what the message quotes. The names of files:
        not those in what the writer says of themselves, unless the question leans on it (*I review
        x.csv. Who knows it?*). Everything, if the question says nothing but who (*How good is the
        fit in Wuhan? Who in Marketing knows?*)."""
        asking = [clause for clause in clauses if "who" in clause.kinds]
        leans = any(clause.refers or clause.hollow for clause in asking)
        only_who = any(_says_only_who(clause) for clause in asking)
        said = [clause for clause in clauses if asking and (leans or not clause.states)]
        quoted = self._matcher.quoted(said)
        return frozenset(key for key in quoted if only_who or id_kind(key) is IdKind.FILE)

    def _scores(
        self, clauses: Sequence[Clause], words: Sequence[Word]
    ) -> list[tuple[int, bool, bool]]:
        """How well each topic agrees with a message of these clauses and words, and the other two
        fields of its `SubjectMatch`."""
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
        """How close a word is to each topic's asks, in thousandths: the mean of the two asks to
        which it is closest, since a word of a single ask may be there by chance."""
        unit = word_vectors().unit(word)
        found = []
        for words, starts in self._ask_words:
            cosines = cosines_of(unit, words)
            close = np.clip((cosines - _FAR) / (_NEAR - _FAR), 0.0, 1.0)
            by_ask = np.maximum.reduceat((close * _FINE).astype(np.int64), starts)
            found.append(int(np.sort(by_ask)[-2:].sum()) // 2)
        return np.array(found, np.int64)

    def _fits(self, profile: TopicProfile, clauses: Sequence[Clause]) -> bool:
        """Whether the message names nothing that the topic is not about: another file or city."""
        if not profile.keys:
            return True
        quoted, strangers = self._matcher.quoted(clauses), unknown_ids_in(clauses)
        fit = fits(profile.keys, quoted, strangers)
        return fit == "exact" or (
            fit == "open" and not any(names_another(clause, profile) for clause in clauses)
        )


def _questions(clauses: Sequence[Clause], kinds: frozenset[str]) -> Iterator[list[Clause]]:
    """The questions that want an answer of one of these kinds and say themselves what they are
    about, with the clauses that continue them."""
    for asks, group in groupby(clauses, key=lambda clause: clause.asks):
        together = list(group)
        wants = any(clause.kinds & kinds for clause in together)
        if asks and wants and any(map(_has_subject, together)):
            yield together


def _has_subject(clause: Clause) -> bool:
    """Whether a question says what it is about, perhaps by an example: *bills like that*."""
    solid = [word for word in clause.words if word.weight >= CONTENT_WEIGHT]
    return any(word.text not in DEPARTMENTS for word in solid) and (
        not clause.refers or "who" in clause.kinds
    )


def _size(word: Word) -> int:
    """What a word counts: nothing if it is a name, or only says that something is written."""
    return 0 if word.name or _is_of_documents(word.text) else int(word.weight * _FINE)


def _says_only_who(clause: Clause) -> bool:
    """Whether a question for somebody has no subject of its own: it points back, or names nothing
    but a department."""
    if clause.refers and not clause.marks:
        return True
    return all(word.weight < CONTENT_WEIGHT or word.text in DEPARTMENTS for word in clause.words)


@lru_cache(maxsize=512)
def _by_ask(asks: tuple[str, ...]) -> tuple[Units, NDArray[np.int64]]:
    """The words of all asks, one a row, and where each ask begins; no ask is without a word."""
    said = [words for words in map(_words_of, asks) if words]
    starts = np.cumsum([0, *map(len, said[:-1])])
    return word_vectors().units([word for words in said for word in words]), starts


def _words_of(sentence: str) -> list[str]:
    """The words of a sentence that say something, without ids and words of documents."""
    tokens = [token for unit in split_clauses(normalize_text(sentence)) for token in unit.tokens]
    said = [token.text for token in tokens if not token.literal and word_weight(token.text)]
    return [word for word in said if not _is_of_documents(word)]


@lru_cache(maxsize=4_096)
def _is_of_documents(word: str) -> bool:
    vectors = word_vectors()
    return bool(cosines_of(vectors.unit(word), vectors.units(_DOCUMENTS)).max() >= _DOCUMENT)


def _wanted(clauses: Sequence[Clause]) -> tuple[bool, bool]:
    """Whether the message asks for somebody, and whether for something written."""
    words = [word.text for clause in clauses for word in clause.words if not word.part]
    person = any("who" in clause.kinds for clause in clauses) or not _PEOPLE.isdisjoint(words)
    places = any(clause.kinds & {"where", "how"} for clause in clauses)
    page = places or any(_is_of_documents(word) for word in words)
    return person, page


@lru_cache(maxsize=512)
def _phrases(sentences: tuple[str, ...]) -> Units:
    """The meaning of each sentence without its words of documents."""
    found = [word_vectors().phrase(_words_of(sentence)) for sentence in sentences]
    return np.stack(found) if found else np.zeros((1, DIMENSIONS), np.float32)


def _nearest(phrase: Units, sentences: Units) -> int:
    """How close a phrase comes to the nearest sentence, in thousandths."""
    return int(cosines_of(phrase, sentences).max() * _FINE)
