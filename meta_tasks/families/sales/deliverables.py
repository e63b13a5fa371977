"""The submitted figures, their calculation from orders, and their grading."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import Field

from trainee_bench.meta_tasks.authoring import (
    Deliverable,
    GradingContext,
    PersonRef,
    RecordId,
    Text,
    Verdict,
    compare_lists,
)
from trainee_bench.meta_tasks.families.sales.subject import (
    RankingEnd,
    SalesOrder,
    SalesQuery,
    SalesQueryType,
    TrendDirection,
)

TOLERANCE = 0.05 + 1e-9
"""Tolerance for amounts, in EUR."""

# Descriptions have slots for the quarters of a query; `SalesBrief.fields` fills them.
_SALES = Field(description="their sales in {when}, EUR, two decimals")
_TEXT = Field(description="as in the files")
_DEPARTMENT = Field(description='such as "Sales_1"')
_TOTAL = Field(description="its sales in {when}, EUR, two decimals")
_HEADS = Field(description="number of people in the department, including its manager")
_AVERAGE = Field(description="`total_sales` divided by `employees`, EUR, rounded to two decimals")
_BEFORE = Field(description="sales in {before}, EUR, two decimals")
_NOW = Field(description="sales in {when}, EUR, two decimals")


class Seller(Deliverable):
    """An employee and their sales."""

    employee_id: RecordId = _TEXT
    name: PersonRef = _TEXT
    department: Text = _DEPARTMENT
    total_sales: float = _SALES


class Sellers(Deliverable):
    """The requested employees."""

    employees: list[Seller] = Field(description="exactly the employees asked for")


class DepartmentTotal(Deliverable):
    """A department and its sales."""

    department: Text = _DEPARTMENT
    total_sales: float = _TOTAL


class SellersAcross(Sellers):
    """The requested employees, and the sales of their departments."""

    departments: list[DepartmentTotal] = Field(description="each of the departments named above")


class DepartmentStatistics(Deliverable):
    """The figures of one department."""

    employees: int = _HEADS
    total_sales: float = _TOTAL
    avg_sales_per_person: float = _AVERAGE


class DepartmentAverage(Deliverable):
    """The figures of one department among several."""

    department: Text = _DEPARTMENT
    employees: int = _HEADS
    total_sales: float = _TOTAL
    avg_sales_per_person: float = _AVERAGE


class Averages(Deliverable):
    """The figures of several departments."""

    departments: list[DepartmentAverage] = Field(description="each of the departments named above")


class PersonQuarters(Deliverable):
    """An employee's sales in two quarters."""

    employee_id: RecordId = _TEXT
    name: PersonRef = _TEXT
    previous_sales: float = _BEFORE
    current_sales: float = _NOW


class PeopleCount(Deliverable):
    """The number of employees with a rise or fall, and everybody's sales in both quarters."""

    count: int = Field(
        description="how many of these employees had {change} sales in {when} than in {before}"
    )
    employees: list[PersonQuarters] = Field(
        description="every employee of the department, including its manager"
    )


class DepartmentQuarters(Deliverable):
    """A department's sales in two quarters."""

    department: Text = _DEPARTMENT
    previous_sales: float = _BEFORE
    current_sales: float = _NOW


class DepartmentsCount(Deliverable):
    """The number of departments with a rise or fall, and the sales of each in both quarters."""

    count: int = Field(
        description="how many of the three departments had {change} sales in {when} than in "
        "{before}"
    )
    departments: list[DepartmentQuarters] = Field(description="each of the three departments")


DELIVERABLE_MODELS: dict[SalesQueryType, type[Deliverable]] = {
    SalesQueryType.TOP_EMPLOYEE: Sellers,
    SalesQueryType.STATISTICS: DepartmentStatistics,
    SalesQueryType.AVERAGES: Averages,
    SalesQueryType.EXTREME_ACROSS: SellersAcross,
    SalesQueryType.EXTREME_EACH: Sellers,
    SalesQueryType.TOP_EACH: Sellers,
    SalesQueryType.TOP_ACROSS: SellersAcross,
    SalesQueryType.PEOPLE_COUNT: PeopleCount,
    SalesQueryType.DEPARTMENTS_COUNT: DepartmentsCount,
}


