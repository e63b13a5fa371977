"""Finds names that no list has, by the words beside them: initials, parties of a case, lists,
verbs of people, and in English the capital alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from trainee_bench.harness.pseudonyms.folding import WORD, is_name_like, key_of
from trainee_bench.harness.pseudonyms.lexicon import (
    is_first_name,
    is_last_name,
    is_ordinary,
    is_place,
)
from trainee_bench.harness.pseudonyms.people_text import Words, gap, name_base, name_run, texts
from trainee_bench.harness.pseudonyms.word_lists import (
    ARTICLES,
    CALENDAR_WORDS,
    ENGLISH_WORDS,
    FAMILY_ENDINGS,
    FOREIGN_WORDS,
    LEGAL_FORMS,
    NON_NAMES,
    NOUN_ENDINGS,
    PARTICLES,
    PEOPLE_VERBS,
    ROLES,
    SALUTATIONS,
    SIGN_OFFS,
    TITLES,
)

BESIDE_INITIAL = "a word with a capital behind an initial"
BEHIND_ROLE = "a word with a capital behind the role of a person"
PARTY = "a party of a case"
ADDRESSED = "a word with a capital that begins a letter"
LISTED_WITH = "in a list with a known name"
ACTS = "a word with a capital that does what people do"
SHAPED = "a word in the form of a last name"
ALONE_IN_ENGLISH = "a word with a capital within an English sentence"
LAST_FIRST = "a word with a capital before a comma and a known first name"
_VERSUS = re.compile(r" (?:v|vs|versus|\./\.)\.? ")
_JOINS_ITEMS = re.compile(
    r"\s{0,60}(?:[,;]|,?\s(?:and|und|sowie|or|oder|et|y)|,?\s&)\s{1,60}(?:and )?"
)
_BRACKETS = re.compile(r"\([^()]{0,60}\)")
_STARTS_ADDRESS = re.compile(
    r"[^\W\d_][\w'’-]{0,30}(?:(?:, | and | und |/| & )[^\W\d_][\w'’-]{0,30}){0,3} ?[,–-](?: |$)"
)
_SIGN_OFF_WORDS = frozenset(key_of(word) for said in SIGN_OFFS for word in WORD.findall(said))
_SHAPES = re.compile(r"(?:O['’]|Mc|Fitz|Mac)[A-Z]")
_DETERMINERS = ARTICLES - {"that", "this", "one"}
"""Words before nouns. "That" also begins a clause: I see that Ann left."""
_FEWEST_LETTERS = 3
_ENDS_SENTENCE = frozenset('.!?:;•*|>"“„([–—')


@dataclass(frozen=True)
class ContextName:
    """Words that a context shows to be a person: in order, with the role of a single word."""

    words: tuple[str, ...]
    role: str
    doubt: str


@dataclass(frozen=True)
class ListedTogether:
    """Runs of words with capitals side by side, and whether the text is English."""

    items: tuple[tuple[str, ...], ...]
    english: bool


def is_english(text: str) -> bool:
    """Whether most small words of *text* that tell a language are English."""
    words = [word.lower() for word in WORD.findall(text)]
    english = sum(word in ENGLISH_WORDS for word in words)
    return english > 2 * sum(word in FOREIGN_WORDS for word in words)


@lru_cache(maxsize=100_000)
def may_be_name(word: str) -> bool:
    """Whether *word*, in a place where a name is likely, may be one that no list has."""
    base = name_base(word)
    key = key_of(base)
    if not is_name_like(base) or len(base) < _FEWEST_LETTERS or base.isupper():
        return False
    if key in NON_NAMES | CALENDAR_WORDS | TITLES | LEGAL_FORMS | SALUTATIONS | _SIGN_OFF_WORDS:
        return False
    if is_first_name(base) or is_last_name(base):
        return not is_place(base)
    return not is_ordinary(base) and not is_noun_like(base)


def is_noun_like(word: str) -> bool:
    """Whether *word* ends as nouns and adjectives end, and hardly any name does."""
    return len(word) > 6 and key_of(word).endswith(NOUN_ENDINGS)


def names_in_context(line: str, words: Words, *, english: bool) -> Iterator[ContextName]:
    """Yield the names that the words and signs of *line* show."""
    yield from _behind_initials(line, words)
    yield from _behind_roles(line, words)
    yield from _parties(line)
    yield from _last_first(line, words)
    yield from _acting(line, words, english=english)
    yield from _shaped(words)
    if english:
        yield from _alone(line, words)


def addressed(line: str) -> Iterator[ContextName]:
    """Yield the names with which a letter begins that has no greeting: "Neville, Una,"."""
    found = _STARTS_ADDRESS.match(line)
    if found is None:
        return
    names = [word for word in WORD.findall(found.group()) if word not in ("and", "und")]
    ends = found.end() == len(line.rstrip())
    if (
        names
        and all(may_be_name(name) for name in names)
        and (ends or line[found.end() - 2] == ",")
    ):
        for name in names:
            yield ContextName((name,), "first", ADDRESSED)


def lists_of_names(line: str, *, english: bool) -> Iterator[ListedTogether]:
    """Yield runs of words with capitals that commas or "and" join; brackets do not count."""
    plain = _BRACKETS.sub(lambda found: " " * len(found.group()), line)
    words = list(WORD.finditer(plain))
    items: list[tuple[str, ...]] = []
    joined = ""
    at, before = 0, -1
    while at < len(words):
        end = name_run(plain, words, at, most=4) if is_name_like(words[at].group()) else at
        if end == at:
            at += 1
            continue
        between = plain[words[before].end() : words[at].start()] if before >= 0 else ""
        if items and not _JOINS_ITEMS.fullmatch(between):
            yield from _list_of(items, joined, english=english)
            items, joined = [], ""
        joined += between if items else ""
        items.append(tuple(texts(words, at, end)))
        at, before = end, end - 1
    yield from _list_of(items, joined, english=english)


def _list_of(
    items: list[tuple[str, ...]], joined: str, *, english: bool
) -> Iterator[ListedTogether]:
    """Yield *items* as a list, but not "Anna, Reception", where a comma joins two."""
    if len(items) > 2 or (len(items) == 2 and joined.strip() not in {",", ";"}):
        yield ListedTogether(tuple(items), english)


def may_be_person(words: Sequence[str], *, english: bool) -> bool:
    """Whether the *words* of an item in a list of people may be a person.

    German writes all nouns with capitals, so a single word counts there only if it is listed.
    """
    long = [word for word in words if len(word) > 1]
    if not 1 <= len(long) <= 3 or not may_be_name(long[-1]):
        return False
    if len(long) == 1:
        return english or is_first_name(long[0]) or is_last_name(long[0])
    if english:
        return not any(key_of(word) in NON_NAMES | CALENDAR_WORDS | TITLES for word in long)
    return all(may_be_name(word) for word in long)


def _behind_initials(line: str, words: Words) -> Iterator[ContextName]:
    for at in range(len(words) - 1):
        initial = words[at].group()
        if len(initial) != 1 or not initial.isupper() or gap(line, words, at) not in {". ", "."}:
            continue
        if at and len(words[at - 1].group()) == 1 and gap(line, words, at - 1) in {". ", "."}:
            continue  # z. B. Müll, i. A. Anna
        if at and gap(line, words, at - 1) == " " and is_name_like(words[at - 1].group()):
            continue  # Exhibit B. The, Hepatitis C. Bitte
        family = words[at + 1].group()
        behind = line[words[at + 1].end() :].lstrip()[:1]
        if at == 0 and behind and behind not in ",;(:&|/-<" and not is_last_name(family):
            continue  # A. Introduction to
        if may_be_name(family):
            yield ContextName((name_base(family),), "last", BESIDE_INITIAL)


def _behind_roles(line: str, words: Words) -> Iterator[ContextName]:
    for at in range(len(words) - 1):
        if key_of(words[at].group()) not in ROLES or not is_name_like(words[at].group()):
            continue
        end = name_run(line, words, at + 1, most=3)
        found = texts(words, at + 1, end)
        if gap(line, words, at) in {" ", ". "} and found and all(map(_in_any_case, found)):
            yield ContextName(tuple(found), "last", BEHIND_ROLE)


def _in_any_case(word: str) -> bool:
    return may_be_name(word.title() if word.isupper() else word)


def _parties(line: str) -> Iterator[ContextName]:
    for versus in _VERSUS.finditer(line):
        for side, last in ((line[: versus.start()], True), (line[versus.end() :], False)):
            found = list(WORD.finditer(side))
            if not found:
                continue
            word = found[-1] if last else found[0]
            beside = side[word.end() :] if last else side[: word.start()]
            if not beside.strip() and may_be_name(word.group().title()):
                yield ContextName((name_base(word.group()),), "last", PARTY)


def _last_first(line: str, words: Words) -> Iterator[ContextName]:
    for at in range(len(words) - 1):
        family, first = words[at].group(), words[at + 1].group()
        if gap(line, words, at) != ", " or not is_first_name(first) or is_ordinary(first):
            continue
        before = line[: words[at].start()].rstrip()
        titled = at and key_of(words[at - 1].group()) in TITLES | PARTICLES
        behind = line[words[at + 1].end() :].lstrip()[:1]
        alone = not before or before[-1] in ':|(-•*>"' or titled
        ended = not behind or behind in ",;()|<:0123456789-"
        if alone and ended and may_be_name(family):
            yield ContextName((first, name_base(family)), "last", LAST_FIRST)


def _acting(line: str, words: Words, *, english: bool) -> Iterator[ContextName]:
    for at in range(len(words) - 1):
        word, verb = words[at].group(), words[at + 1].group()
        acts = verb in PEOPLE_VERBS or (english and _is_singular(verb))
        if not acts or gap(line, words, at) != " " or not may_be_name(word):
            continue
        before = words[at - 1].group() if at else ""
        if key_of(before) in _DETERMINERS or (
            at and _is_described(line, words, at) and not english
        ):
            continue
        if at and gap(line, words, at - 1) == " " and is_ordinary(before) and before[0].isupper():
            continue  # the Main Witness says
        yield ContextName((name_base(word),), "last", ACTS)


def _is_singular(verb: str) -> bool:
    """Whether *verb* is in a form of one person: in English, a noun before it has an article."""
    if not verb.islower():
        return False
    return verb in {"was", "had"} or (len(verb) > 3 and verb[-1] == "s" and verb[-2] not in "su")


def _is_described(line: str, words: Words, at: int) -> bool:
    """Whether the word before is an adjective or another small word of a German noun."""
    before = words[at - 1].group()
    return (
        gap(line, words, at - 1) == " "
        and before.islower()
        and before.endswith(("e", "er", "en", "es", "em"))
    )


def _shaped(words: Words) -> Iterator[ContextName]:
    """Yield words like McKenna, O'Neill and Kovalenko, or in capitals within an English line."""
    for word in words:
        base = name_base(word.group())
        shaped = _SHAPES.match(base) or (len(base) > 5 and key_of(base).endswith(FAMILY_ENDINGS))
        if shaped and may_be_name(base):
            yield ContextName((base,), "last", SHAPED)


