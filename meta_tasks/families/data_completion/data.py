"""The twelve kinds of data set, and drawing the rows of the ten self-contained kinds.

In some kinds each row is independent; in others it depends on rows before or after it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise
from math import gcd
from random import Random

from trainee_bench.meta_tasks.families.data_completion.subject.dataset import (
    NOT_APPLICABLE,
    QUARTERS,
    BlankCells,
    DatasetKind,
    Row,
    SelfContainedKind,
    draw_codes,
    draw_day,
    format_decimal,
    round_half_away,
)
from trainee_bench.meta_tasks.families.data_completion.subject.rates import (
    CarrierTerms,
    FeeRate,
    RateDatasetKind,
    draw_carrier_terms,
    draw_fee_rate,
    draw_shipments,
    draw_transactions,
)

_WHOLE = 10_000
"""A click-through rate of 1, in units of its last decimal."""
_COARSEST = 400
"""Impressions are multiples of a step of at most this, so that there are many to draw from."""
_RATES = [rate for rate in range(100, 2_001) if _WHOLE // gcd(rate, _WHOLE) <= _COARSEST]
_WINDOW = 7
_LEAST_STOCK, _MOST_STOCK = 100_00, 2_000_00
_MILLIONTHS = 1_000_000


class DatasetName(StrEnum):
    """Names of the kinds, which are also the titles of their sections in the manual."""

    QUARTER_FROM_MONTHS = "sales.quarter_from_months"
    QOQ_RATE = "sales.qoq_rate"
    TAX_FEE = "transactions.tax_fee"
    TOTAL_FROM_ITEMS = "transactions.total_from_items"
    ENDING_FROM_FLOW = "inventory.ending_from_flow"
    DAILY_INTERPOLATION = "inventory.daily_interpolation"
    ACCOUNT_BALANCE = "finance.account_balance_from_details"
    DEPRECIATION = "finance.depreciation_straight_line"
    ETA_DISTANCE_SLA = "logistics.eta_distance_sla"
    SEGMENT_TIME_SUM = "logistics.segment_time_sum"
    ROLLING_AVG = "web.rolling_avg"
    FUNNEL = "web.funnel"


# independent rows ---------------------------------------------------------------------------


def _independent_kind(
    labels: tuple[str, ...],
    prefix: str,
    decimals: Mapping[str, int],
    draw_numbers: Callable[[Random], list[str]],
) -> SelfContainedKind:
    """Create a kind with independent rows, each for a unit whose code begins with *prefix*.

    The first of *labels* is the column of the code; a second one may be a day, or a quarter (then
    each unit has a row for each quarter). *draw_numbers* draws the printed numbers of a row, which
    satisfy the formula exactly.
    """

    def draw_rows(draws: Random, dug: BlankCells, rows: int, month: date) -> list[Row]:
        if "quarter" in labels:
            codes = draw_codes(draws, prefix, rows // len(QUARTERS))
            about = [[code, quarter] for code in codes for quarter in QUARTERS]
        else:
            dated = len(labels) > 1
            codes = draw_codes(draws, prefix, rows)
            about = [[code, draw_day(draws, month)] if dated else [code] for code in codes]
        return [[*label, *draw_numbers(draws)] for label in about]

    return SelfContainedKind((*labels, *decimals), decimals, draw_rows)


def _sum_kind(
    labels: tuple[str, ...],
    prefix: str,
    parts: Mapping[str, tuple[int, int]],
    total: str,
    subtracted: tuple[str, ...] = (),
) -> SelfContainedKind:
    """Create a kind whose last column is the sum of the *parts*, minus those in *subtracted*.

    Parts are drawn uniformly between their bounds, which are in hundredths; none is 0.
    """

    def draw_numbers(draws: Random) -> list[str]:
        drawn = {part: draws.randint(*bounds) or 1 for part, bounds in parts.items()}
        signed = (-value if part in subtracted else value for part, value in drawn.items())
        return list(map(format_decimal, (*drawn.values(), sum(signed))))

    return _independent_kind(labels, prefix, dict.fromkeys((*parts, total), 2), draw_numbers)


def _draw_depreciation(draws: Random) -> list[str]:
    """Draw cost, salvage value, months of life and monthly amount, without a remainder."""
    monthly, salvage = draws.randint(10_000, 300_000), draws.randint(50_000, 300_000)
    # The original has only four lives, so one in four guesses would be right.
    months = draws.randint(12, 96)
    cost = format_decimal(monthly * months + salvage)
    return [cost, format_decimal(salvage), str(months), format_decimal(monthly)]


def _draw_funnel(draws: Random) -> list[str]:
    """Draw impressions, click-through rate (four decimals) and clicks, without a remainder."""
    rate = draws.choice(_RATES)
    step = _WHOLE // gcd(rate, _WHOLE)
    impressions = step * draws.randint(-(-1_000 // step), 10_000 // step)
    return [str(impressions), format_decimal(rate, 4), str(impressions * rate // _WHOLE)]


# quarterly growth ---------------------------------------------------------------------------


def _draw_growth(draws: Random, dug: BlankCells, rows: int, month: date) -> list[Row]:
    """Draw quarterly totals of all units with their growth, ordered by quarter.

    Totals rise from about 12,000 to about 18,000, by about 2,000 in a quarter. Six decimals of
    growth are enough to recover a whole total.
    """
    named = draw_codes(draws, "B", rows // len(QUARTERS))
    totals = [draws.randint(11_500, 12_500) for _ in named]
    made: list[Row] = [
        [code, QUARTERS[0], str(total), NOT_APPLICABLE]
        for code, total in zip(named, totals, strict=True)
    ]
    for number, quarter in enumerate(QUARTERS[1:], start=2):
        before, totals = totals, [_grown(draws, number, total) for total in totals]
        for code, last, now in zip(named, before, totals, strict=True):
            growth = Fraction(now - last, last)
            is_blank = dug.get(len(made)) == "qoq"
            cell = growth if is_blank else round_half_away(growth, 6)
            made.append([code, quarter, str(now), cell])
    return made


def _grown(draws: Random, quarter: int, before: int) -> int:
    """Draw a total whose growth is not nearly halfway between two printed values."""
    while True:
        total = draws.randint(9_500 + 2_000 * quarter, 10_500 + 2_000 * quarter)
        rest = (total - before) * _MILLIONTHS % before
        if abs(2 * rest - before) * 20 > before:
            return total


def _growth_is_solvable(dug: BlankCells, run: range, rows: int) -> bool:
    """Return whether no first-quarter growth is blank and all values of the units can be found."""
    units = rows // len(QUARTERS)
    return all(
        (row >= units or dug[row] == "quarter_total") and _recoverable(dug, row % units, units)
        for row in run
    )


def _recoverable(dug: BlankCells, unit: int, units: int) -> bool:
    """Return whether each blank of a unit can be found step by step.

    A quarter's growth, its total and the total before it: any two of them give the third.
    """
    cells = {quarter: dug.get(quarter * units + unit) for quarter in range(len(QUARTERS))}
    unknown = {(quarter, column) for quarter, column in cells.items() if column is not None}
    while unknown:
        for quarter in range(1, len(QUARTERS)):
            three = {(quarter, "qoq"), (quarter, "quarter_total"), (quarter - 1, "quarter_total")}
            if len(three & unknown) == 1:
                unknown -= three
                break
        else:
            return False
    return True


# daily series -------------------------------------------------------------------------------


def _days_until(month: date, rows: int) -> list[str]:
    """Return *rows* consecutive days that end with the last day of *month*."""
    after = (month + timedelta(days=31)).replace(day=1)
    return [str(after - timedelta(days=back)) for back in range(rows, 0, -1)]


def _draw_stock(draws: Random, dug: BlankCells, rows: int, month: date) -> list[Row]:
    """Draw a stock that rises or falls every day, by the same amount for all days of a gap."""
    days = _days_until(month, rows)
    shown = [row for row in range(rows) if row not in dug]
    level = draws.randint(300_00, 900_00)
    made: list[Row] = [[days[0], format_decimal(level)]]
    for before, after in pairwise(shown):
        step = draws.randint(4_00, 40_00) * (after - before) + draws.randint(0, 99)
        steps = [s for s in (step, -step) if _LEAST_STOCK <= level + s <= _MOST_STOCK]
        next_level = level + draws.choice(steps)
        for row in range(before + 1, after):
            part = Fraction((next_level - level) * (row - before), after - before)
            made.append([days[row], (level + part) / 100])
        made.append([days[after], format_decimal(next_level)])
        level = next_level
    return made


def _gap_has_ends(dug: BlankCells, run: range, rows: int) -> bool:
    """Return whether a gap has a day before and a day after it."""
    return run.start > 0 and run.stop < rows


def _draw_visits(draws: Random, dug: BlankCells, rows: int, month: date) -> list[Row]:
    """Draw daily visits and their rolling mean over up to seven days.

    Visits are whole, so no mean is halfway between two printed values.
    """
    visits = [draws.randint(1_000, 9_999) for _ in range(rows)]
    made: list[Row] = []
    for row, day in enumerate(_days_until(month, rows)):
        window = visits[max(0, row + 1 - _WINDOW) : row + 1]
        mean = Fraction(sum(window), len(window))
        made.append([day, str(visits[row]), mean if row in dug else round_half_away(mean, 4)])
    return made


# all kinds ----------------------------------------------------------------------------------

DATASET_KINDS: Mapping[str, DatasetKind] = {
    DatasetName.QUARTER_FROM_MONTHS: _sum_kind(
        ("entity", "quarter"),
        "B",
        dict.fromkeys(("m1", "m2", "m3"), (1_000_00, 10_000_00)),
        "quarter_total",
    ),
    DatasetName.QOQ_RATE: SelfContainedKind(
        columns=("entity", "quarter", "quarter_total", "qoq"),
        decimals={"quarter_total": 0, "qoq": 6},
        is_solvable=_growth_is_solvable,
        draw_rows=_draw_growth,
    ),
    DatasetName.TAX_FEE: RateDatasetKind(
        columns=("entity", "date", "category", "amount", "fee"),
        decimals={"amount": 2, "fee": 2},
        category_column="category",
        categories=("A", "B", "C"),
        published=tuple(FeeRate(Fraction(percent, 100)) for percent in (5, 8, 10)),
        draw_rate=draw_fee_rate,
        draw_seen=draw_transactions,
    ),
    DatasetName.TOTAL_FROM_ITEMS: _sum_kind(
        ("entity", "date"),
        "K",
        dict.fromkeys(("item_a", "item_b", "item_c"), (10_00, 500_00)),
        "total",
    ),
    DatasetName.ENDING_FROM_FLOW: _sum_kind(
        ("entity", "day"),
        "P",
        {"begin": (100_00, 300_00), "inbound": (0, 50_00)}
        | {"outbound": (0, 50_00), "shrinkage": (0, 5_00)},
        "ending",
        subtracted=("outbound", "shrinkage"),
    ),
    DatasetName.DAILY_INTERPOLATION: SelfContainedKind(
        columns=("day", "stock_level"),
        decimals={"stock_level": 2},
        is_solvable=_gap_has_ends,
        draw_rows=_draw_stock,
    ),
    DatasetName.ACCOUNT_BALANCE: _sum_kind(
        ("entity",),
        "L",
        {"detail1": (100_00, 1_000_00), "detail2": (-200_00, 800_00), "detail3": (-100_00, 500_00)},
        "balance",
    ),
    DatasetName.DEPRECIATION: _independent_kind(
        ("entity",),
        "F",
        {"cost": 2, "salvage": 2, "life_months": 0, "monthly_dep": 2},
        _draw_depreciation,
    ),
    DatasetName.ETA_DISTANCE_SLA: RateDatasetKind(
        columns=("shipment", "distance_km", "carrier", "eta_hours"),
        decimals={"distance_km": 1, "eta_hours": 4},
        category_column="carrier",
        categories=("X", "Y", "Z"),
        published=(
            CarrierTerms(Fraction(60), Fraction("1.0")),
            CarrierTerms(Fraction(50), Fraction("1.5")),
            CarrierTerms(Fraction(70), Fraction("0.8")),
        ),
        draw_rate=draw_carrier_terms,
        draw_seen=draw_shipments,
    ),
    DatasetName.SEGMENT_TIME_SUM: _sum_kind(
        ("job",), "J", dict.fromkeys(("seg1", "seg2", "seg3"), (50, 300)), "total_time"
    ),
    DatasetName.ROLLING_AVG: SelfContainedKind(
        columns=("day", "metric", "rolling_7d"), decimals={"rolling_7d": 4}, draw_rows=_draw_visits
    ),
    DatasetName.FUNNEL: _independent_kind(
        ("entity",), "C", {"impressions": 0, "ctr": 4, "clicks": 0}, _draw_funnel
    ),
}
