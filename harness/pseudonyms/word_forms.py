"""Kinds of words in a text: a name in some form, names written together, a doubtful word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from trainee_bench.harness.pseudonyms.folding import (
    UNSPACED,
    in_form_of,
    is_name_like,
    key_of,
)
from trainee_bench.harness.pseudonyms.lexicon import is_last_name, is_ordinary
from trainee_bench.harness.pseudonyms.naming import Names, Pseudonym, written_as
from trainee_bench.harness.pseudonyms.people_text import WordKind, WordKinds, name_base
from trainee_bench.harness.pseudonyms.unspaced import HONORIFICS
from trainee_bench.harness.pseudonyms.word_lists import NON_NAMES

_GERMAN_ENDINGS = ("in", "innen", "sche", "schen", "scher", "sches")
"""Endings of a woman's name, and of adjectives of names."""
_LONG_STEM = 5
INFLECTED = "may be an inflected form of a name"
UNLISTED = "a word with a capital that is in no list"
LISTED_LAST = "a last name from the list, alone"
PERHAPS_A_NAME = "two words that are names and also ordinary words"


@dataclass(frozen=True)
class WordForm:
    """A word as written, and what it is.

    `entry` is set for a name, `fixed` for a replacement that needs no context.
    """

    key: str
    """The key that all forms of the name share."""
    before: str = ""
    base: str = ""
    after: str = ""
    entry: Pseudonym | None = None
    fixed: str = ""
    doubt: str = ""
    """Why a fixed replacement, or a word that is left, is doubtful."""
    kind: WordKind = WordKind.NONE

    @property
    def replaced(self) -> str:
        """The pseudonym in the form of the word; only for a name."""
        if self.entry is None:
            return self.before + self.base + self.after
        return self.before + written_as(self.entry, self.base) + self.after


class WordForms(dict[str, WordForm | None]):
    """The form of each word as written, computed once; None for a word that plays no part."""

    def __init__(self, names: Names, street: Callable[[str], str | None]) -> None:
        super().__init__()
        self._names = names
        self._street = street
        self._kinds = WordKinds()
        self._heads = names.phrases
        self._longest = max(map(len, names.unspaced), default=0)

    def __missing__(self, word: str) -> WordForm | None:
        form = self[word] = self._form(word)
        return form

    def _form(self, word: str) -> WordForm | None:
        kind = self._kinds[word]
        street = self._street(word)
        if street is not None:
            return WordForm(key_of(word), fixed=street)
        if not word.isascii() and UNSPACED.search(word):
            return self._unspaced(word)
        base = name_base(word)
        start = word.find(base)
        before, after = word[:start], word[start + len(base) :]
        for stem, ending in ((word, ""), (base, after), (base[:-1], f"{base[-1:]}{after}")):
            entry = self._names.find(stem) if stem else None
            if entry is None:
                continue
            genitive = stem is not word and stem != base
            if genitive and (ending[0] not in "sS" or entry.ordinary or len(stem) < 4):
                continue
            head = before if stem is not word else ""
            return WordForm(
                self._names.canonical(key_of(stem)), head, stem, ending, entry, kind=kind
            )
        for ending in _GERMAN_ENDINGS:
            stem = base.removesuffix(ending)
            entry = self._names.find(stem) if stem != base and len(stem) >= _LONG_STEM else None
            if entry is not None and not entry.ordinary and "last" in entry.roles:
                return WordForm(key_of(stem), before, stem, ending + after, entry, kind=kind)
        return self._joined(word, base, before, after, kind)

    def _joined(
        self, word: str, base: str, before: str, after: str, kind: WordKind
    ) -> WordForm | None:
        key = key_of(base)
        handle = self._names.handles.get(key)
        if handle is not None:
            return WordForm(key, fixed=before + _cased_as(handle, base) + after)
        entry = self._names.inflected(base)
        if entry is not None:
            made = in_form_of(entry.pseudonym, entry.real, base)
            return WordForm(key, fixed=made, doubt=INFLECTED)
        if key in self._heads or len(word) == 1:
            return WordForm(key, base=word, kind=kind)
        if kind & (WordKind.TITLE | WordKind.SALUTATION):
            return WordForm(key, base=word, kind=kind)
        return self._doubtful(word, base, key, kind)

    def _doubtful(self, word: str, base: str, key: str, kind: WordKind) -> WordForm | None:
        if not is_name_like(word) or key in self._names.given or key in self._names.keep:
            return None
        if kind & WordKind.AMBIGUOUS:
            return WordForm(key, base=word, kind=kind)
        if word.isupper() or key in NON_NAMES or len(base) < 3 or is_ordinary(base):
            return None
        doubt = LISTED_LAST if is_last_name(base) else UNLISTED
        return WordForm(key, base=word, doubt=doubt, kind=kind)

    def _unspaced(self, word: str) -> WordForm | None:
        made = []
        end = 0
        for run in UNSPACED.finditer(word):
            made += [self._latin(word[end : run.start()]), self._run(run.group())]
            end = run.end()
        made.append(self._latin(word[end:]))
        changed = "".join(made)
        return WordForm(word, fixed=changed) if changed != word else None

    def _latin(self, part: str) -> str:
        entry = self._names.find(part) if part else None
        return written_as(entry, part) if entry else part

    def _run(self, run: str) -> str:
        known = self._names.unspaced
        made = []
        at = 0
        while at < len(run):
            size = next((n for n in range(self._longest, 1, -1) if run[at : at + n] in known), 0)
            if size:
                made.append(known[run[at : at + size]])
                at += size
                continue
            family = self._names.by_key.get(run[at])
            honoured = run.startswith(HONORIFICS, at + 1) or len(run) == 1
            made.append(family.pseudonym if family and honoured else run[at])
            at += 1
        return "".join(made)


def _cased_as(handle: str, seen: str) -> str:
    if seen.isupper():
        return handle.upper()
    return handle[:1].upper() + handle[1:] if seen[:1].isupper() else handle
