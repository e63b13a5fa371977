"""What a topic's asks say, and how rare each sense is among the topics of an office."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from trainee_bench.world.colleagues.understanding.clause_parsing import Clause, Word, parse_clause
from trainee_bench.world.colleagues.understanding.identifiers import ID_MARK
from trainee_bench.world.colleagues.understanding.lexicon import EXCLUSIVE_SORT_BY_WORD
from trainee_bench.world.colleagues.understanding.normalise import normalize_text, split_clauses
from trainee_bench.world.colleagues.understanding.topic import Topic

LIGHT = 0.4
"""A word from this weight on may stand for a core sense in one of the asks: *contact* for
*responsible*."""

CORE_SHARE = 0.8
"""A sense that stands in four asks of five belongs to the topic's core: without it the topic is
not clearly meant, however well the rest agrees. Higher, and one ask that names the subject
otherwise would empty the core; lower, and wording becomes subject."""

STRANGE = 0.7
"""What a word of no topic counts when it is left unexplained: less than one of another topic,
since people colour what they say, but two of them outweigh the subject."""

CORE_WEIGHT = 0.6
"""Only words that say at least this much can be core: not where, new, file."""


@dataclass(frozen=True)
class TopicProfile:
    """A topic, read."""

    topic: Topic
    keys: tuple[str, ...]
    asks: tuple[Clause, ...]
    keyed: tuple[bool, ...]
    """Which of the asks quote one of the keys."""
    plain: frozenset[str]
    """The asks word by word, without stop marks: a question that equals one needs no weighing."""
    senses: frozenset[str]
    core: tuple[tuple[str, ...], ...]
    """Senses without which the topic is not clearly meant; of a group one suffices."""
    wants_person: bool
    """Nearly every ask asks who."""
    wants_document: bool
    """Nearly every ask is about where something stands, or how it is done."""
    about_you: bool
    """Nearly every ask is about the colleague."""
    names: frozenset[str]
    """Of those, the parts of a person's full name."""
    kinds: frozenset[str]
    exclusive: tuple[tuple[str, frozenset[str]], ...]


@lru_cache(maxsize=4_096)
def build_profile(topic: Topic) -> TopicProfile:
    """Read a topic's asks; typos in them are taken as they stand."""
    keys = tuple(sorted({normalize_text(key).casefold() for key in topic.keys}))
    clauses = []
    keyed = []
    plain = set()
    for ask in topic.asks:
        folded = normalize_text(ask)
        parts = [parse_clause(unit, frozenset(), _as_it_stands) for unit in split_clauses(folded)]
        if parts:
            plain.add(words_in(parts))
            whole = _joined(parts)
            keyed.append(not set(keys).isdisjoint(whole.literals))
            clauses.append(_without(whole, keys))
    core = _core(clauses)
    exclusive: dict[str, frozenset[str]] = {}
    for clause in clauses:
        for sort, values in clause.exclusive:
            exclusive[sort] = exclusive.get(sort, frozenset()) | values
    return TopicProfile(
        topic=topic,
        keys=keys,
        asks=tuple(clauses),
        keyed=tuple(keyed),
        plain=frozenset(plain),
        senses=frozenset(s for clause in clauses for word in clause.words for s in word.senses),
        core=core,
        wants_person=_most(["who" in clause.kinds for clause in clauses]),
        wants_document=_most([is_about_document(clause) for clause in clauses]),
        about_you=_most([clause.you for clause in clauses]),
        names=frozenset(part for group in core if len(group) > 1 for part in group),
        kinds=frozenset(kind for clause in clauses for kind in clause.kinds),
        exclusive=tuple(sorted(exclusive.items())),
    )


DOCUMENT_SENSES = frozenset({"LOCATION", "GUIDANCE", "FILE", "DATA"})


def is_about_document(clause: Clause) -> bool:
    """Whether a clause asks where something stands, or how it is done."""
    return bool(clause.kinds & {"where", "how"}) or any(
        not DOCUMENT_SENSES.isdisjoint(word.senses) for word in clause.words
    )


