"""Data sets in which one column is the sum of others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from random import Random

from meta_tasks.families.data_completion.kind import SelfContained
from meta_tasks.families.data_completion.labels import QUARTERS, Labels, dated, quarterly, units
from meta_tasks.families.data_completion.table import Dug, Row, fixed


@dataclass(frozen=True)
class Part:
    """A column that goes into the sum: bounds in hundredths, and whether it is taken off."""

    column: str
    least: int
    most: int
    taken_off: bool = False


@dataclass(frozen=True)
class Sum(SelfContained):
    """Rows whose last column is the sum of the parts as they are printed."""

    labels: Labels
    parts: tuple[Part, ...]
    rows_per_unit: int = 1

    @property
    def rows_each(self) -> int:
        """As many as a unit has rows."""
        return self.rows_per_unit

    def drawn(self, draws: Random, dug: Dug, rows: int, month: date) -> list[Row]:
        """Parts drawn evenly between their bounds, none of them 0, and their sum."""
        return [self._row(draws, label) for label in self.labels(draws, rows, month)]

    def _row(self, draws: Random, label: tuple[str, ...]) -> Row:
        values = [draws.randint(part.least, part.most) or 1 for part in self.parts]
        signed = zip(values, self.parts, strict=True)
        total = sum(-value if part.taken_off else value for value, part in signed)
        return [*label, *map(fixed, values), fixed(total)]


def _sum(
    name: str,
    label_columns: tuple[str, ...],
    labels: Labels,
    parts: Mapping[str, tuple[int, int]],
    total: str,
    *,
    taken_off: tuple[str, ...] = (),
    rows_per_unit: int = 1,
) -> Sum:
    return Sum(
        name=name,
        columns=(*label_columns, *parts, total),
        decimals=dict.fromkeys((*parts, total), 2),
        labels=labels,
        parts=tuple(
            Part(column, least * 100, most * 100, column in taken_off)
            for column, (least, most) in parts.items()
        ),
        rows_per_unit=rows_per_unit,
    )


QUARTER_FROM_MONTHS = _sum(
    "sales.quarter_from_months",
    ("entity", "quarter"),
    quarterly("B"),
    dict.fromkeys(("m1", "m2", "m3"), (1_000, 10_000)),
    "quarter_total",
    rows_per_unit=len(QUARTERS),
)
TOTAL_FROM_ITEMS = _sum(
    "transactions.total_from_items",
    ("entity", "date"),
    dated("K"),
    dict.fromkeys(("item_a", "item_b", "item_c"), (10, 500)),
    "total",
)
ENDING_FROM_FLOW = _sum(
    "inventory.ending_from_flow",
    ("entity", "day"),
    dated("P"),
    {"begin": (100, 300), "inbound": (0, 50), "outbound": (0, 50), "shrinkage": (0, 5)},
    "ending",
    taken_off=("outbound", "shrinkage"),
)
ACCOUNT_BALANCE = _sum(
    "finance.account_balance_from_details",
    ("entity",),
    units("L"),
    {"detail1": (100, 1_000), "detail2": (-200, 800), "detail3": (-100, 500)},
    "balance",
)
SEGMENT_TIME_SUM = Sum(
    name="logistics.segment_time_sum",
    columns=("job", "seg1", "seg2", "seg3", "total_time"),
    decimals=dict.fromkeys(("seg1", "seg2", "seg3", "total_time"), 2),
    labels=units("J"),
    parts=tuple(Part(segment, 50, 300) for segment in ("seg1", "seg2", "seg3")),
)
