"""Scenes and days of the meeting family, and its worked example."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from pydantic import JsonValue

from tests.meta_tasks.days import context_of, truth_of, with_truth
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day
from trainee_bench.meta_tasks.catalog import all_rules
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.families.meeting_attend import MeetingAttend
from trainee_bench.meta_tasks.families.meeting_attend.deliverables import MeetingAttendTruth
from trainee_bench.meta_tasks.families.meeting_attend.subject import PurchaseRequest, RuleBreach
from trainee_bench.meta_tasks.meta_task import TaskInstance
from trainee_bench.world.apps.calendar import MeetingBooked

SEEDS = range(30)
RULES = [rule.id for rule in MeetingAttend.rules()]
NAMES = ("Ada Quist", "Ben Olafsen", "Cleo Marr", "Dov Lindqvist", "Eva Rossi")


# The worked example: which of the rules (at most 3 pieces, at most 600.00 a piece, at most
# 1,000.00 in all) each request breaks, and what it costs, calculated by hand.
WORKED: dict[PurchaseRequest, tuple[set[RuleBreach], int]] = {
    PurchaseRequest("Ada Quist", "wireless mouse", 3, 34_90): (set(), 104_70),
    PurchaseRequest("Ben Olafsen", "ballpoint pen", 4, 2_50): ({RuleBreach.PIECES}, 10_00),
    PurchaseRequest("Cleo Marr", "portable projector", 1, 600_10): ({RuleBreach.PRICE}, 600_10),
    PurchaseRequest("Dov Lindqvist", "portable projector", 2, 500_10): (
        {RuleBreach.TOTAL},
        1_000_20,
    ),
    PurchaseRequest("Eva Rossi", "portable projector", 2, 500_00): (set(), 1_000_00),
}
KEPT = ("Ada Quist", "Eva Rossi")
SUM_OF_ALL = 2_715_00
SUM_OF_KEPT = 1_104_70


def scene_of(
    rule: str, seed: int, size: int = 50, offset: int = 0, **fixed: Any
) -> TaskInstance[MeetingAttendTruth]:
    made = all_rules()[rule].meta_task.model_copy(update=fixed)
    assert isinstance(made, MeetingAttend)
    return made.generate(context_of(seed, size, {"assignment": offset}))


def meeting_of(instance: TaskInstance[MeetingAttendTruth]) -> MeetingBooked:
    (booked,) = (
        planned.event
        for planned in instance.hidden.events
        if isinstance(planned.event, MeetingBooked)
    )
    return booked


def worked_example(rule: str) -> ComposedDay:
    """A day of *rule* whose truth is the worked example instead of the drawn one."""
    plain = single_task_day(rule, 1)
    kind = all_rules()[rule].meta_task
    assert isinstance(kind, MeetingAttend)
    kept = tuple(wish for wish, (breaches, _) in WORKED.items() if not breaches)
    listed = kept if kind.type.checks_rules else tuple(WORKED)
    return with_truth(plain, replace(truth_of(plain), wishes=tuple(WORKED), listed=listed))


async def attend(day: StagedDay, late: int = 0) -> None:
    """Come to the day's only meeting so many minutes after its start."""
    meeting = meeting_of(day.composition.tasks[0].instance)
    arrives = meeting.starts + timedelta(minutes=late)
    await day.call("desk_wait", {"until": f"{arrives:%H:%M}", "wake": False})
    await day.call("calendar_attend", {"meeting": 1})


def row(wish: PurchaseRequest, *, total: bool) -> dict[str, JsonValue]:
    """A wish as it should be listed."""
    listed: dict[str, JsonValue] = {
        "name": wish.name,
        "item": wish.item,
        "quantity": wish.quantity,
        "unit_price": wish.price / 100,
    }
    return listed | ({"total": WORKED[wish][1] / 100} if total else {})


def rows(*names: str, total: bool = False) -> list[JsonValue]:
    return [row(wish, total=total) for wish in WORKED if wish.name in (names or NAMES)]
