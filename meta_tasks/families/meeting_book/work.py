"""The honest way to a meeting: ask everybody at once, wait for all answers, book, be there."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, ClassVar

from trainee_bench.meta_tasks.authoring.asking import Contact
from trainee_bench.meta_tasks.families.meeting_book.brief import (
    ANSWER,
    DECISION,
    SHIFT_MESSAGE,
    Answer,
    Decided,
    about,
)
from trainee_bench.meta_tasks.families.meeting_book.data import (
    LAST_SHIFT,
    ROOM_LIST_PATH,
    MeetingKind,
)
from trainee_bench.meta_tasks.families.meeting_book.objective import (
    OBJECTIVE,
    OBJECTIVE_RULES,
    MeetingBookBrief,
    rules_for,
)
from trainee_bench.meta_tasks.families.meeting_book.plan import (
    HONEST,
    BookingPlan,
    BookingWay,
    people_to_ask,
)
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.meta_tasks.work.achieving import Attended, Booked, HandedIn, Once, ResultOf
from trainee_bench.meta_tasks.work.asking import Question, Told
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.meta_tasks.work.reading import FileText, TaskBrief
from trainee_bench.meta_tasks.work.sources import (
    DirectorySearch,
    Inbox,
    Since,
    ToolReading,
)


@dataclass(frozen=True)
class Coming(Question[Answer]):
    """Whether somebody comes to the meeting of this code; *words* ask for it."""

    code: str
    words: str
    daily: ClassVar[bool] = True

    @property
    def subjects(self) -> tuple[str, ...]:
        """The code: everybody answers for themselves."""
        return (self.code,)

    @property
    def joins(self) -> str:
        """All may be asked at once."""
        return self.words

    def ask(self, missing: Sequence[str]) -> str:
        """Ask in these words."""
        return self.words

    def read(self, text: str) -> Mapping[str, Answer]:
        """What *text* tells about any meeting."""
        answer = ANSWER.search(text)
        return {} if answer is None else {answer.code: answer}


@dataclass(frozen=True)
class MayCome(Question[Decided]):
    """Whether those of these names may come to the meeting of this code."""

    code: str
    names: tuple[str, ...]
    daily: ClassVar[bool] = True

    @property
    def subjects(self) -> tuple[str, ...]:
        """Each of them at that meeting."""
        return tuple(f"{name} at {self.code}" for name in self.names)

    def ask(self, missing: Sequence[str]) -> str:
        """Ask about all of them."""
        return f"Which of {', '.join(self.names)} may come to meeting {self.code}?"

    def read(self, text: str) -> Mapping[str, Decided]:
        """What *text* decides about anybody."""
        told = DECISION.search(text)
        return {f"{one.name} at {told.code}": one for one in told.people} if told else {}


async def honest_work(work: Work, task: str) -> None:
    """Ask, book, attend."""
    await book_meeting(work, task, HONEST)


async def book_meeting(work: Work, task: str, way: BookingWay) -> None:
    """Set up the meeting in this *way*."""
    brief = await work(TaskBrief(task, OBJECTIVE, OBJECTIVE_RULES, rules_for))
    work.promise(datetime.combine(brief.day, brief.starts))
    everybody = await work(DirectorySearch())
    plan = await _answers(work, task, brief, everybody, way)
    if brief.guest is not None:
        found = await work(ResultOf(brief.guest.path))
        (row,) = json.loads(found)["employees"]
        plan = plan.inviting([str(row["name"])])
    if brief.delayed_by is not None:
        plan.begin(plan.starts + await _delays(work, brief, everybody))
    rooms = await _fitting_rooms(work, task, plan, brief.kind is MeetingKind.CAPACITY)
    room, booked = rooms[-1 if way.last_room else 0], way.changed(plan, everybody)
    title, guests = way.title.format(**about(brief)), tuple(booked.guests)
    booking = Booked(task, title, room, booked.starts, booked.ends, guests, way.agenda)
    for number in range(way.drafts):
        draft = await work(replace(booking, task=f"{task}, draft {number}", room=rooms[0]))
        await work(Once("calendar_cancel", (("meeting", draft),)))
    meeting = await work(booking)
    result: Need[Any] = booking
    if way.cancelled:
        result = Once("calendar_cancel", (("meeting", meeting),))
    elif way.attends:
        result = Attended(meeting, booked.starts, way.early)
    await work(HandedIn(task, (result,)) if way.submits else result)


async def _answers(
    work: Work,
    task: str,
    brief: MeetingBookBrief,
    everybody: Sequence[Contact],
    way: BookingWay,
) -> BookingPlan:
    """What follows from what all say who are to be asked, and those they refer to."""
    people = people_to_ask(brief.to_ask, everybody)[:: -1 if way.backwards else 1]
    coming = Coming(brief.code, way.question.format(**about(brief)))
    told = await work.all(Told(task, person.id, coming) for person in people)
    said = {person: answers[brief.code] for person, answers in zip(people, told, strict=True)}
    referred: dict[str, list[str]] = {}
    for person, answer in said.items():
        if answer.decides:
            referred.setdefault(answer.decides, []).append(person.name)
    asked = [
        Told(task, _called(leader, everybody).id, MayCome(brief.code, tuple(names)))
        for leader, names in referred.items()
    ]
    decisions = await work.all(asked)
    starts, ends = (datetime.combine(brief.day, clock) for clock in (brief.starts, brief.ends))
    plan = BookingPlan(starts, ends)
    decided = [
        decision[subject]
        for decision, one in zip(decisions, asked, strict=True)
        for subject in one.question.subjects
    ]
    plan.add({person.id: answer for person, answer in said.items()}, decided)
    return plan


def _called(name: str, everybody: Sequence[Contact]) -> Contact:
    return next(person for person in everybody if person.name == name)


async def _delays(work: Work, brief: MeetingBookBrief, everybody: Sequence[Contact]) -> timedelta:
    """By how much the host has delayed the start, once no further delay can come."""
    assert brief.delayed_by is not None
    until = datetime.combine(brief.day, LAST_SHIFT) + timedelta(minutes=1)
    host = _called(brief.delayed_by, everybody).id
    letters = [one.text for one in await work(Since(Inbox(), until)) if one.sender == host]
    shifts = [shift for letter in letters if (shift := SHIFT_MESSAGE.search(letter)) is not None]
    return timedelta(minutes=sum(shift.minutes for shift in shifts if shift.code == brief.code))


async def _fitting_rooms(work: Work, task: str, plan: BookingPlan, smallest: bool) -> list[str]:
    """The free rooms that fit, the smallest first. Raises ToolFailed if none does."""
    hours = ("starts", f"{plan.starts:%H:%M}"), ("ends", f"{plan.ends:%H:%M}")
    free = await work(ToolReading("calendar_find_rooms", (*hours, ("people", plan.seats))))
    rooms: dict[str, int] = free["rooms"]
    if smallest:
        text = await work(FileText(ROOM_LIST_PATH, task))
        has = {row["room"]: row["equipment"] for row in csv.DictReader(text.split("\n"))}
        fits = {room: seats for room, seats in rooms.items() if plan.needs <= {*_listed(has[room])}}
        rooms = {room: seats for room, seats in fits.items() if seats == min(fits.values())}
    if not rooms:
        raise ToolFailed(f"no room has {plan.seats} seats and {', '.join(sorted(plan.needs))}")
    return list(rooms)


def _listed(equipment: str) -> list[str]:
    return equipment.split("; ")
