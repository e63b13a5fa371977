"""Months are written, read back and counted backwards."""

from __future__ import annotations

import re
from datetime import date

import pytest

from trainee_bench.meta_tasks.authoring import MONTH, MONTH_NAMES, month_before


@pytest.mark.parametrize("number", range(1, 13))
def test_every_month_is_read_as_it_was_written(number: int) -> None:
    month = date(2025, number, 1)
    text = MONTH.render(month)
    assert text == f"{MONTH_NAMES[number - 1]} 2025" and re.fullmatch(MONTH.pattern, text)
    assert MONTH.parse(text) == month


def test_the_months_before_reach_into_earlier_years() -> None:
    assert month_before(date(2025, 3, 31)) == date(2025, 2, 1)
    assert month_before(date(2025, 3, 31), 3) == date(2024, 12, 1)
    assert month_before(date(2025, 3, 31), 0) == date(2025, 3, 1)
