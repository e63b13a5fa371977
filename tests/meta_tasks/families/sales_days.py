"""Scenes and days of the sales family, and its worked example."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from typing import Any

from pydantic import JsonValue

from harness.in_process import Workday, at_seat, single_task
from meta_tasks.catalog import rules
from meta_tasks.composition import Composition
from meta_tasks.families.sales import Sales
from meta_tasks.families.sales.figures import work_out
from meta_tasks.families.sales.orders import Order, orders_in
from meta_tasks.families.sales.sold import Sold
from meta_tasks.families.sales.wanted import Direction, Mode, Type, Wanted
from meta_tasks.grade import TaskGrade
from meta_tasks.meta_task import Scene
from meta_tasks.stage import Commons, Stage
from world.apps.files import FileAppears
from world.people import found_company
from world.world import World

SEEDS = range(12)
RULES = [rule.id for rule in Sales.rules()]
TYPES = list(Type)

# The worked example. Of the orders below those with a * were cancelled later; then, by hand:
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
    Order(
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


def worked(kind: Type, *departments: str, kept: bool = True, **fixed: Any) -> dict[str, JsonValue]:
    """What the code makes of the worked example, with or without the cancelled orders."""
    wanted = Wanted(kind, departments, fixed.pop("quarter", 2), 2024, **fixed)
    orders = [
        order
        for order in ORDERS
        if order.department in departments
        and order.quarter in wanted.quarters
        and not (kept and order.id in CANCELLED)
    ]
    figures: dict[str, JsonValue] = work_out(wanted, orders).model_dump()
    return figures


def seller(name: str, department: str, total: float) -> dict[str, JsonValue]:
    return {
        "employee_id": name.lower().replace(" ", "_"),
        "name": name,
        "department": department,
        "total_sales": total,
    }


# scenes -----------------------------------------------------------------------------------


def stage_of(seed: int, size: int = 50, **twist: int) -> Stage:
    day = single_task(RULES[0], 0)
    return Stage(
        task="T1",
        key=("test", seed),
        company=found_company(seed, size),
        day=day.day,
        deadline=day.tasks[0].deadline,
        commons=Commons(),
        twist=twist,
    )


def scene_of(kind: Type, seed: int, size: int = 50, **fixed: Any) -> Scene[Sold]:
    return Sales.model_validate({"type": kind, **fixed}).scene(stage_of(seed, size))


def files_of(scene: Scene[Sold]) -> dict[str, str]:
    """The text of every staged file, by path."""
    events = [planned.event for planned in scene.events]
    return {e.path: e.text or "" for e in events if isinstance(e, FileAppears)}


def all_orders(scene: Scene[Sold]) -> list[Order]:
    files = files_of(scene)
    return [o for path, text in files.items() if path.endswith(".csv") for o in orders_in(text)]


def as_files_say(scene: Scene[Sold], wanted: Wanted, knowing: frozenset[str]) -> object:
    """The answer of somebody who has been told of the orders *knowing* and of no others."""
    orders = [
        order
        for department in wanted.departments
        for order in all_orders(scene)
        if order.department == department
        and order.quarter in wanted.quarters
        and order.id not in knowing
    ]
    return work_out(wanted, orders)


def wanted_of(kind: Type, seed: int) -> Wanted:
    """What the scene of this type and seed asks for, read from its title and its file's name."""
    scene = scene_of(kind, seed)
    words = scene.title.replace(",", "").split()
    path = scene.outputs[0]
    top = [part for part in path.removesuffix(".json").split("_") if part[:3] == "top"]
    return Wanted(
        type=kind,
        departments=tuple(word for word in words if word.startswith("Sales_")),
        quarter=int(words[-2][1]),
        year=int(words[-1]),
        mode=Mode.BOTTOM if "_bottom" in path else Mode.TOP,
        n=int(top[0][3:]) if top and top[0][3:] else 1,
        direction=Direction.DOWN if "_down_" in path else Direction.UP,
    )


# days -------------------------------------------------------------------------------------


async def worked_day(rule: str, figures: Wanted) -> Workday:
    """A day of *rule* whose truth is the worked example instead of the drawn one."""
    plain = single_task(rule, 1)
    orders = [
        order
        for order in ORDERS
        if order.department in figures.departments
        and order.quarter in figures.quarters
        and order.id not in CANCELLED
    ]
    return await staged(with_truth(plain, work_out(figures, orders)))


def with_truth(day: Composition, right: Any) -> Composition:
    task = day.tasks[0]
    truth = replace(task.scene.truth, right=right)
    return replace(day, tasks=(replace(task, scene=replace(task.scene, truth=truth)),))


async def staged(day: Composition) -> Workday:
    return at_seat(day, await World.create(None, day.opening(), day.stage))


async def hand_in(day: Workday, work: JsonValue) -> dict[str, bool]:
    """Write the deliverable; which checkpoints hold then."""
    text = work if isinstance(work, str) else json.dumps(work)
    (path,) = day.composition.outputs
    await day.call("files_write", {"path": path, "text": text})
    return {check.name: check.passed for check in (await graded(day)).checkpoints}


async def graded(day: Workday) -> TaskGrade:
    (grade,) = await day.grades()
    assert grade.error is None, grade.error
    return grade


def meta_task(rule: str) -> Sales:
    made = rules()[rule].meta_task
    assert isinstance(made, Sales)
    return made
