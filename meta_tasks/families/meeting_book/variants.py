"""Other ways to book the meeting than the oracle's: some as good, some wrong."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from trainee_bench.meta_tasks.families.meeting_book.oracle import (
    BookingBrief,
    BookingPlan,
    apply_shifts,
    attend,
    book,
    collect_answers,
    fitting_rooms,
    people_to_ask,
)
from trainee_bench.meta_tasks.meta_task import SolverVariant
from trainee_bench.meta_tasks.tool_client import ToolClient, wait_for_task

PlanChange = Callable[[ToolClient, BookingPlan], Coroutine[Any, Any, None]]
"""What is done to the right plan before it is booked."""


async def _nothing(client: ToolClient, plan: BookingPlan) -> None:
    """The plan as it is."""


@dataclass(frozen=True)
class VariantSolver:
    """How the work differs from the oracle's: what becomes of the plan, in which order people
    are asked, which of the rooms that do is taken, how it is called, and what happens after."""

    change: PlanChange = _nothing
    backwards: bool = False
    last_room: bool = False
    title: str = ""
    agenda: str = ""
    question: str = ""
    drafts: int = 0
    cancelled: bool = False
    early: timedelta = timedelta(minutes=2)
    attends: bool = True
    submits: bool = True

    async def work(self, client: ToolClient) -> None:
        """Set up the meeting in this way."""
        brief = BookingBrief.read(str((await wait_for_task(client))["objective"]))
        people = await people_to_ask(client, brief)
        if self.backwards:
            people = dict(reversed(people.items()))
        question = self.question.format(code=brief.code, at=f"{brief.starts:%H:%M}")
        plan = await collect_answers(client, brief, people, question)
        await apply_shifts(client, brief, plan)
        rooms = await fitting_rooms(client, brief, plan)
        await self.change(client, plan)
        for _ in range(self.drafts):
            draft = await book(client, brief, plan, rooms[0])
            await client.call("calendar_cancel", meeting=draft)
        room = rooms[-1 if self.last_room else 0]
        meeting = await book(client, brief, plan, room, self.title, self.agenda)
        if self.cancelled:
            await client.call("calendar_cancel", meeting=meeting)
        elif self.attends:
            await attend(client, plan, meeting, self.early)
        if self.submits:
            await client.call("desk_submit", task=client.task)


# what is done to the plan ------------------------------------------------------------------


async def _backwards(client: ToolClient, plan: BookingPlan) -> None:
    plan.guests.reverse()


async def _by_name_and_twice(client: ToolClient, plan: BookingPlan) -> None:
    listed = (await client.call("chat_list_people")).data["people"]
    names = {person["id"]: person["name"] for person in listed}
    plan.guests += [names.get(guest, guest) for guest in plan.guests]


async def _one_too_many(client: ToolClient, plan: BookingPlan) -> None:
    plan.guests.append(await _outsider(client))


async def _one_missing(client: ToolClient, plan: BookingPlan) -> None:
    plan.guests.remove(plan.asked[-1])


async def _named_one_missing(client: ToolClient, plan: BookingPlan) -> None:
    plan.guests.remove(next(guest for guest in plan.guests if guest not in plan.asked))


async def _another_instead(client: ToolClient, plan: BookingPlan) -> None:
    plan.guests[0] = await _outsider(client)


async def _nobody_named(client: ToolClient, plan: BookingPlan) -> None:
    plan.guests = [*plan.asked]


async def _later(client: ToolClient, plan: BookingPlan) -> None:
    plan.begin(plan.starts + timedelta(minutes=15))


async def _shorter(client: ToolClient, plan: BookingPlan) -> None:
    plan.ends -= timedelta(minutes=15)


async def _outsider(client: ToolClient) -> str:
    """Somebody whom nobody names: executives have other things to do."""
    people = (await client.call("chat_list_people", department="Executive")).data["people"]
    return str(people[0]["id"])


def _make_variants(ways: dict[str, VariantSolver], *, harmless: bool) -> tuple[SolverVariant, ...]:
    return tuple(SolverVariant(name, harmless, way.work) for name, way in ways.items())


_ASKED_OTHERWISE = "Hello! Are you free today at {at} for {code}? Whom shall I invite with you?"
_HARMLESS = {
    "asked in another order": VariantSolver(backwards=True),
    "asked in other words": VariantSolver(question=_ASKED_OTHERWISE),
    "invited in another order": VariantSolver(change=_backwards),
    "invited by name, and twice": VariantSolver(change=_by_name_and_twice),
    "a title and an agenda of one's own": VariantSolver(title="See you there", agenda="1. Coffee"),
    "another room that does": VariantSolver(last_room=True),
    "booked, cancelled and booked again": VariantSolver(drafts=2),
    "five minutes early": VariantSolver(early=timedelta(minutes=5)),
    "five minutes late": VariantSolver(early=timedelta(minutes=-5)),
    "never submitted": VariantSolver(submits=False),
}
_WRONG = {
    "a guest too many": VariantSolver(change=_one_too_many),
    "somebody who comes is missing": VariantSolver(change=_one_missing),
    "somebody who was named is missing": VariantSolver(change=_named_one_missing),
    "somebody else instead of a guest": VariantSolver(change=_another_instead),
    "nobody who was named": VariantSolver(change=_nobody_named),
    "a quarter of an hour later": VariantSolver(change=_later),
    "a quarter of an hour too short": VariantSolver(change=_shorter),
    "cancelled in the end": VariantSolver(cancelled=True),
    "not attended": VariantSolver(attends=False),
    "six minutes late": VariantSolver(early=timedelta(minutes=-6)),
}
SOLVER_VARIANTS = _make_variants(_HARMLESS, harmless=True) + _make_variants(_WRONG, harmless=False)
