"""Whom of a group a message is for, and what of it they read."""

from __future__ import annotations

import re
from collections.abc import Iterable

from trainee_bench.world.company.people import Person


def addressees(text: str, people: Iterable[Person]) -> tuple[Person, ...]:
    """Those of *people* whom *text* names: by full name, id, or a first name only one has."""
    said = f" {_words(text)} "
    crowd = tuple(people)
    first_names = [_words(person.first_name) for person in crowd]
    return tuple(
        person
        for person, first in zip(crowd, first_names, strict=True)
        if any(f" {_words(name)} " in said for name in (person.name, person.id))
        or (first_names.count(first) == 1 and f" {first} " in said)
    )


def strip_address(text: str, person: Person, group: Iterable[Person] = ()) -> str:
    """*text* without the name of *person* before it, or a list of names from their *group*:
    "@Mara, yes" and "Mara, Tom and Ada: yes" are a yes."""
    one = rf"@?(?:{_names([person, *group])})(?!\w)"
    several = rf"\A\s*{one}(?:(?:\s*[,;&/+]\s*(?:and\s+)?|\s+(?:and\s+)?){one})+\s*[,:;!–-]+\s*"
    alone = rf"\A\s*@?(?:{_names([person])})(?!\w)[\s,:;!–-]*"
    listed = re.sub(several, "", text, flags=re.IGNORECASE)
    return re.sub(alone, "", listed, flags=re.IGNORECASE) or text


def _names(people: Iterable[Person]) -> str:
    """A pattern of everything by which *people* are called, the longest names first."""
    names = {name for one in people for name in (one.name, one.id, one.first_name)}
    return "|".join(re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)))


def _words(text: str) -> str:
    """Words only, in lower case; a possessive's s is a word of its own."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))
