"""Lists of first names, last names, places and ordinary words, from packages installed anyway."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module

from trainee_bench.harness.pseudonyms.folding import WORD, key_of, keys_of, script_of
from trainee_bench.harness.pseudonyms.word_lists import (
    AMBIGUOUS_NAMES,
    CALENDAR_WORDS,
    NON_NAMES,
    PARTICLES,
    PLACES,
)
from trainee_bench.world.colleagues.understanding.word_vectors import word_vectors

_LATIN = (
    "de_DE", "en_US", "en_GB", "fr_FR", "it_IT", "es_ES", "nl_NL", "sv_SE", "da_DK", "no_NO",
    "fi_FI", "pl_PL", "cs_CZ", "hu_HU", "ro_RO", "hr_HR", "pt_PT", "pt_BR", "tr_TR", "de_AT",
    "en_IN", "en_NG", "en_IE", "id_ID", "vi_VN", "en_KE", "lt_LT", "sk_SK", "tw_GH", "zu_ZA",
    "et_EE", "lv_LV", "sl_SI",
)  # fmt: skip
_OTHERS = (
    "ru_RU", "uk_UA", "bg_BG", "el_GR", "zh_CN", "zh_TW", "ja_JP", "ko_KR", "ar_AA", "fa_IR",
    "he_IL", "hi_IN", "th_TH", "ka_GE", "hy_AM",
)  # fmt: skip
_LONGEST = 12


@dataclass(frozen=True)
class NameList:
    """The names of one locale, sorted. Unisex names are in both lists of first names."""

    locale: str
    female: tuple[str, ...]
    male: tuple[str, ...]
    last_female: tuple[str, ...]
    last_male: tuple[str, ...]


@dataclass(frozen=True)
class _Lookup:
    """For each key of a name: the places of its locales in the list of all locales."""

    female: dict[str, int]
    male: dict[str, int]
    last: dict[str, int]


@cache
def name_lists() -> tuple[NameList, ...]:
    """Return the names of all locales: Latin scripts first."""
    return tuple(_name_list(locale) for locale in (*_LATIN, *_OTHERS))


def _name_list(locale: str) -> NameList:
    provider = import_module(f"faker.providers.person.{locale}").Provider

    def listed(*attributes: str) -> tuple[str, ...]:
        for attribute in attributes:
            found = getattr(provider, attribute, ())
            if not isinstance(found, property) and (kept := _usable(found)):
                return kept
        return ()

    return NameList(
        locale,
        female=listed("first_names_female", "first_names", "first_romanized_names"),
        male=listed("first_names_male", "first_names", "first_romanized_names"),
        last_female=listed("last_names_female", "last_names"),
        last_male=listed("last_names_male", "last_names"),
    )


def _usable(names: object) -> tuple[str, ...]:
    kept = {
        name
        for name in names  # type: ignore[attr-defined]
        if isinstance(name, str) and len(name) <= _LONGEST and _is_name(name)
    }
    return tuple(sorted(kept))


def _is_name(name: str) -> bool:
    found = WORD.fullmatch(name)
    if found is None or "'" in name or "’" in name:
        return False
    if name.lower() == name.upper():
        return True
    return name.istitle() and len(name) > 2


@cache
def _lookup() -> _Lookup:
    lookup = _Lookup({}, {}, {})
    for at, names in enumerate(name_lists()):
        for listed, into in (
            (names.female, lookup.female),
            (names.male, lookup.male),
            ((*names.last_female, *names.last_male), lookup.last),
        ):
            for name in listed:
                for key in keys_of(name):
                    into.setdefault(key, at)
    return lookup


def is_first_name(word: str) -> bool:
    """Whether *word*, in any form, is a first name of some locale."""
    key = key_of(word)
    lookup = _lookup()
    return key in lookup.female or key in lookup.male


def is_last_name(word: str) -> bool:
    """Whether *word*, in any form, is a last name of some locale."""
    return key_of(word) in _lookup().last


def home_of(word: str, *, last: bool) -> NameList | None:
    """Return the first locale that has the name *word*, or None."""
    lookup, key = _lookup(), key_of(word)
    at = [lookup.last.get(key)] if last else [lookup.female.get(key), lookup.male.get(key)]
    found = [place for place in at if place is not None]
    return name_lists()[min(found)] if found else None


def gender_of(word: str) -> str:
    """Return "female" or "male" for a first name that only one of them has, else ""."""
    lookup, key = _lookup(), key_of(word)
    female, male = key in lookup.female, key in lookup.male
    return "" if female == male else "female" if female else "male"


def lists_of_script(word: str) -> tuple[NameList, ...]:
    """Return the locales whose last names have the script of *word*, or all Latin ones."""
    script = script_of(word)
    same = tuple(
        names
        for names in name_lists()
        if names.last_male and script_of(names.last_male[0]) == script
    )
    return same or name_lists()[: len(_LATIN)]


@cache
def _places() -> frozenset[str]:
    provider = import_module("faker.providers.date_time").Provider
    named = {part for land in provider.countries for part in (land.name, land.capital)}
    states = import_module("faker.providers.address.en_US").Provider.states
    words = {word for name in (*named, *states) for word in WORD.findall(name) if len(word) > 3}
    return frozenset(key_of(word) for word in (*words, *PLACES))


def is_place(word: str) -> bool:
    """Whether *word* is part of the name of a country, capital, state or well-known town."""
    return key_of(word) in _places()


@cache
def _written_words() -> frozenset[str]:
    words = set[str]()
    for locale in ("en_US", "de_DE", "fr_FR", "nl_NL", "it_IT"):
        provider = import_module(f"faker.providers.lorem.{locale}").Provider
        words |= {key_of(word) for word in provider.word_list}
    return frozenset(words)


@lru_cache(maxsize=100_000)
def is_ordinary(word: str) -> bool:
    """Whether *word* is also an ordinary word, so that alone it need not be a name.

    A listed name counts as ordinary only if it is known to be a word, too: May, Mark, Koch.
    """
    key = key_of(word)
    if key in AMBIGUOUS_NAMES or key in CALENDAR_WORDS or key in NON_NAMES or key in PARTICLES:
        return True
    if is_first_name(word) or is_last_name(word):
        return False
    if key in _written_words() or is_place(word):
        return True
    if word.lower() == word.upper():
        return False
    vectors = word_vectors()
    nouns = word[:1].upper() + word[1:].lower()  # German nouns are listed with a capital
    return vectors.knows(nouns) or any(vectors.knows(form) for form in _forms(word.lower()))


def _forms(word: str) -> tuple[str, ...]:
    """*word* and its likely stems: the list has "invoice" but not every plural and tense."""
    stems = [word]
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) > 2:
            stems.append(word[: len(word) - len(ending)] + instead)
    return tuple(stems)


_ENDINGS = (
    ("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"),
    ("ly", ""), ("ungen", "ung"), ("ation", "e"), ("ness", ""), ("ves", "f"),
)  # fmt: skip
