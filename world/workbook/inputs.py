"""Interprets the text typed into a cell.

| typed                         | is                                                       |
|-------------------------------|----------------------------------------------------------|
| 12, -0.5, 12.50, 1e+20        | a number, if no information is lost by reading it as one |
| 1,250.00   12.5%   $9.90   €5 | a number with that format                                |
| 2026-11-21   09:30   2026-11-21 09:30:15 | a date, a time of day, both                   |
| TRUE, FALSE                   | a truth value                                            |
| #N/A, #DIV/0!, ...            | an error                                                 |
| =SUM(A1:A3)                   | a formula                                                |
| 'anything                     | the text after the apostrophe                            |
| anything else                 | text: 0012, 1e5, +49 30, 12345678901234567, 1e400, 31/12 |
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache

from trainee_bench.world.workbook.formats import (
    FIRST_DATE,
    GENERAL,
    SECONDS_OF_DAY,
    date_to_serial,
    format_number,
    is_date_format,
    number_text,
)

ERROR_VALUES = frozenset(
    {
        "#REF!",
        "#NAME?",
        "#VALUE!",
        "#DIV/0!",
        "#N/A",
        "#NUM!",
        "#NULL!",
        "#SPILL!",
        "#CALC!",
        "#CIRC!",
        "#ERROR!",
    }
)

_DUST_SECONDS = 0.001
"""Maximum error, in seconds, of arithmetic with fractions of days; less than anybody measures."""

_DIGITS = r"(?:0|[1-9][0-9]*|[1-9][0-9]{0,2}(?:,[0-9]{3})+)"
_NUMBER = re.compile(rf"(-?)([$€£]?)({_DIGITS})(?:\.([0-9]+))?(%?)")
_FLOAT = re.compile(r"-?[0-9]+(?:\.[0-9]+)?e[+-][0-9]+")
_MOMENT = re.compile(
    r"(?:([0-9]{4})-([0-9]{2})-([0-9]{2}))?"
    r"(?:(?:^|(?<=[0-9]) )([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?)?"
)


class CellKind(StrEnum):
    """The kind of a cell's content."""

    NUMBER = "number"
    TEXT = "text"
    BOOLEAN = "boolean"
    ERROR = "error"
    FORMULA = "formula"


@dataclass(frozen=True)
class CellContent:
    """A cell's meaning: its kind, its value (a formula's text), its number format."""

    kind: CellKind
    value: float | str | bool
    format: str = GENERAL


def interpret(typed: str) -> CellContent:
    """Return the content that *typed* (not empty) means."""
    return _remembered(typed) if len(typed) <= 40 else _interpret(typed)


def _interpret(typed: str) -> CellContent:
    if typed.startswith("'"):
        return CellContent(CellKind.TEXT, typed[1:])
    if typed.startswith("=") and len(typed) > 1:
        return CellContent(CellKind.FORMULA, typed)
    if typed in ("TRUE", "FALSE"):
        return CellContent(CellKind.BOOLEAN, typed == "TRUE")
    if typed in ERROR_VALUES:
        return CellContent(CellKind.ERROR, typed)
    return _number(typed) or _moment(typed) or CellContent(CellKind.TEXT, typed)


_remembered = lru_cache(maxsize=16_384)(_interpret)


def is_date_or_time(typed: str) -> bool:
    """Whether *typed* means a date or a time of day."""
    content = interpret(typed)
    return content.kind is CellKind.NUMBER and is_date_format(content.format)


def display_text(typed: str) -> str:
    """Return what a cell shows for *typed*; a formula shows itself."""
    content = interpret(typed)
    return str(content.value) if content.kind is CellKind.TEXT else typed


def text_input(text: str) -> str:
    """Return what to type so that a cell holds *text* as text, even if it looks like a number."""
    return text if not text or interpret(text) == CellContent(CellKind.TEXT, text) else f"'{text}"


def canonical_input(typed: str) -> str:
    """Return *typed* in its canonical form, without an unnecessary apostrophe."""
    content = interpret(typed)
    return text_input(str(content.value)) if content.kind is CellKind.TEXT else typed


def literal_input(text: str) -> str:
    """Return what to type so that a cell shows exactly *text*, as a number or date if it is one.

    This is for CSV, which has no formulas, errors or leading apostrophes.
    """
    plain = interpret(text).kind not in (CellKind.FORMULA, CellKind.ERROR) and not text.startswith(
        "'"
    )
    return text if plain else f"'{text}"


def number_input(value: float, code: str = GENERAL) -> tuple[str, str]:
    """Return what to type for a finite *value* in the format *code*, and the format if the text
    loses it.

    Date formats are not kept: 21/11/2026 in a file becomes 2026-11-21. A moment within a thousandth
    of a whole second is rounded to it: programs that add up fractions of days write
    46110.58333333334 for two o'clock.
    """
    value = value or 0.0  # minus zero is zero
    plain = number_text(value)
    if code == GENERAL:
        return plain, GENERAL
    text = format_number(value, code)
    if text is None:
        return plain, code
    meant = interpret(text)
    if meant == CellContent(CellKind.NUMBER, value, code):
        return text, GENERAL
    if is_date_format(code) and meant.kind is CellKind.NUMBER:
        off = abs(float(meant.value) - value) * SECONDS_OF_DAY
        return (text, GENERAL) if off < _DUST_SECONDS else (plain, code)
    return plain, code


def _number(typed: str) -> CellContent | None:
    if _FLOAT.fullmatch(typed):
        value = float(typed)
        return CellContent(CellKind.NUMBER, value) if repr(value) == typed else None
    found = _NUMBER.fullmatch(typed)
    if found is None:
        return None
    sign, currency, whole, decimals, percent = found.groups(default="")
    if currency and percent:
        return None
    digits = whole.replace(",", "") + decimals
    plain = f"{sign}{whole.replace(',', '')}" + (f".{decimals}" if decimals else "")
    if len(digits.lstrip("0")) > 15 and number_text(float(plain)) != typed:
        return None
    if sign and not digits.strip("0"):
        return None
    value = float(Fraction(plain) / 100) if percent else float(plain)
    return CellContent(CellKind.NUMBER, value, _format(currency, "," in whole, decimals, percent))


def _format(currency: str, thousands: bool, decimals: str, percent: str) -> str:
    if not (currency or thousands or percent or decimals.endswith("0")):
        return GENERAL
    code = currency + ("#,##0" if thousands else "0")
    return code + (f".{'0' * len(decimals)}" if decimals else "") + percent


def _moment(typed: str) -> CellContent | None:
    found = _MOMENT.fullmatch(typed)
    if found is None:
        return None
    year, month, day, hour, minute, second = found.groups()
    value, codes = Fraction(0), []
    if year is not None:
        try:
            when = date(int(year), int(month), int(day))
        except ValueError:  # 2026-02-30
            return None
        if when < FIRST_DATE:
            return None
        value += date_to_serial(when)
        codes.append("yyyy-mm-dd")
    if hour is not None:
        if year is not None and len(hour) == 1:
            return None
        value += Fraction(int(hour) * 3600 + int(minute) * 60 + int(second or 0), 86_400)
        codes.append("h" * len(hour) + ":mm" + (":ss" if second is not None else ""))
    return CellContent(CellKind.NUMBER, float(value), " ".join(codes)) if codes else None
