"""The honest way to a meeting: ask everybody at once, wait for all answers, book, be there."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from trainee_bench.meta_tasks.authoring.asking import ask_all
from trainee_bench.meta_tasks.families.meeting_book.upstream_guest import wait_for_name
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed, first_match, wait_for_task

_EARLY = timedelta(minutes=2)
_NAME = r"([A-Z][a-z]+ [A-Z][a-z]+)"
_MEETING = re.compile(
    r"set up meeting (\S+), the (.+), on (\d{4}-\d\d-\d\d) from (\d\d:\d\d) to (\d\d:\d\d)\."
)
_TO_ASK = re.compile(r"^To ask: (.+)\.$", re.MULTILINE)
_LIST = re.compile(r"drive:/\S+\.csv")
_GUEST = re.compile(r"Invite as well .+ of (workspace:/\S+\.json), your result")
_UNTIL = re.compile(rf"{_NAME} may also write to you, until (\d\d:\d\d)")
_COMES = re.compile(r"\bI come to |\bcannot be held without me\b")
_STAYS_AWAY = re.compile(r"\bdo not list me\b")
_REFERS = re.compile(rf"{_NAME} has given me other work")
_DECIDED = re.compile(rf"{_NAME} (may come|cannot be spared), ")
_NAMED = re.compile(
    rf"\b[Ii]nvite {_NAME}|{_NAME} comes in my place|but then {_NAME} has to be there"
)
_VISITORS = re.compile(r"\bwith (one|\d+) visitors?\b")
_NEED = re.compile(r"\bmust have a ([a-z ]+);")
_BEGINS = re.compile(r"\bto begin at (\d\d:\d\d)\b")
_PUT_OFF = re.compile(r"put it off by (\d+) minutes")


@dataclass(frozen=True)
class BookingBrief:
    """The task as its objective says it; ``rooms`` is the list of rooms if it names one,
    ``guest_in`` the file that names a further guest, and ``shifts`` who may put the meeting off
    until when."""

    code: str
    subject: str
    starts: datetime
    ends: datetime
    to_ask: str
    rooms: str = ""
    guest_in: str = ""
    shifts: tuple[str, datetime] | None = None

    @classmethod
    def read(cls, objective: str) -> BookingBrief:
        """The brief in an objective."""
        code, subject, day, starts, ends = first_match(_MEETING, objective).groups()
        until, rooms = _UNTIL.search(objective), _LIST.search(objective)
        guest = _GUEST.search(objective)
        return cls(
            code=code,
            subject=subject,
            starts=datetime.fromisoformat(f"{day}T{starts}"),
            ends=datetime.fromisoformat(f"{day}T{ends}"),
            to_ask=first_match(_TO_ASK, objective).group(1),
            rooms=rooms.group() if rooms else "",
            guest_in=guest[1] if guest else "",
            shifts=(until[1], datetime.fromisoformat(f"{day}T{until[2]}")) if until else None,
        )


@dataclass
class BookingPlan:
    """What the answers come to: guests (ids or names), visitors, needs, start and end."""

    starts: datetime
    ends: datetime
    guests: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    visitors: int = 0
    needs: set[str] = field(default_factory=set)

    @property
    def seats(self) -> int:
        """Seats needed, one's own included."""
        return 1 + len(self.guests) + self.visitors

    def begin(self, moment: datetime) -> None:
        """Move the meeting to another start."""
        self.starts, self.ends = moment, moment + (self.ends - self.starts)


async def set_up_meeting(client: ToolClient) -> None:
    """Set up the meeting that the task names, and attend it."""
    brief = BookingBrief.read(str((await wait_for_task(client))["objective"]))
    plan = await collect_answers(client, brief, await people_to_ask(client, brief))
    if brief.guest_in:
        plan.guests.append(await wait_for_name(client, brief.guest_in))
    await apply_shifts(client, brief, plan)
    rooms = await fitting_rooms(client, brief, plan)
    meeting = await book(client, brief, plan, rooms[0])
    await attend(client, plan, meeting)
    await client.call("desk_submit", task=client.task)


async def people_to_ask(client: ToolClient, brief: BookingBrief) -> dict[str, str]:
    """The names of those to ask, by id."""
    everybody = await client.call("chat_list_people")
    people = everybody.data["people"]
    while everybody.data["next_cursor"] is not None:
        everybody = await client.call("chat_list_people", cursor=everybody.data["next_cursor"])
        people += everybody.data["people"]
    department = re.match(r"everybody in (\w+)", brief.to_ask)
    if brief.to_ask.startswith("all managers"):
        people = [person for person in people if "Manager" in person["title"]]
    elif department:
        people = [person for person in people if person["department"] == department[1]]
    else:
        named = re.findall(_NAME, brief.to_ask)
        people = [person for person in people if person["name"] in named]
    return {person["id"]: person["name"] for person in people}


