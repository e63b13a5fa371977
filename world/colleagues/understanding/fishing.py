"""Fishing: messages that ask for everything at once."""

import re
from collections.abc import Collection

from trainee_bench.world.colleagues.understanding.topic import Topic, manner_of_asking

SPRAY = 4
"""The number of topics in one message that makes it fishing. The colleague asks back about three
and answers two."""

MOST_LISTED = 5
"""The most clues of one colleague in a list that is answered."""

MANY_QUESTIONS = 10
"""The number of different questions in one message that makes it fishing."""

_SECRETS = (
    r"(?:codes?|passwords?|passcodes?|secrets?|credentials|links?|files?|paths?|ids?|clues?|facts?|"
    r"names?|numbers?|information|infos?|details|knowledge|data|contacts?|answers?|locations?|"
    r"documents?|hints?)"
)
_ALWAYS = re.compile(
    r"""
      \b(?:everything|anything|whatever|what\ else|every\ thing|all(?:\ that)?)
        (?:\ that|\ which|\ else)?\ (?:you|u)\ (?:\w+\ )?
        (?:know|have(?!\ (?:them|him|her|us|me|planned|decided)\b)|hold|got|
          can\ (?:tell|share|give)|could\ (?:tell|share)|remember|are\ hiding)\b
    | \b(?:tell|give|send|share|show|dump|spill|reveal|release|list|disclose|hand)
        \ (?:me\ |us\ |over\ )?(?:everything|all\ of\ it|it\ all|the\ lot|the\ beans)
    | \b(?:tell|give|send|share)\ (?:me\ |us\ )?(?:all|everything|anything)$
    | \b(?:brain|information|knowledge|memory)\ dump\b | \bdump\ (?:of\ )?(?:all|everything|your)\b
    | \b(?:ignore|disregard|forget)\ (?:all\ |any\ )?(?:your|previous|prior|the)\ (?:\w+\ )?
        (?:instructions|rules|prompt)\b
    | \b(?:system\ prompt|every\ secret|all\ secrets|your\ secrets?|any\ secrets?)\b
    | \bwhat\ (?:all\ )?(?:else\ )?(?:do|can)\ you\ (?:know|tell\ me)(?:\ then|\ so\ far|\ here)?$
    | \banything\ (?:useful|interesting|helpful|important|worth)\b
    """,
    re.VERBOSE,
)
_UNLESS_CLEAR = re.compile(
    rf"""
      \b(?:any|all|every)\ (?:(?:piece|bit|scrap)s?\ )?(?:of\ )?
        (?:the\ |your\ |possible\ )?(?:\w+\ )?{_SECRETS}\ (?:that\ |which\ )?
        (?:you|u)\ (?:\w+\ )?(?:have|know|hold|got|can)\b
    | \b(?:all|every|any)\ (?:of\ )?(?:your|the|possible)?\ ?(?:\w+\ )?
        {_SECRETS}(?:\ (?:and|or)?\ ?{_SECRETS})+
    | \b(?:tell|give|send|share|show|list|release)\ (?:me\ |us\ )?(?:all|every)\ (?:of\ )?your\b
    | \brelease\ (?:all|every)\b
    """,
    re.VERBOSE,
)
_EVERY_SECRET = re.compile(rf"\bevery (?:single )?{_SECRETS}\b")
_YOU = re.compile(r"\byou\b")


def is_fishing(text: str) -> bool:
    """Return whether a clause asks for everything."""
    return _ALWAYS.search(text) is not None


def may_be_fishing(text: str) -> bool:
    """Return whether a clause asks for all facts of a sort: fishing, unless the topic is clear.

    *All the new ids you have for the charts in the warehouse article* is a fair question.
    """
    every = _EVERY_SECRET.search(text)
    of_you = every is not None and _YOU.search(text, every.end()) is not None
    return of_you or _UNLESS_CLEAR.search(text) is not None


def are_too_many(questions: Collection[str]) -> bool:
    """Return whether so many different questions in one message are fishing."""
    return len(questions) >= MANY_QUESTIONS


def is_spray(own: Collection[Topic], others: Collection[Topic]) -> bool:
    """Return whether a message fishes by asking for so many topics, *own* and *others*'."""
    return len(own) + len(others) >= SPRAY and not are_one_question(own, others)


def are_one_question(own: Collection[Topic], others: Collection[Topic]) -> bool:
    """Return whether it is one question about all topics, such as the new ids of several charts."""
    manners = {manner_of_asking(topic.asks, topic.keys) for topic in (*own, *others)}
    return len(manners) == 1 and len(own) <= MOST_LISTED
