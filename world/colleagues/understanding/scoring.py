"""How well a clause agrees with a topic."""

from collections.abc import Sequence
from dataclasses import dataclass

from trainee_bench.world.colleagues.understanding.clause_context import (
    LEANING_CREDIT,
    ClauseContext,
)
from trainee_bench.world.colleagues.understanding.clause_parsing import Clause, Word
from trainee_bench.world.colleagues.understanding.identifiers import fits
from trainee_bench.world.colleagues.understanding.objections import (
    LOOSE_SORTS,
    STRICT_SORTS,
    conflicts,
    is_namesake,
    is_narrower,
    names_others,
    speaks_of_you,
    wants_foreign,
    wants_other,
)
from trainee_bench.world.colleagues.understanding.topic_profile import (
    CORE_WEIGHT,
    SenseRarity,
    TopicProfile,
)

CONCEPT_CREDIT = 0.92
"""The same concept in another word: almost as good as the word, so that of two topics the one
that has the very word comes first."""

EXPLAINED = 0.6
"""A clause of which less than this belongs to the topic asks something else about its subject."""

COVERED = 0.55
"""Less than this of the content of every ask leaves open what is wanted: *where is the carrier?* is
most of *where is the carriers' SLA?*."""

REPEATED = 0.9
"""An ask that comes back nearly whole, and little else, is meant, even if it lacks what the other
asks of its topic share."""

PURE = 0.99
"""All of the clause belongs to the topic (but for rounding)."""

KEY_WEIGHT = 1.5
"""An id that is quoted exactly says a little more than the best word, but not what is asked of it:
alone it is no clear question."""

COVERAGE_SHARE = 0.6
"""Agreement is coverage of the ask ** 0.6 times explained part of the question ** 0.4: people add
words of their own more readily than they leave out what they want."""

KIND_FACTOR = 0.75
"""When the ask wants a person and the question a place, or the topic's core is missing: what is
just clear (0.66) falls to what is just worth asking back about."""

LIGHT_FACTOR = 0.8
"""When an hour differs, the colleague is not addressed, or nothing is asked: a little less."""

PERSON_SENSES = frozenset({"WHO", "RESPONSIBLE", "DEPUTY", "APPROVE", "BOSS"})
"""Words that ask for a person: *website owner?* does, *do you use the website?* does not."""


@dataclass(frozen=True, slots=True)
class TopicMatch:
    """How well a topic agrees with a clause."""

    at: int
    """The topic's place among the listener's topics."""
    score: float
    doubt: bool
    """However high the score, ask back."""
    against: bool
    """Something speaks against it: another kind of answer, another hour, a slip in an id."""
    pure: bool
    """The clause says nothing but what belongs to the topic."""


@dataclass(frozen=True, slots=True)
class _Coverage:
    """How much of a topic's asks comes back, each the best over the asks, from 0 to 1."""

    agreement: float
    whole: float
    content: float


def score_topic(
    at: int,
    topic: TopicProfile,
    clause: Clause,
    heard: ClauseContext,
    rarity: SenseRarity,
    ask_weights: Sequence[Sequence[float]],
) -> TopicMatch | None:
    """The agreement of one topic with one clause, or None if the topic cannot be meant."""
    fit = fits(topic.keys, heard.quoted, heard.strangers) if topic.keys else "open"
    if fit == "barred" or conflicts(clause, topic, STRICT_SORTS) or is_namesake(clause, topic):
        return None
    here = fit == "exact" and heard.quotes
    key = KEY_WEIGHT * (1.0 if here else heard.share) if fit == "exact" else 0.0
    explained = _explained(topic, clause, heard, rarity, key)
    if not explained or not _is_solid(topic, clause, heard, key):
        return None
    covered = _coverage(topic, clause, heard, key, ask_weights)
    score = covered.agreement * explained ** (1 - COVERAGE_SHARE)
    against = fit == "doubt" or (not key and is_narrower(clause, topic))
    if wants_foreign(clause, topic):
        score, against = score * KIND_FACTOR, True
    if conflicts(clause, topic, LOOSE_SORTS):
        score, against = score * LIGHT_FACTOR, True
    doubt = covered.content < COVERED
    if explained < EXPLAINED:
        score, doubt = score * explained / EXPLAINED, True
    if topic.about_you and not speaks_of_you(clause, topic, heard):
        score, doubt = score * LIGHT_FACTOR, True
        against = against or names_others(clause, topic)
    pure = explained > PURE
    enough = here or (key and clause.refers and pure) or min(covered.whole, explained) >= REPEATED
    if not enough and not _has_core(topic, heard):
        score, doubt = score * KIND_FACTOR, True
    if clause.states:
        score, doubt = score * LIGHT_FACTOR, True
    return TopicMatch(at, score, doubt or against, against, pure)


def _explained(
    topic: TopicProfile, clause: Clause, heard: ClauseContext, rarity: SenseRarity, key: float
) -> float:
    """The share of the clause that belongs to the topic; with what *it* stands for elsewhere."""
    explained = asked = key
    for word in clause.words:
        size = rarity.weight_of(word)
        asked += size
        if not topic.senses.isdisjoint(word.senses):
            explained += size
    if clause.refers:
        for word in heard.elsewhere:
            if not topic.senses.isdisjoint(word.senses):
                explained += LEANING_CREDIT * rarity.weight_of(word)
                asked += LEANING_CREDIT * rarity.weight_of(word)
    return explained / asked if asked else 0.0


def _coverage(
    topic: TopicProfile,
    clause: Clause,
    heard: ClauseContext,
    key: float,
    ask_weights: Sequence[Sequence[float]],
) -> _Coverage:
    agreement = whole = content = 0.0
    for ask, keyed, weights in zip(topic.asks, topic.keyed, ask_weights, strict=True):
        got = solid_got = key
        size = solid = max(key, KEY_WEIGHT if keyed else 0.0)
        for word, its in zip(ask.words, weights, strict=True):
            gain = its * _credit(word, heard)
            size, got = size + its, got + gain
            if word.weight >= CORE_WEIGHT:
                solid, solid_got = solid + its, solid_got + gain
        if size:
            kind = KIND_FACTOR if wants_other(clause, ask.kinds) else 1.0
            agreement = max(agreement, kind * (got / size) ** COVERAGE_SHARE)
            whole = max(whole, got / size)
        if solid:
            content = max(content, solid_got / solid)
    return _Coverage(agreement, whole, content)


def _credit(word: Word, heard: ClauseContext) -> float:
    best = 0.0
    for sense in word.senses:
        here = max(heard.here.get(sense, 0.0), heard.context.get(sense, 0.0))
        best = max(best, here if sense[0] in "=#" else here * CONCEPT_CREDIT)
    return best


def _is_solid(topic: TopicProfile, clause: Clause, heard: ClauseContext, key: float) -> bool:
    """Whether question and topic share a word that says something, or an id."""
    if key or any(sense in heard.context for group in topic.core for sense in group):
        return True
    return any(
        word.weight >= CORE_WEIGHT and not topic.senses.isdisjoint(word.senses)
        for word in clause.words
    )


def _has_core(topic: TopicProfile, heard: ClauseContext) -> bool:
    """Whether the message has all of the core and says what is wanted, a person or a document."""
    said = heard.here.keys() | heard.context.keys()
    if topic.wants_person and said.isdisjoint(PERSON_SENSES):
        return False
    if topic.wants_document and not heard.document:
        return False
    if heard.how:
        said |= {"GUIDANCE"}
    return all(not said.isdisjoint(group) for group in topic.core)
