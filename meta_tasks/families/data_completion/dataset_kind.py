"""What the kinds of data set have in common: columns, decimals, and how gaps come into them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from random import Random

from trainee_bench.meta_tasks.families.data_completion.table import (
    BlankCell,
    BlankCells,
    GappedTable,
    Row,
    TableSize,
    previous_month,
    with_blanks,
)
from trainee_bench.meta_tasks.task_context import TaskContext

NOT_APPLICABLE = "n/a"
"""What stands where there can be no value; it is no blank."""
MIN_GUESS_ERROR = 10
"""So many tolerances lie between a value that is right and one that is easily got wrong."""


@dataclass(frozen=True)
class DatasetKind(ABC):
    """One kind of data set: its name ("sales.qoq_rate"), its columns, and the decimals of those
    that may have blanks."""

    name: str
    columns: tuple[str, ...]
    decimals: Mapping[str, int]

    @property
    def rows_per_size_unit(self) -> int:
        """Rows that one unit of the size stands for."""
        return 1

    def is_solvable(self, dug: BlankCells, run: range, rows: int) -> bool:
        """Whether what is blank can be found with the blanks of *run*, just *dug*, too."""
        return True

    @abstractmethod
    def table(self, context: TaskContext, size: TableSize) -> GappedTable:
        """A table none of whose blanks can be guessed."""

    def draw_blank_cells(self, draws: Random, rows: int, size: TableSize) -> BlankCells:
        """Where blanks are: runs of the size's gap, each in one column, with a row between
        two runs that has no blank."""
        wanted, found = max(1, rows * size.percent // 100), dict[int, str]()
        for start in draws.sample(range(rows), rows):
            if len(found) == wanted:
                break
            run = range(start, min(start + size.gap, start + wanted - len(found)))
            if run.stop > rows or any(row in found for row in range(start - 1, run.stop + 1)):
                continue
            for column in draws.sample(list(self.decimals), len(self.decimals)):
                tried = found | dict.fromkeys(run, column)
                if self.is_solvable(tried, run, rows):
                    found = tried
                    break
        assert len(found) == wanted, f"{self.name} has no room for {wanted} blanks in {rows} rows"
        return dict(sorted(found.items()))


@dataclass(frozen=True)
class SelfContainedKind(DatasetKind):
    """A kind whose blanks follow from the file alone."""

    @abstractmethod
    def draw_rows(self, draws: Random, dug: BlankCells, rows: int, month: date) -> list[Row]:
        """Complete rows of *month*, or up to its end, in which the relation holds."""

    def table(self, context: TaskContext, size: TableSize) -> GappedTable:
        """A table from the open streams, drawn anew while its blanks could be guessed."""
        rows, month = size.rows * self.rows_per_size_unit, previous_month(context.day.starts.date())
        dug, draws = (
            self.draw_blank_cells(context.stream("blanks"), rows, size),
            context.stream("values"),
        )
        while True:
            full = self.draw_rows(draws, dug, rows, month)
            table = with_blanks(self.columns, self.decimals, full, dug)
            if not is_guessable(table):
                return table


def is_guessable(table: GappedTable) -> bool:
    """Whether one of the easy fills (the cell above, the cell below, the mean of the column, its
    commonest value) comes near the right value in more than a quarter of the blanks."""
    near = Counter[str]()
    for column in sorted({blank.column for blank in table.blanks}):
        cells = [row[column] for row in table.rows]
        seen = [cell for cell in cells if _is_number(cell)]
        fills = {
            "mean": sum(map(float, seen)) / len(seen),
            "commonest": float(Counter(seen).most_common(1)[0][0]),
        }
        for blank in table.blanks:
            if blank.column == column:
                above = next(filter(_is_number, reversed(cells[: blank.row])), "nan")
                below = next(filter(_is_number, cells[blank.row :]), "nan")
                all_fills = fills | {"above": float(above), "below": float(below)}
                near.update(name for name, fill in all_fills.items() if _near(fill, blank))
    return max(near.values(), default=0) * 4 > len(table.blanks)


def is_far_off(value: Fraction, blank: BlankCell) -> bool:
    """Whether *value* is clearly not what belongs into *blank*."""
    return abs(value - blank.value) >= MIN_GUESS_ERROR * blank.slack


def _near(fill: float, blank: BlankCell) -> bool:
    return abs(fill - float(blank.value)) < MIN_GUESS_ERROR * float(blank.slack)


def _is_number(cell: str) -> bool:
    return cell not in ("", NOT_APPLICABLE)
