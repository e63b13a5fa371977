"""Words and signs of asking, and how surely a text with them asks something."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum, auto


class Asking(IntEnum):
    """Certainty that a text asks something."""

    NOT = auto()
    """It only informs."""
    POSSIBLY = auto()
    """One of its words may belong to a question: *is*, *find*, *sure*."""
    LIKELY = auto()
    """It has a question word or a word of requests anywhere."""
    OPENLY = auto()
    """A question mark, a request, or a question word that begins a clause."""


QUESTION_WORD = "(?:who|whom|whose|which|what|when|where|why|how)"
QUESTION_BEGINS = (
    rf"(?:(?:on|in|at|for|from|by|to|since|until)\s+)?(?:{QUESTION_WORD}|please|could\s+you|"
    r"can\s+you|would\s+you)\b"
)
"""The beginning of a question after the name of its addressee."""
_LIKELY_WORDS = frozenset(
    "who whom whose which what when where why how please tell give send need could can would "
    "may".split()
)
_WORDS = _LIKELY_WORDS | frozenset(
    "needs want looking know wonder wondering wondered share point find should searching seeking "
    "idea clue show remind require sure missing request requesting ask asking".split()
)
_LOOSE_WORDS = _WORDS | frozenset("explain help pls question do does is are".split())
"""The same, with words that occur in statements, too."""
_OPENLY = re.compile(
    r"[?？]|\b(?:please|kindly|tell me|let me know|send me|give me|can you|could you|would you|"
    r"i(?: also| still|'d| would)? (?:need|like|want))\b|"
    rf"(?:^|[.,;!\n]|\band)[^\S\n]*{QUESTION_WORD}\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\b[a-z]+\b")
_REFUSES = re.compile(
    r"\b(?:can ?not|can['’]?t|won['’]?t|will not|(?:must|may|should) not|"
    r"not (?:able|allowed|free|supposed) to)\b",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"\b(?:share|tell|pass|give|say|disclose|discuss|hand|send|forward)\b", re.IGNORECASE
)
"""Verbs of telling. A message that refuses to tell asks for nothing."""
_INFORMS = re.compile(
    r"\bconfidential\b|"
    r"\b(?:fyi|just so you know|for your information|(?:to let|letting) you know)\b",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"\b(?:right|correct|confirm|nobody else|no one else|that'?s all|is that all|double.?check|"
    r"to be sure|still (?:true|so|valid)|noted (?:it|that) right|did you mean)\b",
    re.IGNORECASE,
)
_OF_AN_ID = frozenset("what which where how is are now new became called".split())

OPENING = r"(?:^\W{0,5}(?:(?:hi|hello|hey|and|but|so|also|please|sorry)\W{1,3}){0,2})"
ASKS_WHICH = (
    rf"{OPENING}(?:which|where|when|what)",
    r"(?:know|tell me|wonder\w*|find out|learn|see) (?:which|where|when|what)",
)
ASKS_HOW = r"how (?:do|does|did|to|are|is|should|shall|can|many|much|often|long)"
"""Parts of expressions for sentences that ask for something instead of reporting it."""


def has_question_mark(text: str) -> bool:
    """Return whether *text* has a question mark."""
    return "?" in text or "？" in text


def has_asking_word(words: Iterable[str]) -> bool:
    """Return whether a word of asking is among *words*, which are in lower case."""
    return not _WORDS.isdisjoint(words)


def asking(text: str) -> Asking:
    """Return how surely the words of *text* ask something."""
    if _OPENLY.search(text):
        return Asking.OPENLY
    words = _WORD.findall(text.casefold())
    if not _LIKELY_WORDS.isdisjoint(words):
        return Asking.LIKELY
    return Asking.NOT if _LOOSE_WORDS.isdisjoint(words) else Asking.POSSIBLY


def only_informs(text: str) -> bool:
    """Return whether *text* refuses or informs, and asks for nothing despite its words."""
    if has_question_mark(text):
        return False
    refusal = _REFUSES.search(text)
    refused = refusal is not None and _TELLING.search(text, refusal.end()) is not None
    return refused or _INFORMS.search(text) is not None


def wants_again(text: str) -> bool:
    """Return whether *text* may ask to hear something once more."""
    return _AGAIN.search(text) is not None


def asks_of_an_id(words: Iterable[str]) -> bool:
    """Return whether *words* make a question of an id: *OLD482913 is now …?*

    The id alone asks nothing."""
    return not _OF_AN_ID.isdisjoint(words)
