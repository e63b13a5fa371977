"""Whether a text asks something: the words and signs of asking, and how surely they say it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum, auto


class Asking(IntEnum):
    """How surely a text asks something."""

    NOT = auto()
    """It only informs."""
    POSSIBLY = auto()
    """A word in it may belong to a question: *is*, *find*, *sure*."""
    LIKELY = auto()
    """It has a question word or a word of requests, wherever."""
    OPENLY = auto()
    """A question mark, a request, or a question word that begins a clause."""


QUESTION_WORD = "(?:who|whom|whose|which|what|when|where|why|how)"
QUESTION_BEGINS = (
    rf"(?:(?:on|in|at|for|from|by|to|since|until)\s+)?(?:{QUESTION_WORD}|please|could\s+you|"
    r"can\s+you|would\s+you)\b"
)
"""What follows a name that a question is put to."""
_LIKELY_WORDS = frozenset(
    "who whom whose which what when where why how please tell give send need could can would "
    "may".split()
)
_WORDS = _LIKELY_WORDS | frozenset(
    "needs want looking know wonder wondering wondered share point find should searching seeking "
    "idea clue show remind require sure missing request requesting ask asking".split()
)
_LOOSE_WORDS = _WORDS | frozenset("explain help pls question do does is are".split())
"""With those that stand in statements as well."""
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
"""Verbs of telling: a message that refuses to do so asks for nothing."""
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
"""How a sentence asks for something instead of reporting it, as parts of expressions."""


def has_question_mark(text: str) -> bool:
    """Whether *text* has a question mark."""
    return "?" in text or "？" in text


def has_asking_word(words: Iterable[str]) -> bool:
    """Whether a word of asking is among *words*, which are in lower case."""
    return not _WORDS.isdisjoint(words)


def asking(text: str) -> Asking:
    """How surely the words of *text* ask something."""
    if _OPENLY.search(text):
        return Asking.OPENLY
    words = _WORD.findall(text.casefold())
    if not _LIKELY_WORDS.isdisjoint(words):
        return Asking.LIKELY
    return Asking.NOT if _LOOSE_WORDS.isdisjoint(words) else Asking.POSSIBLY


def only_informs(text: str) -> bool:
    """Whether *text* refuses or informs, and asks for nothing, whatever words are in it."""
    if has_question_mark(text):
        return False
    refusal = _REFUSES.search(text)
    refused = refusal is not None and _TELLING.search(text, refusal.end()) is not None
    return refused or _INFORMS.search(text) is not None


def wants_again(text: str) -> bool:
    """Whether *text* may wish to hear once more what was told."""
    return _AGAIN.search(text) is not None


def asks_of_an_id(words: Iterable[str]) -> bool:
    """Whether *words* beside an id make a question of it: *OLD482913 is now …?*; the id alone asks
    nothing yet."""
    return not _OF_AN_ID.isdisjoint(words)
