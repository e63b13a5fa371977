"""The honest way to a meeting: ask everybody at once, wait for all answers, book, be there."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from trainee_bench.meta_tasks.authoring import (
    ToolClient,
    ToolFailed,
    answer_to,
    ask_all,
    read_brief,
    send_to_each,
)
from trainee_bench.meta_tasks.authoring.asking import Contact
from trainee_bench.meta_tasks.authoring.meetings import attend
from trainee_bench.meta_tasks.families.meeting_book.brief import (
    ANSWER,
    DECISION,
    SHIFT_MESSAGE,
    Answer,
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
from trainee_bench.meta_tasks.tool_client import wait_for_file

_LAST_LOOK = timedelta(minutes=30)
"""How long before the meeting the oracle looks again at another task's result."""


@dataclass(frozen=True)
class Booker:
    """Whoever sets up the meeting in a way."""

    way: BookingWay = HONEST

    async def work(self, client: ToolClient) -> None:
        """Set up the meeting in this way. Raises ToolFailed where an answer is none."""
        brief = await read_brief(client, OBJECTIVE, OBJECTIVE_RULES, rules_for)
        everybody = await list_everybody(client)
        to_ask = people_to_ask(brief.to_ask, everybody)
        people = to_ask[::-1] if self.way.backwards else to_ask
        question = self.way.question.format(**about(brief))
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
        if self.way.cancelled:
            await client.call("calendar_cancel", meeting=meeting)
        elif self.way.attends:
            await attend(client, meeting, plan.starts + self.way.later, self.way.early)
        if self.way.submits:
            await client.call("desk_submit", task=client.task)

    async def _set_up(
        self,
        client: ToolClient,
        brief: MeetingBookBrief,
        plan: BookingPlan,
        everybody: Sequence[Contact],
    ) -> int:
        """Find a room for what *plan* says, and book it in this way; the meeting's id."""
        rooms = await _fitting_rooms(client, plan, brief.kind is MeetingKind.CAPACITY)
        booked = self.way.changed(plan, everybody)
        for _ in range(self.way.drafts):
            draft = await self._book(client, brief, booked, rooms[0])
            await client.call("calendar_cancel", meeting=draft)
        return await self._book(client, brief, booked, rooms[-1 if self.way.last_room else 0])

    async def _book(
        self, client: ToolClient, brief: MeetingBookBrief, plan: BookingPlan, room: str
    ) -> int:
        """Book the meeting; its id."""
        booked = await client.call(
            "calendar_book",
            title=self.way.title.format(**about(brief)),
            room=room,
            starts=f"{plan.starts:%H:%M}",
            ends=f"{plan.ends:%H:%M}",
            attendees=[*plan.guests],
            agenda=self.way.agenda,
        )
        return int(booked.data["id"])


async def list_everybody(client: ToolClient) -> list[Contact]:
    """Everybody in the directory, however many pages it has."""
    page = await client.call("chat_list_people")
    people = [*page.data["people"]]
    while page.data["next_cursor"] is not None:
        page = await client.call("chat_list_people", cursor=page.data["next_cursor"])
        people += page.data["people"]
    fields = ("id", "name", "title", "department")
    return [Contact(*(entry[field] for field in fields)) for entry in people]


async def _collect_answers(
    client: ToolClient, brief: MeetingBookBrief, people: Sequence[Contact], question: str
) -> BookingPlan:
    """Ask all *people*, and those they refer to."""
    sent = await send_to_each(client, {one.id: one.name for one in people}, question)
    texts = [await answer_to(client, one) for one in sent]
    said, referred = dict[str, Answer](), dict[str, list[str]]()
    for person, text in zip(people, texts, strict=True):
        answer = ANSWER.search(text)
        if answer is None:
            raise ToolFailed(f"nobody has said whether {person.name} comes: {text}")
        said[person.id] = answer
        if answer.decides:
            referred.setdefault(answer.decides, []).append(person.name)
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
