"""Number formats: how numbers, dates and times are shown.

Halves are rounded away from zero. Dates and times are always shown in ISO form, regardless of the
order in their format.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache

GENERAL = ""
"""The format of a number without a format."""

FIRST_DATE = date(1900, 3, 1)
"""The first date here. For earlier days, spreadsheets count a 29 February 1900, which did not
exist."""

_DAY_ZERO = date(1899, 12, 30)
DAYS_TO_1904 = (date(1904, 1, 1) - _DAY_ZERO).days
"""The number to add to a day of a workbook that counts from 1904."""
SECONDS_OF_DAY = 86_400
_LAST_SERIAL = (date(9999, 12, 31) - _DAY_ZERO).days
_FAMILY = re.compile(r"([$€£]?)(#,##0|0)(?:\.(0+))?(%?)")
_NOT_LETTERS = re.compile(r'"[^"]*"|\\.|_.|\*.|\[[^\[\]]*\]')
_EXACT = Context(prec=400)


def number_text(value: float) -> str:
    """Return the shortest text that means exactly *value*: 12, 0.1, 1e+20."""
    return repr(value).removesuffix(".0") if value else "0"


def result_text(value: float) -> str:
    """Return *value* to the 15 significant digits that a spreadsheet keeps: 0.1 + 0.2 is 0.3."""
    return number_text(float(f"{value:.15g}"))


@lru_cache(maxsize=1024)
def is_date_format(code: str) -> bool:
    """Whether *code* shows a date or a time of day; a duration such as [h]:mm is neither."""
    if re.search(r"\[[hms]+\]", code, re.IGNORECASE):
        return False
    letters = _letters(code)
    return letters != "general" and re.search(r"[ydhs]|mmm", letters) is not None


@lru_cache(maxsize=1024)
def is_time_format(code: str) -> bool:
    """Whether *code* shows a time of day without a date."""
    return is_date_format(code) and not re.search(r"[yd]|mmm", _letters(code))


def format_number(value: float, code: str) -> str | None:
    """Format *value* with *code*, or return None if that format is not supported."""
    if code == GENERAL:
        return result_text(value)
    if is_date_format(code):
        return _date_shown(value, code)
    family = _FAMILY.fullmatch(code)
    if family is None or abs(value) >= 1e15:
        return None
    currency, thousands, decimals, percent = family.groups()
    exact = Decimal(repr(value)).scaleb(2 if percent else 0)
    step = Decimal(1).scaleb(-len(decimals or ""))
    rounded = exact.quantize(step, ROUND_HALF_UP, context=_EXACT)
    sign = "-" if rounded < 0 else ""
    digits = format(abs(rounded), ",f" if thousands == "#,##0" else "f")
    return f"{sign}{currency}{digits}{percent}"


def date_to_serial(day: date) -> int:
    """Return the serial number of *day* in spreadsheets."""
    return (day - _DAY_ZERO).days


def _letters(code: str) -> str:
    return _NOT_LETTERS.sub("", code.split(";")[0]).lower()


def _date_shown(value: float, code: str) -> str | None:
    letters = _letters(code)
    if not 0 <= value <= _LAST_SERIAL + 1:
        return None
    days, seconds = divmod(round(value * SECONDS_OF_DAY), SECONDS_OF_DAY)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    clock = f"{minute:02}" + (f":{second:02}" if second or "s" in letters else "")
    if is_time_format(code):
        if days != 0:
            return None
        padded = "hh" in letters or "h" not in letters
        return f"{hour:02}:{clock}" if padded else f"{hour}:{clock}"
    if not date_to_serial(FIRST_DATE) <= days <= _LAST_SERIAL:
        return None
    day = (_DAY_ZERO + timedelta(days=days)).isoformat()
    timed = seconds != 0 or re.search(r"[hs]", letters) is not None
    return f"{day} {hour:02}:{clock}" if timed else day
