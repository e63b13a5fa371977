"""The first columns of a table: which unit, which day, which quarter a row is about."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from random import Random

QUARTERS = ("2024-Q1", "2024-Q2", "2024-Q3", "2024-Q4")
DAYS = 28
"""Days that every month has."""

LabelFactory = Callable[[Random, int, date], list[tuple[str, ...]]]
"""Labels of so many rows of a month."""


def draw_codes(draws: Random, prefix: str, count: int) -> list[str]:
    """Different codes, in ascending order."""
    return [f"{prefix}-{number}" for number in sorted(draws.sample(range(1_000, 10_000), count))]


def unit_labels(prefix: str) -> LabelFactory:
    """One row for each unit."""
    return lambda draws, rows, month: [(code,) for code in draw_codes(draws, prefix, rows)]


def dated_labels(prefix: str) -> LabelFactory:
    """One row for each unit, on some day of the month."""

    def labels(draws: Random, rows: int, month: date) -> list[tuple[str, ...]]:
        return [(code, draw_day(draws, month)) for code in draw_codes(draws, prefix, rows)]

    return labels


def quarterly_labels(prefix: str) -> LabelFactory:
    """A row for each quarter of each unit."""

    def labels(draws: Random, rows: int, month: date) -> list[tuple[str, ...]]:
        named = draw_codes(draws, prefix, rows // len(QUARTERS))
        return [(code, quarter) for code in named for quarter in QUARTERS]

    return labels


def draw_day(draws: Random, month: date) -> str:
    """A day of *month*."""
    return str(month.replace(day=draws.randint(1, DAYS)))


def days_until(month: date, rows: int) -> list[str]:
    """So many days, one after the other, up to the end of *month*."""
    after = (month + timedelta(days=31)).replace(day=1)
    return [str(after - timedelta(days=back)) for back in range(rows, 0, -1)]
