"""Numbers as text, formatted alike in every table."""

from __future__ import annotations

from collections.abc import Sequence

NO_VALUE = "–"
UNKNOWN = "unknown"


def format_number(value: float | None, digits: int = 2) -> str:
    """Format a number; None becomes a dash."""
    return NO_VALUE if value is None else f"{value:,.{digits}f}"


def format_count(count: int) -> str:
    """Format a count; zero becomes a dash."""
    return str(count) if count else NO_VALUE


def format_share(count: int, whole: int) -> str:
    """Format a count with its share of *whole*, such as "3 (75%)"; a dash if *whole* is zero."""
    return f"{count} ({count / whole:.0%})" if whole else NO_VALUE


def format_total(values: Sequence[float | None], digits: int) -> str:
    """Format the sum of the known values.

    "unknown" if none is known, "at least" the sum if some are not, a dash if there are no values.
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
    """Return *number* and *noun*, with a plural s unless the number is 1."""
    return f"{number} {noun}" + ("" if number == 1 else "s")
