"""Gives each found name its pseudonym, and finds the names in all their forms."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from trainee_bench.harness.pseudonyms.drawing import Draws
from trainee_bench.harness.pseudonyms.evidence import Evidence, FoundName
from trainee_bench.harness.pseudonyms.folding import (
    UNSPACED,
    WORD,
    composed,
    in_form_of,
    key_of,
    keys_of,
    script_of,
    spelled_out,
    without_diacritics,
)
from trainee_bench.harness.pseudonyms.lexicon import is_ordinary
from trainee_bench.harness.pseudonyms.word_lists import GENERIC_COMPANY_WORDS
from trainee_bench.world.random_streams import random_stream

_SHORTEST_HANDLE = 5
_INFLECTING = frozenset({"CYRILLIC", "GREEK"})
_LETTERS = "ABCDEFGHJKLMNPRSTVW"


@dataclass(frozen=True)
class Pseudonym:
    """The pseudonym of one word of a name."""

    real: str
    pseudonym: str
    roles: frozenset[str]
    ordinary: bool
    """Whether the real name is also an ordinary word."""
    doubt: str
    """Why the real name may be none; "" for a sure one."""

    @property
    def is_acronym(self) -> bool:
        """Whether the name counts only in capitals: SAP."""
        return "company" in self.roles and self.real.isupper() and len(self.real) <= 4


@dataclass
class Names:
    """All names with their pseudonyms. It grows with the evidence; what it gave stays."""

    draws: Draws
    keep: frozenset[str] = frozenset()
    """Keys of words that stay."""
    by_key: dict[str, Pseudonym] = field(default_factory=dict)
    phrases: dict[str, set[tuple[str, ...]]] = field(default_factory=dict)
    """Names of several words, by the key of the first word."""
    handles: dict[str, str] = field(default_factory=dict)
    """Pseudonyms in small letters for first and last names written together: jmueller."""
    initials: dict[tuple[str, str], str] = field(default_factory=dict)
    """The initial of a pseudonym, by the real initial and the key of the last name."""
    unspaced: dict[str, str] = field(default_factory=dict)
    """Pseudonyms of names in scripts without spaces."""
    stems: dict[str, Pseudonym] = field(default_factory=dict)
    """Names in scripts with cases, by the key without a last vowel."""
    street_words: dict[str, str] = field(default_factory=dict)
    """Pseudonyms of distinctive words of streets, by key."""
    local_parts: dict[str, str] = field(default_factory=dict)
    """Pseudonyms of local parts of e-mail addresses; each pseudonym also gives itself."""
    given: set[str] = field(default_factory=set)
    """Keys of all pseudonyms."""

    def grow(self, evidence: Evidence) -> None:
        """Give a pseudonym to each name of *evidence* that has none."""
        evidence.settle()
        self.draws.taken.update(key for word in evidence.words for key in keys_of(word))
        self.draws.taken.update(
            key for name in evidence.names.values() for key in keys_of(name.real)
        )
        self.draws.real_digits.update(evidence.digits)
        for found in _joined(evidence.names):
            self._name(found)
        for phrase in evidence.phrases:
            if not self.given.issuperset(phrase):
                same = tuple(self.canonical(key) for key in phrase)
                self.phrases.setdefault(same[0], set()).add(same)
        for person in sorted(evidence.people):
            self._forms_of(person)

    def find(self, word: str) -> Pseudonym | None:
        """Return the pseudonym of *word* in any form, or None."""
        return self.by_key.get(key_of(word))

    def canonical(self, key: str) -> str:
        """Return the one key that all forms of a name share; *key* itself for other words."""
        entry = self.by_key.get(key)
        return key_of(entry.real) if entry else key

    def inflected(self, word: str) -> Pseudonym | None:
        """Return the name of which *word* may be a case, in scripts whose names have cases."""
        key = key_of(word)
        if key.isascii() or script_of(word) not in _INFLECTING:
            return None
        stems = (key[: len(key) - cut] for cut in range(4))
        return next((self.stems[s] for s in stems if len(s) > 2 and s in self.stems), None)

    def letter(self, initial: str, last: str) -> str:
        """Return the initial that replaces *initial* before or behind the last name *last*."""
        pair = (initial.lower(), key_of(last))
        if pair not in self.initials:
            stream = random_stream(self.draws.seed, "initial", *pair)
            others = [letter for letter in _LETTERS if letter.lower() != pair[0]]
            self.initials[pair] = stream.choice(others)
        made = self.initials[pair]
        return made.upper() if initial.isupper() else made.lower()

    def _name(self, found: Sequence[FoundName]) -> None:
        keys = {key for name in found for key in keys_of(name.real)}
        if keys & (self.keep | self.given):
            return
        already = next((self.by_key[key] for key in sorted(keys) if key in self.by_key), None)
        real = max((name.real for name in found), key=_preference)
        roles = frozenset[str]().union(*(name.roles for name in found))
        doubt = "" if any(not name.doubt for name in found) else found[0].doubt
        gender = next((name.gender for name in found if name.gender), "")
        pseudonym = already.pseudonym if already else self._drawn(real, roles, gender)
        entry = Pseudonym(real, pseudonym, roles, is_ordinary(real), doubt)
        self.given.update(keys_of(pseudonym))
        for key in keys:
            self.by_key[key] = entry
        if script_of(real) in _INFLECTING:
            self.stems.setdefault(key_of(real).rstrip("аеиоуыэюяйьѳαεηιουωσς"), entry)
        if UNSPACED.fullmatch(real) and len(real) > 1:
            self.unspaced[real] = pseudonym

    def _drawn(self, real: str, roles: Collection[str], gender: str) -> str:
        if roles == {"company"}:
            return self.draws.word(real)
        if "first" in roles and not ("last" in roles and UNSPACED.fullmatch(real)):
            return self.draws.first_name(real, gender)
        return self.draws.last_name(real)

    def _forms_of(self, person: tuple[str, ...]) -> None:
        entries = [self.find(word) for word in person if len(word) > 1 or UNSPACED.fullmatch(word)]
        known = [entry for entry in entries if entry]
        if len(known) < 2 or len(known) < len(entries):
            return
        first, last = known[0], known[-1]
        if UNSPACED.fullmatch(first.real) and UNSPACED.fullmatch(last.real):
            self.unspaced.setdefault(last.real + first.real, last.pseudonym + first.pseudonym)
            return
        for key in keys_of(last.real):
            pair = (composed(person[0])[:1].lower(), key)
            self.initials.setdefault(pair, without_diacritics(first.pseudonym)[:1])
        for word, made in _handles(known):
            if len(word) >= _SHORTEST_HANDLE and not is_ordinary(word) and word not in self.by_key:
                self.handles.setdefault(word, made)


def _handles(known: Sequence[Pseudonym]) -> Iterator[tuple[str, str]]:
    """Yield the ways to write a person's names together, with the pseudonym so written."""
    first, lasts = known[0], [known[-1:]]
    if len(known) > 2:
        lasts.append(known[1:])
    for last in lasts:
        joined = "".join(entry.real for entry in last)
        made = _plain("".join(entry.pseudonym for entry in last))
        given = _plain(first.pseudonym)
        for short in keys_of(first.real):
            for long in keys_of(joined):
                yield short[:1] + long, given[:1] + made
                yield long + short[:1], made + given[:1]
                yield short + long, given + made
                yield long + short, made + given
                yield short + long[:1], given + made[:1]


