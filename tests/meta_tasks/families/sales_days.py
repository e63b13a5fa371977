"""Scenes and days of the sales family, and its worked example."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from typing import Any

from pydantic import JsonValue

from tests.meta_tasks.days import context_of, texts_of, truth_of, with_truth
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.families.sales import Sales
from trainee_bench.meta_tasks.families.sales.deliverables import SalesTruth, compute_figures
from trainee_bench.meta_tasks.families.sales.subject import (
    ORDERS_CSV,
    RankingEnd,
    SalesOrder,
    SalesQuery,
    SalesQueryType,
    TrendDirection,
)
from trainee_bench.meta_tasks.meta_task import TaskInstance

SEEDS = range(12)
RULES = [rule.id for rule in Sales.rules()]
TYPES = list(SalesQueryType)

# The worked example. Orders with a * were cancelled later. Totals calculated by hand:
#             Q1                                  Q2
#   Ada   1000.00 + 2000.50 = 3000.50     1200.00 + 1500.00 = 2700.00
#   Ben   1500.25 +  500.25 = 2000.50     2500.00* + 600.75 =  600.75
#   Cleo   700.00 +  900.10 = 1600.10     1800.05 +  100.00 = 1900.05
#   Sales_1                   6601.10                         5200.80
#   Dov   4000.00           = 4000.00     3000.00 + 1000.00* = 3000.00
#   Eva   1000.00 +  250.50 = 1250.50     2300.00           = 2300.00
#   Sales_2                   5250.50                         5300.00
#   Fay   5000.00           = 5000.00     5000.00           = 5000.00
_ROWS = (
    ("Sales_1", "Ada Quist", ((1, 100000), (1, 200050), (2, 120000), (2, 150000))),
    ("Sales_1", "Ben Olafsen", ((1, 150025), (1, 50025), (2, 250000), (2, 60075))),
    ("Sales_1", "Cleo Marr", ((1, 70000), (1, 90010), (2, 180005), (2, 10000))),
    ("Sales_2", "Dov Lind", ((1, 400000), (2, 300000), (2, 100000))),
    ("Sales_2", "Eva Rossi", ((1, 100000), (1, 25050), (2, 230000))),
    ("Sales_3", "Fay Moor", ((1, 500000), (2, 500000))),
)
ORDERS = tuple(
    SalesOrder(
        id=f"{name[:3]}-{place}",
        day=date(2024, 3 * quarter - 1, 10 + place),
        employee=name.lower().replace(" ", "_"),
        name=name,
        department=department,
        cents=cents,
    )
    for department, name, sold in _ROWS
    for place, (quarter, cents) in enumerate(sold)
)
CANCELLED = frozenset({"Ben-2", "Dov-2"})


def worked(
    kind: SalesQueryType, *departments: str, kept: bool = True, **fixed: Any
) -> dict[str, JsonValue]:
    """Return the figures of the worked example, with or without the cancelled orders."""
    wanted = SalesQuery(kind, departments, fixed.pop("quarter", 2), 2024, **fixed)
    figures: dict[str, JsonValue] = compute_figures(wanted, counted(wanted, kept)).model_dump()
    return figures


def counted(wanted: SalesQuery, kept: bool = True) -> list[SalesOrder]:
    """Return the orders of the worked example, with or without the cancelled ones."""
    return [
        order
        for order in ORDERS
        if order.department in wanted.departments
        and order.quarter in wanted.quarters
        and not (kept and order.id in CANCELLED)
    ]


def seller(name: str, department: str, total: float) -> dict[str, JsonValue]:
    return {
        "employee_id": name.lower().replace(" ", "_"),
        "name": name,
        "department": department,
        "total_sales": total,
    }


# scenes -----------------------------------------------------------------------------------


def scene_of(
    kind: SalesQueryType, seed: int, size: int = 50, **fixed: Any
) -> TaskInstance[SalesTruth]:
    return Sales.model_validate({"type": kind, **fixed}).generate(context_of(seed, size))


def all_orders(instance: TaskInstance[SalesTruth]) -> list[SalesOrder]:
    files = texts_of(instance)
    return [
        o for path, text in files.items() if path.endswith(".csv") for o in ORDERS_CSV.parse(text)
    ]


def as_files_say(
    instance: TaskInstance[SalesTruth], wanted: SalesQuery, knowing: frozenset[str]
) -> object:
    """Return the answer that leaves out only the orders *knowing*."""
    orders = [
        order
        for department in wanted.departments
        for order in all_orders(instance)
        if order.department == department
        and order.quarter in wanted.quarters
        and order.id not in knowing
    ]
    return compute_figures(wanted, orders)


def wanted_of(kind: SalesQueryType, seed: int) -> SalesQuery:
    """Return the query of this type and seed, read from the objective's first line and the
    file's name."""
    instance = scene_of(kind, seed)
    asked = instance.told.objective.splitlines()[0]
    quarter, year = re.findall(r"Q(\d) (\d{4})", asked)[0]
    path = instance.told.deliverable_paths[0]
    top = [part for part in path.removesuffix(".json").split("_") if part[:3] == "top"]
    return SalesQuery(
        type=kind,
        departments=tuple(re.findall(r"Sales_\d", asked)),
        quarter=int(quarter),
        year=int(year),
        mode=RankingEnd.BOTTOM if "_bottom" in path else RankingEnd.TOP,
        n=int(top[0][3:]) if top and top[0][3:] else 1,
        direction=TrendDirection.DOWN if "_down_" in path else TrendDirection.UP,
    )


# days -------------------------------------------------------------------------------------


def worked_example(rule: str, figures: SalesQuery) -> ComposedDay:
    """Return a day of *rule* with the worked example as its truth."""
    plain = single_task_day(rule, 1)
    right = compute_figures(figures, counted(figures))
    return with_truth(plain, replace(truth_of(plain), right=right))
