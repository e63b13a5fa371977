"""Scores of topics for a clause.

The weights were fitted to the questions of the development corpus by logistic regression, and
rounded. At `TopicMatch.certainty` 0 it is as likely as not that the clause asks for the topic.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from trainee_bench.world.colleagues.understanding.answer_kinds import CONTENT_WEIGHT
from trainee_bench.world.colleagues.understanding.clause_context import ClauseContext
from trainee_bench.world.colleagues.understanding.clause_parsing import Clause
from trainee_bench.world.colleagues.understanding.identifiers import fits
from trainee_bench.world.colleagues.understanding.ids import NUMBERED, id_kind
from trainee_bench.world.colleagues.understanding.meanings import ClauseMeaning
from trainee_bench.world.colleagues.understanding.objections import (
    LOOSE_SORTS,
    STRICT_SORTS,
    asks_otherwise,
    conflicts,
    is_namesake,
    is_narrower,
    names_another,
    names_others,
    speaks_of_you,
    wants_foreign,
)
from trainee_bench.world.colleagues.understanding.topic_profile import TopicProfile

CLEAR = 0.27
"""The least certainty of a topic that is meant. Below it, near misses (another question about the
same subject) occur among the development questions."""

WORTH_ASKING = -1.5
"""The least certainty for a question back. The holder of a topic that may be meant never says that
they do not know."""

START = -2.8
REPEATED, EXPLAINED, BOTH, QUOTED = 2.0, 0.5, 1.4, 3.0
"""Weights of the repeated share of an ask, of the share of the clause that belongs to the topic, of
their product, and of a key that is quoted exactly."""
LEAD, LEAD_OVER_OTHERS = 2.2, 0.8
"""Weights of the lead over the colleague's other topics, and over the topics of others."""
MAX_LEAD = 0.5
NAMED = 1.0
"""Weight of a person named in the clause and the topic."""
NEAR_ID, OTHER_KIND, NOT_YOU, NO_NAME = -3.5, -3.5, -2.1, -2.0
"""Weights of a slip in an id, of another kind of answer, of somebody else's dates, and of a missing
name."""
OTHERWISE, STATES, NO_DOCUMENT, OTHERS, NARROWER, OTHER_HOUR = -1.7, -1.3, -0.9, -0.8, -0.7, -0.7
CORE, PARTS, ID = 0.3, 0.3, 0.45
"""Weights, beside the nearest ask, of the topic's core, of the words that belong to the topic, and
of a quoted key for the nearness of a topic."""
LESS_NEAR = 0.4

ELSEWHERE = 0.7
"""Weight of a key in another clause of the message."""

WHOLE, HALF, LITTLE = 0.85, 0.5, 0.45
"""Shares: at `WHOLE` a clause consists of the topic's words. If it repeats less than `HALF` of any
ask, it only names the subject: *where is the carrier?* for *where is the carriers' SLA?*. A clause
that repeats less than `LITTLE` of every ask is never clear."""

MOSTLY = 0.75
"""The share of an ask that a clause must repeat if it holds only the topic's core: *website?*."""

STRAY, NEAR_ENOUGH = 0.15, 0.35
"""The least share of a clause that belongs to the topic, and the nearness to an ask that suffices
instead. They do not apply to a clause that points back. A quoted key alone asks nothing."""


@dataclass(frozen=True, slots=True)
class TopicMatch:
    """Match of a topic with a clause."""

    at: int
    """The topic's place among the listener's topics."""
    near: float
    """Its nearness, which orders the topics by how likely they are meant."""
    evidence: float
    """Its certainty, regardless of the other topics."""
    doubt: bool
    """Whether to ask back at any certainty."""
    against: bool
    """Whether there is an objection: another kind of answer, another hour, a slip in an id."""
    pure: bool
    """Whether the clause holds only words of the topic."""
    quoted: bool
    """Whether one of its keys is quoted."""
    bare: bool
    """Whether the clause holds only an id."""

    def certainty(self, next_own: float, next_other: float) -> float:
        """Return its certainty, given the nearness of the next own and the next foreign topic."""
        lead = min(MAX_LEAD, self.near - next_own)
        over_others = max(-MAX_LEAD, min(MAX_LEAD, self.near - next_other))
        return self.evidence + LEAD * lead + LEAD_OVER_OTHERS * over_others


