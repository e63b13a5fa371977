"""How well a clause agrees with a topic.

The weights were fitted to the questions of the development corpus (a logistic regression) and
rounded; `TopicMatch.certainty` 0 means as likely asked for as not.
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
"""From this certainty on a topic is meant. Below, near misses (another question about the same
subject) begin to appear among the development questions."""

WORTH_ASKING = -1.5
"""From this certainty on it is worth asking back: whoever holds what a question may be about never
says that they do not know."""

START = -2.8
REPEATED, EXPLAINED, BOTH, QUOTED = 2.0, 0.5, 1.4, 3.0
"""How much of an ask comes back, how much of the clause belongs to the topic, both at once, and an
id that is quoted exactly."""
LEAD, LEAD_OVER_OTHERS = 2.2, 0.8
"""The lead over the colleague's other topics, and over what others know."""
MAX_LEAD = 0.5
NAMED = 1.0
"""Somebody is named of whom the topic speaks."""
NEAR_ID, OTHER_KIND, NOT_YOU, NO_NAME = -3.5, -3.5, -2.1, -2.0
"""A slip in an id, another kind of answer, somebody else's dates, nobody of the topic's named."""
OTHERWISE, STATES, NO_DOCUMENT, OTHERS, NARROWER, OTHER_HOUR = -1.7, -1.3, -0.9, -0.8, -0.7, -0.7
CORE, PARTS, ID = 0.3, 0.3, 0.45
"""What nearness adds to the meaning of the nearest ask: the topic's core, the words explained, an
id."""
LESS_NEAR = 0.4

ELSEWHERE = 0.7
"""What an id in another clause of the message counts."""

WHOLE, HALF, LITTLE = 0.85, 0.5, 0.45
"""A clause that says nothing but the topic's own words, yet not half of any ask, only names the
subject: *where is the carrier?* of *where is the carriers' SLA?*. Less than `LITTLE` of every ask
is never clear."""

MOSTLY = 0.75
"""Nothing but the topic's core, and less than this of any ask: *website?*."""

STRAY, NEAR_ENOUGH = 0.15, 0.35
"""Of a clause that asks for the topic more than the first belongs to it, or it comes nearer to an
ask than the second, unless it points back: an id alone does not say what is wanted of it."""


@dataclass(frozen=True, slots=True)
class TopicMatch:
    """How well a topic agrees with a clause."""

    at: int
    """The topic's place among the listener's topics."""
    near: float
    """How near it comes: in this order topics are likely to be meant."""
    evidence: float
    """How certain it is, regardless of the other topics."""
    doubt: bool
    """However certain, ask back."""
    against: bool
    """Something speaks against it: another kind of answer, another hour, a slip in an id."""
    pure: bool
    """The clause says nothing but what belongs to the topic."""
    quoted: bool
    """One of its ids is quoted."""
    bare: bool
    """It quotes an id, and says nothing else."""

    def certainty(self, next_own: float, next_other: float) -> float:
        """How certain it is, given how near the next of the colleague's and of others' topics
        come."""
        lead = min(MAX_LEAD, self.near - next_own)
        over_others = max(-MAX_LEAD, min(MAX_LEAD, self.near - next_other))
        return self.evidence + LEAD * lead + LEAD_OVER_OTHERS * over_others


def score_topic(
    at: int, topic: TopicProfile, clause: Clause, heard: ClauseContext, meaning: ClauseMeaning
) -> TopicMatch | None:
    """The agreement of one topic with one clause, or None if the topic cannot be meant."""
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
    objections = (
        (NEAR_ID, fit == "doubt"),
        (OTHER_KIND, other_kind),
        (NOT_YOU, not_you),
        (NO_NAME, not quoted and bool(topic.names) and topic.names.isdisjoint(heard.stems)),
        (OTHERWISE, asks_otherwise(clause, by_word)),
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
    """Whether a clause without an id only touches the topic: it says too little of any ask, or
    nothing but the subject, or mostly something else."""
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
    """Whether what is asked beside an id of the topic is mostly something else. With an id of
    its own (not a file's or a city's name) the kind of answer wanted is enough."""
    own_id = any(key in topic.keys and id_kind(key) in NUMBERED for key in heard.quoted)
    says_nothing = all(word.weight < CONTENT_WEIGHT for word in clause.words)
    if own_id and clause.asks and says_nothing:
        return False  # K-118: are you in?
    if own_id and clause.kinds & topic.kinds - {"thing", "you"}:
        return False
    return explained < STRAY and asked < NEAR_ENOUGH


def _explained(clause: Clause, topic: TopicProfile, by_word: Sequence[float]) -> float:
    """The share of the clause that belongs to the topic, the topic's names left out; a word that
    is repeated counts once."""
    found = {
        word.text: (word.weight, share)
        for word, share in zip(clause.words, by_word, strict=True)
        if word.stem not in topic.names
    }
    pairs = list(found.values())
    whole = sum(weight for weight, _ in pairs)
    return sum(weight * share for weight, share in pairs) / whole if whole else 0.0
