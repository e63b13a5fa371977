"""Data sets whose relation needs rates that are not in the file: a colleague knows them.

Rows of earlier months are complete and follow older rates; every row of the current month has
a blank. What is seen of that month is drawn openly, what is blank follows from the secret.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from random import Random

from trainee_bench.meta_tasks.families.data_completion.dataset_kind import (
    DatasetKind,
    is_far_off,
    is_guessable,
)
from trainee_bench.meta_tasks.families.data_completion.row_labels import draw_codes, draw_day
from trainee_bench.meta_tasks.families.data_completion.table import (
    BlankCell,
    BlankCells,
    GappedTable,
    Row,
    TableSize,
    format_decimal,
    previous_month,
    round_half_away,
    rounding_slack,
    with_blanks,
)
from trainee_bench.meta_tasks.task_context import TaskContext

RATES_CLUE = "rates"
"""The clue that tells the current rates, and whose stream they come from."""
_EARLIER = 3
"""Months before the current one that a file goes back."""
_NEW_GROUP = 1 / 9

Rate = tuple[int, ...]
"""What holds for one category or carrier, in units of its own."""
Rates = Mapping[str, Rate]


@dataclass(frozen=True)
class RateDatasetKind(DatasetKind):
    """Rows of a category (or carrier) and two values that its rate joins.

    ``by`` is the category's column, ``published`` the rates of the original, which somebody
    may remember: they never hold. ``department`` knows the current rates.
    """

    category_column: str
    categories: tuple[str, ...]
    published: tuple[Rate, ...]
    department: str

    @abstractmethod
    def rate(self, draws: Random) -> Rate:
        """A rate that is possible."""

    @abstractmethod
    def seen(self, draws: Random, dug: BlankCells, rows: int, month: date, old: Rates) -> list[Row]:
        """Complete rows of earlier months, and those of *month* with "" for what is blank."""

    @abstractmethod
    def value(self, row: Sequence[str | Fraction], column: str, rate: Rate) -> Fraction:
        """What *column* comes to in a row, at a rate."""

    @abstractmethod
    def told(self, category: str, rate: Rate) -> str:
        """A rate in the words of a colleague."""

    def table(self, context: TaskContext, size: TableSize) -> GappedTable:
        """What is seen from the open streams, what is blank from the secret as well.

        At no blank comes a rate near the right value that holds no more, or that the original had.
        """
        rows, month = size.rows, previous_month(context.day.starts.date())
        dug = self.draw_blank_cells(context.stream("blanks"), rows, size)
        old = dict(zip(self.categories, self._rates(context.stream("old rates")), strict=True))
        full = self.seen(context.stream("values"), dug, rows, month, old)
        wrong, secret = (*old.values(), *self.published), context.secret_stream(RATES_CLUE)
        while True:
            current = self._current(secret, full, dug, wrong)
            for row, column in dug.items():
                rate = current[str(full[row][self._at(self.category_column)])]
                full[row][self._at(column)] = self.value(full[row], column, rate)
            table = with_blanks(self.columns, self.decimals, full, dug)
            if not is_guessable(table):
                told = ", ".join(self.told(*pair) for pair in current.items())
                return GappedTable(table.columns, table.rows, table.blanks, told)

    def _rates(self, draws: Random) -> Iterator[Rate]:
        """A different rate for each category."""
        drawn: list[Rate] = []
        while len(drawn) < len(self.categories):
            rate = self.rate(draws)
            if rate not in drawn:
                drawn.append(rate)
        return iter(drawn)

    def _current(
        self, secret: Random, full: Sequence[Row], dug: BlankCells, wrong: Sequence[Rate]
    ) -> Rates:
        """Other rates for each category; what is rejected depends on what is seen alone."""
        current: dict[str, Rate] = {}
        for category in self.categories:
            own = {
                r: c for r, c in dug.items() if full[r][self._at(self.category_column)] == category
            }
            answers = [
                (row, self.value(full[row], column, rate))
                for row, column in own.items()
                for rate in wrong
            ]
            while category not in current:
                rate = self.rate(secret)
                blanks = {row: self._blank(full[row], row, own[row], rate) for row in own}
                is_new = rate not in (*wrong, *current.values())
                if is_new and all(is_far_off(value, blanks[row]) for row, value in answers):
                    current[category] = rate
        return current

    def _blank(self, row: Row, number: int, column: str, rate: Rate) -> BlankCell:
        value = self.value(row, column, rate)
        return BlankCell(number, self._at(column), value, rounding_slack(self.decimals[column]))

    def _at(self, column: str) -> int:
        return self.columns.index(column)


@dataclass(frozen=True)
class TaxFeeKind(RateDatasetKind):
    """Transactions by customer, with a fee that depends on the category; rates in per mille."""

    def rate(self, draws: Random) -> Rate:
        """From 3.0 to 14.9 per cent."""
        return (draws.randint(30, 149),)

    def seen(self, draws: Random, dug: BlankCells, rows: int, month: date, old: Rates) -> list[Row]:
        """By customer, and by date within a customer."""
        groups = _groups(draws, dug, rows)
        made: list[Row] = []
        for code, group in zip(draw_codes(draws, "K", len(groups)), groups, strict=True):
            for row, day in zip(group, _days(draws, dug, group, month), strict=True):
                category, amount = draws.choice(self.categories), draws.randint(10_000, 500_000)
                fee = round_half_away(Fraction(amount * old[category][0], 100_000), 2)
                if dug.get(row) == "fee":
                    fee = ""
                elif row in dug:
                    fee = format_decimal(draws.randint(1_000, 25_000))
                amount_or_blank = "" if dug.get(row) == "amount" else format_decimal(amount)
                made.append([code, day, category, amount_or_blank, fee])
        return made

    def value(self, row: Sequence[str | Fraction], column: str, rate: Rate) -> Fraction:
        """The fee is the amount times the rate."""
        share = Fraction(rate[0], 1_000)
        return Fraction(row[3]) * share if column == "fee" else Fraction(row[4]) / share

    def told(self, category: str, rate: Rate) -> str:
        """Such as "A 6.3 %"."""
        return f"{category} {format_decimal(rate[0], 1)} %"


def _groups(draws: Random, dug: BlankCells, rows: int) -> list[list[int]]:
    """The rows of each customer: those of the current month, with the blanks, are the last."""
    groups = [[0]]
    for row in range(1, rows):
        if row not in dug and (row - 1 in dug or draws.random() < _NEW_GROUP):
            groups.append([])
        groups[-1].append(row)
    return groups


def _days(draws: Random, dug: BlankCells, group: Sequence[int], month: date) -> list[str]:
    """Ascending days for a customer's rows."""
    return sorted(draw_day(draws, month if row in dug else _earlier(draws, month)) for row in group)


