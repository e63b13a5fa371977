"""Draws invented names, words and digits. Each draw depends on the seed and on what it replaces."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from trainee_bench.harness.pseudonyms.folding import UNSPACED, key_of, keys_of
from trainee_bench.harness.pseudonyms.lexicon import (
    NameList,
    gender_of,
    home_of,
    is_ordinary,
    lists_of_script,
)
from trainee_bench.world.random_streams import random_stream

_STARTS = "b br d dr f fl g gr h k kl l m n p pr r s st t tr v w z".split()
_VOWELS = "a e i o u".split()
_MIDDLES = "l m n r s t v nd rt lm nt rv ld rk".split()
_ENDS = "a o en is on um ix an el ar".split()
_TRIES = 200
_VOWEL_LETTERS = "aeiou"


@dataclass
class Draws:
    """Draws that avoid everything taken: words of the material and earlier draws."""

    seed: str
    taken: set[str] = field(default_factory=set)
    """Keys of words that no pseudonym may have."""
    real_digits: set[str] = field(default_factory=set)
    """Digits of numbers in the material, which no invented number may have."""
    numbers: dict[tuple[str, str], str] = field(default_factory=dict)
    """Invented numbers by kind and number as written."""
    _digits: dict[tuple[str, str], str] = field(default_factory=dict)
    _digits_drawn: dict[str, set[str]] = field(default_factory=dict)

    def first_name(self, real: str, gender: str = "") -> str:
        """Return a free first name in the script, and if known the gender and country, of *real*.

        *gender* is "female", "male" or "", if neither a title nor the lists say it.
        """
        stream = random_stream(self.seed, "first name", key_of(real))
        kind = gender_of(real) or gender or "first"
        return self._name(stream, real, home_of(real, last=False), kind)

    def last_name(self, real: str) -> str:
        """Return a free last name in the script, and if known the country, of *real*."""
        stream = random_stream(self.seed, "last name", key_of(real))
        kind = "last female" if real.endswith(_FEMALE_ENDINGS) else "last male"
        return self._name(stream, real, home_of(real, last=True), kind)

    def word(self, real: str) -> str:
        """Return a free invented word, capitalised as *real* is; for companies and domains."""
        stream = random_stream(self.seed, "word", key_of(real))
        if real.isupper() and len(real) <= 4:
            drawn = self._first_free(
                lambda: "".join(stream.choice("BDFGHKLMNPRSTVXZ") for _ in real)
            )
            return drawn or self.word(real.title() + real.title())
        drawn = self._first_free(lambda: _invented(stream))
        while drawn is None:
            drawn = self._first_free(lambda: _invented(stream) + _invented(stream))
        return drawn.title() if real[:1].isupper() else drawn

    def digits(self, purpose: str, real: str, fixed: int = 0) -> str:
        """Return as many digits as *real* has, the first *fixed* the same, and zeros in front.

        Equal digits of one purpose always give the same; different ones differ as long as there
        are enough free numbers.
        """
        if (purpose, real) in self._digits:
            return self._digits[purpose, real]
        stream = random_stream(self.seed, purpose, real)
        drawn = self._digits_drawn.setdefault(purpose, set())
        head = real[:fixed]
        rest = real[fixed:]
        zeros = len(rest) - len(rest.lstrip("0"))
        count = len(rest) - zeros
        made = real
        for _ in range(_TRIES):
            made = (
                head
                + "0" * zeros
                + "".join(str(stream.randrange(1 if at == 0 else 0, 10)) for at in range(count))
            )
            if made != real and made not in drawn and made not in self.real_digits:
                break
        drawn.add(made)
        self._digits[purpose, real] = made
        if made not in self.real_digits:
            self._digits.setdefault((purpose, made), made)
        return made

    def _name(self, stream: random.Random, real: str, home: NameList | None, kind: str) -> str:
        size = len(real) if UNSPACED.fullmatch(real) else 0
        near = (home,) if home else ()
        for lists in (near, lists_of_script(real)):
            fitting = _pool(lists, kind, real.isascii(), size)
            if fitting and (found := self._first_free(lambda: stream.choice(fitting))):  # noqa: B023
                return found
        parts = _pool(lists_of_script(real), kind, real.isascii(), 0)
        while True:
            found = self._first_free(lambda: _spliced(stream, parts, real))
            if found:
                return found

    def _first_free(self, draw: Callable[[], str]) -> str | None:
        for _ in range(_TRIES):
            word = draw()
            if self.taken.isdisjoint(keys_of(word)) and not is_ordinary(word):
                self.taken.update(keys_of(word))
                return word
        return None


_FEMALE_ENDINGS = ("ова", "ева", "ина", "ая", "ská", "ova", "ová", "ska")


@lru_cache(maxsize=500)
def _pool(lists: tuple[NameList, ...], kind: str, plain: bool, size: int) -> tuple[str, ...]:
    """Return the names of a *kind* in *lists*, if so in plain letters or of *size* characters."""
    names = set[str]()
    for listed in lists:
        by_kind = {
            "female": listed.female,
            "male": listed.male,
            "first": (*listed.female, *listed.male),
            "last female": listed.last_female,
            "last male": listed.last_male,
        }
        names.update(by_kind[kind])
    return tuple(
        sorted(
            name for name in names if (len(name) == size if size else name.isascii() or not plain)
        )
    )


def _invented(stream: random.Random) -> str:
    parts = [stream.choice(_STARTS), stream.choice(_VOWELS), stream.choice(_MIDDLES)]
    if stream.randrange(2):
        parts += [stream.choice(_VOWELS), stream.choice(_MIDDLES)]
    return "".join(parts) + stream.choice(_ENDS)


def _spliced(stream: random.Random, names: Sequence[str], real: str) -> str:
    """Join two halves of names: an unlimited supply when the lists are used up."""
    if UNSPACED.fullmatch(real):
        letters = "".join(names)
        return "".join(stream.choice(letters) for _ in real)
    one, other = stream.choice(names), stream.choice(names)
    return one[: (len(one) + 1) // 2] + other[len(other) // 2 :]


def luhn_digit(digits: str) -> str:
    """Return the check digit that makes *digits* and it a number valid by Luhn's rule."""
    total = 0
    for at, digit in enumerate(reversed(digits)):
        doubled = int(digit) * 2 if at % 2 == 0 else int(digit)
        total += doubled - 9 if doubled > 9 else doubled
    return str(-total % 10)


def iban_check(country: str, rest: str) -> str:
    """Return the two check digits of the IBAN with this country and national part."""
    number = "".join(str(int(letter, 36)) for letter in f"{rest}{country}00")
    return f"{98 - int(number) % 97:02d}"


def same_layout(layout: str, characters: Iterator[str]) -> str:
    """Return *layout* with each letter and digit replaced by the next of *characters*."""
    return "".join(next(characters) if letter.isalnum() else letter for letter in layout)
