"""Whom of a group a message is for, and what of it they read."""

from __future__ import annotations

import re
from collections.abc import Iterable

from trainee_bench.world.company.people import Person


def as_received_by(person: Person, to: str, text: str) -> tuple[str, str]:
    """Where *person* gets a message (a group's id, or "" in private), and the text for them."""
    return ("", text) if to == person.id else (to, strip_address(text, person))


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


def strip_address(text: str, person: Person) -> str:
    """*text* without the name of *person* before it: "@Mara, yes" is a yes."""
    names = "|".join(re.escape(name) for name in (person.name, person.id, person.first_name))
    return re.sub(rf"\A\s*@?(?:{names})(?!\w)[\s,:;!–-]*", "", text, flags=re.IGNORECASE) or text


def _words(text: str) -> str:
    """Words only, in lower case; a possessive's s is a word of its own."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))
