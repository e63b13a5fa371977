"""Answers to a question back: yes, no, the second one, or the same in other words."""

import re
from collections.abc import Iterator, Sequence
from enum import Enum, auto

from trainee_bench.world.colleagues.understanding.answer_kinds import CONTENT_WEIGHT
from trainee_bench.world.colleagues.understanding.clause_parsing import (
    Clause,
    Word,
    each_in_context,
)
from trainee_bench.world.colleagues.understanding.identifiers import fits
from trainee_bench.world.colleagues.understanding.matcher import TopicMatcher
from trainee_bench.world.colleagues.understanding.scoring import CLEAR, WORTH_ASKING
from trainee_bench.world.colleagues.understanding.topic import Intent, Interpretation
from trainee_bench.world.colleagues.understanding.topic_profile import words_in


class YesNo(Enum):
    """Beginning of a reply."""

    YES = auto()
    NO = auto()
    NEITHER = auto()


_YES = re.compile(
    r"^(?:(?:oh|ah|sorry|well|hm) )*(?:yes|yeah|yea|yep|yup|yap|ya|y|aye|spot on|sure|"
    r"exactly|correct|right|indeed|absolutely|precisely|true|definitely|of course|"
    r"that is (?:it|right|correct|the one)|"
    r"that one|that is what i (?:mean|meant)|this one|i do|you got it|affirmative|ok|okay|"
    r"please do|the same)\b|^please$"
)
_NO = re.compile(
    r"^(?:(?:oh|ah|sorry|well|hm) )*(?:no|nope|nah|not (?:that|this|really|quite|it|those)|neither|"
    r"none|never mind|forget it|wrong|something else|nothing)\b"
)
_ORDINALS: tuple[tuple[str, int], ...] = (
    (r"\b(?:first|1st|former|both|either|any)\b|^(?:the |number |no |option )?(?:1|one|a)$", 0),
    (r"\b(?:second|2nd)\b|^(?:the |number |option )?(?:2|two|b)$", 1),
    (r"\b(?:third|3rd)\b|^(?:the |number |option )?(?:3|three|c)$", 2),
    (r"\b(?:last|latter)\b", -1),
)
_OF_REPLIES = frozenset(
    "yeah yea yep yup yap ya aye spot nope nah first second third former latter last both either "
    "neither option indeed absolutely precisely "
    "definitely affirmative correct true".split()
)
_BELONGS = 0.5
"""The least closeness of a word that belongs to a topic."""


def yes_or_no(text: str) -> YesNo:
    """Return whether a reply begins with a yes or a no."""
    if _NO.search(text):
        return YesNo.NO
    return YesNo.YES if _YES.search(text) else YesNo.NEITHER


def chosen_ordinal(text: str, choices: int) -> int | None:
    """Return the place of the choice that a reply names by number, or None."""
    for pattern, place in _ORDINALS:
        if re.search(pattern, text) and -1 <= place < choices:
            return place % choices
    return None


def resolve_clarification(
    matcher: TopicMatcher, clauses: Sequence[Clause], candidates: Sequence[int]
) -> Interpretation | None:
    """Return the interpretation that a reply settles, or None if it is a fresh question.

    *candidates* are the places of the topics of the question back.
    """
    text = words_in(clauses)
    said = yes_or_no(text)
    candidates = [at for at in candidates if _ids_fit(matcher, clauses, at)]
    picked = _picked(matcher, clauses, candidates, said)
    if picked is not None:
        return Interpretation(Intent.CLEAR, (matcher.profiles[picked].topic.id,))
    if said is YesNo.NO:
        asks_else = any(
            word.weight >= CONTENT_WEIGHT for clause in clauses for word in clause.words
        )
        return None if asks_else else Interpretation(Intent.NONE)
    if not candidates or _strays(matcher, clauses, candidates):
        return None
    place = chosen_ordinal(text, len(candidates))
    ids = tuple(matcher.profiles[at].topic.id for at in candidates)
    if place is not None:
        return Interpretation(Intent.CLEAR, (ids[place],))
    if said is YesNo.YES:
        return Interpretation(Intent.CLEAR if len(ids) == 1 else Intent.DOUBTFUL, ids)
    return None


def _ids_fit(matcher: TopicMatcher, clauses: Sequence[Clause], at: int) -> bool:
    """Return whether the reply quotes no id that differs from the topic's."""
    keys = matcher.profiles[at].keys
    literals = [literal for clause in clauses for literal in clause.literals]
    return not keys or fits(keys, matcher.quoted(clauses), literals) in ("exact", "open")


def _strays(matcher: TopicMatcher, clauses: Sequence[Clause], candidates: Sequence[int]) -> bool:
    """Return whether most of a reply belongs to none of the candidates."""
    solid = strange = 0
    for word, shares in _weighed(matcher, clauses):
        if word.weight >= CONTENT_WEIGHT and word.text not in _OF_REPLIES:
            solid += 1
            strange += all(shares[at] < _BELONGS for at in candidates)
    return 2 * strange > solid


def _weighed(
    matcher: TopicMatcher, clauses: Sequence[Clause]
) -> Iterator[tuple[Word, Sequence[float]]]:
    """Yield each word, with its closeness to each topic."""
    for clause in clauses:
        meaning = matcher.meaning(clause, ())
        if meaning is not None:
            yield from zip(clause.words, meaning.explained, strict=True)


def _picked(
    matcher: TopicMatcher,
    clauses: Sequence[Clause],
    candidates: Sequence[int],
    said: YesNo,
) -> int | None:
    """Return the candidate that a reply in words points to, or None.

    Among several candidates, a word that belongs to only one suffices. The reply must ask for a
    single candidate again, at least well enough to ask back, or consist of its words only.
    """
    if len(candidates) == 1:
        for clause, rest in each_in_context(clauses):
            for match in matcher.matches(clause, rest, candidates):
                if match.against:
                    continue
                again = match.certainty(0.0, 0.0) >= (CLEAR if said is YesNo.NO else WORTH_ASKING)
                echo = match.pure and said is not YesNo.NO
                if again or echo:
                    return match.at
        return None
    if said is YesNo.NO:
        return None
    points = {at: _pointing(matcher, clauses, at, candidates) for at in candidates}
    order = sorted(candidates, key=lambda at: (-points[at], at))
    clear = len(order) > 1 and points[order[0]] > 2 * points[order[1]]
    return order[0] if clear and not _strays(matcher, clauses, candidates) else None


def _pointing(
    matcher: TopicMatcher, clauses: Sequence[Clause], at: int, candidates: Sequence[int]
) -> float:
    """Return how much of a reply belongs to this candidate and not to all candidates."""
    profiles = matcher.profiles
    total = 2.0 if set(matcher.quoted(clauses)) & set(profiles[at].keys) else 0.0
    for word, shares in _weighed(matcher, clauses):
        those = [c for c in candidates if shares[c] >= _BELONGS]
        if at in those and len(those) < len(candidates):
            total += word.weight / len(those)
    kinds = {kind for clause in clauses for kind in clause.kinds}
    return total + 0.5 * len(kinds & profiles[at].kinds)