def _alone(line: str, words: Words) -> Iterator[ContextName]:
    """Yield runs of words that no list knows, within an English sentence and without an article."""
    at = 0
    while at < len(words):
        if not _is_unusual(words[at].group()):
            at += 1
            continue
        end = at + 1
        while (
            end < len(words)
            and end - at < 3
            and gap(line, words, end - 1) in {" ", "-"}
            and _is_unusual(words[end].group())
            and words[end - 1].group() == name_base(words[end - 1].group())
        ):
            end += 1
        owns = words[end - 1].group()[-2:] in {"'s", "’s"}
        if owns or _stands_free(line, words, at, end):
            found = tuple(texts(words, at, end))
            yield ContextName(found, "last", ALONE_IN_ENGLISH)
        at = end


def _is_noun_phrase(line: str, words: Words, at: int) -> bool:
    """Whether an article and an adjective are before the word: the new Shelves."""
    if at < 2 or gap(line, words, at - 1) != " " or gap(line, words, at - 2) != " ":
        return False
    adjective, article = words[at - 1].group(), words[at - 2].group()
    return key_of(article) in _DETERMINERS and adjective.islower() and adjective not in PEOPLE_VERBS


@lru_cache(maxsize=100_000)
def _is_unusual(word: str) -> bool:
    return may_be_name(word) and not is_ordinary(name_base(word))


def _stands_free(line: str, words: Words, at: int, end: int) -> bool:
    """Whether no word with a capital, article or sentence's beginning explains the capitals."""
    if end < len(words) and gap(line, words, end - 1) == " ":
        following = words[end].group()
        if len(following) == 1 and end - at == 1:
            return False  # Exhibit B
        short = len(following) < _FEWEST_LETTERS  # KC behind a name
        if is_name_like(following) and not may_be_name(following) and not short:
            return False  # Escrow Account
    if at == 0:
        return end - at > 1
    before, between = words[at - 1].group(), gap(line, words, at - 1)
    if key_of(before) in _DETERMINERS:
        return False
    described = between == " " and is_name_like(before) and len(before) > 1
    known = key_of(before) in TITLES or (end - at > 1 and is_last_name(words[end - 1].group()))
    if described and not known:
        return False
    if end - at > 1:
        return True
    if _is_noun_phrase(line, words, at):
        return False
    if not _ENDS_SENTENCE.isdisjoint(between):
        return False
    near = [word.group() for word in (*words[max(0, at - 3) : at], *words[end : end + 3])]
    return any(word[0].islower() for word in near)
