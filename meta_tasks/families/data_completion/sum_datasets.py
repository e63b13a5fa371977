"""Data sets in which one column is the sum of others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from random import Random

from trainee_bench.meta_tasks.families.data_completion.dataset_kind import SelfContainedKind
from trainee_bench.meta_tasks.families.data_completion.row_labels import (
    QUARTERS,
    LabelFactory,
    dated_labels,
    quarterly_labels,
    unit_labels,
)
from trainee_bench.meta_tasks.families.data_completion.table import BlankCells, Row, format_decimal


@dataclass(frozen=True)
class SumPart:
    """A column that goes into the sum: bounds in hundredths, and whether it is taken off."""

    column: str
    least: int
    most: int
    subtracted: bool = False


@dataclass(frozen=True)
class SumKind(SelfContainedKind):
    """Rows whose last column is the sum of the parts as they are printed."""

    labels: LabelFactory
    parts: tuple[SumPart, ...]
    rows_per_unit: int = 1

    @property
    def rows_per_size_unit(self) -> int:
        """As many as a unit has rows."""
        return self.rows_per_unit

    def draw_rows(self, draws: Random, dug: BlankCells, rows: int, month: date) -> list[Row]:
        """Parts drawn evenly between their bounds, none of them 0, and their sum."""
        return [self._row(draws, label) for label in self.labels(draws, rows, month)]

    def _row(self, draws: Random, label: tuple[str, ...]) -> Row:
        values = [draws.randint(part.least, part.most) or 1 for part in self.parts]
        signed = zip(values, self.parts, strict=True)
        total = sum(-value if part.subtracted else value for value, part in signed)
        return [*label, *map(format_decimal, values), format_decimal(total)]


def _sum_kind(
    name: str,
    label_columns: tuple[str, ...],
    labels: LabelFactory,
    parts: Mapping[str, tuple[int, int]],
    total: str,
    *,
    taken_off: tuple[str, ...] = (),
    rows_per_unit: int = 1,
) -> SumKind:
    return SumKind(
        name=name,
        columns=(*label_columns, *parts, total),
        decimals=dict.fromkeys((*parts, total), 2),
        labels=labels,
        parts=tuple(
            SumPart(column, least * 100, most * 100, column in taken_off)
            for column, (least, most) in parts.items()
        ),
        rows_per_unit=rows_per_unit,
    )


QUARTER_FROM_MONTHS = _sum_kind(
    "sales.quarter_from_months",
    ("entity", "quarter"),
    quarterly_labels("B"),
    dict.fromkeys(("m1", "m2", "m3"), (1_000, 10_000)),
    "quarter_total",
    rows_per_unit=len(QUARTERS),
)
TOTAL_FROM_ITEMS = _sum_kind(
    "transactions.total_from_items",
    ("entity", "date"),
    dated_labels("K"),
    dict.fromkeys(("item_a", "item_b", "item_c"), (10, 500)),
    "total",
)
ENDING_FROM_FLOW = _sum_kind(
    "inventory.ending_from_flow",
    ("entity", "day"),
    dated_labels("P"),
    {"begin": (100, 300), "inbound": (0, 50), "outbound": (0, 50), "shrinkage": (0, 5)},
    "ending",
    taken_off=("outbound", "shrinkage"),
)
ACCOUNT_BALANCE = _sum_kind(
    "finance.account_balance_from_details",
    ("entity",),
    unit_labels("L"),
    {"detail1": (100, 1_000), "detail2": (-200, 800), "detail3": (-100, 500)},
    "balance",
)
SEGMENT_TIME_SUM = SumKind(
    name="logistics.segment_time_sum",
    columns=("job", "seg1", "seg2", "seg3", "total_time"),
    decimals=dict.fromkeys(("seg1", "seg2", "seg3", "total_time"), 2),
    labels=unit_labels("J"),
    parts=tuple(SumPart(segment, 50, 300) for segment in ("seg1", "seg2", "seg3")),
)