def _most(held: Sequence[bool]) -> bool:
    return bool(held) and sum(held) >= CORE_SHARE * len(held)


def words_in(clauses: Iterable[Clause]) -> str:
    """Clauses word by word."""
    return " ".join(clause.text for clause in clauses)


def _as_it_stands(word: str) -> None:
    return None


def _joined(parts: Sequence[Clause]) -> Clause:
    """An ask of several clauses as one: *The site is slow. Who can help?* is one ask."""
    return Clause(
        words=tuple(word for part in parts for word in part.words),
        literals=tuple(literal for part in parts for literal in part.literals),
        marks=(),
        kinds=frozenset(kind for part in parts for kind in part.kinds),
        exclusive=tuple(pair for part in parts for pair in part.exclusive),
        asks=True,
        you=any(part.you for part in parts),
        states=False,
        refers=False,
        text=words_in(parts),
    )


def _without(ask: Clause, keys: tuple[str, ...]) -> Clause:
    """The ask without its ids, which count by themselves (and without the words inside them)."""
    inside = {part for key in keys if key in ask.literals for part in key.replace(".", " ").split()}
    words = tuple(w for w in ask.words if w.text not in keys and w.text not in inside)
    literals = tuple(literal for literal in ask.literals if literal not in keys)
    return replace(ask, words=words, literals=literals)


def _core(clauses: Sequence[Clause]) -> tuple[tuple[str, ...], ...]:
    """The senses that most asks share; of a word's senses the widest one that is shared.

    The parts of a full name are one group: colleagues say Marta for Marta Olsen.
    """
    counts: dict[str, int] = {}
    solid = {sense for clause in clauses for word in clause.words for sense in _solid(word)}
    for clause in clauses:
        light = (word for word in clause.words if word.weight >= LIGHT)
        for sense in {sense for word in light for sense in word.senses} & solid:
            counts[sense] = counts.get(sense, 0) + 1
    core = {sense for sense, count in counts.items() if count >= CORE_SHARE * len(clauses)}
    concepts = {sense for sense in core if not sense.startswith("=")}
    for clause in clauses:  # a stem whose concept is core as well asks no more than the concept
        for word in clause.words:
            if concepts.intersection(word.senses):
                core.discard(word.senses[0])
    groups: dict[str, tuple[str, ...]] = {sense: (sense,) for sense in core}
    for clause in clauses:
        for one, two in pairwise(clause.words):
            first, last = one.senses[0], two.senses[0]
            if one.proper and two.proper and first in core and last in core:
                both = tuple(sorted((first, last)))
                groups[first], groups[last] = both, both
    return tuple(sorted(set(groups.values())))


def _solid(word: Word) -> tuple[str, ...]:
    if (
        word.weight < CORE_WEIGHT
        or word.text in EXCLUSIVE_SORT_BY_WORD
        or word.senses[0][0] in ("#", ID_MARK)
    ):
        return ()
    return word.senses


class SenseRarity:
    """How much a sense tells the topics of an office apart, from 0.4 to 1."""

    def __init__(self, profiles: Iterable[TopicProfile]) -> None:
        distinct = {(p.plain, p.keys): p for p in profiles}
        kinds = {p.plain: p for p in distinct.values()}  # topics with the same asks count once
        counts: dict[str, int] = {}
        for one in kinds.values():
            for sense in one.senses:
                counts[sense] = counts.get(sense, 0) + 1
        whole = math.log(1 + len(kinds)) or 1.0
        self._factors = {
            sense: 0.4 + 0.6 * math.log(1 + len(kinds) / count) / whole
            for sense, count in counts.items()
        }

    def weight_of(self, word: Word) -> float:
        """The word's weight among these topics; a word of none of them counts STRANGE of it."""
        factors = [self._factors[sense] for sense in word.senses if sense in self._factors]
        return word.weight * (min(factors) if factors else STRANGE)
