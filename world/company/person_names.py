"""Names for people: first and last names from Faker's lists, drawn from our own random streams.

Only the lists are Faker's (its version is pinned). The draws are not, because Faker weights some
lists by the order of their entries and takes longer to construct than a whole company.
"""

from __future__ import annotations

import random
from collections.abc import Collection
from functools import cache
from importlib import import_module
from typing import NamedTuple

LOCALES = (
    "en_US",
    "en_GB",
    "en_IE",
    "en_IN",
    "de_DE",
    "fr_FR",
    "it_IT",
    "es_ES",
    "nl_NL",
    "sv_SE",
    "fi_FI",
    "yo_NG",
    "id_ID",
)

# Names that are also English words: "will may be late" must not seem to name two people.
_WORD_LIST = """
abbey able ace amber an angel april art ash august autumn baker ball banks barber barn bell berry
best bill bird bishop black blue bond booker booth bow bowl boy brand bright brook brooks brown
buck burns bush butcher butler cannon carpenter carter case cash castle chance chandler charity
chase chip christian church clay close coffey cole cook cooper cotton cousin crane cross dale dawn
day dean destiny doll drew duke early east english faith fields fisher fleming flower foot ford
forest fox frank frost fry gamble gates gay gene glass glen gold good gore grace grant graves gray
green guy hall hand harmony harper hart hay head heath heather herring high hill hines holly home
hood hook hope horn house hunt hunter ivy jack jade jasmine jay jewel job joy joyce june justice
kay key king knight lake lamb lance land lane law lee lily little long love low major mark marks
marsh martin mason master max may mccall mercy miles mill miller moody moon moore more moss myers
nations new noble north olive oliver pace page paige park parks parson pat patience peace pearl
penny pike pitts pole pollard pool poole poor pope porter potter potts power powers price prince
proud quick rain randy ray read reason reed reese rich ring rivers rob rock rod roman rose roth
rowe roy ruby rush rust sage sales savage sharp shepherd sherry short skinner sky small smart snow
sparks spence star stark steel stone storm story street strong stuck sue summer summers swan sweet
temple terry tobias tracy trinity tucker turner vale van victor violet wade walker wall walls ward
ware warner warren warrior waters watts weaver webb weeks wells west wheeler white wild will wise
wolf wood woods worth young
"""
_WORDS = frozenset(_WORD_LIST.split())


class _Pool(NamedTuple):
    """One locale's names, sorted."""

    first: tuple[str, ...]
    last: tuple[str, ...]


def draw_names(draws: random.Random, count: int, *, taken: Collection[str]) -> tuple[str, ...]:
    """Draw `count` names "First Last" in which no first or last name occurs twice or is in `taken`.

    This works for several thousand names.
    """
    used = {name.casefold() for name in taken}

    def unused(names: tuple[str, ...]) -> str:
        while (name := draws.choice(names)).casefold() in used:
            pass
        used.add(name.casefold())
        return name

    people = []
    for _ in range(count):
        pool = _pool(draws.choice(LOCALES))
        people.append(f"{unused(pool.first)} {unused(pool.last)}")
    return tuple(people)


@cache
def _pool(locale: str) -> _Pool:
    """Return the usable names of a locale. Faker is imported here: it takes a tenth of a second."""
    provider = import_module(f"faker.providers.person.{locale}").Provider
    return _Pool(_usable(provider.first_names), _usable(provider.last_names))


def _usable(names: Collection[str]) -> tuple[str, ...]:
    """Return plain, distinct, sorted names, independent of the list's order and weights."""
    return tuple(
        sorted(
            name
            for name in set(names)
            if name.isascii()
            and name.isalpha()
            and name.istitle()
            and 3 <= len(name) <= 11
            and name.casefold() not in _WORDS
        )
    )


def is_english_word(name: str) -> bool:
    """Return whether a name is also an English word, such as "Will"; no drawn name is one."""
    return name.casefold() in _WORDS
