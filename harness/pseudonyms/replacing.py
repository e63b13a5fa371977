"""The second pass: replaces names, addresses and numbers in each text of the folder."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Sequence

from trainee_bench.harness.pseudonyms.disguises import inner_texts, plain_letters, rejoined
from trainee_bench.harness.pseudonyms.evidence import Evidence
from trainee_bench.harness.pseudonyms.folding import (
    WORD,
    has_digit,
    in_form_of,
    is_name_like,
    key_of,
)
from trainee_bench.harness.pseudonyms.lexicon import is_ordinary
from trainee_bench.harness.pseudonyms.meanings import Meaning, meaning_of
from trainee_bench.harness.pseudonyms.mentions import Mentions, Setting
from trainee_bench.harness.pseudonyms.naming import Domains, Names
from trainee_bench.harness.pseudonyms.numbers import find_numbers, invented_number, is_code
from trainee_bench.harness.pseudonyms.people_text import words_of
from trainee_bench.harness.pseudonyms.postal import find_postcodes, find_streets, street_parts
from trainee_bench.harness.pseudonyms.report import Notes
from trainee_bench.harness.pseudonyms.visitor import Place
from trainee_bench.harness.pseudonyms.web_addresses import (
    RESERVED,
    domain_spans,
    email_addresses,
    is_public,
    registered,
    words_of_local_part,
)
from trainee_bench.harness.pseudonyms.word_forms import WordForms
from trainee_bench.harness.pseudonyms.word_lists import PARTICLES

_PIECE = re.compile(r"[^\s<>\"'()\[\]|,;]+")
_PATH_SIGN = re.compile(r"/|\.[A-Za-z]{2,4}\b")
_FILE_ENDINGS = (
    ".csv", ".xlsx", ".md", ".txt", ".pdf", ".docx", ".pptx", ".png", ".jpg", ".jpeg", ".eml",
    ".ics", ".yaml", ".json", ".zip", ".html",
)  # fmt: skip
_HOST = re.compile(r"@([\w-]{1,100})(?=>)")
_NO_SUFFIX = "host"
_BLANKS = re.compile(r"([ \t\r\n])")
_NEAR_LINES = 3
_FEWEST_DIGITS = 5
LIKE_A_DOMAIN = "words joined by a dot, like a web domain"
UNRESOLVED_ADDRESS = "an e-mail address that matches no known name"

_Span = tuple[int, int, str]


class Replacer:
    """A visitor that replaces what the evidence names, and notes what is doubtful."""

    def __init__(self, names: Names, domains: Domains, evidence: Evidence, notes: Notes) -> None:
        self._names = names
        self._domains = domains
        self._evidence = evidence
        self._notes = notes
        self._streets = {key_of(street) for street in evidence.streets if " " not in street}
        self._mentions = Mentions(names, WordForms(names, self._lone_street), notes)
        self._locals = names.local_parts
        self._mail_domains = {domain.lower() for domain in evidence.domains if domain.count(".")}

    def text(self, text: str, place: Place) -> str:
        """Return the free text *text* with pseudonyms."""
        text = inner_texts(plain_letters(text), lambda inner: self.text(inner, place))
        text = rejoined(text, self._sure_pseudonym)
        made = []
        street_line = -_NEAR_LINES
        for number, line in enumerate(text.splitlines(keepends=True)):
            at = Place(place.file, place.part, place.line + number)
            changed, streets = self._line(line, at, number - street_line < _NEAR_LINES)
            if streets:
                street_line = number
            made.append(changed)
        return "".join(made)

    def _sure_pseudonym(self, word: str) -> str | None:
        entry = self._names.find(word)
        return (
            None
            if entry is None or entry.ordinary
            else in_form_of(entry.pseudonym, entry.real, word)
        )

    def field(self, value: str, meaning: Meaning, place: Place) -> str:
        """Return a value whose *meaning* is known with pseudonyms."""
        if meaning is Meaning.MESSAGE_ID:
            return self._message_ids(value, place)
        stripped = value.strip()
        digits = sum("0" <= letter <= "9" for letter in stripped)
        kind = _NUMBERS.get(meaning)
        if meaning is Meaning.BIRTH:
            made = invented_number(stripped, "birth", self._names.draws)
            if made == stripped and digits >= _FEWEST_DIGITS:
                self._notes.doubt(
                    place, stripped, "a birth date in an unknown form", replaced=False
                )
        elif meaning is Meaning.CODE and _sure_number(stripped):
            return self.text(value, place)  # an IBAN keeps its check digits
        elif kind and (is_code(stripped) or (meaning is not Meaning.CODE and digits > 2)):
            made = invented_number(stripped, kind, self._names.draws)
        elif meaning in {Meaning.PERSON, Meaning.PARTY, Meaning.COMPANY} and "@" not in value:
            return self._mentions.replaced(value, Setting.FIELD, place)
        else:
            return self.text(value, place)
        if made != stripped:
            self._notes.count(kind or meaning.value, stripped, made)
        return value.replace(stripped, made) if stripped else value

    def file_name(self, name: str, place: Place) -> str:
        """Return the name of a file with pseudonyms."""
        return self._part(name, Setting.PATH, place)

    def _message_ids(self, value: str, place: Place) -> str:
        made = []
        end = 0
        for address in email_addresses(value):
            local = self._mentions.replaced(address.local, Setting.PATH, place)
            domain = self._whole_domain(address.domain, place)
            made += [self._odd_id(value[end : address.start], place), f"{local}@{domain}"]
            end = address.end
        return "".join(made) + self._odd_id(value[end:], place)

    def _odd_id(self, part: str, place: Place) -> str:
        """Return a part of message ids whose hosts have no domain, such as <1.Ann@ANNS-PC>."""

        def host(found: re.Match[str]) -> str:
            label = found[1].lower()
            is_given = self._domains.is_given(label, RESERVED)
            return f"@{label if is_given else self._domains.label(label, _NO_SUFFIX)}"

        made = []
        for id in _BLANKS.split(part):
            local, found, behind = id.partition("@")
            made.append(self._part(local, Setting.PATH, place) + _HOST.sub(host, found + behind))
        return "".join(made)

    def _line(self, line: str, place: Place, near_street: bool) -> tuple[str, bool]:
        spans, streets = self._spans(line, place, near_street=near_street)
        if not spans:
            if self._mentions.concerns(line):
                line = self._words(line, place)
            return line, streets
        # Words are judged on the whole line, with placeholders that no word contains.
        made = []
        end = 0
        for start, stop, replacement in spans:
            made += [self._words(line[end:start], place, at_start=end == 0), replacement]
            end = stop
        made.append(self._words(line[end:], place, at_start=False))
        return "".join(made), streets

    def _words(self, part: str, place: Place, *, at_start: bool = True) -> str:
        if not self._mentions.concerns(part):
            return part
        label, colon, value = part.partition(":")
        if at_start and colon and len(label) < 30 and value.strip():
            meaning = meaning_of(label.strip(" \t>*_#-\"'|"))
            if meaning in {Meaning.PERSON, Meaning.PARTY, Meaning.COMPANY}:
                return (
                    self._mentions.replaced(label, Setting.TEXT, place)
                    + colon
                    + self._mentions.replaced(value, Setting.FIELD, place)
                )
        return self._mentions.replaced(part, Setting.TEXT, place)

    def _part(self, part: str, setting: Setting, place: Place) -> str:
        spans, _ = self._spans(part, place, near_street=False, paths=False)
        made = []
        end = 0
        for start, stop, replacement in spans:
            made += [self._mentions.replaced(part[end:start], setting, place), replacement]
            end = stop
        made.append(self._mentions.replaced(part[end:], setting, place))
        return "".join(made)

    def _spans(
        self, line: str, place: Place, *, near_street: bool, paths: bool = True
    ) -> tuple[Sequence[_Span], bool]:
        """Return what is replaced besides words, in order and without overlaps."""
        taken: list[_Span] = []  # sorted and without overlaps

        def take(start: int, end: int, made: str, kind: str) -> bool:
            at = bisect(taken, (start, end, made))
            if any(
                start < stop and other < end for other, stop, _ in taken[max(0, at - 1) : at + 1]
            ):
                return False
            taken.insert(at, (start, end, made))
            if kind != "path" and made != line[start:end]:
                self._notes.count(kind, line[start:end], made)
            return True

        for address in email_addresses(line):
            made = self._address(address.local, address.domain, place)
            take(address.start, address.end, made, "e-mail")
        for found in _PIECE.finditer(line) if paths and _PATH_SIGN.search(line) else ():
            if "@" not in found.group() and is_path(found.group()):
                made = self._part(found.group(), Setting.PATH, place)
                take(*found.span(), made, "path")
        for start, end in domain_spans(line):
            take(start, end, self._domain(line, start, end, place), "domain")
        for number in find_numbers(line, self._evidence.codes):
            real = line[number.start : number.end]
            made = invented_number(real, number.kind, self._names.draws)
            if take(number.start, number.end, made, number.kind) and number.doubt:
                self._notes.doubt(place, real, number.doubt, replaced=True)
        streets = list(find_streets(line, words_of(line))) if has_digit(line) else []
        for street in streets:
            name, house = line[slice(*street.name)], line[slice(*street.house)]
            take(*street.name, self._street(name), "street")
            take(*street.house, self._house(name, house), "house number")
        if has_digit(line):
            for start, end in find_postcodes(line, after_street=near_street or bool(streets)):
                made = invented_number(line[start:end], "postcode", self._names.draws)
                take(start, end, made, "postcode")
        return taken, bool(streets)

    def _address(self, local: str, domain: str, place: Place) -> str:
        return f"{self._local(local, place)}@{self._whole_domain(domain, place)}"

    def _local(self, local: str, place: Place) -> str:
        if local in self._locals:
            return self._locals[local]
        words = words_of_local_part(local)
        kept = all(key_of(word) in self._names.keep for word in words)
        if not words or kept or all(key_of(word) in self._names.given for word in words):
            return local
        made = self._mentions.replaced(local, Setting.PATH, place)
        made = self._rest_of_local(local, made, place)
        self._locals[local] = self._locals[made] = made
        return made

    def _rest_of_local(self, local: str, made: str, place: Place) -> str:
        """Replace the words of a local part that the names did not explain."""
        before, after = list(WORD.finditer(local)), list(WORD.finditer(made))
        if len(before) != len(after):
            return made
        parts, end, doubtful = [], 0, False
        for old, new in zip(before, after, strict=True):
            word = new.group()
            if old.group() == word and key_of(word) not in PARTICLES | self._names.keep:
                entry = self._names.find(word)
                if entry is not None:
                    word = in_form_of(entry.pseudonym, entry.real, word)
                elif len(word) > 1:
                    doubtful = True
                    word = in_form_of(self._names.draws.word(word.title()), word, word)
            parts += [made[end : new.start()], word]
            end = new.end()
        parts.append(made[end:])
        if doubtful:
            self._notes.doubt(place, local, UNRESOLVED_ADDRESS, replaced=True)
        return "".join(parts)

    def _domain(self, line: str, start: int, end: int, place: Place) -> str:
        domain = line[start:end]
        made = self._whole_domain(domain, place)
        linked = line[max(0, start - 2) : start] == "//" or domain.lower().startswith("www.")
        if not linked and made != domain and domain.lower() not in self._mail_domains:
            self._notes.doubt(place, domain, LIKE_A_DOMAIN, replaced=True)
        return made

    def _whole_domain(self, domain: str, place: Place) -> str:
        sub, label, suffix = registered(domain)
        kept = key_of(label) in self._names.keep
        if kept or is_public(domain) or self._domains.is_given(label, suffix):
            return domain
        made = f"{self._domains.label(label, suffix)}.{RESERVED}"
        if sub:
            made = f"{self._mentions.replaced(sub, Setting.PATH, place)}.{made}"
        return made.upper() if domain.isupper() else made

    def _street(self, name: str) -> str:
        distinct, ending = street_parts(name)
        words = list(WORD.finditer(distinct))
        made, end = [], 0
        for word in words:
            seen = word.group()
            entry = self._names.find(seen)
            new = seen
            if entry is not None:
                new = in_form_of(entry.pseudonym, entry.real, seen)
            elif (is_name_like(seen) and not is_ordinary(seen)) or len(words) == 1:
                new = self._street_word(seen)
            made += [distinct[end : word.start()], new]
            end = word.end()
        made.append(distinct[end:])
        return "".join(made) + ending

    def _street_word(self, seen: str) -> str:
        key = key_of(seen)
        if key in self._names.given or key in self._names.keep:
            return seen
        if key not in self._street_words:
            self._street_words[key] = self._names.draws.word(seen.title())
            self._names.given.add(key_of(self._street_words[key]))
        return in_form_of(self._street_words[key], seen, seen)

    @property
    def _street_words(self) -> dict[str, str]:
        return self._names.street_words

    def _lone_street(self, word: str) -> str | None:
        """Return the pseudonym of a street that is written in one word, or None."""
        return self._street(word) if key_of(word) in self._streets else None

    def _house(self, street: str, house: str) -> str:
        digits = "".join(letter for letter in house if letter.isdigit())
        purpose = f"house in {self._street(street)}"
        left = iter(self._names.draws.digits(purpose, digits))
        return "".join(next(left) if letter.isdigit() else letter for letter in house)


_NUMBERS = {Meaning.CODE: "code", Meaning.PHONE: "phone", Meaning.POSTCODE: "postcode"}


def is_path(piece: str) -> bool:
    """Whether *piece*, which has no spaces, names a file: its words are judged as in the name."""
    if not any(letter.isalpha() for letter in piece):
        return False
    return "/" in piece.strip("/") or piece.lower().rstrip(".:!?").endswith(_FILE_ENDINGS)


def _sure_number(text: str) -> bool:
    return any(number.kind in {"iban", "card"} for number in find_numbers(text, frozenset()))
