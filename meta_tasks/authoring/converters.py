"""Converters between a value and its text: written by `render`, found by `pattern`, read by
`parse`.

These are the slots of a `TextTemplate`. `converter_for` chooses one by a field's type. Months are
written in words. Amounts of money are whole cents in code, "EUR 74.90" in texts, and numbers of
euros in deliverables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import StrEnum
from types import UnionType
from typing import Any, Generic, Literal, TypeVar, get_args, get_origin

from trainee_bench.meta_tasks.deliverable import Deliverable
from trainee_bench.world.company.name_forms import NAME

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True)
class Converter(Generic[T]):
    """A value's text form. ``pattern`` is a regular expression without groups that matches every
    text that ``render`` writes. ``parse`` is the inverse of ``render`` and raises ValueError for
    any other text. Numbers, dates and times may have spaces around them."""

    pattern: str
    parse: Callable[[str], T]
    render: Callable[[T], str] = str


INTEGER: Converter[int] = Converter(r"-?\d+", int)
WORD: Converter[str] = Converter(r"\S+", str)
LINE: Converter[str] = Converter(r".+?", str)
"""Words on one line, as few as the surrounding text allows."""
TEXT: Converter[str] = Converter(r"[\s\S]*?", str)
"""Any text: several lines, one or none."""
PATH: Converter[str] = Converter(r"(?:drive|workspace):/[\w./+-]*\w", str)
"""The path of a file or folder. A full stop after it is not part of it."""
FULL_NAME: Converter[str] = Converter(NAME, str)
"""The whole name of a person, in any script. In a template, words in small letters or signs must be
around it, since a capitalised word before it would be taken for a part of the name."""
DATE: Converter[date] = Converter(r"\d{4}-\d\d-\d\d", lambda text: date.fromisoformat(text.strip()))
CLOCK: Converter[time] = Converter(
    r"\d\d:\d\d", lambda text: time.fromisoformat(text.strip()), "{:%H:%M}".format
)

TENTHS: Converter[int] = Converter(
    r"\d+(?:\.\d)?", lambda text: int(Decimal(text) * 10), lambda tenths: str(Decimal(tenths) / 10)
)
"""A number of tenths, written as a decimal: "4.5"."""


def one_of(words: Mapping[T, str]) -> Converter[T]:
    """Return a converter for the keys of *words*, each written as its value. For equal words, the
    first key is read."""
    meant: dict[str, T] = {}
    for value, text in words.items():
        meant.setdefault(text, value)
    longest_first = sorted(meant, key=len, reverse=True)
    return Converter(
        f"(?:{'|'.join(map(re.escape, longest_first))})", meant.__getitem__, words.__getitem__
    )


def fields_of(*models: type[Deliverable]) -> Converter[type[Deliverable]]:
    """Return a converter for *models*, each written as the description of its fields."""
    return one_of({model: model.describe() for model in models})


def english_list(each: Converter[T]) -> Converter[tuple[T, ...]]:
    """Return a converter for one or more values in a sentence: "A", "A and B", "A, B and C"."""
    one = each.pattern
    return Converter(
        f"{one}(?:(?:, {one})*? and {one})?",
        lambda text: tuple(map(each.parse, re.split(r", | and ", text))),
        lambda values: listed([each.render(value) for value in values]),
    )


def separated(
    each: Converter[T], separator: str, before: str = "", after: str = ""
) -> Converter[tuple[T, ...]]:
    """Return a converter for one or more values with *separator* between them, and *before* and
    *after* around each. Lines of a list are ``separated(each, "\\n", before="- ")``."""
    one = re.escape(before) + each.pattern + re.escape(after)
    found = re.compile(f"{re.escape(before)}({each.pattern}){re.escape(after)}")
    return Converter(
        f"{one}(?:{re.escape(separator)}{one})*",
        lambda text: tuple(_whole(found, each, part) for part in text.split(separator)),
        lambda values: separator.join(f"{before}{each.render(value)}{after}" for value in values),
    )


def or_nothing(
    each: Converter[tuple[T, ...]], before: str = "", after: str = "", nothing: str = ""
) -> Converter[tuple[T, ...]]:
    """Return a converter for several values between *before* and *after*, or *nothing* if there are
    none."""
    found = re.compile(f"{re.escape(before)}({each.pattern}){re.escape(after)}")
    return Converter(
        f"(?:{re.escape(before)}{each.pattern}{re.escape(after)}|{re.escape(nothing)})",
        lambda text: () if text == nothing else _whole(found, each, text),
        lambda values: f"{before}{each.render(values)}{after}" if values else nothing,
    )


def optional(each: Converter[T], nothing: str = "") -> Converter[T | None]:
    """Return a converter for a value, or *nothing* for None."""
    return Converter(
        f"(?:{each.pattern}|{re.escape(nothing)})",
        lambda text: None if text == nothing else each.parse(text),
        lambda value: nothing if value is None else each.render(value),
    )


def pairs(
    key: Converter[T], between: str, value: Converter[U], separator: str
) -> Converter[Mapping[T, U]]:
    """Return a converter for one or more keys, each with its value: "subway 0.3, bus_stop 0.7" are
    ``pairs(WORD, " ", TENTHS, ", ")``."""
    one = f"{key.pattern}{re.escape(between)}{value.pattern}"
    found = re.compile(f"({key.pattern}){re.escape(between)}({value.pattern})")

    def parse(text: str) -> Mapping[T, U]:
        matches = [found.fullmatch(part) for part in text.split(separator)]
        if None in matches:
            raise ValueError(f"{text!r} is not written as {one!r}")
        return {key.parse(match[1]): value.parse(match[2]) for match in matches if match}

    return Converter(
        f"{one}(?:{re.escape(separator)}{one})*",
        parse,
        lambda values: separator.join(
            f"{key.render(left)}{between}{value.render(right)}" for left, right in values.items()
        ),
    )


def listed(words: tuple[str, ...] | list[str]) -> str:
    """Return words as a list in a sentence: "A, B and C". There is at least one."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def converter_for(annotation: Any) -> Converter[Any]:
    """Return the converter of a type: whole numbers, texts of one line, dates, times of day,
    StrEnums, Literals. Raises TypeError for others, which need their own converter."""
    simple: dict[Any, Converter[Any]] = {int: INTEGER, str: LINE, date: DATE, time: CLOCK}
    if annotation in simple:
        return simple[annotation]
    if isinstance(annotation, type) and issubclass(annotation, StrEnum):
        return one_of({member: member.value for member in annotation})
    if get_origin(annotation) is Literal:
        return one_of({value: str(value) for value in get_args(annotation)})
    if get_origin(annotation) is UnionType and type(None) in get_args(annotation):
        (kind,) = (member for member in get_args(annotation) if member is not type(None))
        return converter_for(kind)
    raise TypeError(f"{annotation} has no default converter; name one")


