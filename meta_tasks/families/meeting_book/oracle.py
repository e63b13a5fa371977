"""The honest way to a meeting: ask everybody at once, wait for all answers, book, be there."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    ToolClient,
    ToolFailed,
    answer_to,
    ask_all,
    read_brief,
    send_to_each,
)
from trainee_bench.meta_tasks.authoring.meetings import USUAL_EARLINESS, attend
from trainee_bench.meta_tasks.families.meeting_book.brief import (
    ANSWER,
    COMING,
    DECISION,
    SHIFT_MESSAGE,
    Answer,
    Decided,
    about,
)
from trainee_bench.meta_tasks.families.meeting_book.data import (
    ALL_MANAGERS,
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
from trainee_bench.meta_tasks.tool_client import wait_for_file

_LAST_LOOK = timedelta(minutes=30)
"""How long before the meeting the oracle looks again at another task's result."""
Listed = Mapping[str, str]
"""A person as the directory lists them."""


@dataclass
class BookingPlan:
    """What follows from the answers: start and end, guests (ids or names; *asked* are those of them
    who were asked), visitors, needs."""

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

    def inviting(self, others: Sequence[str]) -> BookingPlan:
        """The plan with *others* as guests, too."""
        return replace(self, guests=[*self.guests, *others])

    def add(self, said: Mapping[str, Answer], decided: Sequence[Decided]) -> None:
        """Take all answers (by whose they are) and decisions into the plan."""
        for person, answer in said.items():
            if answer.comes:
                self.asked.append(person)
                self.guests.append(person)
            if answer.invite:
                self.guests.append(answer.invite)
            if answer.need:
                self.needs.add(answer.need)
            if answer.begins:
                self.begin(datetime.combine(self.starts, answer.begins))
            self.visitors += answer.visitors
        come = [one.name for one in decided if one.comes]
        self.asked += come
        self.guests += [*come, *(one.invite for one in decided)]


@dataclass(frozen=True)
class Booker:
    """A way to set up the meeting; the defaults are the oracle's.

    *guests* says whom to invite instead of the right guests, given the plan and everybody in the
    directory. *later* moves the start, *shorter* the end.
    """

    guests: Callable[[BookingPlan, Sequence[Listed]], list[str]] = lambda plan, _: plan.guests
    later: timedelta = timedelta()
    shorter: timedelta = timedelta()
    backwards: bool = False
    last_room: bool = False
    title: str = "{code}: {subject}"
    agenda: str = ""
    question: str = COMING[MeetingKind.MANAGER].questions[0]
    drafts: int = 0
    cancelled: bool = False
    early: timedelta = USUAL_EARLINESS
    attends: bool = True
    submits: bool = True

    async def work(self, client: ToolClient) -> None:
        """Set up the meeting in this way. Raises ToolFailed where an answer is none."""
        brief = await read_brief(client, OBJECTIVE, OBJECTIVE_RULES, rules_for)
        everybody = await list_everybody(client)
        to_ask = people_to_ask(brief.to_ask, everybody)
        people = dict(reversed(to_ask.items())) if self.backwards else to_ask
        question = self.question.format(**about(brief))
        plan = await _collect_answers(client, brief, people, question)
        found = await _found_elsewhere(client, brief)
        if brief.delayed_by:
            await _apply_shifts(client, brief.delayed_by, brief.code, plan)
        meeting = await self._set_up(client, brief, plan.inviting(found), everybody)
        if found:
            await client.wait_until(plan.starts - _LAST_LOOK)
            if (now_found := await _found_elsewhere(client, brief)) != found:
                await client.call("calendar_cancel", meeting=meeting)
                meeting = await self._set_up(client, brief, plan.inviting(now_found), everybody)
        if self.cancelled:
            await client.call("calendar_cancel", meeting=meeting)
        elif self.attends:
            await attend(client, meeting, plan.starts + self.later, self.early)
        if self.submits:
            await client.call("desk_submit", task=client.task)

    async def _set_up(
        self,
        client: ToolClient,
        brief: MeetingBookBrief,
        plan: BookingPlan,
        everybody: Sequence[Listed],
    ) -> int:
        """Find a room for what *plan* says, and book it in this way; the meeting's id."""
        rooms = await _fitting_rooms(client, plan, brief.kind is MeetingKind.CAPACITY)
        booked = replace(plan, guests=self.guests(plan, everybody))
        booked.begin(plan.starts + self.later)
        booked.ends -= self.shorter
        for _ in range(self.drafts):
            draft = await self._book(client, brief, booked, rooms[0])
            await client.call("calendar_cancel", meeting=draft)
        return await self._book(client, brief, booked, rooms[-1 if self.last_room else 0])

    async def _book(
        self, client: ToolClient, brief: MeetingBookBrief, plan: BookingPlan, room: str
    ) -> int:
        """Book the meeting; its id."""
        booked = await client.call(
            "calendar_book",
            title=self.title.format(**about(brief)),
            room=room,
            starts=f"{plan.starts:%H:%M}",
            ends=f"{plan.ends:%H:%M}",
            attendees=[*plan.guests],
            agenda=self.agenda,
        )
        return int(booked.data["id"])


