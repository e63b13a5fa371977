"""Objections to a topic whose words occur in a clause."""

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
from trainee_bench.world.task_ids import is_task_id

STRICT_SORTS = frozenset({"weekday", "daypart", "month", "quarter"})
"""Sorts in which a different value means a different question: Friday is not Thursday."""

LOOSE_SORTS = frozenset({"hour", "near"})
"""Sorts that may be used loosely: at two, for a meeting from half past one to three."""

_SAYS = re.compile(r"\b(?:is|are|was|were|will|does|did|has)\b")
"""Verbs whose subject is not the colleague."""

_KNOWN, _EXPLAINED, _OWN_WORD = 0.3, 0.5, 0.9
"""Closeness to a topic: words below the first are foreign to it, words above the last belong to
it."""
_ELSE = tuple(
    "affected designed wrote drew launched bought hacked happened nice beautiful cost status "
    "deleted lunch party".split()
)
_SAME_ROOT = 0.6
_ACTS = frozenset("uses visits turned employed".split())
"""Verbs of questions about a topic's subject for which no colleague holds a fact."""


def speaks_of_you(clause: Clause, heard: ClauseContext) -> bool:
    """Return whether the clause may be about the colleague.

    *dates for the outing?* may, *when is the outing?* and *is Anna free?* may not."""
    if clause.you or heard.you:
        return True
    return not (clause.kinds & {"polar"} or heard.names or _SAYS.search(clause.text))


def names_others(heard: ClauseContext, topic: TopicProfile) -> bool:
    """Return whether the message names somebody who does not occur in the topic."""
    return any(word.stem not in topic.stems for word in heard.names)


def names_another(clause: Clause, topic: TopicProfile) -> bool:
    """Return whether a clause has another name (*for Nanjing*) where the topic's name belongs."""
    keys = [key for key in topic.keys if not is_task_id(key)]
    if not keys or any(id_kind(key) is not IdKind.NONE for key in keys):
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
    """Return whether the clause asks for a special case that the topic lacks: the deputy of Novak.

    *by_word* is the closeness of the topic to each word. A question for guidance may name its
    purpose: the handbook for planning ads in Hamburg.
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
    """Return whether the clause asks for another sort of a thing: what is the *door code*?"""
    return any(
        one.weight > 0
        and two.weight > 0
        and min(by_word[at], by_word[at + 1]) < _KNOWN
        and max(by_word[at], by_word[at + 1]) > _OWN_WORD
        for at, (one, two) in enumerate(pairwise(clause.words))
        if two.place - one.place == 1
    )


def asks_otherwise(clause: Clause, by_word: Sequence[float]) -> bool:
    """Return whether a foreign word asks something else about the topic's subject.

    Examples are who *uses* the website, and when it was *launched*."""
    return any(
        word.weight > 0 and share < _EXPLAINED and (word.text in _ACTS or _asks_else(word.text))
        for word, share in zip(clause.words, by_word, strict=True)
    )


@lru_cache(maxsize=4_096)
def _asks_else(word: str) -> bool:
    vectors = word_vectors()
    return bool(cosines_of(vectors.unit(word), vectors.units(_ELSE)).max() > _SAME_ROOT)


def is_namesake(clause: Clause, topic: TopicProfile) -> bool:
    """Return whether a part of the topic's name is beside another name: Marta, but not Olsen."""
    for one, two in pairwise(clause.words):
        if two.place - one.place != 1:
            continue
        named = [word.stem in topic.names for word in (one, two)]
        if any(named) and not all(named):
            other = two if named[0] else one
            near = other.text.isascii() and any(  # a slip is like another name in short scripts
                edit_distance(other.text, part, 1) <= 1 for part in topic.names
            )
            if (other.name or other.unknown) and not near and other.stem not in topic.stems:
                return True
    return False


def wants_foreign(clause: Clause, topic: TopicProfile) -> bool:
    """Return whether the clause wants a kind of answer that no ask of the topic wants.

    If no ask wants a particular kind, the clause may ask for a place, or ask the colleague to do
    what the topic is about (*would you approve it?*).
    """
    if topic.wants_person and clause.kinds == {"thing"}:
        return True
    offered = topic.kinds - {"thing"}
    wanted = clause.kinds - {"thing"} - ({"how"} if offered else {"how", "where", "you"})
    return bool(wanted) and wanted.isdisjoint(offered)


def conflicts(heard: ClauseContext, topic: TopicProfile, sorts: frozenset[str]) -> bool:
    """Return whether the clause names another day, month or hour than the topic's asks."""
    its = dict(topic.exclusive)
    return any(
        sort in sorts and sort in its and values.isdisjoint(its[sort])
        for sort, values in heard.exclusive
    )
