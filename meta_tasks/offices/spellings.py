"""How texts write values and phrases, and whether a text states one."""

from __future__ import annotations

import re
from datetime import date, time
from decimal import Decimal

from trainee_bench.meta_tasks.answers import text_key
from trainee_bench.meta_tasks.offices.values import Value

_TEENS = range(11, 14)
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def states(text: str, phrase: str) -> bool:
    """Return whether a text states a phrase as separate words. A number is not part of another
    number, and a day without a year is not the day of another year."""
    wanted = re.escape(text_key(phrase))
    ends = r"(?![\w]|[.,]\d|,? \d{4}\b)" if phrase[-1:].isalnum() else r"(?!\w)"
    return re.search(rf"(?<![\w.,-]){wanted}{ends}", text_key(text)) is not None


def spellings(value: Value) -> tuple[str, ...]:
    """Return the ways in which a text may write a value."""
    if isinstance(value, Decimal):
        return _number(value)
    if isinstance(value, time):
        return _clock(value)
    return _day(value) if isinstance(value, date) else (value,)


def _number(value: Decimal) -> tuple[str, ...]:
    plain = f"{value.normalize():f}"
    forms = [plain, f"{value:f}", f"{value.normalize():,f}"]
    if value == round(value, 2):
        forms += [f"{value:.1f}"] if value == round(value, 1) else []
        forms += [f"{value:.2f}", f"{value:,.2f}"]
    return tuple(dict.fromkeys(forms))


def _clock(value: time) -> tuple[str, ...]:
    hour, minute = value.hour % 12 or 12, f"{value.minute:02}"
    short = f"{hour}:{minute}" if value.minute else f"{hour}"
    half = "am" if value.hour < 12 else "pm"
    dotted = f"{half[0]}.m."
    forms = [f"{value:%H:%M}", f"{value.hour}:{minute}", f"{value:%H}.{minute}"]
    forms += [f"{given}{gap}{half}" for given in (short, f"{hour}:{minute}") for gap in ("", " ")]
    forms += [f"{short} {dotted}", f"{value:%H:%M}h", f"{value:%H:%M} h"]
    return tuple(dict.fromkeys(forms))


def _day(value: date) -> tuple[str, ...]:
    day, year = value.day, value.year
    ending = "th" if day in _TEENS else _ENDINGS.get(day % 10, "th")
    days = (str(day), f"{day}{ending}")
    months = (f"{value:%B}", f"{value:%b}")
    forms = [value.isoformat(), f"{value:%d.%m.%Y}", f"{day}.{value.month}.{year}"]
    forms += [f"{value:%d/%m/%Y}"]
    for month in months:
        for given in days:
            forms += [
                f"{given} {month} {year}",
                f"{month} {given}, {year}",
                f"{month} {given} {year}",
            ]
            forms += [f"{given} {month}", f"{month} {given}"]
        forms += [f"{days[1]} of {month} {year}", f"{days[1]} of {month}"]
    return tuple(dict.fromkeys(forms))
