"""Months: how one is written ("September 2025"), and which came before."""

from __future__ import annotations

from datetime import date, timedelta

from trainee_bench.meta_tasks.authoring.converters import Converter

MONTH_NAMES = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def month_before(day: date, count: int = 1) -> date:
    """The first day of the month that lies *count* months before the one of *day*."""
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
"""A month, written as "September 2025" and known by its first day."""