def _plain(name: str) -> str:
    return key_of(spelled_out(composed(name)))


def _preference(real: str) -> tuple[int, bool, str]:
    return sum(not letter.isascii() for letter in real), not real.isupper(), real


def _joined(names: dict[str, FoundName]) -> list[list[FoundName]]:
    """Group the names that share a key, such as Müller, Mueller and Muller; sorted."""
    group: dict[str, list[FoundName]] = {}
    for _, found in sorted(names.items(), key=lambda item: (item[1].real.isascii(), item[0])):
        keys = keys_of(found.real)
        same = next((group[key] for key in keys if key in group), [])
        same.append(found)
        for key in keys:
            group.setdefault(key, same)
    distinct = {id(same): same for same in group.values()}
    return sorted(distinct.values(), key=lambda same: min(key_of(name.real) for name in same))


class Domains:
    """The pseudonyms of web domains: reserved names, which belong to nobody."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._given: dict[str, str] = {}
        self._labels: set[str] = set()
        self._joined: dict[str, tuple[str, ...]] = {}
        self._count = 0

    def label(self, registered_label: str, suffix: str) -> str:
        """Return the label that takes the place of *registered_label*, one for each suffix."""
        full = f"{registered_label}.{suffix}"
        if full in self._labels:
            return registered_label
        if full not in self._given:
            made = self._made(registered_label)
            if made in self._labels:
                made = f"{made}-{suffix.replace('.', '-')}"
            while made in self._labels:
                made = self._names.draws.word(made + made)
            self._labels.add(made)
            self._labels.add(f"{made}.example")
            self._given[full] = made
        return self._given[full]

    def is_given(self, registered_label: str, suffix: str) -> bool:
        """Whether this is a domain that was given as a pseudonym."""
        return suffix == "example" and registered_label in self._labels

    def _made(self, label: str) -> str:
        parts = label.split("-")
        made = []
        replaced = False
        for part in parts:
            entry = self._names.find(part)
            if entry:
                made.append(_plain(entry.pseudonym))
                replaced = True
            elif (joined := self._joined_phrase(part)) is not None:
                made.append(joined)
                replaced = True
            elif part in GENERIC_COMPANY_WORDS and len(parts) > 1:
                made.append(part)
            else:
                made.append("")
        if not replaced:
            return _plain(self._names.draws.word(label))
        return "-".join(
            word or _plain(self._names.draws.word(part))
            for word, part in zip(made, parts, strict=True)
        )

    def _joined_phrase(self, part: str) -> str | None:
        """Return the pseudonym of a name of several words written together: blueriver."""
        if part in self._names.handles:
            return self._names.handles[part]
        phrase = self._joined_phrases().get(part)
        if phrase is None:
            return None
        entries = [self._names.by_key.get(key) for key in phrase]
        return "".join(
            _plain(entry.pseudonym) if entry else key
            for entry, key in zip(entries, phrase, strict=True)
        )

    def _joined_phrases(self) -> dict[str, tuple[str, ...]]:
        """Return the phrases by their words written together, made anew if there are more."""
        count = sum(map(len, self._names.phrases.values()))
        if count != self._count:
            self._count = count
            self._joined = {
                "".join(phrase): phrase
                for phrases in self._names.phrases.values()
                for phrase in sorted(phrases, reverse=True)
            }
        return self._joined


def kept_keys(names: Collection[str]) -> frozenset[str]:
    """Return the keys of all words of *names*, which stay."""
    return frozenset(key for name in names for word in WORD.findall(name) for key in keys_of(word))


def written_as(entry: Pseudonym, seen: str) -> str:
    """Return the pseudonym in the form in which *seen* writes its real name."""
    return in_form_of(entry.pseudonym, entry.real, seen)
