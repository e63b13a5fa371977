"""The input and output of the interpreter: topics, and the interpretation of a question."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True)
class Topic:
    """One thing a colleague can be asked about.

    Write five or more asks, each a whole question naming the subject, in different words.
    Capitalise names as usual: a capitalised word inside an ask is never the target of typo repair,
    so that *Anne* is not taken for *Anna*.
    """

    id: str
    asks: tuple[str, ...]
    """Five or more ways to ask it."""
    keys: tuple[str, ...] = ()
    """Exact ids (chart ids, file names, server names). If a topic has keys, a question that quotes
    an id of the same shape must quote one of these exactly, else this topic is not meant."""
    about: tuple[str, ...] = ()
    """For a public topic: what its document says, or what else belongs to it, in sentences."""


def manner_of_asking(asks: Sequence[str], keys: Sequence[str]) -> str:
    """How one asks for a topic of these *asks* and *keys*, whatever it is about: it is the same for
    two charts."""
    if not keys:
        return asks[0]
    longest_first = sorted(map(re.escape, keys), key=len, reverse=True)
    return re.sub("|".join(longest_first), "#", asks[0])


class Intent(StrEnum):
    """What kind of message it was."""

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
    """It names something, an id or a file, and does not say what is wanted."""
    SMALL_TALK = "small_talk"
    """A greeting, thanks, the weather."""


@dataclass(frozen=True)
class Interpretation:
    """The outcome. `topics` holds what is asked for, by id: when CLEAR in the question's order (one
    or two, or a whole list), and when DOUBTFUL one to three, best first. `elsewhere` is the id of a
    topic of others, or of a public one, that a CLEAR message clearly asks for as well."""

    intent: Intent
    topics: tuple[str, ...] = ()
    elsewhere: str = ""
