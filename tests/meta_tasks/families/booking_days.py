"""Scenes and days of the family that sets up meetings."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from pydantic import BaseModel

from harness.in_process import Workday, single_task
from meta_tasks.catalog import rules
from meta_tasks.composition import Composition
from meta_tasks.families.meeting_book import Booked, MeetingBook
from meta_tasks.grade import TaskGrade
from meta_tasks.meta_task import Scene
from meta_tasks.stage import Commons, Stage
from world.npc import Knowledge
from world.people import found_company
from world.turn import Result, Turn

SEEDS = range(12)
RULES = [rule.id for rule in MeetingBook.rules()]
KINDS = ("manager", "department", "capacity", "moved")


def scene_of(rule: str, seed: int, size: int = 50, **twist: int) -> Scene[Booked]:
    day = single_task(RULES[0], 0)
    stage = Stage(
        task="T1",
        key=("test", seed),
        company=found_company(seed, size),
        day=day.day,
        deadline=day.tasks[0].deadline,
        commons=Commons(),
        twist=twist,
    )
    made = rules()[rule].meta_task
    assert isinstance(made, MeetingBook)
    return made.scene(stage)


def truth_of(day: Workday | Composition) -> Booked:
    composition = day.composition if isinstance(day, Workday) else day
    truth = composition.tasks[0].scene.truth
    assert isinstance(truth, Booked)
    return truth


class _Done(BaseModel):
    done: bool = True


async def hear_everything(day: Workday) -> None:
    """Let everybody have answered, without the way there."""

    def tell(turn: Turn) -> Result[_Done]:
        for clue in day.composition.tasks[0].scene.clues:
            Knowledge(turn).release(clue.id, turn.employee, "test")
        return Result("", _Done())

    await day.world.act(day.composition.company.trainee.id, "test", {}, tell)


async def book(day: Workday, guests: Iterable[str] | None = None, **changed: Any) -> int:
    """Book the right meeting, but for what is *changed*; its id."""
    truth = truth_of(day)
    starts, ends = changed.get("starts", truth.starts), changed.get("ends", truth.ends)
    room = changed.get("room", truth.rooms[0] if truth.rooms else "Room_10")
    invited = sorted(truth.comes | truth.named if guests is None else guests)
    booked = await day.call(
        "calendar_book",
        {
            "title": "Meeting",
            "room": room,
            "starts": f"{starts:%H:%M}",
            "ends": f"{ends:%H:%M}",
            "attendees": [*invited],
        },
    )
    return int(booked.data["id"])


async def attend(day: Workday, meeting: int, starts: datetime, late: int = 0) -> None:
    """Come to the meeting so many minutes after its start."""
    arrives = starts + timedelta(minutes=late)
    await day.call("desk_wait", {"until": f"{arrives:%H:%M}", "wake": False})
    await day.call("calendar_attend", {"meeting": meeting})


async def graded(day: Workday) -> TaskGrade:
    (grade,) = await day.grades()
    assert grade.error is None
    return grade


async def passed(day: Workday) -> set[str]:
    return {check.name for check in (await graded(day)).checkpoints if check.passed}
