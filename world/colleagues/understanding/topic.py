"""The input and output of the interpreter: topics, and the interpretation of a question."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True)
class Topic:
    """Subject about which a colleague can be asked.

    Write five or more asks in different words, each a complete question that names the subject.
    Capitalise names as usual: typo repair never produces a capitalised word of an ask, so that
    *Anne* is not taken for *Anna*.
    """

    id: str
    asks: tuple[str, ...]
    """Five or more ways to ask it."""
    keys: tuple[str, ...] = ()
    """Exact ids (chart ids, file names, server names). A question that quotes an id of the same
    shape must quote one of them exactly, or else it does not mean this topic."""
    about: tuple[str, ...] = ()
    """Sentences about the subject of a public topic, for example those of its document."""


def manner_of_asking(asks: Sequence[str], keys: Sequence[str]) -> str:
    """Return the first ask without the *keys*. It is the same for similar topics, as two charts."""
    if not keys:
        return asks[0]
    longest_first = sorted(map(re.escape, keys), key=len, reverse=True)
    return re.sub("|".join(longest_first), "#", asks[0])


class Intent(StrEnum):
    """Kind of a message."""

    CLEAR = "clear"
    """It asks for one topic, or for two."""
    DOUBTFUL = "doubtful"
    """It may ask for one of these topics: ask back."""
    NONE = "none"
    """It asks for nothing this colleague knows."""
    WORK_REQUEST = "work_request"
    """It asks the colleague to do the work."""
    FISHING = "fishing"
    """It asks for everything at once."""
    BARE = "bare"
    """It names an id or a file, but asks nothing about it."""
    SMALL_TALK = "small_talk"
    """A greeting, thanks, the weather."""


@dataclass(frozen=True)
class Interpretation:
    """Outcome of an interpretation.

    `topics` are the ids of the topics asked for. A CLEAR message asks for one or two, or for a
    whole list, in the question's order. A DOUBTFUL message may ask for one to three, best first.
    `elsewhere` is the id of a topic of others, or of a public topic, that a CLEAR message clearly
    asks for as well."""

    intent: Intent
    topics: tuple[str, ...] = ()
    elsewhere: str = ""
