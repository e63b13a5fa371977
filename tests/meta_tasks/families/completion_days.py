"""Scenes of the data completion family, and a solver that knows only the formulas."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction

from tests.meta_tasks.days import context_of
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.catalog import all_rules
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.families.data_completion.deliverables import CompletionTruth
from trainee_bench.meta_tasks.families.data_completion.subject.dataset import GappedTable
from trainee_bench.meta_tasks.meta_task import TaskInstance
from trainee_bench.meta_tasks.scenario import NO_VARIATION, Variation

FAMILY = "data_completion"
RULES = [id for id in all_rules() if id.startswith(f"{FAMILY}.")]
LEVELS = ("very_easy", "easy", "medium", "hard", "very_hard")
COLUMNS = {
    "sales.quarter_from_months": "entity,quarter,m1,m2,m3,quarter_total",
    "sales.qoq_rate": "entity,quarter,quarter_total,qoq",
    "transactions.tax_fee": "entity,date,category,amount,fee",
    "transactions.total_from_items": "entity,date,item_a,item_b,item_c,total",
    "inventory.ending_from_flow": "entity,day,begin,inbound,outbound,shrinkage,ending",
    "inventory.daily_interpolation": "day,stock_level",
    "finance.account_balance_from_details": "entity,detail1,detail2,detail3,balance",
    "finance.depreciation_straight_line": "entity,cost,salvage,life_months,monthly_dep",
    "logistics.eta_distance_sla": "shipment,distance_km,carrier,eta_hours",
    "logistics.segment_time_sum": "job,seg1,seg2,seg3,total_time",
    "web.rolling_avg": "day,metric,rolling_7d",
    "web.funnel": "entity,impressions,ctr,clicks",
}
LOOKUPS = ("transactions.tax_fee", "logistics.eta_distance_sla")

Cells = Mapping[str, Fraction]
Told = Mapping[str, tuple[Fraction, ...]]


def scene_of(
    rule: str, seed: int, size: int = 50, offset: int = 0
) -> TaskInstance[CompletionTruth]:
    instance: TaskInstance[CompletionTruth] = all_rules()[f"{FAMILY}.{rule}"].meta_task.generate(
        context_of(seed, size, {"rates": offset})
    )
    return instance


def table_of(rule: str, seed: int, offset: int = 0) -> GappedTable:
    return scene_of(rule, seed, offset=offset).graded.truth.table


def day_of(rule: str, seed: int, variation: Variation = NO_VARIATION) -> ComposedDay:
    return single_task_day(f"{FAMILY}.{rule}", seed, variation)


# solving ---------------------------------------------------------------------------------

RESIDUALS: Mapping[str, Callable[[Cells, tuple[Fraction, ...]], Fraction]] = {
    "sales.quarter_from_months": lambda c, _: c["m1"] + c["m2"] + c["m3"] - c["quarter_total"],
    "transactions.total_from_items": lambda c, _: (
        c["item_a"] + c["item_b"] + c["item_c"] - c["total"]
    ),
    "inventory.ending_from_flow": lambda c, _: (
        c["begin"] + c["inbound"] - c["outbound"] - c["shrinkage"] - c["ending"]
    ),
    "finance.account_balance_from_details": lambda c, _: (
        c["detail1"] + c["detail2"] + c["detail3"] - c["balance"]
    ),
    "finance.depreciation_straight_line": lambda c, _: (
        c["cost"] - c["salvage"] - c["life_months"] * c["monthly_dep"]
    ),
    "logistics.segment_time_sum": lambda c, _: c["seg1"] + c["seg2"] + c["seg3"] - c["total_time"],
    "web.funnel": lambda c, _: c["impressions"] * c["ctr"] - c["clicks"],
    "transactions.tax_fee": lambda c, rate: c["amount"] * rate[0] - c["fee"],
    "logistics.eta_distance_sla": lambda c, sla: (
        c["distance_km"] - (c["eta_hours"] - sla[1]) * sla[0]
    ),
}
"""Terms that are 0 if the formula holds; linear in each column."""


def told_in(payload: str) -> Told:
    """Return the rates in a colleague's answer: shares, or speeds and handling times."""
    fees = {who: (Fraction(x) / 100,) for who, x in re.findall(r"\b([ABC]) ([\d.]+) %", payload)}
    slas = re.findall(r"\b([XYZ]) (\d+) km/h and ([\d.]+) h of handling", payload)
    return fees or {who: (Fraction(v), Fraction(h)) for who, v, h in slas}


