"""What speaks against a topic although its words are there."""

from itertools import pairwise

from trainee_bench.world.colleagues.understanding.clause_context import ClauseContext
from trainee_bench.world.colleagues.understanding.clause_parsing import Clause
from trainee_bench.world.colleagues.understanding.spelling import edit_distance
from trainee_bench.world.colleagues.understanding.topic_profile import (
    TopicProfile,
    is_about_document,
)

STRICT_SORTS = frozenset({"weekday", "daypart", "month", "quarter"})
"""Another one of these is another question: Friday is not Thursday."""

LOOSE_SORTS = frozenset({"hour", "near"})
"""Another one of these may be said loosely: at two, for a meeting from half past one to three."""


def speaks_of_you(clause: Clause, topic: TopicProfile, heard: ClauseContext) -> bool:
    """Whether it is about the colleague; *free on Thursday?* is, *is Anna free?* is not."""
    if clause.you or heard.you:
        return True
    here = "AVAILABLE" in heard.here and not clause.kinds & {"polar", "who"}
    return here and not names_others(clause, topic)


def names_others(clause: Clause, topic: TopicProfile) -> bool:
    """Whether somebody is named of whom the topic does not speak."""
    return any(word.name and topic.senses.isdisjoint(word.senses) for word in clause.words)


def is_narrower(clause: Clause, topic: TopicProfile) -> bool:
    """Whether it is about one of a sort that the topic does not know: the deputy of Novak.

    Who looks for guidance may say for what: the handbook for planning ads in Hamburg.
    """
    if topic.wants_document and is_about_document(clause):
        return False
    return any(word.narrows and topic.senses.isdisjoint(word.senses) for word in clause.words)


def is_namesake(clause: Clause, topic: TopicProfile) -> bool:
    """Whether a part of the topic's name stands beside another name: Marta, but not Olsen."""
    for one, two in pairwise(clause.words):
        if two.place - one.place != 1:
            continue
        named = [word.senses[0] in topic.names for word in (one, two)]
        if any(named) and not all(named):
            other = two if named[0] else one
            near = any(edit_distance("=" + other.text, part, 1) <= 1 for part in topic.names)
            if other.name and not near and topic.senses.isdisjoint(other.senses):
                return True
    return False


def wants_other(clause: Clause, kinds: frozenset[str]) -> bool:
    """Whether the clause wants another kind of answer than an ask with these *kinds*."""
    wanted, offered = clause.kinds - {"how"}, kinds - {"how"}
    return bool(wanted and offered and wanted.isdisjoint(offered))


def wants_foreign(clause: Clause, topic: TopicProfile) -> bool:
    """Whether the clause wants a kind of answer that no ask of the topic wants.

    A place may be asked for whatever it is; and where no ask wants a kind, the colleague may be
    asked to do what the topic is about (*would you approve it?*).
    """
    wanted = clause.kinds - ({"how"} if topic.kinds else {"how", "where", "you"})
    return bool(wanted) and wanted.isdisjoint(topic.kinds)


def conflicts(clause: Clause, topic: TopicProfile, sorts: frozenset[str]) -> bool:
    """Whether another day, month or hour is named than in all of the topic's asks."""
    its = dict(topic.exclusive)
    return any(
        sort in sorts and sort in its and values.isdisjoint(its[sort])
        for sort, values in clause.exclusive
    )