def score_topic(
    at: int, topic: TopicProfile, clause: Clause, heard: ClauseContext, meaning: ClauseMeaning
) -> TopicMatch | None:
    """Return the match of a topic with a clause, or None if the topic cannot be meant."""
    fit = fits(topic.keys, heard.quoted, heard.strangers) if topic.keys else "open"
    if fit == "barred" or conflicts(heard, topic, STRICT_SORTS) or is_namesake(clause, topic):
        return None
    if fit == "open" and names_another(clause, topic):
        return None
    by_word: list[float] = meaning.explained[:, at].tolist()
    explained = meaning.message[at] if clause.hollow else _explained(clause, topic, by_word)
    repeated = meaning.repeated[at]
    quoted = 0.0 if fit != "exact" else 1.0 if heard.quotes else ELSEWHERE
    other_kind = wants_foreign(clause, topic)
    not_you = topic.about_you and not speaks_of_you(clause, heard)
    narrower = not quoted and is_narrower(clause, topic, by_word)
    # the other words may be the thing's title: what is the new id of OLD482913, Risks by cost?
    asked_in_full = (
        meaning.covered[at] >= 1.0
        and bool(clause.kinds & topic.kinds - {"you"})
        and _quotes_own_number(topic, heard)
    )
    objections = (
        (NEAR_ID, fit == "doubt"),
        (OTHER_KIND, other_kind),
        (NOT_YOU, not_you),
        (NO_NAME, not quoted and bool(topic.names) and topic.names.isdisjoint(heard.stems)),
        (OTHERWISE, asks_otherwise(clause, by_word) and not asked_in_full),
        (OTHER_HOUR, conflicts(heard, topic, LOOSE_SORTS)),
    )
    doubts = (
        (STATES, clause.states),
        (NO_DOCUMENT, topic.wants_document and not heard.document),
        (OTHERS, not quoted and names_others(heard, topic)),
        (NARROWER, narrower),
    )
    evidence = START + REPEATED * repeated + EXPLAINED * explained + BOTH * repeated * explained
    evidence += QUOTED * quoted
    if not topic.names.isdisjoint(word.stem for word in clause.words):
        evidence += NAMED
    evidence += sum(size for size, holds in (*objections, *doubts) if holds)
    near = meaning.asked[at] + CORE * meaning.covered[at] + PARTS * explained + ID * quoted
    says_little = (
        _strays(topic, clause, heard, explained, meaning.asked[at])
        if quoted
        else _only_touches(topic, clause, by_word, explained, repeated, meaning.asked[at])
    )
    against = any(holds for _, holds in objections)
    says = any(word.weight for word in clause.words)
    return TopicMatch(
        at=at,
        near=near - LESS_NEAR * (other_kind or not_you),
        evidence=evidence,
        doubt=against or says_little or narrower or any(holds for _, holds in doubts[:2]),
        against=against,
        pure=says and explained >= WHOLE,
        quoted=quoted > 0,
        bare=heard.quotes and not says,
    )


def _only_touches(
    topic: TopicProfile,
    clause: Clause,
    by_word: Sequence[float],
    explained: float,
    repeated: float,
    asked: float,
) -> bool:
    """Return whether a clause without a key only touches the topic.

    It repeats too little of any ask, or only names the subject, or is mostly about something else.
    """
    if not (topic.about_you and clause.you) and repeated < (HALF if explained >= WHOLE else LITTLE):
        return True
    said = {
        word.text: word.weight * share for word, share in zip(clause.words, by_word, strict=True)
    }
    if not clause.hollow and not clause.you and sum(said.values()) < CONTENT_WEIGHT:
        return True
    core = {word for group in topic.core for word in group}
    only_names_it = repeated < MOSTLY and (asked < MOSTLY or bool(topic.names))
    own = all(word.text in core for word in clause.words if word.weight)
    if own and only_names_it and not clause.hollow:
        return True
    return explained < STRAY and asked < NEAR_ENOUGH and not clause.refers


def _strays(
    topic: TopicProfile, clause: Clause, heard: ClauseContext, explained: float, asked: float
) -> bool:
    """Return whether a clause with a key of the topic is mostly about something else.

    With a numbered key (no name of a file or city), the wanted kind of answer suffices."""
    own_id = _quotes_own_number(topic, heard)
    says_nothing = all(word.weight < CONTENT_WEIGHT for word in clause.words)
    if own_id and clause.asks and says_nothing:
        return False  # K-118: are you in?
    if own_id and clause.kinds & topic.kinds - {"thing", "you"}:
        return False
    return explained < STRAY and asked < NEAR_ENOUGH


def _quotes_own_number(topic: TopicProfile, heard: ClauseContext) -> bool:
    """Return whether the clause quotes a numbered key of the topic (no name of a file or city)."""
    return any(key in topic.keys and id_kind(key) in NUMBERED for key in heard.quoted)


def _explained(clause: Clause, topic: TopicProfile, by_word: Sequence[float]) -> float:
    """Return the share of the clause that belongs to the topic, without the topic's names.

    A repeated word counts once."""
    found = {
        word.text: (word.weight, share)
        for word, share in zip(clause.words, by_word, strict=True)
        if word.stem not in topic.names
    }
    pairs = list(found.values())
    whole = sum(weight for weight, _ in pairs)
    return sum(weight * share for weight, share in pairs) / whole if whole else 0.0
