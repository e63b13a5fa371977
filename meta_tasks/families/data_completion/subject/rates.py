"""Data sets whose formulas need rates that only a colleague knows.

Rows of earlier months are complete and follow older rates; every row of the current month has a
blank. Visible cells are drawn from public streams, and blanks follow from the secret rates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from random import Random
from typing import NamedTuple

from trainee_bench.meta_tasks.authoring import TaskContext, month_before
from trainee_bench.meta_tasks.families.data_completion.subject.dataset import (
    MIN_GUESS_ERROR,
    BlankCells,
    DatasetKind,
    GappedTable,
    Row,
    TableSize,
    draw_codes,
    draw_day,
    format_decimal,
    is_guessable,
    round_half_away,
    rounding_slack,
)

RATES_CLUE = "rates"
"""Name of the clue with the current rates, and of the secret stream that they are drawn from."""
_EARLIER = 3
"""Number of months before the current one that a file covers."""
_NEW_GROUP = 1 / 9


class FeeRate(NamedTuple):
    """The fee as a share of the amount, named as in the manual."""

    rate: Fraction

    def value(self, row: Row, column: str) -> Fraction:
        """Calculate *column* of a row: the fee is the amount times the rate."""
        return Fraction(row[3]) * self.rate if column == "fee" else Fraction(row[4]) / self.rate


class CarrierTerms(NamedTuple):
    """A carrier's speed in km/h and handling time in hours, named as in the manual."""

    speed: Fraction
    handling: Fraction

    def value(self, row: Row, column: str) -> Fraction:
        """Calculate *column* of a row: hours are distance / speed + handling."""
        if column == "eta_hours":
            return Fraction(row[1]) / self.speed + self.handling
        return (Fraction(row[3]) - self.handling) * self.speed


Rate = FeeRate | CarrierTerms
Rates = Mapping[str, Rate]
"""Rates by category or carrier."""


@dataclass(frozen=True)
class RateTable(GappedTable):
    """A table and the rates that its blanks follow."""

    rates: Rates


@dataclass(frozen=True)
class RateDatasetKind(DatasetKind):
    """A kind whose rows have a category (or carrier) and two values that its rate relates.

    ``published`` are the original's rates, which an agent may remember; they never apply.
    ``draw_seen(draws, dug, rows, month, old)`` draws complete rows of earlier months by *old*
    rates, and rows of *month* with "" for a blank.
    """

    category_column: str
    categories: tuple[str, ...]
    published: tuple[Rate, ...]
    draw_rate: Callable[[Random], Rate]
    draw_seen: Callable[[Random, BlankCells, int, date, Rates], list[Row]]

    def table(self, context: TaskContext, size: TableSize) -> RateTable:
        """Draw visible cells from public streams and the rates from the secret stream.

        Outdated rates and the original's rates give clearly wrong values at every blank.
        """
        dug = self.draw_blank_cells(context.stream("blanks"), size.rows, size)
        old = self._draw_rates(context.stream("old rates"), lambda category, rate: True)
        month, draws = month_before(context.day.starts.date()), context.stream("values")
        full = self.draw_seen(draws, dug, size.rows, month, old)
        allows = self._clear_of(full, dug, (*old.values(), *self.published))
        secret = context.secret_stream(RATES_CLUE)
        while True:
            rates = self._draw_rates(secret, allows)
            for row, column in dug.items():
                value = rates[self._category(full[row])].value(full[row], column)
                full[row][self.columns.index(column)] = value
            table = self.with_blanks(full, dug)
            if not is_guessable(table):
                return RateTable(table.columns, table.rows, table.blanks, rates)

    def _draw_rates(self, draws: Random, allows: Callable[[str, Rate], bool]) -> Rates:
        """Draw a different allowed rate for each category."""
        found: dict[str, Rate] = {}
        for category in self.categories:
            while category not in found:
                rate = self.draw_rate(draws)
                if rate not in found.values() and allows(category, rate):
                    found[category] = rate
        return found

    def _clear_of(
        self, full: Sequence[Row], dug: BlankCells, wrong: Sequence[Rate]
    ) -> Callable[[str, Rate], bool]:
        """Return a check that a category's rate differs clearly from *wrong* ones at every blank.

        The check depends only on visible cells.
        """
        mistakes = [
            (self._category(full[row]), full[row], column, rate.value(full[row], column))
            for row, column in dug.items()
            for rate in wrong
        ]
        clear = {name: MIN_GUESS_ERROR * rounding_slack(n) for name, n in self.decimals.items()}

        def allows(category: str, rate: Rate) -> bool:
            return rate not in wrong and all(
                abs(mistake - rate.value(row, column)) >= clear[column]
                for of_category, row, column, mistake in mistakes
                if of_category == category
            )

        return allows

    def _category(self, row: Row) -> str:
        return str(row[self.columns.index(self.category_column)])