# calculating -------------------------------------------------------------------------------


def compute_figures(wanted: SalesQuery, orders: Sequence[SalesOrder]) -> Deliverable:
    """Calculate the right deliverable for *wanted* from the *orders* that count."""
    departments = _split(orders, lambda order: order.department)
    match wanted.type:
        case SalesQueryType.STATISTICS:
            return _statistics(orders)
        case SalesQueryType.AVERAGES:
            averages = [
                DepartmentAverage(department=name, **dict(_statistics(sold)))
                for name, sold in departments.items()
            ]
            return Averages(departments=averages)
        case SalesQueryType.PEOPLE_COUNT:
            people = [
                PersonQuarters(employee_id=id, name=sold[0].name, **_quarters(wanted, sold))
                for id, sold in _by_person(orders).items()
            ]
            return PeopleCount(count=_count(wanted, people), employees=people)
        case SalesQueryType.DEPARTMENTS_COUNT:
            compared = [
                DepartmentQuarters(department=name, **_quarters(wanted, sold))
                for name, sold in departments.items()
            ]
            return DepartmentsCount(count=_count(wanted, compared), departments=compared)
        case SalesQueryType.EXTREME_ACROSS | SalesQueryType.TOP_ACROSS:
            totals = [
                DepartmentTotal(department=name, total_sales=_euros(sold))
                for name, sold in departments.items()
            ]
            return SellersAcross(employees=_ranked(wanted, orders), departments=totals)
        case _:
            best = [seller for sold in departments.values() for seller in _ranked(wanted, sold)]
            return Sellers(employees=best)


def _ranked(wanted: SalesQuery, orders: Sequence[SalesOrder]) -> list[Seller]:
    """Return the first ``n`` employees from the requested end; amounts never tie."""
    sign = -1 if wanted.mode is RankingEnd.TOP else 1
    people = sorted(_by_person(orders).values(), key=lambda sold: sign * _euros(sold))
    return [
        Seller(
            employee_id=sold[0].employee,
            name=sold[0].name,
            department=sold[0].department,
            total_sales=_euros(sold),
        )
        for sold in people[: wanted.n]
    ]


def _statistics(orders: Sequence[SalesOrder]) -> DepartmentStatistics:
    people, total = len(_by_person(orders)), _euros(orders)
    return DepartmentStatistics(
        employees=people, total_sales=total, avg_sales_per_person=round(total / people, 2)
    )


def _quarters(wanted: SalesQuery, orders: Sequence[SalesOrder]) -> dict[str, float]:
    """Return the sales in both quarters by field name."""
    before, now = (
        _euros([order for order in orders if order.quarter == quarter])
        for quarter in wanted.quarters
    )
    return {"previous_sales": before, "current_sales": now}


def _count(wanted: SalesQuery, rows: Sequence[PersonQuarters | DepartmentQuarters]) -> int:
    sign = 1 if wanted.direction is TrendDirection.UP else -1
    return sum(sign * (row.current_sales - row.previous_sales) > 0 for row in rows)


def _by_person(orders: Sequence[SalesOrder]) -> dict[str, list[SalesOrder]]:
    return _split(orders, lambda order: order.employee)


def _split(
    orders: Sequence[SalesOrder], key: Callable[[SalesOrder], str]
) -> dict[str, list[SalesOrder]]:
    found: defaultdict[str, list[SalesOrder]] = defaultdict(list)
    for order in orders:
        found[key(order)].append(order)
    return found


def _euros(orders: Sequence[SalesOrder]) -> float:
    return sum(order.cents for order in orders) / 100


@dataclass(frozen=True)
class SalesTruth:
    """Grading data: the path of the file, the right figures, and the names of the clues."""

    path: str
    right: Deliverable
    clues: tuple[str, ...]

    def read(self, grading: GradingContext[SalesTruth]) -> Deliverable:
        """Read the submitted file. Raises Unreadable."""
        return grading.read(self.path, type(self.right))

    def compared(self, grading: GradingContext[SalesTruth], *fields: str) -> Verdict:
        """Check that the lists called *fields* have exactly the right rows."""
        return compare_lists(self.read(grading), self.right, fields, grading.keys, TOLERANCE)
