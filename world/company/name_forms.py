"""Forms of people's names, in any script: how they are compared, found in texts and made handles.

A *plain* name consists of words of ASCII letters: "Mara Lindt". It has one spelling. Any other name
may be written in several ways: "Jörg", "Jo\u0308rg", "Jorg" and "Joerg" are the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from trainee_bench.world.company.person_names import is_english_word
from trainee_bench.world.folding import (
    JOINERS,
    LONG,
    MARKS,
    composed,
    is_accent,
    unaccented,
    without_strokes,
)

_APOSTROPHES, _HYPHENS = "'’‘ʼ`´", "-‐‑–−"
_EVEN = str.maketrans(dict.fromkeys(_APOSTROPHES, "'") | dict.fromkeys(_HYPHENS, "-"))

# the shape of a name ------------------------------------------------------------------------

_PARTICLES = (
    "abu|af|al|auf|av|ben|bin|bint|da|das|de|degli|dei|del|della|den|der|di|do|dos|du|e|el|ibn|la|"
    "las|le|los|ter|ten|van|vom|von|y|zu|zum|zur"
)
"""Words in lower case inside names."""
_BEGINS = r"[^\W\d_a-z]"
"""A letter that may begin a part of a name: of any script, but no small letter of English."""
_GOES_ON = rf"(?:[^\W\d_]|[{MARKS}])"
_INITIAL = rf"(?:{_BEGINS}\.|Dr\.|Prof\.|St\.)[ -]?"
_MOST_WORDS = 8


def _shape(several: str, words: str) -> str:
    """Return an expression of names; *several* counts hyphens and initials, *words* the words."""
    part = (
        rf"(?:(?:[dl]|al|el|an|as|dell)['’-])?{_BEGINS}{_GOES_ON}*(?:['’·・-]{_GOES_ON}+){several}"
    )
    between = rf"(?:(?:{_PARTICLES}) |{_INITIAL}){several}"
    return rf"(?:{_INITIAL}){several}{part}(?: {between}{part}){words}"


_NO_NAME = r"(?!(?:No|Some|Every|Any)(?:body|one)\b)"
NAME = rf"(?<![\w{MARKS}]){_NO_NAME}" + _shape("{0,4}", f"{{0,{_MOST_WORDS - 1}}}")
"""An expression, without groups, of the name of a person in an English sentence.

Its parts begin with a capital letter or with a letter of a script without capitals. Small words
such as "von" and "del" may be between them, and initials with full stops before them. All is
bounded, so that a search takes no longer than in step with the text.
"""
_WHOLE_NAME = re.compile(_shape("*", "*"))


def tidied_name(written: str) -> str:
    """Return the name that a file or a form gives, with one encoding, width and kind of space.

    Raises ValueError, which names the remedy, if it cannot be read as a name in a sentence.
    """
    if len(written) > LONG:
        raise ValueError(f"the name {written[:20]!r}… is too long; write at most {_LONGEST_NAME}")
    usual = unicodedata.normalize("NFKC", written)
    visible = (c for c in usual if c in JOINERS or unicodedata.category(c) != "Cf")
    name = " ".join("".join(visible).split())
    if len(name) > _LONGEST_NAME or len(name.split()) > _MOST_WORDS:
        raise ValueError(
            f"the name {name[:20]!r}… is too long: {_LONGEST_NAME} characters and {_MOST_WORDS} "
            "words are the most"
        )
    if _WHOLE_NAME.fullmatch(name) is None:
        raise ValueError(
            f"{name!r} cannot be read as a name in a sentence; write words that begin with a "
            "capital letter, without digits, commas and brackets, and full stops only in initials"
        )
    return name


_LONGEST_NAME = 120


# comparison ---------------------------------------------------------------------------------


def is_plain(name: str) -> bool:
    """Return whether *name* consists of words of ASCII letters."""
    return name.isascii() and all(word.isalpha() for word in name.split())


def is_usual(name: str) -> bool:
    """Return whether *name* is plain, has at most two words, and is no English word.

    All names of the built-in company are."""
    words = name.split()
    return len(words) <= 2 and is_plain(name) and not any(map(is_english_word, words))


def exact_key(name: str) -> str:
    """Return the key of a name: without case, and without differences of encoding and width.

    Accents count: "Jörg" is not "Jorg"."""
    words = " ".join(name.split())
    return words.casefold() if words.isascii() or len(words) > LONG else _exact_key(words)


@lru_cache(maxsize=1024)
def _exact_key(words: str) -> str:
    even = unicodedata.normalize("NFKC", words).translate(_EVEN).lower()
    visible = "".join(letter for letter in even if unicodedata.category(letter) != "Cf")
    return " ".join(unicodedata.normalize("NFC", visible).split())


def loose_key(name: str) -> str:
    """Return the key of a name without case and accents: "Jörg" has that of "Jorg"."""
    return unaccented(exact_key(name))


def called(written: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return those of the different *names* that *written* spells.

    These are the exact ones, if there are any; else those that differ in accents only. A plain name
    is spelt exactly. Several names mean that *written* is ambiguous.
    """
    known = tuple(names)
    exact = tuple(name for name in known if exact_key(name) == exact_key(written))
    if exact:
        return exact
    alike = tuple(name for name in known if loose_key(name) == loose_key(written))
    return () if all(map(is_plain, alike)) else alike