async def collect_answers(
    client: ToolClient, brief: BookingBrief, people: Mapping[str, str], question: str = ""
) -> BookingPlan:
    """Ask all *people*, and those they refer to. Raises ToolFailed where an answer is none."""
    plan = BookingPlan(brief.starts, brief.ends)
    hours = f"{brief.starts:%H:%M} to {brief.ends:%H:%M}"
    question = question or (
        f"Can you come to meeting {brief.code} ({brief.subject}) today from {hours}?"
    )
    answers = await ask_all(client, [(person, question) for person in people])
    referred: dict[str, list[str]] = {}
    for person, said in zip(people, answers, strict=True):
        decides = _REFERS.search(said)
        if decides:
            referred.setdefault(decides[1], []).append(people[person])
        _note(plan, "" if decides else person, said)
    questions = [
        (leader, f"Which of {', '.join(names)} may come to meeting {brief.code}?")
        for leader, names in referred.items()
    ]
    decisions = " ".join(await ask_all(client, questions))
    for names in referred.values():
        _note_decided(plan, names, dict(_DECIDED.findall(decisions)))
    _note(plan, "", decisions)
    return plan


def _note_decided(plan: BookingPlan, names: Sequence[str], decided: Mapping[str, str]) -> None:
    """Take what was decided about people into the plan. Raises ToolFailed."""
    for name in names:
        if name not in decided:
            raise ToolFailed(f"nobody has decided about {name}")
        if decided[name] == "may come":
            plan.guests.append(name)
            plan.asked.append(name)


def _note(plan: BookingPlan, person: str, said: str) -> None:
    """Take an answer about *person* ("": not settled yet) into the plan. Raises ToolFailed."""
    comes = _COMES.search(said) is not None
    if person and comes == bool(_STAYS_AWAY.search(said)):
        raise ToolFailed(f"nobody has said whether {person} comes: {said}")
    if person and comes:
        plan.guests.append(person)
        plan.asked.append(person)
    for names in _NAMED.findall(said):
        plan.guests += [name for name in names if name and name not in plan.guests]
    visitors, need, begins = _VISITORS.search(said), _NEED.search(said), _BEGINS.search(said)
    if visitors:
        plan.visitors += 1 if visitors[1] == "one" else int(visitors[1])
    if need:
        plan.needs.add(need[1])
    if begins:
        plan.begin(datetime.fromisoformat(f"{plan.starts:%Y-%m-%d}T{begins[1]}"))


async def apply_shifts(client: ToolClient, brief: BookingBrief, plan: BookingPlan) -> None:
    """Wait until the meeting can be put off no more, and put it off as was written."""
    if brief.shifts is None:
        return
    host, until = brief.shifts
    last = await client.call("desk_now")
    if last.time <= until:
        await client.wait_at_least(int((until - last.time).total_seconds()) // 60 + 1)
    history = await client.call("chat_read_history", peer=host)
    for message in history.data["messages"]:
        said = _PUT_OFF.search(message["text"])
        if said and brief.code in message["text"]:
            plan.begin(plan.starts + timedelta(minutes=int(said[1])))


async def fitting_rooms(client: ToolClient, brief: BookingBrief, plan: BookingPlan) -> list[str]:
    """The free rooms that do, the smallest first. Raises ToolFailed if none does."""
    starts, ends = f"{plan.starts:%H:%M}", f"{plan.ends:%H:%M}"
    free = await client.call("calendar_find_rooms", starts=starts, ends=ends, people=plan.seats)
    rooms: dict[str, int] = free.data["rooms"]
    if brief.rooms:
        listed = (await client.call("files_read", path=brief.rooms)).data["text"]
        has = {
            row["room"]: row["equipment"].split("; ") for row in csv.DictReader(listed.split("\n"))
        }
        rooms = {room: seats for room, seats in rooms.items() if plan.needs <= set(has[room])}
        rooms = {room: seats for room, seats in rooms.items() if seats == min(rooms.values())}
    if not rooms:
        raise ToolFailed(f"no room has {plan.seats} seats and {', '.join(sorted(plan.needs))}")
    return list(rooms)


async def book(
    client: ToolClient,
    brief: BookingBrief,
    plan: BookingPlan,
    room: str,
    title: str = "",
    agenda: str = "",
) -> int:
    """Book the meeting; its id."""
    booked = await client.call(
        "calendar_book",
        title=title or f"{brief.code}: {brief.subject}",
        room=room,
        starts=f"{plan.starts:%H:%M}",
        ends=f"{plan.ends:%H:%M}",
        attendees=[*plan.guests],
        agenda=agenda,
    )
    return int(booked.data["id"])


async def attend(
    client: ToolClient, plan: BookingPlan, meeting: int, early: timedelta = _EARLY
) -> None:
    """Be in the meeting, so much before its start."""
    await client.wait_until(plan.starts - early)
    await client.call("calendar_attend", meeting=meeting)
