"""The topics of a colleague that a message lists by their keys, such as ids of several charts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.colleagues.understanding import HeardMessage, Topic
from trainee_bench.world.colleagues.understanding.fishing import MOST_LISTED
from trainee_bench.world.colleagues.understanding.identifiers import KnownIds
from trainee_bench.world.colleagues.understanding.ids import QUOTABLE, IdKind, id_kind
from trainee_bench.world.colleagues.understanding.topic import manner_of_asking

MOST_ASKED_BACK = 3
"""The most topics in one question back."""

_ATTEND = r"(?:attend|come|coming|join|make it|take part|be there|free|available|in for)\b"
_ABOUT_YOU = re.compile(
    rf"\b(?:can|could|will|would|are|do) (?:(?:each|all|both|any) of )?you (?:\w+ )?{_ATTEND}|"
    rf"\b(?:whether|if) (?:(?:each|all|both|any) of )?you (?:\w+ )?{_ATTEND}|"
    r"\b(?:who|which) of you\b",
    re.IGNORECASE,
)
"""A question whether the colleague takes part."""


def listed_topics(
    message: HeardMessage, clues: Sequence[Clue], others: Sequence[Topic], ids: Sequence[str]
) -> tuple[str, ...]:
    """Return the ids of the *clues* that *message* lists by their keys, in the message's order.

    *ids* are the clues that the message is understood to ask for. They must be among the listed
    clues, and the question must be the same for all. Return () otherwise, and if the message quotes
    no second key of these clues or of similar topics of *others*."""
    manners = {_manner(clue) for clue in clues if clue.id in ids}
    if len(manners) != 1:
        return ()
    places = _places(message, [clue for clue in clues if _manner(clue) in manners])
    elsewhere = _places(message, [topic for topic in others if _manner(topic) in manners])
    if not set(ids) <= places.keys() or len(places) > MOST_LISTED:
        return ()
    if len(places) + len(elsewhere) < 2:
        return ()
    return tuple(sorted(places, key=lambda topic: (places[topic], topic)))


def topics_of_codes(message: HeardMessage, clues: Sequence[Clue]) -> tuple[str, ...]:
    """Return the ids of the *clues* with a code that *message* quotes, or () if they are too many
    to ask back about."""
    places = _places(message, [clue for clue in clues if _has_code(clue)])
    return tuple(sorted(places)) if len(places) <= MOST_ASKED_BACK else ()


def with_own_part(
    message: HeardMessage, clues: Sequence[Clue], ids: Sequence[str], held_back: frozenset[str]
) -> tuple[str, ...]:
    """Return *ids*, which are held back, after the clue that answers for the colleague alone.

    A manager who is asked "Can all of you come to W-538?" answers for herself, and only then says
    that her decision about others has to wait. The clue must be the only other one with the same
    keys."""
    keys = {clue.keys for clue in clues if clue.id in ids}
    own = [clue.id for clue in clues if clue.keys in keys and clue.id not in held_back]
    if len(keys) != 1 or keys == {()} or len(own) != 1:
        return tuple(ids)
    return (*own, *ids) if _ABOUT_YOU.search(message.text) else tuple(ids)


def _has_code(clue: Clue) -> bool:
    return any(id_kind(key) is IdKind.CODE for key in clue.keys)


def _manner(topic: Clue | Topic) -> str:
    return manner_of_asking(topic.asks, topic.keys)


def _places(message: HeardMessage, topics: Sequence[Clue | Topic]) -> dict[str, int]:
    """Return the place where *message* first quotes a key of each topic, by the topic's id."""
    keys = (key for topic in topics for key in topic.keys if id_kind(key) in QUOTABLE)
    quoted = KnownIds(keys).quoted(message.text)
    places = {
        topic.id: [quoted[key.casefold()] for key in topic.keys if key.casefold() in quoted]
        for topic in topics
    }
    return {topic: min(found) for topic, found in places.items() if found}
