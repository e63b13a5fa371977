"""The forms of a word: composed or decomposed, with or without diacritics, upper or lower case.

All forms of a name share a key: Müller, MÜLLER, Mueller and Muller.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u0900-\u0903"
    "\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u0a3c-\u0a4d\u0abc-\u0acd"
    "\u0b3c-\u0b4d\u0b82\u0bbe-\u0bcd\u0dca-\u0ddf\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u3099\u309a"
)
"""Characters that belong to words although they are no letters."""
WORD = re.compile(rf"(?:[^\W\d_]|[{_MARKS}])+(?:['’](?:[^\W\d_]|[{_MARKS}])+)*")
"""A word of letters, also with apostrophes inside, such as O'Neill or Jörg's."""
UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
"""A run of a script that writes no spaces, or joins particles to names."""
_DIGIT = re.compile(r"[0-9]")
_DIACRITICS = re.compile(r"[\u0300-\u036f]+")
_SPECIAL = str.maketrans(
    {
        "ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th",
        "ı": "i", "Ø": "O", "Æ": "Ae", "Œ": "Oe", "Ł": "L", "Đ": "D", "Ð": "D", "Þ": "Th",
        "ẞ": "SS",
    }
)  # fmt: skip
_EXPANSIONS = str.maketrans(
    {
        "ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe",
        "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "Å": "Aa", "Ø": "Oe",
    }
)  # fmt: skip


def has_digit(text: str) -> bool:
    """Whether *text* has one of the digits 0 to 9."""
    return _DIGIT.search(text) is not None


def composed(text: str) -> str:
    """Return *text* in Unicode's composed form, NFC."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def without_diacritics(word: str) -> str:
    """Return *word* in plain letters: Müller as Muller."""
    if word.isascii():
        return word
    letters = unicodedata.normalize("NFKD", word.translate(_SPECIAL))
    return unicodedata.normalize("NFC", _DIACRITICS.sub("", letters))


def spelled_out(word: str) -> str:
    """Return *word* in plain letters with umlauts spelled out: Müller as Mueller."""
    return word if word.isascii() else without_diacritics(composed(word).translate(_EXPANSIONS))


@lru_cache(maxsize=100_000)
def key_of(word: str) -> str:
    """Return the key of *word*: folded case, no diacritics, no apostrophes."""
    if word.isascii():
        return word.replace("'", "").lower()
    return without_diacritics(composed(word).casefold()).replace("'", "").replace("’", "")


@lru_cache(maxsize=100_000)
def keys_of(word: str) -> tuple[str, ...]:
    """Return the distinct keys under which forms of *word* are found: muller and mueller."""
    plain = key_of(word)
    long = plain if word.isascii() else key_of(spelled_out(composed(word).casefold()))
    return (plain,) if plain == long else (plain, long)


def in_form_of(pseudonym: str, real: str, seen: str) -> str:
    """Return *pseudonym* in the form in which *seen* writes the name *real*.

    It follows case, diacritics and Unicode's composition.
    """
    written = composed(seen)
    if written.isascii() and not pseudonym.isascii() and not composed(real).isascii():
        long = key_of(spelled_out(composed(real).casefold()))
        plain = key_of(written) != long or long == key_of(real)
        pseudonym = without_diacritics(pseudonym) if plain else spelled_out(pseudonym)
    if written.isupper() and (len(written) > 1 or len(real) == 1):
        pseudonym = pseudonym.upper()
    elif written.islower():
        pseudonym = pseudonym.lower()
    return pseudonym if written == seen else unicodedata.normalize("NFD", pseudonym)


def is_name_like(word: str) -> bool:
    """Whether *word* begins with a capital letter, or its script has none."""
    first = word[0]
    return first.isupper() or (first.isalpha() and first.lower() == first.upper() and first != "ß")


def script_of(word: str) -> str:
    """Return the first word of the Unicode name of the first letter: LATIN, CYRILLIC, CJK …"""
    return unicodedata.name(word[0], "OTHER").split(" ")[0].split("-")[0]
