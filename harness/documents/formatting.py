"""Numbers as text: the same way in every table."""

from __future__ import annotations

from collections.abc import Sequence

NO_VALUE = "–"
UNKNOWN = "unknown"


def format_number(value: float | None, digits: int = 2) -> str:
    """A number, or a dash for none."""
    return NO_VALUE if value is None else f"{value:,.{digits}f}"


def format_count(count: int) -> str:
    """A count, or a dash for zero."""
    return str(count) if count else NO_VALUE


def format_share(count: int, whole: int) -> str:
    """A count with its share of *whole*, such as "3 (75%)"; a dash where *whole* is zero."""
    return f"{count} ({count / whole:.0%})" if whole else NO_VALUE


def format_total(values: Sequence[float | None], digits: int) -> str:
    """The sum of the known values.

    "unknown" where none is known, "at least" the sum where some are not, a dash for no values.
    """
    known = [value for value in values if value is not None]
    if not values:
        return NO_VALUE
    if not known:
        return UNKNOWN
    text = format_number(sum(known), digits)
    missing = len(values) - len(known)
    return f"at least {text} ({missing} unknown)" if missing else text


def pluralize(number: int, noun: str) -> str:
    """*number* and *noun*, which gets an s unless the number is 1."""
    return f"{number} {noun}" + ("" if number == 1 else "s")
