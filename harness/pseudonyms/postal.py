"""Finds streets with house numbers and postcodes. Towns and countries stay."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trainee_bench.harness.pseudonyms.folding import has_digit, is_name_like, key_of

_GERMAN_ENDINGS = (
    "straße", "strasse", "weg", "platz", "allee", "gasse", "ring", "damm", "ufer", "str",
    "straat", "laan", "gatan", "vagen", "gade", "vej", "katu",
)  # fmt: skip
_AFTER = frozenset(
    """street st road rd avenue ave lane ln drive way court square sq boulevard blvd close terrace
    crescent parkway row""".split()
)
_BEFORE = frozenset("rue avenue boulevard via viale piazza calle plaza paseo rua ulica".split())
_HOUSE_AFTER = re.compile(r"\.?,?\s{1,2}[0-9]{1,4}(?:\s?[a-zA-Z])?\b(?![.,:]?[0-9])")
_HOUSE_BEFORE = re.compile(r"(?<![0-9.,:/-])[0-9]{1,5}[a-zA-Z]?,? {1,2}$")
_POSTCODE = re.compile(
    r"(?<![\w.,/-])(?:(?:D|A|CH|F|I|NL|B)-)?[0-9]{4,5}(?= {1,2}[A-ZÄÖÜÉ])"
    r"|\b[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][A-Z]{2}\b|(?<=\b[A-Z]{2} )[0-9]{5}(?:-[0-9]{4})?\b"
)
_BRITISH = re.compile(r"\b[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][A-Z]{2}\b")
_HOUSE_REACH = 12


@dataclass(frozen=True)
class StreetSpan:
    """A street in a line: the span of its distinctive name, and of its house number."""

    name: tuple[int, int]
    house: tuple[int, int]


def find_streets(line: str, words: Sequence[re.Match[str]]) -> Iterator[StreetSpan]:
    """Yield the streets with a house number in *line*, whose words are *words*."""
    if not has_digit(line):
        return
    for at, word in enumerate(words):
        key = key_of(word.group())
        if key in _AFTER:
            yield from _english(line, words, at)
        elif key in _BEFORE:
            yield from _romance(line, words, at)
        elif key.endswith(_GERMAN_ENDINGS) and is_name_like(word.group()):
            house = _HOUSE_AFTER.match(line, word.end())
            if house:
                alone = key in _GERMAN_ENDINGS and at and _next_to(line, words, at - 1)
                named = words[at - 1] if alone else word
                if named is not word or key not in _GERMAN_ENDINGS:
                    yield StreetSpan(named.span(), house.span())


def _english(line: str, words: Sequence[re.Match[str]], at: int) -> Iterator[StreetSpan]:
    first = at
    while first and at - first < 3 and _next_to(line, words, first - 1):
        if not is_name_like(words[first - 1].group()):
            break
        first -= 1
    if first < at:
        start = words[first].start()
        house = _HOUSE_BEFORE.search(line, max(0, start - _HOUSE_REACH), start)
        if house:
            yield StreetSpan((start, words[at - 1].end()), house.span())


def _romance(line: str, words: Sequence[re.Match[str]], at: int) -> Iterator[StreetSpan]:
    last = at
    while last + 1 < len(words) and last - at < 4 and _next_to(line, words, last):
        last += 1
    named = [word for word in words[at + 1 : last + 1] if is_name_like(word.group())]
    if named:
        start = words[at].start()
        house = _HOUSE_BEFORE.search(line, max(0, start - _HOUSE_REACH), start)
        house = house or _HOUSE_AFTER.match(line, named[-1].end())
        if house:
            yield StreetSpan((named[0].start(), named[-1].end()), house.span())


def _next_to(line: str, words: Sequence[re.Match[str]], at: int) -> bool:
    """Whether only spaces or a hyphen are between the word *at* and the next one."""
    between = line[words[at].end() : words[at + 1].start()]
    return len(between) == 1 and between in " -"


def find_postcodes(line: str, *, after_street: bool) -> Iterator[tuple[int, int]]:
    """Yield the spans of postcodes; those of digits alone only where a street was near."""
    expression = _POSTCODE if after_street else _BRITISH
    for found in expression.finditer(line):
        yield found.span()


def street_parts(name: str) -> tuple[str, str]:
    """Split the name of a street into its distinctive beginning and its ending.

    "Lindenstraße" gives "Linden" and "straße", "Baker" gives "Baker" and "".
    """
    key = name.lower()
    for ending in sorted(_GERMAN_ENDINGS, key=len, reverse=True):
        for written in {ending, ending.replace("ß", "ss")}:
            if key.endswith(written) and len(name) > len(written) + 1:
                return name[: -len(written)], name[-len(written) :]
    return name, ""
