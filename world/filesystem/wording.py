"""The words and numbers of a file, whatever its layout."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

_WORD = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?!\w)|\w+")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
"""A letter as JSON may write it."""
_DOMAIN = re.compile(r"(?<=\w)@(?:[\w-]+\.)+[^\W\d_]{2,}")
"""The part of a mail address that does not say whose it is."""


def words_and_numbers(data: bytes) -> Counter[str]:
    """How often each word of a file occurs, in lower case without accents, and each number. A
    colleague's address has the words of their name."""
    text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), data.decode("utf-8", "replace"))
    plain = unicodedata.normalize("NFKD", _DOMAIN.sub("", text)).casefold()
    words = _WORD.findall("".join(c for c in plain if not unicodedata.combining(c)))
    return Counter(map(_normal, words))


def _normal(word: str) -> str:
    try:
        return str(float(word))
    except ValueError:
        return word
