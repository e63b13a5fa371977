"""The working days of a world that has several: their dates, and the calendar weeks they lie in.

Such a world begins on a Monday. After each Friday the next working day is a Monday.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from trainee_bench.world.transaction import WorkingDay

WORKING_WEEK = 5
"""The number of working days from Monday to Friday."""


def working_date(monday: date, number: int) -> date:
    """Return the date of working day *number* (from 0), counted from *monday* without weekends."""
    weeks, weekday = divmod(number, WORKING_WEEK)
    return monday + timedelta(weeks=weeks, days=weekday)


def days_of_week(days: Sequence[WorkingDay], place: int) -> tuple[WorkingDay, ...]:
    """Return those of *days* that lie in the same calendar week as day number *place* of them."""
    week = days[place].starts.isocalendar()[:2]
    return tuple(day for day in days if day.starts.isocalendar()[:2] == week)
