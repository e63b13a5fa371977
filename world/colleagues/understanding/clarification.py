"""The answer to a question back: yes, no, the second one, or the thing in other words."""

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
    """What a reply begins with."""

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
"""A word that a topic explains as well as this is one of its own."""


def yes_or_no(text: str) -> YesNo:
    """Whether a reply begins with a yes or a no."""
    if _NO.search(text):
        return YesNo.NO
    return YesNo.YES if _YES.search(text) else YesNo.NEITHER


def chosen_ordinal(text: str, choices: int) -> int | None:
    """Which of the *choices* a reply points to by number, if it does."""
    for pattern, place in _ORDINALS:
        if re.search(pattern, text) and -1 <= place < choices:
            return place % choices
    return None


def resolve_clarification(
    matcher: TopicMatcher, clauses: Sequence[Clause], candidates: Sequence[int]
) -> Interpretation | None:
    """What a reply settles, or None where it is to be heard as a fresh question.

    *candidates* are the places of the topics asked back about.
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
    """Whether the reply quotes no id that is another one than the topic's."""
    keys = matcher.profiles[at].keys
    literals = [literal for clause in clauses for literal in clause.literals]
    return not keys or fits(keys, matcher.quoted(clauses), literals) in ("exact", "open")


def _strays(matcher: TopicMatcher, clauses: Sequence[Clause], candidates: Sequence[int]) -> bool:
    """Whether a reply is mostly about something that is none of the candidates."""
    solid = strange = 0
    for word, shares in _weighed(matcher, clauses):
        if word.weight >= CONTENT_WEIGHT and word.text not in _OF_REPLIES:
            solid += 1
            strange += all(shares[at] < _BELONGS for at in candidates)
    return 2 * strange > solid


def _weighed(
    matcher: TopicMatcher, clauses: Sequence[Clause]
) -> Iterator[tuple[Word, Sequence[float]]]:
    """Each word, and how well each topic explains it."""
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
    """The one candidate that a reply in words points to.

    Of several, a word that is only one's suffices. A single one must be asked for again, at
    least as well as what is worth asking back, or in nothing but its own words.
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
    """How much in a reply belongs to this candidate and not to all of them."""
    profiles = matcher.profiles
    total = 2.0 if set(matcher.quoted(clauses)) & set(profiles[at].keys) else 0.0
    for word, shares in _weighed(matcher, clauses):
        those = [c for c in candidates if shares[c] >= _BELONGS]
        if at in those and len(those) < len(candidates):
            total += word.weight / len(those)
    kinds = {kind for clause in clauses for kind in clause.kinds}
    return total + 0.5 * len(kinds & profiles[at].kinds)
