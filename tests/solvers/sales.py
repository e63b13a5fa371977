"""Solver of the family sales: figures of departments and people in a quarter."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from tests.solvers.office import Office, Person, Session, find, target_file

Order = dict[str, str]
Period = tuple[str, str]
"""Quarter and year."""
CENT = Decimal("0.01")
ORDER_ID = r"\bS\d+-\d+-\d+\b"


def cancelled_in(answer: str, period: Period) -> list[str] | None:
    """The cancelled orders that an answer names for a quarter; None if it says nothing of it."""
    quarter, year = period
    part = re.search(rf"{quarter} {year}(.*?)(?=\bQ\d \d{{4}}|$)", answer, re.DOTALL)
    if part is None:
        return None
    ids = re.findall(ORDER_ID, part[1])
    return ids if ids or re.search(r"\b(none|no)\b", part[1]) else None


def add_up(orders: list[Order]) -> Decimal:
    """The sum of the amounts."""
    return sum((Decimal(order["amount"]) for order in orders), Decimal(0))


def rounded(amount: Decimal) -> float:
    """An amount in EUR to the cent."""
    return float(amount.quantize(CENT, ROUND_HALF_UP))


class Sales:
    """The orders that count, by department and quarter."""

    def __init__(self, office: Office, people: list[Person]) -> None:
        self.office = office
        self.people = people
        self.answers: dict[str, str] = defaultdict(str)

    def members(self, department: str) -> list[Person]:
        """The people of a department, its manager included."""
        return [person for person in self.people if person.department == department]

    async def cancelled(self, department: str, period: Period) -> set[str]:
        """The orders of a department and quarter that were cancelled late."""
        known = cancelled_in(self.answers[department], period)
        if known is None:
            quarter, year = period
            manager = next(p for p in self.members(department) if "Manager" in p.title)
            answer = await self.office.ask(
                manager.id,
                f"Hello, which orders of {department} in {quarter} {year} were cancelled after "
                "the books were closed?",
                lambda text: cancelled_in(text, period) is not None,
            )
            self.answers[department] += f" {answer}"
            known = cancelled_in(answer, period)
        return set(known or [])

    async def orders(self, department: str, period: Period) -> list[Order]:
        """The orders that count."""
        quarter, year = period
        path = f"drive:/sales/sales_{department}_{quarter}_{year}.csv"
        rows = csv.DictReader(io.StringIO(await self.office.read(path)))
        cancelled = await self.cancelled(department, period)
        return [row for row in rows if row["order_id"] not in cancelled]

    async def total(self, department: str, period: Period) -> Decimal:
        """A department's sales in a quarter."""
        return add_up(await self.orders(department, period))


async def per_person(sales: Sales, department: str, period: Period) -> dict[str, Any]:
    """Return a department's sales in total and per person."""
    total = await sales.total(department, period)
    count = len(sales.members(department))
    return {
        "employees": count,
        "total_sales": rounded(total),
        "avg_sales_per_person": rounded(total / count),
    }


async def best_sellers(
    sales: Sales, departments: list[str], period: Period, count: int
) -> dict[str, Any]:
    """Return the best sellers of some departments together."""
    sellers: dict[str, list[Order]] = defaultdict(list)
    totals = []
    for department in departments:
        orders = await sales.orders(department, period)
        totals.append({"department": department, "total_sales": rounded(add_up(orders))})
        for order in orders:
            sellers[order["employee_id"]].append(order)
    ranked = sorted(sellers.values(), key=add_up, reverse=True)
    best = [
        {
            "employee_id": orders[0]["employee_id"],
            "name": orders[0]["name"],
            "department": orders[0]["department"],
            "total_sales": rounded(add_up(orders)),
        }
        for orders in ranked[:count]
    ]
    return {"employees": best, "departments": totals}


async def changes(
    sales: Sales, departments: list[str], now: Period, before: Period, word: str
) -> dict[str, Any]:
    """Count the departments whose sales were higher (or lower) than the quarter before."""
    count = 0
    rows = []
    for department in departments:
        previous = await sales.total(department, before)
        current = await sales.total(department, now)
        count += current > previous if word == "higher" else current < previous
        rows.append(
            {
                "department": department,
                "previous_sales": rounded(previous),
                "current_sales": rounded(current),
            }
        )
    return {"count": count, "departments": rows}


async def report_of(sales: Sales, objective: str) -> dict[str, Any]:
    """Return the report that the first sentence of the objective asks for."""
    order = objective.splitlines()[0]
    departments = list(dict.fromkeys(re.findall(r"Sales_\d+", order)))
    periods: list[Period] = re.findall(r"(Q\d) (\d{4})", order)
    if order.startswith("Count the departments"):
        word = find(r"were (higher|lower) than", order)[1]
        return await changes(sales, departments, periods[0], periods[1], word)
    best = re.search(r"Find the (?:(\d+) )?employees? with the highest sales", order)
    if best:
        return await best_sellers(sales, departments, periods[0], int(best[1] or 1))
    find(r"^Calculate how much", order)
    return await per_person(sales, departments[0], periods[0])


async def solve(session: Session) -> None:
    """Report the figures of every task."""
    office = Office(session)
    tasks = await office.tasks()
    sales = Sales(office, await office.people())
    for task in tasks:
        report = await report_of(sales, task.objective)
        await office.hand_in(task, target_file(task.objective), json.dumps(report))
    await office.finish_day()
