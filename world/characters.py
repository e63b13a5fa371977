"""The characters that a line of text may hold: a name, a subject, the text of a cell."""

from __future__ import annotations

import unicodedata

_JOINERS = "\u200c\u200d"
"""They join or divide letters, as in Persian words and in emoji of several people."""
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def unprintable(text: str) -> str:
    """The first character of *text* that no line may hold, as in "U+0007"; "" if there is none.

    Every kind of space is text, and so are the joiners of letters and emoji.
    """
    if text.isprintable():
        return ""
    found = (c for c in text if unicodedata.category(c) in _UNPRINTABLE and c not in _JOINERS)
    return next(map(code_point, found), "")


def code_point(character: str) -> str:
    """How an error names a *character* that cannot be shown: "U+0007"."""
    return f"U+{ord(character):04X}"
