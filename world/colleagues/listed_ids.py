"""Questions that list what they ask about: "What are the new ids of OLD123456 and OLD654321?" """

from __future__ import annotations

import re
from collections.abc import Sequence

from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.colleagues.understanding import Topic
from trainee_bench.world.colleagues.understanding.fishing import MOST_LISTED
from trainee_bench.world.colleagues.understanding.identifiers import KnownIds
from trainee_bench.world.colleagues.understanding.topic import manner_of_asking

_ID = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[\w-]+|[\w-]+\.\w+")
"""A code, or the name of a file: one quotes it, where a word may be there for another reason."""


def listed_topics(
    text: str, clues: Sequence[Clue], others: Sequence[Topic], ids: Sequence[str]
) -> tuple[str, ...]:
    """The ids of all *clues* of which *text* quotes an id, in its order, if it asks the same of
    each, and if those of *ids*, which it is understood to ask for, are among them; () if not, or
    if it quotes no second id, of these or of what *others* can be asked in the same way."""
    manners = {_manner(clue) for clue in clues if clue.id in ids}
    if len(manners) != 1:
        return ()
    places = _places(text, [clue for clue in clues if _manner(clue) in manners])
    elsewhere = _places(text, [topic for topic in others if _manner(topic) in manners])
    if not set(ids) <= places.keys() or len(places) > MOST_LISTED:
        return ()
    if len(places) + len(elsewhere) < 2:
        return ()
    return tuple(sorted(places, key=lambda topic: (places[topic], topic)))


def _manner(topic: Clue | Topic) -> str:
    return manner_of_asking(topic.asks, topic.keys)


def _places(text: str, topics: Sequence[Clue | Topic]) -> dict[str, int]:
    """Where *text* first quotes an id of each of the *topics*, by their ids."""
    keys = (key for topic in topics for key in filter(_ID.fullmatch, topic.keys))
    quoted = KnownIds(keys).quoted(text)
    places = {
        topic.id: [quoted[key.casefold()] for key in topic.keys if key.casefold() in quoted]
        for topic in topics
    }
    return {topic: min(found) for topic, found in places.items() if found}