def _whole(pattern: re.Pattern[str], each: Converter[T], text: str) -> T:
    """Return the value that *each* reads in *text*, with nothing left over."""
    match = pattern.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not written as {pattern.pattern!r}")
    return each.parse(match.group(1))


MONTH_NAMES = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def month_before(day: date, count: int = 1) -> date:
    """Return the first day of the month that is *count* months before that of *day*."""
    month = day.replace(day=1)
    for _ in range(count):
        month = (month - timedelta(days=1)).replace(day=1)
    return month


def _parse(text: str) -> date:
    name, _, year = text.partition(" ")
    return date(int(year), MONTH_NAMES.index(name) + 1, 1)


def _render(month: date) -> str:
    return f"{MONTH_NAMES[month.month - 1]} {month.year}"


MONTH: Converter[date] = Converter(rf"(?:{'|'.join(MONTH_NAMES)}) \d{{4}}", _parse, _render)
"""A month, written as "September 2025" and represented by its first day."""


_ROUNDING_ERROR = 1e-4
"""The most that floating-point arithmetic may change an amount, in cents."""


def format_euros(cents: int) -> str:
    """Return an amount as text: "EUR 1000.00"."""
    return f"EUR {cents // 100}.{cents % 100:02d}"


def to_cents(amount: float) -> int | None:
    """Return an amount in EUR as whole cents; None if it is not whole, up to rounding errors."""
    if not abs(amount) < 1e9:
        return None
    nearest = round(amount * 100)
    return nearest if abs(amount * 100 - nearest) < _ROUNDING_ERROR else None


def parse_cents(amount: str) -> int:
    """Return the cents of an amount in euros: "EUR 1,000.50", "1000.50", "1,000"."""
    return int(Decimal(amount.strip().removeprefix("EUR ").replace(",", "")) * 100)


EUROS: Converter[int] = Converter(r"EUR \d+\.\d\d", parse_cents, format_euros)
"""Cents as "EUR 1000.00"."""
EUROS_IN_GROUPS: Converter[int] = Converter(
    r"EUR [\d,]+\.\d\d", parse_cents, lambda cents: f"EUR {cents // 100:,}.{cents % 100:02d}"
)
"""Cents as "EUR 1,000.00"."""
CENTS: Converter[int] = Converter(
    r"\d+\.\d\d", parse_cents, lambda cents: f"{cents // 100}.{cents % 100:02d}"
)
"""Cents as "1000.00"."""
WHOLE_EUROS: Converter[int] = Converter(
    r"\d{1,3}(?:,\d{3})*", parse_cents, lambda cents: f"{cents // 100:,}"
)
"""Cents, a whole number of euros, as "1,000"."""
