"""The first pass: collects names and numbers from structured places and from free text."""

from __future__ import annotations

import re
from itertools import pairwise

from trainee_bench.harness.pseudonyms.contexts import (
    addressed,
    is_english,
    lists_of_names,
    names_in_context,
)
from trainee_bench.harness.pseudonyms.disguises import inner_texts, plain_letters
from trainee_bench.harness.pseudonyms.evidence import Evidence, is_person_like
from trainee_bench.harness.pseudonyms.folding import UNSPACED, WORD, has_digit, is_name_like, key_of
from trainee_bench.harness.pseudonyms.lexicon import (
    is_first_name,
    is_last_name,
    is_ordinary,
    is_place,
)
from trainee_bench.harness.pseudonyms.meanings import Meaning, meaning_of
from trainee_bench.harness.pseudonyms.numbers import find_numbers, is_code, labelled_codes
from trainee_bench.harness.pseudonyms.people_text import (
    WordKind,
    WordKinds,
    Words,
    gap,
    name_base,
    name_run,
    texts,
    words_of,
)
from trainee_bench.harness.pseudonyms.postal import find_streets
from trainee_bench.harness.pseudonyms.unspaced import honoured_names
from trainee_bench.harness.pseudonyms.visitor import Place
from trainee_bench.harness.pseudonyms.web_addresses import (
    domains_in,
    email_addresses,
    words_of_local_part,
)
from trainee_bench.harness.pseudonyms.word_lists import (
    AMBIGUOUS_NAMES,
    ARTICLES,
    CALENDAR_WORDS,
    LEGAL_FORMS,
    NON_NAMES,
    PARTICLES,
    SIGN_OFFS,
    THANKS,
    TITLES,
)

_SIGN_OFFS = frozenset(key_of(phrase) for phrase in SIGN_OFFS)
_LONGEST_SIGN_OFF = 40
_LONGEST_LABEL = 30
_SEPARATORS = re.compile(r"[;/\n|]| & | and | und ")
_IN_BRACKETS = re.compile(r"[(\[<][^()\[\]<>]{0,200}[)\]>]")
_QUOTE_MARKS = " \t>*_#-"
_CLAUSES = frozenset(("that", "that's"))
"""Words that begin clauses as often as they precede nouns."""
_SMALL_WORD = re.compile(r"(?<![\w@./_-])[^\W\d_A-Z]+(?![\w@/_-]|\.\w)")
_RULE = re.compile(r"[\s|:-]+")
LISTED_PAIR = "a first name from the list and a word with a capital"
LISTED_ALONE = "a first name from the list, alone"
FROM_ADDRESS = "from an e-mail address without a name beside it"