def _earlier(draws: Random, month: date) -> date:
    """A month before *month*."""
    for _ in range(draws.randint(1, _EARLIER)):
        month = (month - timedelta(days=1)).replace(day=1)
    return month


@dataclass(frozen=True)
class EtaDistanceSlaKind(RateDatasetKind):
    """Shipments, whose hours are their way at the carrier's speed (km/h) and its handling
    (hundredths of an hour)."""

    def rate(self, draws: Random) -> Rate:
        """40 to 90 km/h, and 0.50 to 2.50 h in steps of 0.05."""
        return draws.randint(40, 90), 5 * draws.randint(10, 50)

    def seen(self, draws: Random, dug: BlankCells, rows: int, month: date, old: Rates) -> list[Row]:
        """Shipments whose number tells the month, in no order of time."""
        made: list[Row] = []
        for row, serial in enumerate(draws.sample(range(1_000, 10_000), rows)):
            carrier, km = draws.choice(self.categories), draws.randint(500, 8_000)
            when = month if row in dug else _earlier(draws, month)
            cells: Row = [f"S{when:%y%m}-{serial}", format_decimal(km, 1), carrier, ""]
            if row not in dug:
                # four decimals: the distance can be found again to a tenth of a kilometre
                cells[3] = round_half_away(self.value(cells, "eta_hours", old[carrier]), 4)
            elif dug[row] == "distance_km":
                cells[1], cells[3] = "", format_decimal(draws.randint(35_000, 90_000), 4)
            made.append(cells)
        return made

    def value(self, row: Sequence[str | Fraction], column: str, rate: Rate) -> Fraction:
        """Hours are distance over speed, and handling."""
        speed, handling = rate[0], Fraction(rate[1], 100)
        if column == "eta_hours":
            return Fraction(row[1]) / speed + handling
        return (Fraction(row[3]) - handling) * speed

    def told(self, category: str, rate: Rate) -> str:
        """Such as "X 57 km/h and 1.30 h of handling"."""
        return f"{category} {rate[0]} km/h and {format_decimal(rate[1])} h of handling"


TAX_FEE = TaxFeeKind(
    name="transactions.tax_fee",
    columns=("entity", "date", "category", "amount", "fee"),
    decimals={"amount": 2, "fee": 2},
    category_column="category",
    categories=("A", "B", "C"),
    published=((50,), (80,), (100,)),
    department="Finance",
)
ETA_DISTANCE_SLA = EtaDistanceSlaKind(
    name="logistics.eta_distance_sla",
    columns=("shipment", "distance_km", "carrier", "eta_hours"),
    decimals={"distance_km": 1, "eta_hours": 4},
    category_column="carrier",
    categories=("X", "Y", "Z"),
    published=((60, 100), (50, 150), (70, 80)),
    department="Sales_1",
)
