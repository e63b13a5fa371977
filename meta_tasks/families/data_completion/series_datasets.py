"""Data sets in which a row depends on rows before or after it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import pairwise
from random import Random

from trainee_bench.meta_tasks.families.data_completion.dataset_kind import (
    NOT_APPLICABLE,
    SelfContainedKind,
)
from trainee_bench.meta_tasks.families.data_completion.row_labels import (
    QUARTERS,
    days_until,
    draw_codes,
)
from trainee_bench.meta_tasks.families.data_completion.table import (
    BlankCells,
    Row,
    format_decimal,
    round_half_away,
)

_WINDOW = 7
_LEAST_STOCK, _MOST_STOCK = 100_00, 2_000_00
_MILLIONTHS = 1_000_000


@dataclass(frozen=True)
class QuarterlyGrowthKind(SelfContainedKind):
    """Totals by quarter, all units' first quarters first, each with its growth.

    Growth has six decimals, which is enough to find a whole total again.
    """

    @property
    def rows_per_size_unit(self) -> int:
        """One for each quarter."""
        return len(QUARTERS)

    def is_solvable(self, dug: BlankCells, run: range, rows: int) -> bool:
        """No growth is blank where there is none, and every unit can be followed through."""
        units = rows // len(QUARTERS)
        return all(
            (row >= units or dug[row] == "quarter_total") and _followed(dug, row % units, units)
            for row in run
        )

    def draw_rows(self, draws: Random, dug: BlankCells, rows: int, month: date) -> list[Row]:
        """Totals of 12,000 to 18,000, growing by about 2,000 in a quarter."""
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
    """A total whose growth is not nearly halfway between two printed values."""
    while True:
        total = draws.randint(9_500 + 2_000 * quarter, 10_500 + 2_000 * quarter)
        rest = (total - before) * _MILLIONTHS % before
        if abs(2 * rest - before) * 20 > before:
            return total


def _followed(dug: BlankCells, unit: int, units: int) -> bool:
    """Whether each blank of a unit can be found: again and again a quarter's growth, its total
    or the total before it, from the other two."""
    unknown = {(quarter, dug.get(quarter * units + unit)) for quarter in range(len(QUARTERS))}
    unknown = {(quarter, column) for quarter, column in unknown if column is not None}
    while unknown:
        for quarter in range(1, len(QUARTERS)):
            three = {(quarter, "qoq"), (quarter, "quarter_total"), (quarter - 1, "quarter_total")}
            if len(three & unknown) == 1:
                unknown -= three
                break
        else:
            return False
    return True


@dataclass(frozen=True)
class InterpolationKind(SelfContainedKind):
    """The stock of each day; in a gap it goes evenly from the day before to the day after it."""

    def is_solvable(self, dug: BlankCells, run: range, rows: int) -> bool:
        """A gap has a day before and a day after it."""
        return run.start > 0 and run.stop < rows

    def draw_rows(self, draws: Random, dug: BlankCells, rows: int, month: date) -> list[Row]:
        """A stock that rises or falls every day, by as much for each day of a gap."""
        days = days_until(month, rows)
        shown = [row for row in range(rows) if row not in dug]
        level = draws.randint(300_00, 900_00)
        made: list[Row] = [[days[0], format_decimal(level)]]
        for before, after in pairwise(shown):
            step = draws.randint(4_00, 40_00) * (after - before) + draws.randint(0, 99)
            can = [s for s in (step, -step) if _LEAST_STOCK <= level + s <= _MOST_STOCK]
            then = level + draws.choice(can)
            for row in range(before + 1, after):
                part = Fraction((then - level) * (row - before), after - before)
                made.append([days[row], (level + part) / 100])
            made.append([days[after], format_decimal(then)])
            level = then
        return made


@dataclass(frozen=True)
class RollingAverageKind(SelfContainedKind):
    """Visits of each day, and the mean of the last seven days, or as many as there are."""

    def draw_rows(self, draws: Random, dug: BlankCells, rows: int, month: date) -> list[Row]:
        """Whole visits, so that no mean lies halfway between two printed values."""
        visits = [draws.randint(1_000, 9_999) for _ in range(rows)]
        made: list[Row] = []
        for row, day in enumerate(days_until(month, rows)):
            window = visits[max(0, row + 1 - _WINDOW) : row + 1]
            mean = Fraction(sum(window), len(window))
            made.append([day, str(visits[row]), mean if row in dug else round_half_away(mean, 4)])
        return made


QOQ_RATE = QuarterlyGrowthKind(
    name="sales.qoq_rate",
    columns=("entity", "quarter", "quarter_total", "qoq"),
    decimals={"quarter_total": 0, "qoq": 6},
)
DAILY_INTERPOLATION = InterpolationKind(
    name="inventory.daily_interpolation",
    columns=("day", "stock_level"),
    decimals={"stock_level": 2},
)
ROLLING_AVG = RollingAverageKind(
    name="web.rolling_avg",
    columns=("day", "metric", "rolling_7d"),
    decimals={"rolling_7d": 4},
)
