"""The figures, days and words of a text, in whatever form it writes them.

"Twenty-four thousand", "24,000", "24 000", "24k" and "2 4 0 0 0" say one figure; "9 September",
"Sept 9th" and "2025-09-09" say one day. Every step takes time linear in the length of the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

LONGEST_FIGURE = 12
"""The most digits of a figure that is put together from its parts."""
_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
).split()
_SPOKEN = (
    {word: value for value, word in enumerate(_UNITS)}
    | {word: value for value, word in enumerate(_ORDINALS)}
    | {word: 10 * value for value, word in enumerate(_TENS, start=2)}
    | {f"{word[:-1]}ieth": 10 * value for value, word in enumerate(_TENS, start=2)}
    | {"oh": 0, "nil": 0, "nought": 0, "dozen": 12}
)
_MAGNITUDES = {"hundred": 100, "thousand": 1_000, "k": 1_000, "million": 10**6, "billion": 10**9}
_POINTS = frozenset({"point", "dot", "comma"})
_GLUED = sorted((*_UNITS, *_TENS, *(set(_MAGNITUDES) - {"k"}), "and"), key=len, reverse=True)
_GLUED_WORDS = re.compile("|".join(_GLUED))
_MONTHS = (
    "january february march april may june july august september october november december"
).split()
MONTH_NUMBERS = (
    {name: number for number, name in enumerate(_MONTHS, start=1)}
    | {name[:3]: number for number, name in enumerate(_MONTHS, start=1)}
    | {"sept": 9}
)
_DASHES = re.compile("[\u2010-\u2015\u2212]")
_WORD = re.compile(r"[^\W_]+")
_GAP = re.compile(r"[ ._*-]{1,2}")
_SPELT = 3
"""The number of separate letters from which they are read as a word."""
_CLOCK = re.compile(r"(?<![\d:.])\d{1,2}:\d\d(?::\d\d)?(?![\d:])")
_ISO_DAY = re.compile(
    r"(?<![\d-])(\d{4})(?:-(\d{1,2})-|/(\d{1,2})/|\.(\d{1,2})\.)(\d{1,2})(?![\d-])"
)
_SHORT_DAY = re.compile(r"(?<![\w./-])(\d{1,2})[./-](\d{1,2})(?:[./-](?:\d{4}|\d\d)?)?(?![\w/-])")
_TOKEN = re.compile(r"\d+|[^\W\d_]+")
_PERCENT = re.compile(r"\s{0,3}(?:%|percent|per cent|pct)")
_LONGEST_SEPARATOR = 3


@dataclass(frozen=True)
class TextFigures:
    """A text's contents: its figures ("24000", "0.7"), its days ("09-30"), its words, and all its
    letters and digits joined without separators. ``rows`` are the digits of successive figures,
    each row with the places where one of them begins or ends."""

    figures: frozenset[str]
    rows: tuple[tuple[str, frozenset[int]], ...]
    days: frozenset[str]
    words: frozenset[str]
    letters: str

    def has_figure(self, figure: str) -> bool:
        """Return whether it says *figure*, in one piece or in several successive ones."""
        return figure in self.figures or any(_is_joined(figure, *row) for row in self.rows)


@dataclass(frozen=True)
class _Number:
    """Digits, or a word for a number, with the text before it."""

    said: str
    before: str


@lru_cache(maxsize=16)
def read_figures(text: str) -> TextFigures:
    """Return the figures, days and words of *text*."""
    plain = _with_spelt_words(plain_text(text))
    figures, rows, days = set[str](), list[tuple[str, frozenset[int]]](), set[str]()

    def take_clock(found: re.Match[str]) -> str:
        figures.add(bare(found[0][:5]))
        return " ; "

    plain = _CLOCK.sub(take_clock, plain)
    for found in _SHORT_DAY.finditer(plain):
        days |= {day_key(found[1], found[2]), day_key(found[2], found[1])}

    def take_day(found: re.Match[str]) -> str:
        days.add(day_key(found[2] or found[3] or found[4], found[5]))
        figures.add(found[1])
        return " ; "

    plain = _ISO_DAY.sub(take_day, plain)
    tokens = list(_TOKEN.finditer(plain))
    days.update(_named_days([token[0] for token in tokens]))
    words, letters = {token[0] for token in tokens}, list[str]()
    for run, after in _runs(plain, tokens):
        if isinstance(run, str):
            letters.append(run)
            continue
        groups = _groups(run)
        figures.update(_figures(groups, percent=_PERCENT.match(after) is not None))
        digits = [group.said for group in groups]
        letters += digits
        if len(digits) > 1:
            rows.append(("".join(digits), frozenset(accumulate(map(len, digits), initial=0))))
    days.discard("")
    return TextFigures(
        frozenset(figures), tuple(rows), frozenset(days), frozenset(words), "".join(letters)
    )


def plain_text(text: str) -> str:
    """Return *text* in lower case, without accents and invisible signs, with one kind of dash and
    digit."""
    if not text.isascii():
        parts = unicodedata.normalize("NFKD", text)
        kept = (char for char in parts if unicodedata.category(char) not in ("Mn", "Cf"))
        text = "".join(str(unicodedata.decimal(char, char)) for char in kept)
        text = _DASHES.sub("-", text)
    return text.casefold()


def day_key(month: str, day: str) -> str:
    """Return the key of a day; "" if there is no such day."""
    in_year = 1 <= int(month) <= 12 and 1 <= int(day) <= 31
    return f"{int(month):02}-{int(day):02}" if in_year else ""


def _with_spelt_words(plain: str) -> str:
    """Return *plain* with spelt-out words joined, such as "s p e l t"."""
    written, at = list[str](), 0
    run: list[re.Match[str]] = []

    def close() -> None:
        nonlocal at
        if len(run) >= _SPELT:
            written.extend((plain[at : run[0].start()], *(letter[0] for letter in run)))
            at = run[-1].end()
        run.clear()

    for word in _WORD.finditer(plain):
        if run and not _GAP.fullmatch(plain, run[-1].end(), word.start()):
            close()
        if len(word[0]) == 1 and word[0].isalpha():
            run.append(word)
        else:
            close()
    close()
    return "".join((*written, plain[at:]))


def _named_days(words: Sequence[str]) -> Iterator[str]:
    """Yield the days whose month is named, such as in "the 9th of September"."""
    said = [word for word in words if word not in ("st", "nd", "rd", "th", "of", "the")]
    for month, name in enumerate(said):
        number = MONTH_NUMBERS.get(name)
        for place in (month - 1, month + 1) if number else ():
            if 0 <= place < len(said):
                value = said[place] if said[place].isdecimal() else _SPOKEN.get(said[place], "")
                if value != "" and len(str(value)) <= 2:
                    yield day_key(str(number), str(value))


def _runs(plain: str, tokens: Sequence[re.Match[str]]) -> Iterator[tuple[str | list[_Number], str]]:
    """Yield words, and lists of successive numbers, with the text after each."""
    run, end = list[_Number](), 0
    for token in tokens:
        before = plain[end : token.start()]
        spoken = [token[0]] if token[0].isdecimal() else _spoken(token[0])
        near = len(before) <= _LONGEST_SEPARATOR or before.isspace()
        if run and near and token[0] == "and":
            end = token.end()
            continue
        if run and (not spoken or not near):
            yield run, plain[end : end + 12]
            run = []
        if spoken:
            run += [_Number(said, before if not place else "") for place, said in enumerate(spoken)]
        else:
            yield token[0], ""
        end = token.end()
    if run:
        yield run, plain[end : end + 12]


@lru_cache(maxsize=4096)
def _spoken(word: str) -> tuple[str, ...]:
    """Return the words for numbers that *word* is made of; empty if it is another word."""
    if word in _SPOKEN or word in _MAGNITUDES or word in _POINTS:
        return (word,)
    parts = _GLUED_WORDS.findall(word) if len(word) <= 120 else []
    whole = sum(map(len, parts)) == len(word)
    return tuple(part for part in parts if part != "and") if whole else ()


def _groups(run: Sequence[_Number]) -> list[_Number]:
    """Return the numbers of a run in digits: those in words are calculated."""
    groups, heard = list[_Number](), _SpokenNumber()
    for place, number in enumerate(run):
        following = run[place + 1].said if place + 1 < len(run) else ""
        if number.said in _POINTS:
            groups += heard.taken()
            heard.before = "."
        elif number.said in _MAGNITUDES:
            heard.multiply(_MAGNITUDES[number.said])
        elif number.said in _SPOKEN or following in _MAGNITUDES or heard.continues_with(number):
            value = _SPOKEN.get(number.said)
            value = int(number.said[:LONGEST_FIGURE]) if value is None else value
            groups += heard.add(value, number.before)
            if number.said.isdecimal() and groups and number.before in (".", ","):
                heard.whole = groups[-1].said[-LONGEST_FIGURE:]  # 4.2 thousand
        else:
            groups += heard.taken()
            groups.append(number)
    return [*groups, *heard.taken()]


class _SpokenNumber:
    """A number in words, as far as it was read."""

    def __init__(self) -> None:
        self.before = self.whole = ""
        self._total = self._least = 0
        self._part: int | None = None

    def continues_with(self, number: _Number) -> bool:
        """Return whether digits go on after a magnitude, as in "4 thousand 200"."""
        return bool(self._total) and self._part is None and len(number.said) <= 3

    def add(self, value: int, before: str) -> list[_Number]:
        """Go on with *value*. Return what was read before, if that is a separate number."""
        if self._part is None:
            goes_on = not self._total or value < self._least
        else:
            goes_on = _joins(self._part, value)
        finished = [] if goes_on else self.taken()
        if self._part is None and not self._total:
            self.before = self.before or before
        self._part = (self._part or 0) + value
        return finished

    def multiply(self, magnitude: int) -> None:
        """Multiply by a magnitude that was read."""
        part = 1 if self._part is None else self._part
        if self.whole and self._part is not None:
            exact = Fraction(f"{self.whole}.{self._part}") * magnitude
            self._total, self._part, self.whole, self.before = int(exact), None, "", " ; "
        elif magnitude == 100:
            self._part = part * magnitude % 10**LONGEST_FIGURE
            return
        else:
            self._total, self._part = self._total + part * magnitude, None
        self._least = magnitude
        self._total %= 10**LONGEST_FIGURE  # larger numbers do not occur, and sums stay short

    def taken(self) -> list[_Number]:
        """Return the number and forget it; nothing if none was read."""
        value = None if self._part is None and not self._total else self._total + (self._part or 0)
        before, self.before, self.whole = self.before, "", ""
        self._total, self._part, self._least = 0, None, 0
        return [] if value is None else [_Number(str(value), before)]


def _joins(part: int, value: int) -> bool:
    """Return whether two numbers in words are one: sixty and five, four hundred and twelve."""
    if part >= 100 and part % 100 == 0:
        return value < 100
    return part >= 20 and part % 10 == 0 and 1 <= value <= 9


def _figures(groups: Sequence[_Number], percent: bool) -> Iterator[str]:
    """Yield the figures that each number of a row may mean by itself."""
    for first, group in enumerate(groups):
        yield bare(group.said)
        follows = groups[first + 1] if first + 1 < len(groups) else None
        shares = percent if follows is None else _PERCENT.match(follows.before) is not None
        if group.before.endswith("."):
            yield _decimal("0", _digits_from(groups, first))
        if follows is not None and follows.before in (".", ","):
            yield _decimal(group.said, _digits_from(groups, first + 1))
        if shares and len(group.said) <= LONGEST_FIGURE:
            yield share_of_one(group.said)


def _is_joined(figure: str, digits: str, places: frozenset[int]) -> bool:
    """Return whether whole figures of the row *digits* make up *figure*."""
    at = digits.find(figure)
    while at >= 0:
        if at in places and at + len(figure) in places:
            return True
        at = digits.find(figure, at + 1)
    return False


def _digits_from(groups: Sequence[_Number], first: int) -> str:
    """Return the digits after a point, which may have been said one by one."""
    digits = groups[first].said
    for group in groups[first + 1 : first + 4]:  # no more, whatever follows
        if len(group.said) != 1 or group.before.strip():
            break
        digits += group.said
    return digits


def _decimal(whole: str, part: str) -> str:
    part = part[:LONGEST_FIGURE].rstrip("0")
    return f"{bare(whole)}.{part}" if part else bare(whole)


def share_of_one(percent: str) -> str:
    """Return a percentage as a part of one."""
    return _decimal(percent[:-2] or "0", percent.rjust(2, "0")[-2:])


def bare(digits: str) -> str:
    """Return digits without leading zeros."""
    return digits.lstrip("0") or "0"


def all_words(texts: Iterable[str]) -> frozenset[str]:
    """Return the words of *texts* in lower case."""
    return frozenset[str]().union(*(_TOKEN.findall(plain_text(text)) for text in texts))
