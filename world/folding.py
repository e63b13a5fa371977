"""Forms of a text in which differences of case, of encoding or of accents do not count.

A text in ASCII has one form only: its casefolded self.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_OVERLAYS = 1
"""Unicode's combining class of strokes through a letter."""
_ARABIC_VOWELS = range(10, 36)
"""The combining classes of the points of Hebrew and Arabic, which are usually left out."""
_ACCENTS = 200
"""The first of the combining classes for marks above, below or at a letter."""
_SELECTORS = frozenset(map(chr, (0x34F, *range(0xFE00, 0xFE10))))
"""Marks that choose the form of a character, and are not seen themselves."""
_STROKES = str.maketrans(
    {
        "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O",
        "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ł": "l", "Ł": "L",
        "ħ": "h", "Ħ": "H", "ı": "i", "ŋ": "n", "Ŋ": "N", "ŧ": "t", "Ŧ": "T", "ə": "e", "Ə": "E",
    }
)  # fmt: skip
"""Latin letters that Unicode does not decompose, and the usual letters in their place."""


def _marks() -> str:
    """Return the inside of a character class: all marks that belong to a word but are no letter.

    Accents are such marks, and so are most vowels of Indian scripts.
    """
    ranges: list[list[int]] = []
    for code in (*range(0x300, 0x2100), *range(0x3099, 0x309B), *range(0xA800, 0xAC00)):
        if chr(code) in JOINERS or unicodedata.category(chr(code)) in ("Mn", "Mc"):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(
        chr(first) if first == last else f"{chr(first)}-{chr(last)}" for first, last in ranges
    )


JOINERS = "\u200c\u200d"
"""Characters that join or divide the letters of a word, as in Persian."""
MARKS = _marks()
"""The inside of a character class: the characters of words that ``\\w`` does not match."""


_APART = re.compile(
    rf"[^\W\d_][{MARKS}]{{1,8}}(?![{MARKS}])|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?"
)
"""A letter with its marks, or the parts of a Korean syllable."""


def composed(text: str) -> str:
    """Return *text* with each letter and its marks as one character, where there is one.

    Unicode's own form would take very long for thousands of marks at one letter."""
    return text if text.isascii() else _APART.sub(_composed, text)


def _composed(found: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", found[0])


def folded(text: str) -> str:
    """Return *text* without case, composed if it is not ASCII."""
    return composed(text).casefold()


LONG = 500
"""A text with more characters is no name."""


def without_strokes(text: str) -> str:
    """Return *text* with the usual letters for ø, ł, ß and the like."""
    return text.translate(_STROKES)


def is_accent(mark: str) -> bool:
    """Return whether a character is a mark that may be left out: an accent or an Arabic vowel."""
    place = unicodedata.combining(mark)
    return place >= _ACCENTS or place == _OVERLAYS or place in _ARABIC_VOWELS or mark in _SELECTORS


def unaccented(text: str) -> str:
    """Return *text* without case, accents, strokes and differences of width.

    Vowels of Indian scripts stay, because words differ by them, and so does a text that is too long
    for a name.
    """
    return text.casefold() if text.isascii() or len(text) > LONG else _unaccented(text)


@lru_cache(maxsize=1024)
def _unaccented(text: str) -> str:
    parts = unicodedata.normalize("NFKD", without_strokes(text).casefold())
    kept = "".join(mark for mark in parts if not is_accent(mark) and mark not in JOINERS)
    return unicodedata.normalize("NFC", without_strokes(kept).casefold())
