"""Values in facts, rules and tables: their kinds, and how texts state them.

Numbers are exact decimals everywhere, so that sums of money do not depend on binary fractions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

from trainee_bench.meta_tasks.authoring.converters import CLOCK, DATE, Converter

Value = Decimal | time | date | str
"""A number, a clock time, a date, or a text."""
Listed = Value | tuple[Value, ...]
"""A value, or a list of values, as code computes them for mails and meetings."""
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,9})?")
_CLOCK = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class ValueKind(StrEnum):
    """The kinds of value."""

    NUMBER = "number"
    CLOCK = "clock"
    DATE = "date"
    TEXT = "text"


def parse_value(given: object) -> Value:
    """Return the value that YAML or a CSV cell states. Raises ValueError for lists, mappings and
    truth values."""
    if isinstance(given, bool) or given is None or isinstance(given, list | dict):
        raise ValueError("a value is a number, a clock time, a date or a text")
    if isinstance(given, datetime):
        raise ValueError("a value is a date or a clock time, not both; put a text in quotes")  # noqa: TRY004 -- pydantic
    if isinstance(given, date | time | Decimal):
        return given
    text = str(given).strip()
    if _NUMBER.fullmatch(text):
        return Decimal(text)
    if isinstance(given, int | float):
        raise ValueError(f"{text[:40]} has too many digits; write at most 18, or 9 after the point")  # noqa: TRY004 -- pydantic
    if _CLOCK.fullmatch(text):
        return time.fromisoformat(text)
    if _DATE.fullmatch(text):
        try:
            return date.fromisoformat(text)
        except ValueError:
            return text
    return text


def kind_of(value: Value) -> ValueKind:
    """Return the kind of a value."""
    if isinstance(value, Decimal):
        return ValueKind.NUMBER
    if isinstance(value, time):
        return ValueKind.CLOCK
    return ValueKind.DATE if isinstance(value, date) else ValueKind.TEXT


def write_value(value: Listed) -> str:
    """Return a value as texts state it: 2.5, 14:30, 2026-03-02, or the text itself; a list with
    commas."""
    if isinstance(value, tuple):
        return ", ".join(map(write_value, value))
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, time):
        return f"{value:%H:%M}"
    return value.isoformat() if isinstance(value, date) else value


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError(text) from None


_CONVERTERS: Mapping[ValueKind, Converter[Any]] = {
    ValueKind.NUMBER: Converter(r"-?\d{1,18}(?:\.\d{1,9})?", _decimal, "{:f}".format),
    ValueKind.CLOCK: CLOCK,
    ValueKind.DATE: DATE,
    ValueKind.TEXT: Converter(r"[^\n]+?", str),
}


def converter_of(kind: ValueKind) -> Converter[Any]:
    """Return the converter that writes and reads values of a kind within a text."""
    return _CONVERTERS[kind]


StatedValue = Annotated[Value, BeforeValidator(parse_value), PlainSerializer(write_value)]
"""A value in a file."""


def parse_cells(rows: list[dict[str, str]]) -> list[dict[str, Value]]:
    """Return the rows of a table with their numbers, times and dates. A column is of a kind if all
    its filled cells are; ids such as 007 stay texts."""
    parsed = [{name: parse_value(cell) for name, cell in row.items()} for row in rows]
    for name in rows[0] if rows else ():
        kinds = {kind_of(row[name]) for row in parsed if row[name] != ""}
        if len(kinds) > 1:
            for row, written in zip(parsed, rows, strict=True):
                row[name] = written[name]
    return parsed
