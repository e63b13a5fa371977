"""Scenes and days of the family that sets up meetings."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from tests.meta_tasks.days import context_of, truth_of
from trainee_bench.harness.testbench.staged_day import StagedDay
from trainee_bench.meta_tasks.catalog import all_rules
from trainee_bench.meta_tasks.families.meeting_book import MeetingBook
from trainee_bench.meta_tasks.families.meeting_book.deliverables import MeetingBookTruth
from trainee_bench.meta_tasks.meta_task import TaskInstance

SEEDS = range(12)
RULES = [rule.id for rule in MeetingBook.rules()]
KINDS = ("manager", "department", "capacity", "moved")


def scene_of(
    rule: str, seed: int, size: int = 50, **seed_offsets: int
) -> TaskInstance[MeetingBookTruth]:
    made = all_rules()[rule].meta_task
    assert isinstance(made, MeetingBook)
    return made.generate(context_of(seed, size, seed_offsets))


async def book(day: StagedDay, guests: Iterable[str] | None = None, **changed: Any) -> int:
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


async def attend(day: StagedDay, meeting: int, starts: datetime, late: int = 0) -> None:
    """Come to the meeting so many minutes after its start."""
    arrives = starts + timedelta(minutes=late)
    await day.call("desk_wait", {"until": f"{arrives:%H:%M}", "wake": False})
    await day.call("calendar_attend", {"meeting": meeting})
