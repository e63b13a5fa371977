"""The names and numbers that were found in the material, before anything is replaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from trainee_bench.harness.pseudonyms.contexts import (
    LISTED_WITH,
    ContextName,
    ListedTogether,
    may_be_person,
)
from trainee_bench.harness.pseudonyms.folding import (
    UNSPACED,
    composed,
    is_name_like,
    key_of,
    keys_of,
)
from trainee_bench.harness.pseudonyms.lexicon import is_first_name, is_last_name, is_ordinary
from trainee_bench.harness.pseudonyms.unspaced import split_unspaced
from trainee_bench.harness.pseudonyms.word_lists import (
    FEMALE_TITLES,
    GENERIC_COMPANY_WORDS,
    LEGAL_FORMS,
    MALE_TITLES,
    NAME_SUFFIXES,
    NON_NAMES,
    PARTICLES,
    TITLES,
)

BEHIND_FIRST = "a word with a capital behind a known first name"


@dataclass
class FoundName:
    """One word of a name: how it is written, its roles, and why it was taken for a name."""

    real: str
    roles: set[str] = field(default_factory=set)
    """Any of: first, last, company."""
    gender: str = ""
    doubt: str = ""
    """Why it may be no name; "" as soon as a sure place has it."""


@dataclass
class Evidence:
    """Everything found so far; it only grows."""

    names: dict[str, FoundName] = field(default_factory=dict)
    phrases: set[tuple[str, ...]] = field(default_factory=set)
    """Keys of words that are a name together, particles included."""
    people: set[tuple[str, ...]] = field(default_factory=set)
    """Words of people's names: first names, then last names."""
    domains: set[str] = field(default_factory=set)
    local_parts: set[str] = field(default_factory=set)
    codes: set[str] = field(default_factory=set)
    digits: set[str] = field(default_factory=set)
    streets: set[str] = field(default_factory=set)
    nouns: set[str] = field(default_factory=set)
    """Keys of words with a capital that an article precedes somewhere."""
    pairs: set[tuple[str, str]] = field(default_factory=set)
    """Two words with capitals, side by side: a last name if the first word proves to be a name."""
    before_forms: list[tuple[str, ...]] = field(default_factory=list)
    """Words with capitals that end with a legal form; the first ones need not be of the name."""
    lists: dict[ListedTogether, None] = field(default_factory=dict)
    """Runs of words with capitals, side by side: people if one of them proves to be a person."""
    guesses: dict[ContextName, None] = field(default_factory=dict)
    """Names that only their context shows: none of them if the word also occurs in small letters,
    or behind an article."""
    small_words: set[str] = field(default_factory=set)
    """Words in small letters, without those of addresses and paths, which write names so."""
    words: set[str] = field(default_factory=set)
    """All words of the material, as written."""

    def add_person(self, words: Sequence[str], *, role: str = "first", doubt: str = "") -> None:
        """Add the person with these words, in the order in which they are written.

        *role* is that of a single word. *doubt* says why it may be no name, "" if it surely is.
        """
        gender = next((g for word in words if (g := _gender(word))), "")
        kept = [composed(word) for word in words if key_of(word) not in TITLES | NAME_SUFFIXES]
        named = [word for word in kept if key_of(word) not in PARTICLES and word != "ben"]
        named = [_cased(word) for word in named]
        if not named:
            return
        if len(named) == 1:
            split = split_unspaced(named[0])
            if split:
                self._add_unspaced(split, doubt)
            elif len(named[0]) > 1:
                self._add_word(named[0], role, gender, doubt)
            return
        if _last_name_first(named):
            named = [*named[1:], named[0]]
        at = _first_last_name(kept, named)
        for place, word in enumerate(named):
            if len(word) > 1:
                self._add_word(word, "first" if place < at else "last", gender, doubt)
        self.people.add(tuple(named))
        keys = tuple(key_of(word) for word in kept)
        self.phrases |= {keys, (*keys[at - len(named) :], *keys[: at - len(named)])}
        if all(UNSPACED.fullmatch(word) for word in named):
            self._add_unspaced((named[0], named[-1]), doubt)

    def add_company(self, words: Sequence[str], *, doubt: str = "") -> None:
        """Add the company with these words, its legal form included."""
        written = [composed(word) for word in words]
        core = [word for word in written if key_of(word) not in LEGAL_FORMS]
        while len(core) > 1 and key_of(core[-1]) in GENERIC_COMPANY_WORDS:
            core.pop()
        if not core:
            return
        inner = [word for word in core if key_of(word) not in GENERIC_COMPANY_WORDS | PARTICLES]
        for word in inner or core[:1]:
            if len(word) > 1:
                self._add_word(word, "company", "", doubt)
        for together in (core, written):
            if len(together) > 1:
                self.phrases.add(tuple(key_of(word) for word in together))

    def settle(self) -> None:
        """Add the companies that legal forms showed, without the ordinary words before them."""
        for words in self.before_forms:
            start, last = 0, len(words) - 2
            while start < last and (
                is_ordinary(words[start]) or key_of(words[start]) in self.nouns
            ):
                start += 1
            rest = words[start:-1]
            all_ordinary = all(is_ordinary(word) for word in rest)
            self.add_company(words if all_ordinary else words[start:])
        self.before_forms.clear()
        self._settle_guesses()
        for first, family in sorted(self.pairs):
            found = self.names.get(key_of(first))
            named = found is not None and "first" in found.roles and not is_ordinary(first)
            if named and not is_ordinary(family) and key_of(family) not in NON_NAMES:
                self.add_person([first, family], doubt=BEHIND_FIRST)
        self.pairs.clear()

    def _settle_guesses(self) -> None:
        """Add the names that contexts show, and then those in lists with any known name."""
        for guess in self.guesses:
            if not any(self._is_also_word(word) for word in guess.words):
                self.add_person(guess.words, role=guess.role, doubt=guess.doubt)
        self.guesses.clear()
        for listed in self.lists:
            items = listed.items
            known = sum(any(self._is_person(word) for word in item) for item in items)
            enough = 2 * known >= len(items) if listed.english else 3 * known >= 2 * len(items)
            if enough:
                for item in items:
                    named = may_be_person(item, english=listed.english)
                    if named and not self._is_also_word(item[-1]):
                        self.add_person(item, role="last", doubt=LISTED_WITH)
        self.lists.clear()

    def _is_person(self, word: str) -> bool:
        found = self.names.get(key_of(word))
        return found is not None and bool(found.roles & {"first", "last"})

    def _is_also_word(self, word: str) -> bool:
        if is_first_name(word) or is_last_name(word):
            return False
        return word.lower() in self.small_words or key_of(word) in self.nouns

    def _add_unspaced(self, parts: tuple[str, str], doubt: str) -> None:
        family, given = parts
        self._add_word(family, "last", "", doubt)
        if given:
            self._add_word(given, "first", "", doubt)
            self.people.add((given, family))

    def _add_word(self, word: str, role: str, gender: str, doubt: str) -> None:
        if key_of(word) in NON_NAMES:
            return
        found = self.names.get(key_of(word))
        if found is None:
            found = self.names[key_of(word)] = FoundName(word, doubt=doubt)
        elif len(keys_of(word)) > len(keys_of(found.real)) or (
            not word.isascii() and found.real.isascii()
        ):
            found.real = word
        found.roles.add(role)
        if role == "first":
            found.gender = found.gender or gender
        if not doubt:
            found.doubt = ""


