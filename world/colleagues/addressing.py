"""Whom of a group a message is for, and what of it they read.

    "One question each. Mara: where is it? Tom, Ada: who knows it?"

Mara reads "One question each. where is it?", Tom and Ada "One question each. who knows it?".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from trainee_bench.world.colleagues.understanding.asking import (
    QUESTION_BEGINS,
    Asking,
    asking,
    has_question_mark,
)
from trainee_bench.world.company.people import Person

_AROUND = " \t\n,;*_•–—-"
"""The signs between two parts that belong to neither."""
_MOST_NAMED = 30
"""A part may begin with so many more names: more than anybody writes."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<!\s)\s*\n\s*")


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
    one = rf"(?>@?(?:{_names([person, *group])})(?!\w))"
    several = rf"\A\s*{one}(?:(?:\s*[,;&/+]\s*(?:and\s+)?|\s+(?:and\s+)?){one})+\s*[,:;!–-]+\s*"
    alone = rf"\A\s*@?(?:{_names([person])})(?!\w)[\s,:;!–-]*"
    listed = re.sub(several, "", text, flags=re.IGNORECASE)
    return re.sub(alone, "", listed, flags=re.IGNORECASE) or text


def part_for(text: str, person: Person, group: Iterable[Person]) -> str:
    """What of *text* is for *person*, where it gives members of the *group* parts of their own:
    their part, after what stands before the first one and asks nothing. Otherwise all of it: where
    there are no such parts, or theirs asks nothing, so that its question stands elsewhere."""
    members = tuple(group)
    opening, parts = _split_parts(text, members)
    own = {one.id: [part for ids, part in parts if one.id in ids] for one in members}
    given = {tuple(found) for found in own.values() if found}
    mine = " ".join(own.get(person.id, ()))
    if len(given) < 2 or asking(mine) < Asking.LIKELY:
        return _without_owners(text, members)
    said = filter(None, _SENTENCE_END.split(opening))
    told = [sentence for sentence in said if not has_question_mark(sentence)]
    return _without_owners(" ".join([*told, mine]), members)


def _split_parts(
    text: str, members: Sequence[Person]
) -> tuple[str, list[tuple[frozenset[str], str]]]:
    """What stands before the first part, and the parts, each with the ids of those it is for."""
    headings = list(_heading(members).finditer(text))
    if not headings:
        return text, []
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    parts = list[tuple[frozenset[str], str]]()
    waiting = frozenset[str]()
    for heading, end in zip(headings, ends, strict=True):
        waiting |= _named_in(heading["first"] or heading["next"], members)
        part = text[heading.end() : end].strip(_AROUND)
        if part:  # a name alone on its line shares the part of the next one
            parts.append((waiting, part))
            waiting = frozenset()
    return text[: headings[0].start()].strip(), parts


def _heading(members: Sequence[Person]) -> re.Pattern[str]:
    """Names that begin a part: with a colon after them, or where a line or a sentence begins and
    the name is set off from it, or a question follows."""
    name = rf"[*_]*@?(?:{_names(members)})(?!\w)(?:[ \t]*\([^()?\n]{{1,60}}\))?[*_]*"
    # atomic: of "Mara, Tom or Ada:" Mara alone is no heading
    names = rf"(?>{name}(?:(?:\s*[,;&/+]\s*(?:and\s+)?|\s+(?:and\s+)?){name}){{0,{_MOST_NAMED}}})"
    greeting = r"(?:(?:and|for|to|then|hi|hello|hey|dear)\s+){0,3}"
    begins = r"(?:\A|(?<=[\n.!?;]))[^\S\n]*(?:(?:\d+[.)]|[-*•–—])\s+)?"
    set_off = rf"\s*(?:[:,–—]|[ \t]-|\n|(?<=\s)(?={QUESTION_BEGINS}))"
    goes_on = r"(?:(?<=[,:)–—-])\s*|(?<=\s)(?=and\s))"
    return re.compile(
        rf"(?:{begins}{greeting}(?P<first>{names}){set_off}"
        rf"|{goes_on}{greeting}(?P<next>{names})\s*:)[*_]*\s*",
        re.IGNORECASE,
    )


def _named_in(names: str, members: Sequence[Person]) -> frozenset[str]:
    """The ids of those of *members* whom a list of names means."""
    bare = re.sub(r"\([^()]*\)", " ", names)
    # the longest first: "Tom Daly" is not whoever else is called Tom
    called = {name.casefold() for name in re.findall(_names(members), bare, re.IGNORECASE)}
    return frozenset(
        one.id
        for one in members
        if not called.isdisjoint(name.casefold() for name in (one.name, one.id, one.first_name))
    )


def _without_owners(text: str, members: Sequence[Person]) -> str:
    """*text* without brackets that say whose each thing is: "OLD1 (Mara), OLD2 (Tom)" is a list
    of two. One name in brackets alone may be what a question needs."""
    one = rf"(?>@?(?:{_names(members)})(?!\w))"
    owners = re.compile(
        rf"(?:(?<!\s)\s+)?[(\[]\s*(?:for\s+)?{one}(?:(?:\s*[,;&/+]\s*|\s+)(?:and\s+)?{one})*\s*[)\]]",
        re.IGNORECASE,
    )
    if len({found.casefold() for found in owners.findall(text)}) < 2:
        return text
    return owners.sub("", text)


def _names(people: Iterable[Person]) -> str:
    """A pattern of everything by which *people* are called, the longest names first, and none
    twice: a list of them that ends otherwise would be read in 2, 4, 8 … ways."""
    names = {name.casefold(): name for one in people for name in (one.name, one.id, one.first_name)}
    longest_first = sorted(names.values(), key=lambda name: (-len(name), name))
    return "|".join(map(re.escape, longest_first))


def _words(text: str) -> str:
    """Words only, in lower case; a possessive's s is a word of its own."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))
