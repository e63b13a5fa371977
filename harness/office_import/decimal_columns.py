"""Rewrites numbers with decimal commas, in columns where every number proves the notation."""

from __future__ import annotations

import re
from collections.abc import Sequence

_COMMA_DECIMAL = re.compile(r"-?(?:[0-9]+|[0-9]{1,3}(?:[.'\u00a0\u202f ][0-9]{3})+),[0-9]+")
_PLAIN = re.compile(r"-?[0-9]+")
_GROUPED = re.compile(r"-?[0-9]{1,3}(?:[.'\u00a0\u202f ][0-9]{3})+")
_POINT_DECIMAL = re.compile(r"-?[0-9]{1,3}(?:[,'\u00a0\u202f ][0-9]{3})+\.[0-9]+")
_POINT_PLAIN = re.compile(r"-?[0-9]+\.[0-9]+")
_COMMA_GROUPED = re.compile(r"-?[0-9]{1,3}(?:,[0-9]{3})+")
_SIGN = r"([€$£¥₹₽₺]|EUR|USD|GBP|CHF|JPY|SEK|DKK|NOK|PLN|CZK|kr|zł|Kč|Fr\.)"
_BLANK = r"[ \u00a0\u202f]?"
_MONEY = re.compile(
    rf"-?{_BLANK}(?:{_SIGN}{_BLANK}-?{_BLANK}[0-9][0-9.,'\u00a0\u202f ]{{0,30}}"
    rf"|[0-9][0-9.,'\u00a0\u202f ]{{0,30}}{_SIGN})"
)
_SEPARATORS = ".,'\u00a0\u202f "
_LEADING_ZERO = re.compile(r"-?0[0-9]")


def with_plain_numbers(
    rows: Sequence[Sequence[str]],
) -> tuple[list[list[str]], list[str]]:
    """Return *rows*, whose first is a header, with plain numbers (1234.5), and notes on the change.

    A column is rewritten only if all its filled cells are numbers of one notation, and at least one
    of them cannot mean anything else. A currency that all of them have goes to the header; with
    different ones, the column stays.
    """
    changed = [list(row) for row in rows]
    notes = []
    for column in range(max((len(row) for row in rows), default=0)):
        cells = [
            (number, row[column].strip())
            for number, row in enumerate(rows[1:], 1)
            if len(row) > column and row[column].strip()
        ]
        currency = _currency([text for _, text in cells])
        if currency:
            cells = [(number, _without(currency, text)) for number, text in cells]
        decimal = _notation([text for _, text in cells])
        if currency and not decimal and all(_is(text, _POINT_PLAIN, _PLAIN) for _, text in cells):
            decimal = "."
        if not decimal:
            continue
        grouped = False
        for number, text in cells:
            plain = _plain(text, decimal)
            separators = set(text) & set(_SEPARATORS) - {decimal}
            grouped = grouped or bool(separators)
            changed[number][column] = plain
        header = rows[0][column][:40] if len(rows[0]) > column else ""
        if currency and len(rows[0]) > column and currency not in rows[0][column]:
            changed[0][column] = f"{rows[0][column]} ({currency})".strip()
        named = f"Column {column + 1}" + (f" ({header})" if header else "")
        did = "decimal commas became points" if decimal == "," else ""
        if grouped:
            did += (" and " if did else "") + "separators of thousands were removed"
        if currency:
            did += (", and " if did else "") + f"{currency} went from the cells to the header"
        notes.append(f"{named}: {did}.")
    return changed, notes


def _currency(cells: Sequence[str]) -> str:
    """Return the currency that all *cells* have before or behind a number, "" without one."""
    signs = {found[1] or found[2] if (found := _MONEY.fullmatch(text)) else "" for text in cells}
    return signs.pop() if len(signs) == 1 else ""


def _without(currency: str, text: str) -> str:
    """Return the number of *text*, its minus in front."""
    number = text.replace(currency, "").strip(" \u00a0\u202f")
    is_negative = "-" in number
    return ("-" if is_negative else "") + number.replace("-", "").strip(" \u00a0\u202f")


def _notation(cells: Sequence[str]) -> str:
    """Return the decimal sign that the cells of a column prove, "" to leave the column alone."""
    if any(_LEADING_ZERO.match(text) for text in cells):  # a code such as 007
        return ""
    if all(_is(text, _COMMA_DECIMAL, _PLAIN, _GROUPED) for text in cells) and any(
        _proves_comma(text) for text in cells
    ):
        return ","
    if all(
        _is(text, _POINT_DECIMAL, _POINT_PLAIN, _PLAIN, _COMMA_GROUPED) for text in cells
    ) and any(_POINT_DECIMAL.fullmatch(text) for text in cells):
        return "."
    return ""


def _is(text: str, *patterns: re.Pattern[str]) -> bool:
    return any(pattern.fullmatch(text) for pattern in patterns)


def _proves_comma(text: str) -> bool:
    """Whether the comma must be decimal: 1,234 alone could also be a thousand."""
    if not _COMMA_DECIMAL.fullmatch(text):
        return False
    whole, _, decimals = text.rpartition(",")
    digits = whole.lstrip("-")
    return len(decimals) != 3 or len(digits) > 3 or digits == "0"


def _plain(text: str, decimal: str) -> str:
    for separator in set(_SEPARATORS) - {decimal}:
        text = text.replace(separator, "")
    return text.replace(decimal, ".")
