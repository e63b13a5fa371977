"""Find the members of a group whom a message addresses, and the part that each of them reads.

    "One question each. Mara: where is it? Tom, Ada: who knows it?"

Mara reads "One question each. where is it?", Tom and Ada "One question each. who knows it?".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from trainee_bench.world.colleagues.understanding.asking import (
    QUESTION_BEGINS,
    Asking,
    asking,
    has_question_mark,
)
from trainee_bench.world.company.name_forms import (
    exact_key,
    is_usual,
    loosened,
    may_be_in,
    name_pattern,
    parts_of_name,
    spells,
)
from trainee_bench.world.company.people import Person

_AROUND = " \t\n,;*_•–—-"
"""Signs between two parts, which belong to neither part."""
_MOST_NAMED = 30
"""The most names after the first at the beginning of a part. Nobody writes more."""
_GREETING = r"(?:hi|hello|hey|dear|good (?:morning|afternoon|day))"
_FEW_WORDS = r"[^\W\d_]+(?:[ \t]+[^\W\d_]+){0,2}"
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<!\s)\s*\n\s*")


def addressees(text: str, people: Iterable[Person]) -> tuple[Person, ...]:
    """Return the *people* whom *text* names by full name, by id, or by a unique first name.

    If any of them has an unusual name (see `is_usual`), a unique part of a name will do as well,
    and so will its spelling without accents.
    """
    crowd = tuple(people)
    if not all(is_usual(person.name) for person in crowd):
        named = {person.id for found in _names_within(text, crowd) for person in found}
        return tuple(person for person in crowd if person.id in named)
    said = f" {_words(text)} "
    first_names = [_words(person.first_name) for person in crowd]
    return tuple(
        person
        for person, first in zip(crowd, first_names, strict=True)
        if any(f" {_words(name)} " in said for name in (person.name, person.id))
        or (first_names.count(first) == 1 and f" {first} " in said)
    )


def _names_within(text: str, crowd: Sequence[Person]) -> Iterator[tuple[Person, ...]]:
    """Yield whom each name in *text* means, if that is clear."""
    if not (names := _names(crowd, text)):
        return
    for found in re.finditer(rf"(?<![^\W_])@?(?:{names})(?![^\W_])", text, re.IGNORECASE):
        meant, whole = _meant_by(found[0].lstrip("@"), crowd)
        if whole or len(meant) == 1:
            yield meant


def _meant_by(written: str, crowd: Sequence[Person]) -> tuple[tuple[Person, ...], bool]:
    """Return whom a name means, and whether it is an id or a whole name.

    An exact spelling counts before one without accents, and a whole name before a part."""
    key = exact_key(written)
    for is_same in (lambda name: exact_key(name) == key, lambda name: spells(name, written)):
        for whole in (True, False):
            meant = tuple(
                person
                for person in crowd
                if any(map(is_same, (person.name, person.id) if whole else _parts(person)))
            )
            if meant:
                return meant, whole
    return (), False


def _parts(person: Person) -> tuple[str, ...]:
    """Return the names by which a group may address a person."""
    parts = () if is_usual(person.name) else parts_of_name(person.name)
    return tuple(dict.fromkeys((person.first_name, *parts)))


def strip_address(text: str, person: Person, group: Iterable[Person] = ()) -> str:
    """Remove the name of *person*, or a list of names from their *group*, from *text*.

    "@Mara, yes", "Hello Mara, Tom and Ada: yes" and "yes, Mara, Tom and Ada" all become "yes". Only
    a list after at most three words is removed: "the days of Mara, Tom and Ada" stay."""
    listed = text
    if names := _names([person, *group], text):
        name = rf"(?>@?(?:{names})(?!\w))"
        more = rf"(?:(?:\s*[,;&/+]\s*(?:and\s+)?|\s+(?:and\s+)?){name})"
        several = rf"\A\s*(?:{_GREETING}\s+)?{name}{more}+\s*[,:;!–-]+\s*"
        listed = re.sub(several, "", text, flags=re.IGNORECASE)
        after = rf"\A\s*({_FEW_WORDS})\s*[,:–-]\s*{name}{more}*[\s.!]*\Z"
        listed = re.sub(after, r"\1", listed, flags=re.IGNORECASE)
    if own := _names([person], listed):
        alone = rf"\A\s*@?(?:{own})(?!\w)[\s,:;!–-]*"
        listed = re.sub(alone, "", listed, flags=re.IGNORECASE)
    return listed or text


def part_for(text: str, person: Person, group: Iterable[Person]) -> str:
    """Return the part of *text* that is for *person*, one of the *group*.

    The part follows the statements at the beginning, which are for everybody. Return the whole
    text if it has no separate parts, or if the part of *person* asks nothing."""
    members = tuple(group)
    opening, parts = _split_parts(text, members)
    own = {member.id: [part for ids, part in parts if member.id in ids] for member in members}
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
    """Return the text before the first part, and the parts, each with the ids of its readers."""
    names = _names(members, text)
    headings = list(_heading(names).finditer(text)) if names else []
    if not headings:
        return text, []
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    parts = list[tuple[frozenset[str], str]]()
    waiting = frozenset[str]()
    for heading, end in zip(headings, ends, strict=True):
        waiting |= _named_in(heading["first"] or heading["next"], members)
        part = text[heading.end() : end].strip(_AROUND)
        if part:  # a name alone on its line shares the next part
            parts.append((waiting, part))
            waiting = frozenset()
    return text[: headings[0].start()].strip(), parts


def _heading(possible: str) -> re.Pattern[str]:
    """Return the pattern of the names that begin a part; *possible* is the pattern of each.

    A colon follows the names, or they begin a line or a sentence and are set off from it or
    followed by a question."""
    name = rf"[*_]*@?(?:{possible})(?!\w)(?:[ \t]*\([^()?\n]{{1,60}}\))?[*_]*"
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
    """Return the ids of the *members* in a list of names."""
    bare = re.sub(r"\([^()]*\)", " ", names)
    # the longest first: "Tom Daly" is no other Tom
    possible = _names(members, bare)
    called = set(re.findall(possible, bare, re.IGNORECASE)) if possible else set[str]()
    if not all(is_usual(member.name) for member in members):
        return frozenset(member.id for name in called for member in _meant_by(name, members)[0])
    folded = {name.casefold() for name in called}
    return frozenset(
        member.id
        for member in members
        if not folded.isdisjoint(name.casefold() for name in _names_of(member))
    )


def _without_owners(text: str, members: Sequence[Person]) -> str:
    """Remove names in brackets that say who owns each thing, as in "OLD1 (Mara), OLD2 (Tom)".

    A single name in brackets stays, because a question may need it."""
    if not (names := _names(members, text)):
        return text
    name = rf"(?>@?(?:{names})(?!\w))"
    owners = re.compile(
        rf"(?:(?<!\s)\s+)?[(\[]\s*(?:for\s+)?{name}(?:(?:\s*[,;&/+]\s*|\s+)(?:and\s+)?{name})*\s*[)\]]",
        re.IGNORECASE,
    )
    if len({found.casefold() for found in owners.findall(text)}) < 2:
        return text
    return owners.sub("", text)


def _names(people: Iterable[Person], text: str) -> str:
    """Return a pattern of the names and ids of *people* that *text* may have, the longest first.

    It is empty if there are none. No name occurs twice, because the number of ways to read a list
    of names would double with each of them. A pattern of few names costs a hundredth of one of a
    whole group's.
    """
    loose = loosened(text)
    names = {
        name.casefold(): name
        for person in people
        for name in _names_of(person)
        if may_be_in(loose, name)
    }
    longest_first = sorted(names.values(), key=lambda name: (-len(name), name))
    return "|".join(map(name_pattern, longest_first))


def _names_of(person: Person) -> tuple[str, ...]:
    return person.name, person.id, *_parts(person)


def _words(text: str) -> str:
    """Return the words in lower case. The s of a possessive becomes a separate word."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))
