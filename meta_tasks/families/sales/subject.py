"""Sales queries, the sentences that ask them, and the orders that they add up.

Amounts are whole cents everywhere except in files and deliverables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from enum import StrEnum
from random import Random
from typing import Any, NamedTuple

from trainee_bench.meta_tasks.authoring import (
    CENTS,
    Converter,
    CsvFile,
    FirstOf,
    TextTemplate,
    english_list,
    one_of,
)
from trainee_bench.world.company.people import Person

DEPARTMENTS = ("Sales_1", "Sales_2", "Sales_3")
QUARTERS = (1, 2, 3, 4)


class SalesQueryType(StrEnum):
    """The nine analyses."""

    TOP_EMPLOYEE = "top_sales_employee"
    STATISTICS = "sales_statistics"
    AVERAGES = "per_dept_avg_sales"
    EXTREME_ACROSS = "cross_depts_extreme_employee"
    EXTREME_EACH = "per_dept_extreme_employee"
    TOP_EACH = "per_dept_top_n"
    TOP_ACROSS = "cross_depts_top_n"
    PEOPLE_COUNT = "dept_person_qoq_count"
    DEPARTMENTS_COUNT = "all_depts_qoq_count"


class RankingEnd(StrEnum):
    """An end of a ranking."""

    TOP = "top"
    BOTTOM = "bottom"


class TrendDirection(StrEnum):
    """The direction of a change in sales since the quarter before."""

    UP = "up"
    DOWN = "down"


@dataclass(frozen=True)
class Analysis:
    """One of the nine analyses.

    It has the possible numbers of ``departments``, the ``sentence`` that asks for it, and the name
    of the ``output`` file. ``has`` are its parameters among mode, n and direction. If it ``ranks``
    people, it does so in each department, or ``across`` all of them.
    """

    departments: tuple[int, ...]
    sentence: str
    output: str
    has: tuple[str, ...] = ()
    ranks: bool = False
    across: bool = False

    @property
    def compares(self) -> bool:
        """Whether it compares a quarter with the one before."""
        return "direction" in self.has


_QUARTER = "Q{quarter} {year}"
_BEST = f"{{n}} with the {{mode}} sales in {_QUARTER}"
_WENT = f"whose sales in {_QUARTER} were {{direction}} than in {{before}}."
_EACH = f"Find, for each of {{departments}}, {_BEST}."
_ACROSS = f"Find {_BEST} among all employees of {{departments}} together."
_FIGURES = f"sold in {_QUARTER}, in total and per person."
ANALYSES: Mapping[SalesQueryType, Analysis] = {
    SalesQueryType.TOP_EMPLOYEE: Analysis(
        (1,),
        f"Find {{n}} of {{departments}} with the {{mode}} sales in {_QUARTER}.",
        "dept_{joined}_Q{quarter}_top_sales.json",
        ranks=True,
    ),
    SalesQueryType.STATISTICS: Analysis(
        (1,),
        f"Calculate how much {{departments}} {_FIGURES}",
        "dept_{joined}_Q{quarter}_sales_stats.json",
    ),
    SalesQueryType.AVERAGES: Analysis(
        (2, 3),
        f"Calculate how much each of {{departments}} {_FIGURES}",
        "depts_{joined}_Q{quarter}_avg.json",
    ),
    SalesQueryType.EXTREME_ACROSS: Analysis(
        (2, 3),
        _ACROSS,
        "depts_{joined}_Q{quarter}_{mode}_employee.json",
        has=("mode",),
        ranks=True,
        across=True,
    ),
    SalesQueryType.EXTREME_EACH: Analysis(
        (2, 3), _EACH, "depts_{joined}_Q{quarter}_{mode}_per_dept.json", has=("mode",), ranks=True
    ),
    SalesQueryType.TOP_EACH: Analysis(
        (2, 3), _EACH, "depts_{joined}_Q{quarter}_top{n}_per_dept.json", has=("n",), ranks=True
    ),
    SalesQueryType.TOP_ACROSS: Analysis(
        (2, 3),
        _ACROSS,
        "depts_{joined}_Q{quarter}_top{n}.json",
        has=("n",),
        ranks=True,
        across=True,
    ),
    SalesQueryType.PEOPLE_COUNT: Analysis(
        (1,),
        f"Count the employees of {{departments}} {_WENT}",
        "dept_{joined}_Q{quarter}_{direction}_person_count.json",
        has=("direction",),
    ),
    SalesQueryType.DEPARTMENTS_COUNT: Analysis(
        (3,),
        f"Count the departments among {{departments}} {_WENT}",
        "all_Q{quarter}_{direction}_dept_count.json",
        has=("direction",),
    ),
}


@dataclass(frozen=True)
class SalesQuery:
    """An analysis with its parameters.

    A ranking asks for ``n`` people from the ``mode`` end. A comparison of quarters asks for changes
    in ``direction``.
    """

    type: SalesQueryType
    departments: tuple[str, ...]
    quarter: int
    year: int
    mode: RankingEnd = RankingEnd.TOP
    n: int = 1
    direction: TrendDirection = TrendDirection.UP

    @property
    def analysis(self) -> Analysis:
        """The analysis of this type."""
        return ANALYSES[self.type]

    @property
    def quarters(self) -> tuple[int, ...]:
        """The quarters that it needs, in order."""
        return (self.quarter - 1, self.quarter) if self.analysis.compares else (self.quarter,)

    @property
    def output(self) -> str:
        """The name of the file to hand in."""
        return self.analysis.output.format(joined="-".join(self.departments), **asdict(self))

    @property
    def before(self) -> str:
        """The earlier quarter of a comparison."""
        return f"Q{self.quarter - 1} {self.year}"


_WORDS: Mapping[str, Converter[Any]] = {
    "departments": english_list(one_of({name: name for name in DEPARTMENTS})),
    "mode": one_of({RankingEnd.TOP: "highest", RankingEnd.BOTTOM: "lowest"}),
    "direction": one_of({TrendDirection.UP: "higher", TrendDirection.DOWN: "lower"}),
    "n": one_of({1: "the employee", 2: "the 2 employees", 3: "the 3 employees"}),
}
SENTENCE = FirstOf(
    [
        TextTemplate(SalesQuery, analysis.sentence, _WORDS, fixed={"type": type})
        for type, analysis in ANALYSES.items()
    ]
)
"""The sentence of a query. If two types have the same sentence, it is read as the first."""


MIN_ORDERS, MAX_ORDERS = 4, 16
"""Range of a person's orders in a quarter, more than are ever cancelled."""


