"""Decides for each word of a line whether it mentions somebody, and replaces it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from enum import Enum

from trainee_bench.harness.pseudonyms.folding import WORD, is_name_like, key_of
from trainee_bench.harness.pseudonyms.lexicon import is_ordinary
from trainee_bench.harness.pseudonyms.naming import Names
from trainee_bench.harness.pseudonyms.people_text import WordKind, gap, words_of
from trainee_bench.harness.pseudonyms.report import Notes
from trainee_bench.harness.pseudonyms.visitor import Place
from trainee_bench.harness.pseudonyms.word_forms import (
    PERHAPS_A_NAME,
    WordForm,
    WordForms,
)
from trainee_bench.harness.pseudonyms.word_lists import (
    ARTICLES,
    CALENDAR_WORDS,
    LEGAL_FORMS,
    PARTICLES,
    TIME_PREPOSITIONS,
)

_IN_NAMES = frozenset(" -._,&+'’()\u00a0\u2010\u2011")
_WRITTEN_TOGETHER = frozenset(("-", ".", "_"))
_ENDS_SENTENCE = frozenset('.!?:;•"“„«([|*>#-–—\t')
_LONGEST_GAP = 3
_BARE_POSSESSIVE = re.compile(r"['’](?= [a-z])")
ORDINARY_WORD = "a known name that is also an ordinary word"
SHORT_WORD = "a short known name in small letters"
_SHORT = 3
_NEAR = 4


class Setting(Enum):
    """The place of words, which decides how much a capital says."""

    TEXT = "text"
    FIELD = "a field for names"
    PATH = "a path"


class Mentions:
    """Replaces the names in parts of lines and notes doubtful places."""

    def __init__(self, names: Names, forms: WordForms, notes: Notes) -> None:
        self._names = names
        self._forms = forms
        self._notes = notes
        self._by_second: dict[str, defaultdict[str, list[tuple[str, ...]]]] = {}

    def concerns(self, text: str) -> bool:
        """Whether any word of *text* plays a part; computed quickly."""
        forms = self._forms
        return any(forms[word] is not None for word in WORD.findall(text))

    def replaced(self, line: str, setting: Setting, place: Place) -> str:
        """Return *line* with pseudonyms in place of all names."""
        words = words_of(line)
        forms = [self._forms[word.group()] for word in words]
        made: list[str | None] = [None] * len(words)
        at = 0
        while at < len(words):
            form = forms[at]
            if form is None:
                at += 1
                continue
            end = self._phrase_end(line, words, forms, at, setting)
            if end > at:
                for place_in in range(at, end):
                    inner = forms[place_in]
                    if inner is not None and inner.entry is not None:
                        made[place_in] = inner.replaced
                        self._count(inner, place)
            elif form.fixed:
                made[at] = form.fixed
                self._notes.count("name", words[at].group(), form.fixed)
                if form.doubt:
                    self._notes.doubt(place, words[at].group(), form.doubt, replaced=True)
            elif form.entry is not None:
                made[at] = self._single(line, words, forms, at, setting, place)
            elif form.doubt or form.kind & WordKind.AMBIGUOUS:
                self._left(line, words, forms, at, setting, place)
            at = max(at + 1, end)
        self._initials(line, words, forms, made)
        return _joined(line, words, made)

    def _count(self, form: WordForm, place: Place) -> None:
        assert form.entry is not None
        self._notes.count("name", form.entry.real, form.entry.pseudonym)
        if form.entry.doubt:
            self._notes.doubt(place, form.base, form.entry.doubt, replaced=True)

    def _phrase_end(
        self,
        line: str,
        words: Sequence[re.Match[str]],
        forms: Sequence[WordForm | None],
        at: int,
        setting: Setting,
    ) -> int:
        """Return the place behind the longest known name of several words from *at*, or *at*."""
        first = forms[at]
        phrases = self._phrases_from(first.key, words, forms, at + 1) if first else ()
        best = at
        for phrase in phrases:
            end = at + len(phrase)
            if end <= best or end > len(words):
                continue
            if all(
                self._is_word(words[at + n], forms[at + n], key) for n, key in enumerate(phrase)
            ) and self._hangs_together(line, words, at, end, setting):
                best = end
        return best

    def _phrases_from(
        self,
        key: str,
        words: Sequence[re.Match[str]],
        forms: Sequence[WordForm | None],
        second: int,
    ) -> Sequence[tuple[str, ...]]:
        """Return the phrases that begin with *key* and the word *second*: few, of many Annas."""
        if key not in self._names.phrases or second >= len(words):
            return ()
        if key not in self._by_second:
            found = self._by_second[key] = defaultdict(list)
            for phrase in self._names.phrases[key]:
                found[phrase[1] if len(phrase) > 1 else ""].append(phrase)
        form = forms[second]
        following = form.key if form else self._names.canonical(key_of(words[second].group()))
        return self._by_second[key].get(following, ())

    def _is_word(self, word: re.Match[str], form: WordForm | None, key: str) -> bool:
        return (form.key if form else self._names.canonical(key_of(word.group()))) == key

    def _hangs_together(
        self, line: str, words: Sequence[re.Match[str]], at: int, end: int, setting: Setting
    ) -> bool:
        gaps = [gap(line, words, n) for n in range(at, end - 1)]
        if any(len(g) > _LONGEST_GAP or not _IN_NAMES.issuperset(g) for g in gaps):
            return False
        if setting is not Setting.TEXT or all(g in _WRITTEN_TOGETHER for g in gaps):
            return True
        small = PARTICLES | LEGAL_FORMS | {"und", "and", "of", "et", "y", "the"}
        return all(
            is_name_like(word.group()) or key_of(word.group()) in small for word in words[at:end]
        ) or not any(
            entry.ordinary
            for word in words[at:end]
            if (entry := self._names.find(word.group())) is not None
        )

    def _single(
        self,
        line: str,
        words: Sequence[re.Match[str]],
        forms: Sequence[WordForm | None],
        at: int,
        setting: Setting,
        place: Place,
    ) -> str | None:
        """Return what takes the place of a name that is written alone, or None if it is left."""
        form = forms[at]
        assert form is not None and form.entry is not None
        entry, seen = form.entry, form.base
        if entry.is_acronym and not seen.isupper() and setting is not Setting.PATH:
            return None
        if setting is Setting.FIELD and is_name_like(seen):
            self._count(form, place)
            return form.replaced
        if not entry.ordinary:
            if seen.islower() and len(seen) <= _SHORT and setting is Setting.TEXT:
                self._notes.doubt(place, seen, SHORT_WORD, replaced=False)
                return None
            self._count(form, place)
            return form.replaced
        if not is_name_like(seen) or self._is_time(line, words, at, form):
            return None
        sure = self._named_by_neighbour(line, words, forms, at)
        if sure or (setting is Setting.TEXT and self._amid_sentence(line, words, at)):
            if not sure:
                self._notes.doubt(place, seen, ORDINARY_WORD, replaced=True)
            self._count(form, place)
            return form.replaced
        self._notes.doubt(place, seen, ORDINARY_WORD, replaced=False)
        return None

    def _is_time(self, line: str, words: Sequence[re.Match[str]], at: int, form: WordForm) -> bool:
        """Whether the word is a month or weekday, by the words and digits beside it."""
        if key_of(form.base) not in CALENDAR_WORDS:
            return False
        start, end = words[at].span()
        before = line[max(0, start - _NEAR) : start].rstrip(" .,")[-1:]
        behind = line[end : end + _NEAR].lstrip(" .,-/")[:1]
        if before.isdigit() or behind.isdigit():
            return True
        return at > 0 and key_of(words[at - 1].group()) in TIME_PREPOSITIONS

    def _named_by_neighbour(
        self,
        line: str,
        words: Sequence[re.Match[str]],
        forms: Sequence[WordForm | None],
        at: int,
    ) -> bool:
        """Whether a title, a salutation or another name beside the word makes it a name."""
        if len(words) == 1 and line.strip(" \t,.!>*_-\r\n") == words[0].group():
            return True
        if at and gap(line, words, at - 1) in {" ", ". ", "-", ", "}:
            other = forms[at - 1]
            joined = gap(line, words, at - 1) != ", "
            if other is not None and joined:
                if other.kind & WordKind.TITLE:
                    return True
                if other.kind & WordKind.SALUTATION and at == 1:
                    end = words[at].end()
                    return line[end : end + _NEAR].strip()[:1] in {"", ",", "!", ":", "-", "–", "."}
            if other is not None and other.entry is not None and joined:
                return True
            if other is not None and len(other.base) == 1 and joined:
                return True
        if at + 1 < len(words) and gap(line, words, at) in {" ", "-", ". "}:
            other = forms[at + 1]
            ended = gap(line, words, at) == ". "
            if other is not None and other.entry is not None and not ended:
                return is_name_like(other.base)
        return False

    def _amid_sentence(self, line: str, words: Sequence[re.Match[str]], at: int) -> bool:
        """Whether a capital says that the word is a name, because nothing else asks for one."""
        if at == 0 or not _ENDS_SENTENCE.isdisjoint(gap(line, words, at - 1)):
            return False
        if key_of(words[at - 1].group()) in ARTICLES:
            return False
        if at > 1 and gap(line, words, at - 1) == " " and is_name_like(words[at - 1].group()):
            before = words[at - 1].group()  # the Main Hall, but not: Ask Hall
            if gap(line, words, at - 2) == " " and is_ordinary(before) and len(before) > 1:
                return False
        near = [word.group() for word in words[max(0, at - 4) : at + 5]]
        return any(word[0].islower() for word in near) and not words[at].group().isupper()

    def _left(
        self,
        line: str,
        words: Sequence[re.Match[str]],
        forms: Sequence[WordForm | None],
        at: int,
        setting: Setting,
        place: Place,
    ) -> None:
        """Note a word that is left although it may be part of a name."""
        form = forms[at]
        assert form is not None
        if form.doubt:
            if setting is Setting.TEXT and self._amid_sentence(line, words, at):
                self._notes.doubt(place, form.base, form.doubt, replaced=False)
        elif form.kind & WordKind.FIRST and at + 1 < len(words):
            other = forms[at + 1]
            beside = other is not None and other.entry is None and gap(line, words, at) == " "
            if beside and other is not None and other.kind & WordKind.LAST:
                together = line[words[at].start() : words[at + 1].end()]
                self._notes.doubt(place, together, PERHAPS_A_NAME, replaced=False)

    def _initials(
        self,
        line: str,
        words: Sequence[re.Match[str]],
        forms: Sequence[WordForm | None],
        made: list[str | None],
    ) -> None:
        """Replace single capitals beside a replaced last name: J. Müller, or Müller, J."""
        for at, word in enumerate(words):
            letter = word.group()
            if len(letter) != 1 or not letter.isupper() or made[at] is not None:
                continue
            last = self._last_name_near(line, words, forms, made, at)
            if last:
                made[at] = self._names.letter(letter, last)
                self._notes.count("initial", f"{letter}. {last}", made[at] or "")

    def _last_name_near(
        self,
        line: str,
        words: Sequence[re.Match[str]],
        forms: Sequence[WordForm | None],
        made: Sequence[str | None],
        at: int,
    ) -> str:
        for other, allowed in (
            (at + 1, {". ", ".", " ", ".-", "-", "_"}),
            (at - 1, {", ", " ", ",", "_"}),
        ):
            if not 0 <= other < len(words) or made[other] is None:
                continue
            form = forms[other]
            if gap(line, words, min(at, other)) in allowed and form and form.entry:
                dotted = line[words[at].end() : words[at].end() + 1] in {".", ""} or other > at
                if dotted and "last" in form.entry.roles:
                    return form.entry.real
        return ""


def _joined(line: str, words: Sequence[re.Match[str]], made: Sequence[str | None]) -> str:
    parts = []
    end = 0
    for word, replacement in zip(words, made, strict=True):
        if replacement is not None:
            parts += [line[end : word.start()], replacement]
            end = word.end()
            bare = _BARE_POSSESSIVE.match(line, end)
            if bare and word.group()[-1] in "sxz" and replacement[-1] not in "sxz":
                parts += [bare.group(), "s"]  # James' car, but Henry's car
                end = bare.end()
    parts.append(line[end:])
    return "".join(parts)