def cells_of(table: GappedTable, row: int) -> dict[str, Fraction]:
    """Return the numbers of a row by column."""
    found = {}
    for name, cell in zip(table.columns, table.rows[row], strict=True):
        if re.fullmatch(r"-?\d+(\.\d+)?", cell):
            found[name] = Fraction(cell)
    return found


def solved(kind: str, table: GappedTable, told: Told) -> dict[tuple[int, str], Fraction]:
    """Return the values of all blanks (row, column) that follow from visible cells."""
    match kind:
        case "sales.qoq_rate":
            return _followed_through(table)
        case "inventory.daily_interpolation":
            return _on_straight_lines(table)
        case "web.rolling_avg":
            return _averaged(table)
    found = {}
    for row, cells in enumerate(table.rows):
        missing = [name for name, cell in zip(table.columns, cells, strict=True) if not cell]
        rate = next((told[cell] for cell in cells if cell in told), ())
        if len(missing) == 1:
            found[row, missing[0]] = _root(kind, cells_of(table, row), missing[0], rate)
    return found


def _root(kind: str, cells: Cells, missing: str, rate: tuple[Fraction, ...]) -> Fraction:
    at_0, at_1 = (RESIDUALS[kind]({**cells, missing: Fraction(x)}, rate) for x in (0, 1))
    return -at_0 / (at_1 - at_0)


def _followed_through(table: GappedTable) -> dict[tuple[int, str], Fraction]:
    """Each entity's totals from any that is seen, forwards and backwards by the growth."""
    found = {}
    for entity in {row[0] for row in table.rows}:
        rows = [number for number, row in enumerate(table.rows) if row[0] == entity]
        totals = [cells_of(table, row).get("quarter_total") for row in rows]
        growth = [cells_of(table, row).get("qoq") for row in rows]
        for _ in rows:
            for later in range(1, len(rows)):
                before, rate, now = totals[later - 1], growth[later], totals[later]
                if now is None and before is not None and rate is not None:
                    totals[later] = Fraction(round(before * (1 + rate)))
                if before is None and now is not None and rate is not None:
                    totals[later - 1] = Fraction(round(now / (1 + rate)))
        for place, row in enumerate(rows):
            total, last = totals[place], totals[place - 1] if place else None
            if not table.rows[row][2] and total is not None:
                found[row, "quarter_total"] = total
            if not table.rows[row][3] and total is not None and last is not None:
                found[row, "qoq"] = total / last - 1
    return found


def _on_straight_lines(table: GappedTable) -> dict[tuple[int, str], Fraction]:
    found = {}
    seen = {row: Fraction(cells[1]) for row, cells in enumerate(table.rows) if cells[1]}
    for left in seen:
        right = next((row for row in seen if row > left), left)
        for row in range(left + 1, right):
            weight = Fraction(right - row, right - left)
            found[row, "stock_level"] = weight * seen[left] + (1 - weight) * seen[right]
    return found


def _averaged(table: GappedTable) -> dict[tuple[int, str], Fraction]:
    found = {}
    metric = [int(row[1]) for row in table.rows]
    for row, cells in enumerate(table.rows):
        window = [value for day, value in enumerate(metric) if 0 <= row - day < 7]
        if not cells[2]:
            found[row, "rolling_7d"] = Fraction(sum(window), len(window))
    return found
