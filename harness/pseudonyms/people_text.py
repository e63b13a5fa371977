"""Runs of words that may be a name, in a line of text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntFlag

from trainee_bench.harness.pseudonyms.folding import WORD, is_name_like, key_of
from trainee_bench.harness.pseudonyms.lexicon import (
    is_first_name,
    is_last_name,
    is_ordinary,
    is_place,
)
from trainee_bench.harness.pseudonyms.word_lists import (
    EXACT_FORMS,
    LEGAL_FORMS,
    NON_NAMES,
    PARTICLES,
    SALUTATIONS,
    SURE_FORMS,
    TITLES,
)

Words = Sequence[re.Match[str]]
_JOINS = frozenset((" ", "-", ". ", ".", "\u00a0", "  ", "\u2010", "\u2011"))


class WordKind(IntFlag):
    """The roles that a word may have in a name, or at its beginning."""

    NONE = 0
    FIRST = 1
    LAST = 2
    AMBIGUOUS = 4
    SALUTATION = 8
    TITLE = 16
    FORM = 32


class WordKinds(dict[str, WordKind]):
    """The kind of each word as written, computed once."""

    def __missing__(self, word: str) -> WordKind:
        kind = _kind_of(word)
        self[word] = kind
        return kind


def _kind_of(word: str) -> WordKind:
    key, kind = key_of(word), WordKind.NONE
    if key in LEGAL_FORMS and (key in SURE_FORMS or word in EXACT_FORMS):
        kind |= WordKind.FORM
    if not is_name_like(word):
        return kind
    if key in SALUTATIONS:
        kind |= WordKind.SALUTATION
    if key in TITLES:
        return kind | WordKind.TITLE
    base = name_base(word)
    if key_of(base) in NON_NAMES | PARTICLES or len(base) < 2 or (word.isascii() and len(base) < 3):
        return kind
    if is_first_name(base):
        kind |= WordKind.FIRST
    if is_last_name(base):
        kind |= WordKind.LAST
    if kind & (WordKind.FIRST | WordKind.LAST) and (is_ordinary(base) or is_place(base)):
        kind |= WordKind.AMBIGUOUS
    return kind


def name_base(word: str) -> str:
    """Return *word* without a possessive 's or an elided d' or l' before it."""
    if len(word) > 2 and word[-2] in "'’" and word[-1] in "sS":
        word = word[:-2]
    if len(word) > 3 and word[1] in "'’" and word[0] in "dlj" and word[2].isupper():
        word = word[2:]
    return word


def words_of(line: str) -> list[re.Match[str]]:
    """Return the words of *line* with their places."""
    return list(WORD.finditer(line))


def gap(line: str, words: Words, at: int) -> str:
    """Return what is written between the word *at* and the next one."""
    return line[words[at].end() : words[at + 1].start()]


def name_run(line: str, words: Words, start: int, most: int = 5) -> int:
    """Return the place behind the run of words from *start* that may be one name.

    A run is up to *most* words with capitals, of which particles and initials may be part.
    """
    end = start
    while end < len(words) and end - start < most:
        word = words[end].group()
        if end > start:
            between = gap(line, words, end - 1)
            initial = len(words[end - 1].group()) == 1 or key_of(words[end - 1].group()) in TITLES
            if between not in _JOINS or ("." in between and not initial):
                break
        key = key_of(word)
        if (key in PARTICLES or word == "ben") and end > start and end + 1 < len(words):
            following = words[end + 1].group()
            if not is_name_like(following) and key_of(following) not in PARTICLES:
                break
        elif not is_name_like(word) or (key in NON_NAMES and len(word) > 1):
            break
        end += 1
        if word[-2:] in {"'s", "’s", "'S"}:
            break
    while end > start and key_of(words[end - 1].group()) in PARTICLES:
        end -= 1
    return end


def texts(words: Words, start: int, end: int) -> list[str]:
    """Return the words from *start* up to *end*, without possessives."""
    return [name_base(word.group()) for word in words[start:end]]