# parts ----------------------------------------------------------------------------------------

_SMALL_WORDS = frozenset(_PARTICLES.split("|"))
_TITLES = frozenset({"Dr.", "Prof.", "St."})


def first_name(name: str) -> str:
    """Return the name that colleagues use: the first word after a title; the whole name if that is
    an initial."""
    words = name.split()
    begins = 1 if len(words) > 1 and words[0] in _TITLES else 0
    return name if _is_short(words[begins]) else words[begins]


def parts_of_name(name: str) -> tuple[str, ...]:
    """Return what a name alone may be shortened to, without the whole: its words, and several of
    them from its beginning or its end.

    "María del Carmen García López" may be "María", "María del Carmen", "García López" or "López".
    """
    words = name.split()
    size = len(words)
    spans = [(0, end) for end in range(1, size)] + [(start, size) for start in range(1, size)]
    spans += [(place, place + 1) for place in range(1, size - 1)]
    parts = [
        " ".join(words[start:end])
        for start, end in spans
        if words[end - 1] not in _SMALL_WORDS and not all(map(_is_short, words[start:end]))
    ]
    return tuple(dict.fromkeys(parts))


def _is_short(word: str) -> bool:
    """Return whether a word of a name is an initial, a title or a small word."""
    return word.endswith(".") or word in _SMALL_WORDS or (len(word) == 1 and word.isupper())


# names in texts -------------------------------------------------------------------------------

_TWO_LETTERS = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "oe", "å": "aa", "æ": "ae"}
"""How letters are also written where a keyboard lacks them."""
_WIDER = 0xFEE0
"""The distance from an ASCII character to its full-width form."""


@lru_cache(maxsize=4096)
def name_pattern(name: str) -> str:
    """Return an expression, without groups, of all spellings of a name or of a part of it.

    Use it with IGNORECASE, and put the bounds of words around it. A name that is an English word
    ("Will", "May") is found only where its capital letter cannot be that of a sentence.
    """
    words = name.split()
    if all(map(is_english_word, words)):
        return _capitalised(words)
    if is_plain(name):
        return re.escape(name)
    letters = "".join(map(_spellings, composed(name)))
    return rf"(?:(?<!\w-){letters}(?![{MARKS}])(?!-\w))"


def loosened(text: str) -> str:
    """Return *text* in a form in which names can be looked up quickly: see `may_be_in`."""
    return text.translate(_LOOSE).lower()


def may_be_in(loose: str, name: str) -> bool:
    """Return whether `name_pattern` of *name* might match in the text that `loosened` made *loose*.

    If this is False, it certainly does not. It is always True for a name with other letters than
    those of ASCII, which has many spellings.
    """
    return not name.isascii() or loosened(name) in loose


def whole_name_pattern(name: str) -> str:
    """Return an expression, without groups, of all spellings of a whole name in a text that spells
    plain names exactly. Use it without IGNORECASE."""
    return rf"(?<!\w-){re.escape(name)}(?!-\w)" if is_plain(name) else name_pattern(name)


