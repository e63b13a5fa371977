"""What speaks against a topic although its words are there."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from trainee_bench.world.colleagues.understanding.clause_context import ClauseContext
from trainee_bench.world.colleagues.understanding.clause_parsing import Clause
from trainee_bench.world.colleagues.understanding.ids import IdKind, id_kind
from trainee_bench.world.colleagues.understanding.spelling import edit_distance
from trainee_bench.world.colleagues.understanding.topic_profile import (
    TopicProfile,
    is_about_document,
)
from trainee_bench.world.colleagues.understanding.vocabulary import (
    DEPARTMENTS,
    EXCLUSIVE_SORT_BY_WORD,
)
from trainee_bench.world.colleagues.understanding.word_vectors import cosines_of, word_vectors

STRICT_SORTS = frozenset({"weekday", "daypart", "month", "quarter"})
"""Another one of these is another question: Friday is not Thursday."""

LOOSE_SORTS = frozenset({"hour", "near"})
"""Another one of these may be said loosely: at two, for a meeting from half past one to three."""

_SAYS = re.compile(r"\b(?:is|are|was|were|will|does|did|has)\b")
"""Verbs whose subject is not the colleague."""

_KNOWN, _EXPLAINED, _OWN_WORD = 0.3, 0.5, 0.9
"""A word that the topic explains less well than the first is none of its own; better than the
last, it is."""
_ELSE = tuple(
    "affected designed wrote drew launched bought hacked happened nice beautiful cost status "
    "deleted lunch party".split()
)
_SAME_ROOT = 0.6
_ACTS = frozenset("uses visits turned employed".split())
"""What people ask about things that colleagues look after, and no colleague holds a fact on."""


def speaks_of_you(clause: Clause, heard: ClauseContext) -> bool:
    """Whether it may be about the colleague: *dates for the outing?* may, *when is the outing?* and
    *is Anna free?* may not."""
    if clause.you or heard.you:
        return True
    return not (clause.kinds & {"polar"} or heard.names or _SAYS.search(clause.text))


def names_others(heard: ClauseContext, topic: TopicProfile) -> bool:
    """Whether somebody is named of whom the topic does not speak."""
    return any(word.stem not in topic.stems for word in heard.names)


def names_another(clause: Clause, topic: TopicProfile) -> bool:
    """Whether a topic about somewhere or something of a name (*for Hangzhou*) is asked for with
    another name in its place (*for Nanjing*)."""
    if not topic.keys or any(id_kind(key) is not IdKind.NONE for key in topic.keys):
        return False
    names = {
        word.place: word
        for word in clause.words
        if word.proper and word.text not in DEPARTMENTS and word.text not in EXCLUSIVE_SORT_BY_WORD
    }
    for place, word in enumerate(clause.text.split()):
        at = place + 1
        while word in ("for", "in", "as") and at in names:
            if names[at].stem not in topic.stems:
                return True
            at += 1
    return False


def is_narrower(clause: Clause, topic: TopicProfile, by_word: Sequence[float]) -> bool:
    """Whether it is about one of a sort that the topic does not know: the deputy of Novak.

    *by_word* says how well the topic explains each word. Who looks for guidance may say for what:
    the handbook for planning ads in Hamburg.
    """
    if topic.wants_document and is_about_document(clause):
        return False
    if "thing" in clause.kinds and _is_of_a_sort(clause, by_word):
        return True
    return any(
        word.narrows is not None
        and share < _KNOWN
        and by_word[word.narrows] >= _EXPLAINED
        and clause.words[word.narrows].weight > 0
        for word, share in zip(clause.words, by_word, strict=True)
    )


def _is_of_a_sort(clause: Clause, by_word: Sequence[float]) -> bool:
    """Whether it asks what an X of another sort is: what is the *door code*?"""
    return any(
        one.weight > 0
        and two.weight > 0
        and min(by_word[at], by_word[at + 1]) < _KNOWN
        and max(by_word[at], by_word[at + 1]) > _OWN_WORD
        for at, (one, two) in enumerate(pairwise(clause.words))
        if two.place - one.place == 1
    )


def asks_otherwise(clause: Clause, by_word: Sequence[float]) -> bool:
    """Whether a word that the topic does not explain says that something else is asked about its
    subject: who *uses* the website, when it was *launched*."""
    return any(
        word.weight > 0 and share < _EXPLAINED and (word.text in _ACTS or _asks_else(word.text))
        for word, share in zip(clause.words, by_word, strict=True)
    )


@lru_cache(maxsize=4_096)
def _asks_else(word: str) -> bool:
    vectors = word_vectors()
    return bool(cosines_of(vectors.unit(word), vectors.units(_ELSE)).max() > _SAME_ROOT)


def is_namesake(clause: Clause, topic: TopicProfile) -> bool:
    """Whether a part of the topic's name stands beside another name: Marta, but not Olsen."""
    for one, two in pairwise(clause.words):
        if two.place - one.place != 1:
            continue
        named = [word.stem in topic.names for word in (one, two)]
        if any(named) and not all(named):
            other = two if named[0] else one
            near = any(edit_distance(other.text, part, 1) <= 1 for part in topic.names)
            if (other.name or other.unknown) and not near and other.stem not in topic.stems:
                return True
    return False


def wants_foreign(clause: Clause, topic: TopicProfile) -> bool:
    """Whether the clause wants a kind of answer that no ask of the topic wants.

    A place may be asked for whatever it is; and where no ask wants a kind, the colleague may be
    asked to do what the topic is about (*would you approve it?*).
    """
    if topic.wants_person and clause.kinds == {"thing"}:
        return True
    offered = topic.kinds - {"thing"}
    wanted = clause.kinds - {"thing"} - ({"how"} if offered else {"how", "where", "you"})
    return bool(wanted) and wanted.isdisjoint(offered)


def conflicts(heard: ClauseContext, topic: TopicProfile, sorts: frozenset[str]) -> bool:
    """Whether another day, month or hour is named than in all of the topic's asks."""
    its = dict(topic.exclusive)
    return any(
        sort in sorts and sort in its and values.isdisjoint(its[sort])
        for sort, values in heard.exclusive
    )
