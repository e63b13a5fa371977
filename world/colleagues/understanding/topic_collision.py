"""Collisions: pairs of topics that cannot be told apart at one colleague."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from trainee_bench.world.colleagues.understanding.clause_parsing import each_in_context
from trainee_bench.world.colleagues.understanding.heard_message import hear
from trainee_bench.world.colleagues.understanding.identifiers import KnownIds, likeness
from trainee_bench.world.colleagues.understanding.matcher import TopicMatcher
from trainee_bench.world.colleagues.understanding.normalise import normalize_text
from trainee_bench.world.colleagues.understanding.topic import Topic
from trainee_bench.world.colleagues.understanding.topic_profile import build_profile
from trainee_bench.world.colleagues.understanding.word_vectors import cosines_of
from trainee_bench.world.task_ids import is_task_id

TOLD_APART = 0.1
"""The least lead of an ask's own topic over another topic, in one of its clauses."""

MAY_COLLIDE = 0.6
"""The least cosine of two asks that can collide. Other scores cannot make up for less."""


SAME_SUBJECT = 0.8
"""The least cosine of two asks about the same subject."""

_REMEMBERED = 8_192
"""The size of the cache, which serves days that are composed many times."""


@lru_cache(maxsize=_REMEMBERED)
def topics_collide(a: Topic, b: Topic) -> bool:
    """Return whether an ask of one topic may be taken for the other at one colleague."""
    if _are_of_different_tasks(a, b):
        return False
    keys = {topic.id: {normalize_text(key).casefold() for key in topic.keys} for topic in (a, b)}
    keyring = KnownIds(key for some in keys.values() for key in some)
    open_asks = [
        (at, ask)
        for at, (topic, other) in enumerate(((a, b), (b, a)))
        for ask in topic.asks
        if not _bars(keyring, ask, keys[other.id])
    ]
    if not open_asks:
        return False
    if _are_far_apart(a, b):
        return False
    matcher = TopicMatcher((a, b))
    return any(mistakes_ask(matcher, ask, at) for at, ask in open_asks)


def _are_of_different_tasks(a: Topic, b: Topic) -> bool:
    """Return whether every ask of each topic quotes the id of its own task, which bars the other
    topic (see `identifiers.fits`)."""
    one, two = _task_of(a), _task_of(b)
    return bool(one and two) and one != two


def _task_of(topic: Topic) -> str:
    """Return the id of the task that every ask of *topic* quotes; "" if there is none."""
    found = [key for key in topic.keys if is_task_id(key)]
    return found[0] if found and all(f"({found[0]})" in ask for ask in topic.asks) else ""


def _are_far_apart(a: Topic, b: Topic) -> bool:
    """Return whether all asks of the two topics are too far apart to collide."""
    return _nearness(a, b) < MAY_COLLIDE


def _nearness(a: Topic, b: Topic) -> float:
    """Return the cosine of the most similar asks of the two topics."""
    one, other = build_profile(a).meanings, build_profile(b).meanings
    return max(float(cosines_of(ask, other).max()) for ask in one)


@lru_cache(maxsize=_REMEMBERED)
def share_subject(a: Topic, b: Topic) -> bool:
    """Return whether an ask of one topic is about the same subject as one of the other."""
    return _nearness(a, b) >= SAME_SUBJECT


def mistakes_ask(matcher: TopicMatcher, ask: str, at: int) -> bool:
    """Return whether an ask of the topic at place *at* (0 or 1) may be taken for the other's."""
    nearest = [0.0, 0.0]
    for clause, rest in each_in_context(matcher.read(hear(ask).normalized)):
        ids = matcher.quoted((clause,))
        if ids and not clause.words and all(map(is_task_id, ids)):
            continue  # the id of the task, in brackets, asks nothing by itself
        for match in matcher.matches(clause, rest):
            nearest[match.at] = max(nearest[match.at], match.near)
    return nearest[1 - at] > nearest[at] - TOLD_APART


def _bars(keyring: KnownIds, ask: str, keys: Collection[str]) -> bool:
    """Return whether *ask* quotes only ids that resemble *keys* and are not among them.

    Then a topic with these keys is not meant (see `identifiers.fits`)."""
    marked = (keyring.marked(token) for token in keyring.mark(normalize_text(ask)).split())
    quoted = [key for key in marked if key is not None]
    return bool(quoted) and all(
        key not in keys and any(likeness(key, own) for own in keys) for key in quoted
    )
