"""The orders of a Sales department, how they are drawn, and their files.

Amounts are whole cents everywhere but in files and deliverables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import NamedTuple

from trainee_bench.meta_tasks.authoring import CENTS, CsvFile
from trainee_bench.meta_tasks.families.sales.query import QUARTERS
from trainee_bench.world.company.people import Person

MIN_ORDERS, MAX_ORDERS = 4, 16
"""How many orders a person has in a quarter; more than are ever cancelled."""


@dataclass(frozen=True)
class SalesOrder:
    """A row of a file."""

    id: str
    day: date
    employee: str
    """The id of the seller, as in the files: "mara_lindt"."""
    name: str
    department: str
    cents: int

    @property
    def quarter(self) -> int:
        """1 to 4."""
        return (self.day.month + 2) // 3


ORDERS_CSV = CsvFile(
    SalesOrder,
    ("order_id", "date", "employee_id", "name", "department", "amount"),
    {"cents": CENTS},
)


class OrderSlot(NamedTuple):
    """An order before it has a day and an id: its place among a person's orders of a quarter."""

    employee: str
    quarter: int
    place: int


Amounts = Mapping[tuple[str, int], Sequence[int]]
"""What a person sold in a quarter, order by order, in cents."""


def employee_id(person: Person) -> str:
    """The id of a person in the files."""
    return person.name.casefold().replace(" ", "_")


def draw_usual_counts(draws: Random, staff: Sequence[Person]) -> dict[str, int]:
    """About how many orders each of *staff* has in a quarter."""
    counts = {}
    for person in staff:
        drawn = int(round(draws.lognormvariate(2.0, 0.6), 6))
        counts[employee_id(person)] = min(max(drawn, MIN_ORDERS), MAX_ORDERS - 1)
    return counts


def draw_amounts(
    draws: Random, usual: Mapping[str, int], quarters: Sequence[int]
) -> dict[tuple[str, int], tuple[int, ...]]:
    """What everybody sells in *quarters*; their numbers of orders change little from quarter to
    quarter."""
    amounts = {}
    for quarter in quarters:
        for employee, about in usual.items():
            count = max(MIN_ORDERS, about + draws.randint(-1, 1))
            drawn = (draws.lognormvariate(8.5, 0.5) for _ in range(count))
            amounts[employee, quarter] = tuple(round(amount * 100) for amount in drawn)
    return amounts


def number_orders(
    draws: Random, department: str, staff: Sequence[Person], year: int, amounts: Amounts
) -> dict[OrderSlot, SalesOrder]:
    """The orders of a year with days and ids, in the order of the files."""
    names = {employee_id(person): person.name for person in staff}
    days = {
        OrderSlot(employee, quarter, place): _day(draws, year, quarter)
        for (employee, quarter), sold in amounts.items()
        for place in range(len(sold))
    }
    slots = sorted(days, key=lambda slot: (days[slot], slot))
    numbers = sorted(draws.sample(range(10_000, 100_000), len(slots)))
    prefix = f"S{department[-1]}-{year % 100:02d}"
    return {
        slot: SalesOrder(
            id=f"{prefix}-{running}",
            day=days[slot],
            employee=slot.employee,
            name=names[slot.employee],
            department=department,
            cents=amounts[slot.employee, slot.quarter][slot.place],
        )
        for running, slot in zip(numbers, slots, strict=True)
    }


def _day(draws: Random, year: int, quarter: int) -> date:
    first = date(year, 3 * quarter - 2, 1)
    after = date(year, 3 * quarter + 1, 1) if quarter < QUARTERS[-1] else date(year + 1, 1, 1)
    return first + timedelta(days=draws.randrange((after - first).days))
