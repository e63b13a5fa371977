"""Profiles of topics: meanings of their asks, shared words, wanted kinds of answer."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np

from trainee_bench.world.colleagues.understanding.answer_kinds import CONTENT_WEIGHT
from trainee_bench.world.colleagues.understanding.clause_parsing import Clause, Word, parse_clause
from trainee_bench.world.colleagues.understanding.identifiers import KnownIds
from trainee_bench.world.colleagues.understanding.normalise import (
    normalize_text,
    split_clauses,
    stem,
)
from trainee_bench.world.colleagues.understanding.topic import Topic
from trainee_bench.world.colleagues.understanding.vocabulary import EXCLUSIVE_SORT_BY_WORD
from trainee_bench.world.colleagues.understanding.word_vectors import (
    Units,
    cosines_of,
    word_vectors,
)
from trainee_bench.world.kept_results import kept_on_disk, kept_per_day

CORE_SHARE = 0.7
"""The least share of asks with a meaning that belongs to the topic's core."""

MOST = 0.8
"""The least share of asks with a property that the topic has, too."""

SAME_MEANING = 0.5
"""The least cosine of words with the same meaning; *closed* and *shut* are at 0.57."""

_DOCUMENTS = (
    "handbook", "manual", "guide", "instructions", "document", "rules", "policy", "regulations",
    "guidelines", "file", "written", "spreadsheet",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class TopicProfile:
    """Profile of a topic."""

    topic: Topic
    keys: tuple[str, ...]
    asks: tuple[Clause, ...]
    plain: frozenset[str]
    """The words of each ask, for comparison with a whole question."""
    meanings: Units
    """Meaning of each ask, and of all together."""
    words: tuple[str, ...]
    """Content words of the asks."""
    stems: frozenset[str]
    core: tuple[tuple[str, ...], ...]
    """Groups of words whose meaning most asks share; one word of a group suffices."""
    names: frozenset[str]
    """Stems of the parts of a person's full name in the core."""
    wants_document: bool
    """Whether nearly every ask is about where something is written, or how it is done."""
    wants_person: bool
    """Whether nearly every ask asks who."""
    about_you: bool
    """Whether nearly every ask is about the colleague."""
    kinds: frozenset[str]
    exclusive: tuple[tuple[str, frozenset[str]], ...]

    @cached_property
    def known(self) -> frozenset[str]:
        """The stems of all words of the asks."""
        return frozenset(stem(word.text) for ask in self.asks for word in ask.words)

    @cached_property
    def proper(self) -> frozenset[str]:
        """The proper names among the words of the asks."""
        return frozenset(word.text for ask in self.asks for word in ask.words if word.proper)

    @cached_property
    def spelled(self) -> frozenset[str]:
        """The words of the asks that have only letters."""
        return frozenset(w.text for ask in self.asks for w in ask.words if w.text.isalpha())


@kept_per_day(128)
def build_profile(topic: Topic) -> TopicProfile:
    """Return the profile of a topic. Typos in its asks are not repaired."""
    return kept_on_disk("topic", repr(topic), lambda: _profile_of(topic))


def _profile_of(topic: Topic) -> TopicProfile:
    keys = tuple(sorted({normalize_text(key).casefold() for key in topic.keys}))
    pages = tuple(key for key in keys if key.startswith("/"))
    clauses = []
    plain = set()
    for ask in topic.asks:
        parts = _read_ask(ask, pages)
        if parts:
            plain.add(_with_ids(words_in(parts), pages))
            clauses.append(_without(_joined(parts), keys))
    exclusive: dict[str, frozenset[str]] = {}
    for clause in clauses:
        for sort, values in clause.exclusive:
            exclusive[sort] = exclusive.get(sort, frozenset()) | values
    solid = {word.text: word for clause in clauses for word in clause.words if word.weight}
    core = _core(clauses)
    return TopicProfile(
        topic=topic,
        keys=keys,
        asks=tuple(clauses),
        plain=frozenset(plain),
        meanings=_meanings(clauses),
        words=tuple(sorted(solid)),
        stems=frozenset(word.stem for word in solid.values()),
        core=core,
        names=frozenset(solid[part].stem for group in core if len(group) > 1 for part in group),
        wants_document=_most([is_about_document(clause) for clause in clauses]),
        wants_person=_most(["who" in clause.kinds for clause in clauses]),
        about_you=_most([clause.you for clause in clauses]),
        kinds=frozenset(kind for clause in clauses for kind in clause.kinds),
        exclusive=tuple(sorted(exclusive.items())),
    )


@lru_cache(maxsize=8_192)
def _read_ask(ask: str, pages: tuple[str, ...]) -> tuple[Clause, ...]:
    """Return the clauses of an ask. Its *pages* are marked as ids, since the path of a page is an
    ordinary word: /docs has nothing to do with documents."""
    units = split_clauses(KnownIds(pages).mark(normalize_text(ask)))
    return tuple(parse_clause(unit, frozenset(), _as_it_stands) for unit in units)


def _with_ids(text: str, pages: tuple[str, ...]) -> str:
    """Return a marked *text* with the *pages* in place of their marks."""
    known = KnownIds(pages)
    return " ".join(known.marked(word) or word for word in text.split())


def is_about_document(clause: Clause) -> bool:
    """Return whether a clause asks where something is written, or how it is done."""
    return bool(clause.kinds & {"where", "how"}) or any(
        word.text in _DOCUMENTS or (word.weight >= CONTENT_WEIGHT and _is_document(word.text))
        for word in clause.words
    )


@lru_cache(maxsize=4_096)
def _is_document(word: str) -> bool:
    vectors = word_vectors()
    prototypes = vectors.units(_DOCUMENTS[:5])
    return bool(cosines_of(vectors.unit(word), prototypes).max() >= SAME_MEANING)


def _most(held: Sequence[bool]) -> bool:
    return bool(held) and sum(held) >= MOST * len(held)


def words_in(clauses: Iterable[Clause]) -> str:
    """Return the words of clauses."""
    return " ".join(clause.text for clause in clauses)


def _as_it_stands(word: str) -> None:
    return None


def _joined(parts: Sequence[Clause]) -> Clause:
    """Join the clauses of an ask: *The site is slow. Who can help?* is one ask."""
    return Clause(
        words=tuple(word for part in parts for word in part.words),
        literals=tuple(literal for part in parts for literal in part.literals),
        marks=(),
        kinds=frozenset(kind for part in parts for kind in part.kinds),
        hollow=False,
        exclusive=tuple(pair for part in parts for pair in part.exclusive),
        asks=True,
        you=any(part.you for part in parts),
        states=False,
        refers=False,
        text=words_in(parts),
    )


def _without(ask: Clause, keys: tuple[str, ...]) -> Clause:
    """Return the ask without its keys, which count separately, and without their words."""
    inside = {part for key in keys if key in ask.literals for part in key.replace(".", " ").split()}
    words = tuple(w for w in ask.words if w.text not in keys and w.text not in inside)
    literals = tuple(literal for literal in ask.literals if literal not in keys)
    return replace(ask, words=words, literals=literals)


def _meanings(clauses: Sequence[Clause]) -> Units:
    vectors = word_vectors()
    said = [[word.text for word in clause.words] for clause in clauses]
    together = [word for words in said for word in words]
    return np.stack([vectors.phrase(words) for words in (*said, together)])


def _core(clauses: Sequence[Clause]) -> tuple[tuple[str, ...], ...]:
    """Return the words whose meaning most asks share.

    The parts of a full name are one group, because colleagues say Marta for Marta Olsen.
    """
    solid = [[word for word in clause.words if _is_solid(word)] for clause in clauses]
    words = list(dict.fromkeys(word.text for said in solid for word in said))
    if not words:
        return ()
    units = word_vectors().units(words)
    same = np.stack([cosines_of(unit, units) for unit in units]) >= SAME_MEANING
    places = {word: place for place, word in enumerate(words)}
    counts = np.zeros(len(words), np.int64)
    for said in solid:
        if said:
            counts += same[:, [places[word.text] for word in said]].any(axis=1)
    shared = [w for w, count in zip(words, counts, strict=True) if count >= CORE_SHARE * len(solid)]
    groups: dict[str, tuple[str, ...]] = {word: (word,) for word in shared}
    for said in solid:
        for one, two in pairwise(said):
            if one.proper and two.proper and one.text in groups and two.text in groups:
                both = tuple(sorted((one.text, two.text)))
                groups[one.text] = groups[two.text] = both
    return tuple(sorted(set(groups.values())))


def _is_solid(word: Word) -> bool:
    return word.weight >= CONTENT_WEIGHT and word.text not in EXCLUSIVE_SORT_BY_WORD