@dataclass(frozen=True)
class SalesOrder:
    """A row of an orders file."""

    id: str
    day: date
    employee: str
    """The seller's id, as in the files: "mara_lindt"."""
    name: str
    department: str
    cents: int

    @property
    def quarter(self) -> int:
        """The quarter, 1 to 4."""
        return (self.day.month + 2) // 3


ORDERS_CSV = CsvFile(
    SalesOrder,
    ("order_id", "date", "employee_id", "name", "department", "amount"),
    {"cents": CENTS},
)


class OrderSlot(NamedTuple):
    """The place of an order among a person's orders of a quarter, before it has a day and an id."""

    employee: str
    quarter: int
    place: int


Amounts = Mapping[tuple[str, int], Sequence[int]]
"""Amounts of orders in cents, by person and quarter."""


def employee_id(person: Person) -> str:
    """Return the id of *person* in the files."""
    return person.id.replace(".", "_")


def draw_usual_counts(draws: Random, staff: Sequence[Person]) -> dict[str, int]:
    """Draw each employee's usual number of orders in a quarter."""
    counts = {}
    for person in staff:
        drawn = int(round(draws.lognormvariate(2.0, 0.6), 6))
        counts[employee_id(person)] = min(max(drawn, MIN_ORDERS), MAX_ORDERS - 1)
    return counts


def draw_amounts(
    draws: Random, usual: Mapping[str, int], quarters: Sequence[int]
) -> dict[tuple[str, int], tuple[int, ...]]:
    """Draw everybody's amounts in *quarters*; numbers of orders change little between quarters."""
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
    """Give the orders of a year days and ids, and return them in file order."""
    names = {employee_id(person): person.name for person in staff}
    of_quarter = {quarter: _days(year, quarter) for quarter in QUARTERS}
    days = {
        OrderSlot(employee, quarter, place): draws.choice(of_quarter[quarter])
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


def _days(year: int, quarter: int) -> list[date]:
    first = date(year, 3 * quarter - 2, 1)
    after = date(year, 3 * quarter + 1, 1) if quarter < QUARTERS[-1] else date(year + 1, 1, 1)
    return [first + timedelta(days=number) for number in range((after - first).days)]
