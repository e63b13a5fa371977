"""Calls of one day with the names of another, as the texts of their tasks show them.

"Ask Ann Lee for drive:/a.csv"  ──►  Ann Lee → Bo Kim, drive:/a.csv → drive:/b.csv
"Ask Bo Kim for drive:/b.csv"
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher

from pydantic import JsonValue

from trainee_bench.world.company.people import Company

_WORDS = re.compile(r"[\w:/.@+-]*\w")


def replaced_names(other: str, text: str) -> dict[str, str]:
    """Map the runs of words of the text *other* that *text* replaces to their replacements."""
    return {" ".join(old): " ".join(new) for old, new in _replaced_words(other, text)}


def replaced_single_names(other: str, text: str) -> dict[str, str]:
    """Map each word that *text* replaces to its replacement, where as many words replace a run."""
    pairs = (run for run in _replaced_words(other, text) if len(run[0]) == len(run[1]))
    return {old: new for run in pairs for old, new in zip(*run, strict=True) if old != new}


def _replaced_words(other: str, text: str) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the runs of words of *other* that *text* replaces, with their replacements."""
    other_words, own_words = (_WORDS.findall(words) for words in (other, text))
    matcher = SequenceMatcher(None, other_words, own_words, autojunk=False)
    for kind, first, last, begin, end in matcher.get_opcodes():
        if kind == "replace":
            yield other_words[first:last], own_words[begin:end]


def names_by_role(other: Company, company: Company) -> dict[str, str]:
    """Map the name of each person of the *other* company to that of the person here with the same
    department and title. If there are several, their order in the directories pairs them."""
    here = defaultdict[tuple[str, str], list[str]](list)
    for person in reversed(company.people):
        here[person.department, person.title].append(person.name)
    return {
        person.name: same.pop()
        for person in other.people
        if (same := here[person.department, person.title])
    }


def with_ids(names: Mapping[str, str], other: Company, company: Company) -> dict[str, str]:
    """Return *names* and the ids of the people of the *other* company whom they replace."""
    here = {person.name: person.id for person in company.people}
    ids = ((person.id, here.get(names.get(person.name, ""))) for person in other.people)
    return {**names, **{old: new for old, new in ids if new is not None}}


def with_names(value: JsonValue, names: Mapping[str, str]) -> JsonValue:
    """Return *value* with every whole word or run of words in *names* replaced."""
    if isinstance(value, dict):
        return {key: with_names(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [with_names(item, names) for item in value]
    if not isinstance(value, str) or not names:
        return value
    known = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf"(?<!\w)(?:{known})(?!\w)", lambda found: names[found[0]], value)
