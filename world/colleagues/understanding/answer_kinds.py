"""The kinds of answer that a clause wants, and the days, months and hours that it names."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from trainee_bench.world.colleagues.understanding.vocabulary import (
    ANSWER_KIND_BY_WORD,
    EXCLUSIVE_SORT_BY_WORD,
)

CONTENT_WEIGHT = 0.6
"""The least weight of a content word."""

_WHICH_PERSON = re.compile(
    r"\b(?:names? of (?:\w+ )?(?:the |today's |our )?(?:person|engineer|colleague|contact)|name of "
    r"(?:today|who)|right (?:person|one|contact)|contact (?:person|for|in)|"
    r"which (?:one )?of (?:us|you|our|the|my|your|them)|(?:which|what) (?:person|people|"
    r"engineers?|colleagues?|employees?|managers?|developers?|member|staff|department|team))\b"
)
_WHEN = re.compile(  # the question, not the conjunction of "when I review them"
    r"\bwhen (?:do|does|did|is|are|was|were|will|would|can|could|should|shall|may|might|must|have|"
    r"has|to)\b|\b(?:know|me|say|remember|about|since|until|by|and|exactly) when\b|\bwhen$"
)
_HOW_TO = re.compile(
    r"\bhow (?:best )?(?:do|does|should|shall|can|could|must|would|to)\b|"
    r"\bhow (?:is|are) (?:\w+ ){1,4}(?:to be|supposed|\w+ed|done)\b"
)
_POLAR = re.compile(
    r"^(?:(?:hi|hello|hey|and|but|so|also|ok|okay|well|please|sorry|then|just|now) )*"
    r"(?:(?:is|are|was|were(?! (?:can|do|is|are|should)\b)|am) "
    r"(?!there\b|it (?:possible|ok|okay|right)\b|you (?:able|aware)\b|you\b)|has |"
    r"(?:have|had) (?:you|they|we|i) (?!got\b|a\b|an\b|any\b|the\b)|have the |"
    r"(?:did|does) (?!any|some)|do (?!you\b|i\b|we\b|not\b|any|some)|"
    r"(?:can|may|should|could|must|shall) (?:i|we) (?!have\b|get\b|see\b|ask\b|know\b|find\b|"
    r"obtain\b|receive\b|read\b|look\b|count\b|please\b|request\b|use\b|learn\b|expect\b))"
)
_OFFER = re.compile(r"\bdo you need (?:help|a|an|some|any|support)\b")
_HAVE = re.compile(r"\b(?:have|had|did) (?:you|u)\b")
_TELLS = (
    r"(?:tell|give|send|share|show|point|let|provide|help|explain|confirm|say|state|direct|remind|"
    r"advise|pass|forward|look|furnish|indicate)\b"
)
_COURTESY = re.compile(
    rf"\b(?:could|can|would|will) you (?:please |kindly |maybe |perhaps |possibly |also )*{_TELLS}|"
    rf"\byou (?:could|can|would|might|may) (?:please |kindly )*{_TELLS}|"
    r"\b(?:do|would|might) you (?:happen to )?know\b|\bthank you\b|"
    r"\bdo you have (?:an idea|any idea|a clue|information|details)\b|"
    r"\b(?:if|whether) you (?:know|happen|have|remember)\b|"
    r"\bi (?:need|want|would like) you\b|\bsorry to bother you\b|\b(?:asking|ask|bother) you\b"
)
_ABOUT_YOU = re.compile(r"\b(?:you|u|your|yours)\b")
_NOT_ONLY_MONTHS = frozenset({"may", "march"})
_BEFORE_A_MONTH = frozenset("in of until since by for next last this during".split())
_AMOUNT = re.compile(r"\bhow (?:many|much|high|long|far|large|big)\b")
_FREQUENCY = re.compile(r"\bhow often\b")
_WHAT = re.compile(r"\bwhat (?:is|are|was|were)\b(?! it\b)")
_OPINION = re.compile(
    r"\b(?:do|did) you (?:like|think)\b|\byour opinion\b|\bopinion on\b|\bany good\b"
)
_FOR_WHOM = re.compile(r"\bfor whom\b")
_OPENS = 7
"""Earlier hours are in the afternoon, because nobody works before seven."""
_ANSWERS = frozenset({"who", "where", "when", "why", "how", "amount", "frequency"})
_ALL = frozenset(
    "people those everybody everyone anybody anyone somebody someone all candidates applicants "
    "employees colleagues interns trainees newcomers".split()
)
"""Words before *who* that make it a relative pronoun."""
_LOOSELY = frozenset("these those few some past last other nowadays".split())
"""Words before *days* that do not ask when: *what are they called these days?*"""
_CALENDAR = frozenset({"month", "quarter"})
_SINCE = frozenset("since ago good".split())
_TELLING = frozenset(
    "name state indicate list note specify furnish supply disclose communicate".split()
)
_PATTERNS = (
    ("when", _WHEN), ("how", _HOW_TO), ("who", _WHICH_PERSON), ("amount", _AMOUNT),
    ("frequency", _FREQUENCY), ("opinion", _OPINION), ("for whom", _FOR_WHOM),
)  # fmt: skip


def wanted_answer_kinds(
    plain: Sequence[str], weights: Mapping[str, float], text: str
) -> frozenset[str]:
    """Return the wanted kinds: who, where, when, why, how, amount, opinion, polar (yes or no), you.

    "you" means that the question is about what the colleague does or is. *plain* are the words
    with phrases replaced and typos repaired, *weights* their weights, *text* is the original
    clause.
    """
    said = " ".join(plain)
    found = {
        ANSWER_KIND_BY_WORD[word]
        for before, word in pairwise(("", *plain))
        if word in ANSWER_KIND_BY_WORD
        and not (word == "who" and before in _ALL)
        and not (word == "date" and before == "to")
        and not (word == "days" and before in _LOOSELY)
    }
    for kind, pattern in _PATTERNS:
        if pattern.search(said):
            found.add(kind)
    if _WHAT.search(text) and not found:
        found.add("thing")
    if "for whom" in found:
        found.discard("who")
    for before, after in pairwise(word for word in plain if word not in ("please", "kindly", "be")):
        if before == "you" and after not in _TELLING and weights.get(after, 0) >= CONTENT_WEIGHT:
            found.add("you")
    if _OFFER.search(text):
        found.add("offer")
    polar = _POLAR.search(text) and _POLAR.search(said) and not found & _ANSWERS
    if polar and (_HAVE.search(text) or not _ABOUT_YOU.search(text)):
        found.add("polar")
    return frozenset(found)


def is_about_you(text: str) -> bool:
    """Return whether a clause speaks of the colleague beyond courtesy: *your dates*, *suit you*."""
    return _ABOUT_YOU.search(_COURTESY.sub(" ", text)) is not None


def exclusive_terms(
    plain: Iterable[str], literals: Iterable[str], told: bool, anecdote: bool = False
) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return days, months, hours and the like, by sort; an hour also gives a part of the day.

    The result leaves out the beginning of a period (*since Monday*), a greeting (*good morning*)
    and, if the clause tells what the writer did (*told*), *this morning*. In an *anecdote* only
    months and quarters count.
    """
    found: dict[str, set[str]] = {}
    for earlier, before, text in _threes(("", "", *plain, *literals)):
        kind = EXCLUSIVE_SORT_BY_WORD.get(text)
        if kind is None or (text in _NOT_ONLY_MONTHS and before not in _BEFORE_A_MONTH):
            continue
        if kind not in _CALENDAR and (
            anecdote or not _SINCE.isdisjoint((earlier, before)) or (told and before == "this")
        ):
            continue
        found.setdefault(kind, set()).add(text)
    hours = [hour for literal in literals for hour in _hours(literal) if not anecdote]
    if hours:
        found["hour"] = {str(hour) for hour in hours}
        if "daypart" not in found:
            found["daypart"] = {_daypart(hour) for hour in hours}
    return tuple((kind, frozenset(found[kind])) for kind in sorted(found))


def _threes(words: Sequence[str]) -> Iterable[tuple[str, str, str]]:
    return zip(words, words[1:], words[2:], strict=False)


def _hours(literal: str) -> list[int]:
    hours = []
    for match in re.finditer(r"(?<!\d)(\d{1,2})(?:[:.](\d\d))?(am|pm)?(?!\d)", literal):
        hour, minutes, half = int(match[1]), match[2], match[3]
        if hour < 24 and (half or (minutes and ":" in literal)) and literal.count("-") < 2:
            if half:
                hour = hour % 12 + (12 if half == "pm" else 0)
            hours.append(hour + 12 if not half and hour < _OPENS else hour)
    return hours


def _daypart(hour: int) -> str:
    return "morning" if hour < 12 else "afternoon" if hour < 18 else "evening"