def is_person_like(words: Sequence[str]) -> bool:
    """Whether *words*, of a place where a person's name belongs, may be one."""
    named = [word for word in words if key_of(word) not in PARTICLES | TITLES | NAME_SUFFIXES]
    named = [word for word in named if word != "ben"]
    if not 1 <= len(named) <= 5 or not all(is_name_like(word) for word in named):
        return False
    if any(key_of(word) in NON_NAMES and len(word) > 1 for word in named):
        return False
    listed = [is_first_name(word) or is_last_name(word) for word in named]
    return any(known or not is_ordinary(word) for known, word in zip(listed, named, strict=True))


def _gender(word: str) -> str:
    key = key_of(word)
    return "female" if key in FEMALE_TITLES else "male" if key in MALE_TITLES else ""


def _cased(word: str) -> str:
    """Return a name that is written in capitals or small letters with one capital."""
    if len(word) > 2 and (word.isupper() or word.islower()):
        return "'".join(part[:1].upper() + part[1:].lower() for part in word.split("'"))
    return word


def _last_name_first(named: Sequence[str]) -> bool:
    """Whether the lists say that a name is written with the last name first."""
    one, other = named[0], named[-1]
    if is_first_name(one) or is_last_name(other):
        return False
    return is_last_name(one) and is_first_name(other)


def _first_last_name(kept: Sequence[str], named: Sequence[str]) -> int:
    """Return the place of the first of *named* that is a last name."""
    for at, word in enumerate(kept):
        if key_of(word) in PARTICLES and at:
            after = sum(key_of(other) not in PARTICLES for other in kept[at:])
            return max(1, len(named) - after)
    at = len(named) - 1
    while at > 1 and not is_first_name(named[at - 1]) and len(named[at - 1]) > 1:
        at -= 1
    return at
