"""Data sets in which columns are multiplied, all numbers such that nothing is lost by rounding."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from math import gcd
from random import Random

from trainee_bench.meta_tasks.families.data_completion.dataset_kind import SelfContainedKind
from trainee_bench.meta_tasks.families.data_completion.row_labels import draw_codes
from trainee_bench.meta_tasks.families.data_completion.table import BlankCells, Row, format_decimal

_WHOLE = 10_000
"""A click-through rate of 1, in units of its last decimal."""
_COARSEST = 400
"""Impressions are multiples of at most this, so that there are many of them."""


@dataclass(frozen=True)
class DepreciationKind(SelfContainedKind):
    """What a thing has cost is its salvage value and so many equal months."""

    def draw_rows(self, draws: Random, dug: BlankCells, rows: int, month: date) -> list[Row]:
        """Months, monthly amount and salvage value drawn, so that the cost is exact."""
        return [self._row(draws, code) for code in draw_codes(draws, "F", rows)]

    def _row(self, draws: Random, code: str) -> Row:
        monthly, salvage = draws.randint(10_000, 300_000), draws.randint(50_000, 300_000)
        # the original's four lives would be right once in four guesses
        months = draws.randint(12, 96)
        cost = format_decimal(monthly * months + salvage)
        return [code, cost, format_decimal(salvage), str(months), format_decimal(monthly)]


@dataclass(frozen=True)
class FunnelKind(SelfContainedKind):
    """Clicks are impressions times a rate of four decimals, without a remainder."""

    def draw_rows(self, draws: Random, dug: BlankCells, rows: int, month: date) -> list[Row]:
        """Rates drawn, and impressions of which they give whole clicks."""
        return [self._row(draws, code) for code in draw_codes(draws, "C", rows)]

    def _row(self, draws: Random, code: str) -> Row:
        rate = draws.choice(_RATES)
        step = _WHOLE // gcd(rate, _WHOLE)
        impressions = step * draws.randint(-(-1_000 // step), 10_000 // step)
        clicks = impressions * rate // _WHOLE
        return [code, str(impressions), format_decimal(rate, 4), str(clicks)]


_RATES = [rate for rate in range(100, 2_001) if _WHOLE // gcd(rate, _WHOLE) <= _COARSEST]

DEPRECIATION = DepreciationKind(
    name="finance.depreciation_straight_line",
    columns=("entity", "cost", "salvage", "life_months", "monthly_dep"),
    decimals={"cost": 2, "salvage": 2, "life_months": 0, "monthly_dep": 2},
)
FUNNEL = FunnelKind(
    name="web.funnel",
    columns=("entity", "impressions", "ctr", "clicks"),
    decimals={"impressions": 0, "ctr": 4, "clicks": 0},
)