class Collector:
    """A visitor that changes nothing and adds what it finds to `evidence`."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self._kinds = WordKinds()

    def text(self, text: str, place: Place) -> str:
        """Collect from a free text."""
        whole = text
        text = plain_letters(text)
        inner_texts(text, lambda inner: self.text(inner, place))
        signed = False
        header: list[str] = []
        before = ""
        english = is_english(text)
        begins = text.count("\n") > 1  # a letter, no header or title
        for line in text.splitlines():
            found = WORD.findall(line)
            self.evidence.words.update(found)
            stripped = line.strip(_QUOTE_MARKS + ",.!")
            if signed and stripped:
                self._signature(stripped)
                signed = False
            if len(stripped) < _LONGEST_SIGN_OFF:
                signed = self._is_sign_off(stripped, line) or (signed and not stripped)
            header = self._table_row(line, before, header)
            before = line
            self._line(line, found)
            self._contexts(line, english=english, begins=begins)
            begins = begins and not line.strip()
        return whole

    def field(self, value: str, meaning: Meaning, place: Place) -> str:
        """Collect from a value whose meaning its place says."""
        self.evidence.words.update(WORD.findall(value))
        if meaning is Meaning.MESSAGE_ID:
            self.evidence.domains.update(address.domain for address in email_addresses(value))
        elif meaning is Meaning.CODE and is_code(value.strip()):
            self.evidence.codes.add(value.strip())
        elif meaning is Meaning.STREET:
            self.text(value, place)
        elif meaning in {Meaning.PERSON, Meaning.PARTY, Meaning.COMPANY, Meaning.NAME}:
            self._names(value, meaning)
            self.text(value, place)
        else:
            self.text(value, place)
        return value

    def file_name(self, name: str, place: Place) -> str:
        """Collect from a name of a file."""
        for line in name.replace("_", " ").splitlines():
            found = WORD.findall(line)
            self.evidence.words.update(found)
            self._line(line, found)
        return name

    def _names(self, value: str, meaning: Meaning) -> None:
        plain = _IN_BRACKETS.sub(" ", value)
        if "@" in plain:
            return
        if meaning is Meaning.COMPANY or any(
            WordKind.FORM & self._kinds[word] for word in WORD.findall(plain)
        ):
            words = [word for word in WORD.findall(plain) if is_name_like(word)]
            while words and key_of(words[0]) in NON_NAMES:
                words = words[1:]
            if 0 < len(words) <= 7:
                self.evidence.add_company(words)
            return
        listed_names = plain.count(",") > 1  # Ann Lee, Bo Dahl, Cy Orr: not one name
        parts = plain.split(",") if listed_names else _SEPARATORS.split(plain)
        for part in parts:
            last, comma, first = part.partition(",")
            written = f"{first} {last}" if comma else part
            words = WORD.findall(written)
            if not is_person_like(words):
                continue
            listed = any(is_first_name(word) for word in words[:-1])
            if meaning is Meaning.PERSON or listed or UNSPACED.fullmatch(words[-1]):
                named = [word for word in words if key_of(word) not in PARTICLES | TITLES]
                self.evidence.add_person(words, role="first")
                if comma and len(named) > 1:
                    self.evidence.phrases.add(tuple(key_of(w) for w in WORD.findall(part)))
            elif meaning is Meaning.PARTY:
                self.evidence.add_company(words)

    def _line(self, line: str, found: list[str]) -> None:
        kinds = [self._kinds[word] for word in found]
        for article, noun in pairwise(found):
            if article in ARTICLES and article not in _CLAUSES and noun[0].isupper():
                self.evidence.nouns.add(key_of(noun))
            elif article[0].isupper() and noun[0].isupper() and f"{article} {noun}" in line:
                self.evidence.pairs.add((name_base(article), name_base(noun)))
        if "@" in line:
            self._addresses(line)
        for domain in domains_in(line):
            self.evidence.domains.add(domain)
        self.evidence.codes.update(labelled_codes(line))
        for number in find_numbers(line, frozenset()):
            digits = "".join(c for c in line[number.start : number.end] if c.isdigit())
            self.evidence.digits.add(digits)
        for name in honoured_names(line):
            self.evidence.add_person([name], role="last")
        self._labelled(line)
        if not any(kinds) and not has_digit(line):
            return
        words = words_of(line)
        for street in find_streets(line, words):
            self.evidence.streets.add(line[slice(*street.name)])
        if words and kinds[0] & WordKind.SALUTATION:
            self._salutation(line, words, kinds)
        for at, kind in enumerate(kinds):
            if kind & WordKind.TITLE:
                self._title(line, words, at)
            if kind & WordKind.FORM:
                self._company(line, words, at)
        self._listed(line, words, kinds)

    def _contexts(self, line: str, *, english: bool, begins: bool) -> None:
        self.evidence.small_words.update(
            word for word in _SMALL_WORD.findall(line) if word.islower()
        )
        words = words_of(line)
        self.evidence.guesses.update(dict.fromkeys(names_in_context(line, words, english=english)))
        if begins:
            self.evidence.guesses.update(dict.fromkeys(addressed(line)))
        self.evidence.lists.update(dict.fromkeys(lists_of_names(line, english=english)))

    def _labelled(self, line: str) -> None:
        label, colon, value = line[: _LONGEST_LABEL + 200].partition(":")
        if colon and len(label) <= _LONGEST_LABEL and value.strip():
            meaning = meaning_of(label.strip(_QUOTE_MARKS + "\"'|"))
            if meaning in {Meaning.PERSON, Meaning.COMPANY, Meaning.PARTY, Meaning.NAME}:
                self._names(value.split("#")[0].strip(" \"',*_"), meaning)

    def _table_row(self, line: str, before: str, header: list[str]) -> list[str]:
        """Collect from a row of a Markdown table; return the header of its columns."""
        if not line.lstrip().startswith("|"):
            return []
        if _RULE.fullmatch(line) and "-" in line:
            return [cell.strip() for cell in before.strip().strip("|").split("|")]
        if header:
            for title, cell in zip(header, line.strip().strip("|").split("|"), strict=False):
                meaning = meaning_of(title)
                if meaning is Meaning.CODE and is_code(cell.strip()):
                    self.evidence.codes.add(cell.strip())
                elif meaning in {Meaning.PERSON, Meaning.COMPANY, Meaning.PARTY, Meaning.NAME}:
                    self._names(cell.strip(" *_"), meaning)
        return header

    def _is_sign_off(self, stripped: str, line: str) -> bool:
        key = key_of(stripped)
        if key in _SIGN_OFFS or line.strip() in {"--", "—"}:
            return True
        polite, comma, rest = stripped.partition(",")
        if comma and key_of(polite) in _SIGN_OFFS and rest.strip():
            self._signature(rest.strip())
        return False

    def _signature(self, stripped: str) -> None:
        words = words_of(stripped)
        end = name_run(stripped, words, 0)
        behind = stripped[words[end - 1].end() :].strip() if end else ""
        if end and (not behind or behind[0] in ",|(/–-·") and end <= 4:
            found = texts(words, 0, end)
            if is_person_like(found):
                self.evidence.add_person(found)

    def _salutation(self, line: str, words: Words, kinds: list[WordKind]) -> None:
        at = 1
        while at < len(words) and kinds[at] & (WordKind.SALUTATION | WordKind.TITLE):
            at += 1
        titled = at > 1 and bool(kinds[at - 1] & WordKind.TITLE)
        thanked = key_of(words[0].group()) in THANKS
        while at < len(words):
            between = gap(line, words, at - 1)
            if between not in {" ", ", ", ". ", "/", " & ", "  "}:
                return
            if key_of(words[at].group()) in {"and", "und", "et", "y", "e"}:
                at += 1
                continue
            end = name_run(line, words, at)
            found = texts(words, at, end)
            if not found or not is_person_like(found):
                return
            stop = words[end - 1].end()
            sure = not is_ordinary(found[0]) or line[stop : stop + 1] in {
                "", ",", "!", ":", ".", "–", "-",
            }  # fmt: skip
            listed = is_first_name(found[0]) or is_last_name(found[0])
            after_comma = between == ", " and (at > 1 and not (thanked and at == 1))
            if not sure or ((thanked or after_comma) and not listed):
                return
            self.evidence.add_person(found, role="last" if titled else "first")
            at = end

    def _title(self, line: str, words: Words, at: int) -> None:
        start = at + 1
        while start < len(words) and self._kinds[words[start].group()] & WordKind.TITLE:
            start += 1
        if start >= len(words) or gap(line, words, start - 1) not in {" ", ". ", ".", "\u00a0"}:
            return
        end = name_run(line, words, start, most=4)
        found = texts(words, start, end)
        while len(found) > 1 and is_ordinary(found[-1]) and not is_last_name(found[-1]):
            found.pop()
        if found and is_person_like(found):
            titles = texts(words, at, start)
            self.evidence.add_person([*titles, *found], role="last")

    def _company(self, line: str, words: Words, form: int) -> None:
        start = form
        while start and form - start < 5:
            word, between = words[start - 1].group(), gap(line, words, start - 1)
            joins = between in {" ", "-", " & ", "&", " + "} or (start == form and between == ", ")
            small = key_of(word) in {"und", "and", "of", "et", "y", "e"} | LEGAL_FORMS
            if not joins or not (is_name_like(word) or (small and start < form)):
                break
            start -= 1
        while start < form and key_of(words[start].group()) in NON_NAMES | {"yesterday", "und"}:
            start += 1
        if start < form:
            self.evidence.before_forms.append(tuple(texts(words, start, form + 1)))

    def _listed(self, line: str, words: Words, kinds: list[WordKind]) -> None:
        at = 0
        while at < len(words):
            kind, word = kinds[at], words[at].group()
            if not kind & WordKind.FIRST:
                at += 1
                continue
            end = name_run(line, words, at, most=4)
            found = texts(words, at, end)
            prose = _in_prose(words, at, end)
            while len(found) > 1 and not _may_be_last(found[-1], kind, prose=prose):
                found.pop()
            if len(found) > 1 and not word.isupper():
                self.evidence.add_person(found, doubt=LISTED_PAIR)
            elif not kind & WordKind.AMBIGUOUS and not word.isupper() and len(word) > 2:
                self.evidence.add_person(found[:1], doubt=LISTED_ALONE)
            at += max(1, len(found))

    def _addresses(self, line: str) -> None:
        for address in email_addresses(line):
            self.evidence.domains.add(address.domain)
            self.evidence.local_parts.add(address.local)
            named = words_of_local_part(address.local)
            if len(named) > 1 and all(len(word) > 1 for word in named):
                listed = any(is_first_name(w) or is_last_name(w) for w in named)
                if listed or not any(is_ordinary(w) for w in named):
                    self.evidence.add_person(named, doubt="" if listed else FROM_ADDRESS)
            before = line[max(0, address.start - 80) : address.start].rstrip(" <(\"'")
            words = words_of(before)
            start = len(words)
            while start and len(words) - start < 4:
                longer = name_run(before, words, start - 1, most=5)
                if longer != len(words):
                    break
                start -= 1
            found = texts(words, start, len(words))
            beside = line[max(0, address.start - 1) : address.start] in {"<", "("}
            enough = len(found) > 1 or (found and UNSPACED.fullmatch(found[0]))
            if beside and enough and is_person_like(found):
                self.evidence.add_person(found)


def _in_prose(words: Words, start: int, end: int) -> bool:
    """Whether a word in small letters is beside the run, so that it is no heading."""
    beside = [*words[max(0, start - 2) : start], *words[end : end + 2]]
    return any(word.group()[0].islower() for word in beside)


def _may_be_last(word: str, kind: WordKind, *, prose: bool) -> bool:
    """Whether *word* behind a first name of this *kind* is likely a last name."""
    if key_of(word) in NON_NAMES | CALENDAR_WORDS:
        return False
    if kind & WordKind.AMBIGUOUS:
        return is_last_name(word) and not is_place(word) and (prose or not is_ordinary(word))
    if is_last_name(word) or not is_ordinary(word):
        return True
    return prose and key_of(word) in AMBIGUOUS_NAMES