# transactions -------------------------------------------------------------------------------


def draw_fee_rate(draws: Random) -> FeeRate:
    """Draw a fee rate from 3.0 to 14.9 per cent."""
    return FeeRate(Fraction(draws.randint(30, 149), 1_000))


def draw_transactions(
    draws: Random, dug: BlankCells, rows: int, month: date, old: Rates
) -> list[Row]:
    """Draw transactions ordered by customer and date, with fees by category."""
    groups = _groups(draws, dug, rows)
    made: list[Row] = []
    for code, group in zip(draw_codes(draws, "K", len(groups)), groups, strict=True):
        days = (draw_day(draws, month if r in dug else _earlier(draws, month)) for r in group)
        for row, day in zip(group, sorted(days), strict=True):
            category, amount = draws.choice(list(old)), draws.randint(10_000, 500_000)
            cells: Row = [code, day, category, format_decimal(amount), ""]
            if row not in dug:
                cells[4] = round_half_away(old[category].value(cells, "fee"), 2)
            elif dug[row] == "amount":
                cells[3:] = "", format_decimal(draws.randint(1_000, 25_000))
            made.append(cells)
    return made


def _groups(draws: Random, dug: BlankCells, rows: int) -> list[list[int]]:
    """Group rows by customer; rows with blanks, of the current month, are each group's last."""
    groups = [[0]]
    for row in range(1, rows):
        if row not in dug and (row - 1 in dug or draws.random() < _NEW_GROUP):
            groups.append([])
        groups[-1].append(row)
    return groups


def _earlier(draws: Random, month: date) -> date:
    """Draw a month before *month*."""
    return month_before(month, draws.randint(1, _EARLIER))


# shipments ----------------------------------------------------------------------------------


def draw_carrier_terms(draws: Random) -> CarrierTerms:
    """Draw a speed of 40 to 90 km/h and handling of 0.50 to 2.50 h in steps of 0.05."""
    return CarrierTerms(Fraction(draws.randint(40, 90)), Fraction(draws.randint(10, 50), 20))


def draw_shipments(draws: Random, dug: BlankCells, rows: int, month: date, old: Rates) -> list[Row]:
    """Draw shipments in random order; each number contains the month."""
    made: list[Row] = []
    for row, serial in enumerate(draws.sample(range(1_000, 10_000), rows)):
        carrier, km = draws.choice(list(old)), draws.randint(500, 8_000)
        when = month if row in dug else _earlier(draws, month)
        cells: Row = [f"S{when:%y%m}-{serial}", format_decimal(km, 1), carrier, ""]
        if row not in dug:
            # Four decimals are enough to recover the distance to a tenth of a kilometre.
            cells[3] = round_half_away(old[carrier].value(cells, "eta_hours"), 4)
        elif dug[row] == "distance_km":
            cells[1], cells[3] = "", format_decimal(draws.randint(35_000, 90_000), 4)
        made.append(cells)
    return made