async def list_everybody(client: ToolClient) -> list[Listed]:
    """Everybody in the directory, however many pages it has."""
    page = await client.call("chat_list_people")
    people: list[Listed] = page.data["people"]
    while page.data["next_cursor"] is not None:
        page = await client.call("chat_list_people", cursor=page.data["next_cursor"])
        people += page.data["people"]
    return people


def people_to_ask(words: str, everybody: Sequence[Listed]) -> dict[str, str]:
    """The names of those to ask, by id."""
    department = re.match(r"everybody in (\w+)", words)
    named = re.findall(FULL_NAME.pattern, words)
    return {
        person["id"]: person["name"]
        for person in everybody
        if (words == ALL_MANAGERS and "Manager" in person["title"])
        or (department and person["department"] == department[1])
        or person["name"] in named
    }


async def _collect_answers(
    client: ToolClient, brief: MeetingBookBrief, people: Mapping[str, str], question: str
) -> BookingPlan:
    """Ask all *people* (names by ids), and those they refer to."""
    sent = await send_to_each(client, people, question)
    texts = [await answer_to(client, one) for one in sent]
    said, referred = dict[str, Answer](), dict[str, list[str]]()
    for (person, name), text in zip(people.items(), texts, strict=True):
        answer = ANSWER.search(text)
        if answer is None:
            raise ToolFailed(f"nobody has said whether {person} comes: {text}")
        said[person] = answer
        if answer.decides:
            referred.setdefault(answer.decides, []).append(name)
    questions = [
        (leader, f"Which of {', '.join(names)} may come to meeting {brief.code}?")
        for leader, names in referred.items()
    ]
    decisions = [DECISION.search(text) for text in await ask_all(client, questions)]
    decided = [one for decision in decisions if decision for one in decision.people]
    for name in (name for names in referred.values() for name in names):
        if name not in [one.name for one in decided]:
            raise ToolFailed(f"nobody has decided about {name}")
    starts, ends = (datetime.combine(brief.day, clock) for clock in (brief.starts, brief.ends))
    plan = BookingPlan(starts, ends)
    plan.add(said, decided)
    return plan


async def _found_elsewhere(client: ToolClient, brief: MeetingBookBrief) -> list[str]:
    """The people in the other task's result, if the task takes one."""
    if brief.guest is None:
        return []
    (row,) = json.loads(await wait_for_file(client, brief.guest.path))["employees"]
    return [str(row["name"])]


async def _apply_shifts(client: ToolClient, host: str, code: str, plan: BookingPlan) -> None:
    """Wait until no further delay can come, and delay the start as *host* wrote."""
    until = datetime.combine(plan.starts, LAST_SHIFT)
    last = await client.call("desk_now")
    if last.time <= until:
        await client.wait_at_least(int((until - last.time).total_seconds()) // 60 + 1)
    history = await client.call("chat_read_history", peer=host)
    for message in history.data["messages"]:
        shift = SHIFT_MESSAGE.search(message["text"])
        if shift and shift.code == code:
            plan.begin(plan.starts + timedelta(minutes=shift.minutes))


async def _fitting_rooms(client: ToolClient, plan: BookingPlan, smallest: bool) -> list[str]:
    """The free rooms that fit, the smallest first. Raises ToolFailed if none does."""
    starts, ends = f"{plan.starts:%H:%M}", f"{plan.ends:%H:%M}"
    free = await client.call("calendar_find_rooms", starts=starts, ends=ends, people=plan.seats)
    rooms: dict[str, int] = free.data["rooms"]
    if smallest:
        text = (await client.call("files_read", path=ROOM_LIST_PATH)).data["text"]
        has = {row["room"]: row["equipment"] for row in csv.DictReader(text.split("\n"))}
        rooms = {
            room: seats for room, seats in rooms.items() if plan.needs <= set(has[room].split("; "))
        }
        rooms = {room: seats for room, seats in rooms.items() if seats == min(rooms.values())}
    if not rooms:
        raise ToolFailed(f"no room has {plan.seats} seats and {', '.join(sorted(plan.needs))}")
    return list(rooms)