def _capitalised(words: Sequence[str]) -> str:
    name = re.escape(" ".join(words))
    if len(words) > 1:
        return f"(?-i:{name})"
    ends = r"(?=\s{0,3}(?:[,:;!)–—-]|['’]s|(?:and|or|&)\s|\Z))"
    if words[0].casefold() in _MONTHS:
        return f"(?-i:{name}){ends}"
    return rf"(?-i:{name})(?:{ends}|(?<=[\w,;:)] {name})|(?<=@{name}))"


_WIDE = {ord(" ") + _WIDER + sign: chr(ord(" ") + sign) for sign in range(1, 95)}
_LOOSE = str.maketrans(
    _WIDE
    | {"\u00a0": " ", "\u0130": "i", "\u0131": "i", "\u017f": "s", "\u212a": "k"}
    | dict.fromkeys(f".{_APOSTROPHES}{_HYPHENS}{''.join(JOINERS)}", "")
)
"""Removes what a spelling may lack, and makes wide letters and odd cases usual ones."""
_MONTHS = frozenset({"april", "may", "june", "august"})


def _spellings(letter: str) -> str:
    """Return an expression of the ways to write a letter of a name."""
    if letter == " ":
        return "[ \u00a0]"
    if letter == ".":
        return r"\.?"
    if letter in JOINERS:
        return f"{letter}?"
    for signs in (_APOSTROPHES, _HYPHENS):
        if letter in signs:
            return f"[{re.escape(signs)}]?"
    if letter.isascii():
        return f"[{letter}{chr(ord(letter) + _WIDER)}]"
    apart = unicodedata.normalize("NFD", letter)
    ways = [letter]
    if len(apart) > 1:
        base = "".join(mark for mark in apart if not is_accent(mark))
        marks = "".join(map(re.escape, apart[1:]))
        ways.append(f"{re.escape(base)}[{marks}]{{0,{len(apart) - 1}}}")
    plain = without_strokes(letter)
    ways += [plain] if plain != letter else []
    two = _TWO_LETTERS.get(letter.lower())
    ways += [two] if two and two not in ways else []
    return f"(?:{'|'.join(ways)})" if len(ways) > 1 else re.escape(letter)


def spells(name: str, written: str) -> bool:
    """Return whether *written* is a spelling of *name*; a plain name is spelt exactly."""
    if is_plain(name):
        return name.casefold() == written.casefold()
    return re.compile(name_pattern(name), re.IGNORECASE).fullmatch(written) is not None


def names_person(text: str, name: str) -> bool:
    """Return whether *text* has the full *name*, in any of its spellings, as separate words."""
    if is_plain(name) and name not in text:
        return False
    return re.search(rf"(?<!\w){whole_name_pattern(name)}(?!\w)", text) is not None


def names_in(text: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return those of *names* that *text* has as separate words, in its order. If two names
    begin at the same place, only the longer one counts."""
    longest_first = sorted(set(names), key=lambda name: (-len(name), name))
    if not longest_first:
        return ()
    pattern = "|".join(map(re.escape, longest_first))
    found = re.findall(rf"(?<!\w)(?<!\w-)(?:{pattern})(?!\w)(?!-\w)(?![{MARKS}])", text)
    return tuple(dict.fromkeys(found))


# handles --------------------------------------------------------------------------------------


def handles_of(names: Sequence[str]) -> tuple[str, ...]:
    """Return a handle for each of *names*, such as "jorg.muller-gross"; no two are the same.

    A handle is also the part of an address before the @, so it has ASCII letters only. A name
    that has no Latin spelling gives "person-7" if it is the seventh. No handle is the name of
    somebody else.
    """
    keys = set(map(exact_key, names))
    taken = set[str]()
    handles = []
    for number, name in enumerate(names, start=1):
        wanted = latin_handle(name) or f"person-{number}"
        handle, copies = wanted, 1
        while handle in taken or handle in keys - {exact_key(name)}:
            copies += 1
            handle = f"{wanted}-{copies}"
        taken.add(handle)
        handles.append(handle)
    return tuple(handles)


def latin_handle(name: str) -> str:
    """Return the handle that the Latin letters of *name* give; "" if it has a letter of another
    script."""
    plain = unaccented(name).translate(_EVEN)
    if any(letter.isalnum() and not letter.isascii() for letter in plain):
        return ""
    words = (re.sub(r"[^a-z0-9-]", "", word).strip("-") for word in plain.split())
    return ".".join(word for word in words if word)
