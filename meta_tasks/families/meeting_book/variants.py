"""Other ways to book the meeting than the oracle's: some as good, some wrong."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from meta_tasks.families.meeting_book.oracle import (
    Brief,
    Plan,
    attend,
    book,
    find_out,
    fitting_rooms,
    heed_shifts,
    to_be_asked,
)
from meta_tasks.hands import Hands, my_task
from meta_tasks.meta_task import Variant

Change = Callable[[Hands, Plan], Coroutine[Any, Any, None]]
"""What is done to the right plan before it is booked."""


async def _nothing(hands: Hands, plan: Plan) -> None:
    """The plan as it is."""


@dataclass(frozen=True)
class Way:
    """How the work differs from the oracle's: what becomes of the plan, in which order people
    are asked, which of the rooms that do is taken, how it is called, and what happens after."""

    change: Change = _nothing
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

    async def work(self, hands: Hands) -> None:
        """Set up the meeting in this way."""
        brief = Brief.read(str((await my_task(hands))["objective"]))
        people = await to_be_asked(hands, brief)
        if self.backwards:
            people = dict(reversed(people.items()))
        question = self.question.format(code=brief.code, at=f"{brief.starts:%H:%M}")
        plan = await find_out(hands, brief, people, question)
        await heed_shifts(hands, brief, plan)
        rooms = await fitting_rooms(hands, brief, plan)
        await self.change(hands, plan)
        for _ in range(self.drafts):
            draft = await book(hands, brief, plan, rooms[0])
            await hands.call("calendar_cancel", meeting=draft)
        room = rooms[-1 if self.last_room else 0]
        meeting = await book(hands, brief, plan, room, self.title, self.agenda)
        if self.cancelled:
            await hands.call("calendar_cancel", meeting=meeting)
        elif self.attends:
            await attend(hands, plan, meeting, self.early)
        if self.submits:
            await hands.call("desk_submit", task=hands.task)


# what is done to the plan ------------------------------------------------------------------


async def _backwards(hands: Hands, plan: Plan) -> None:
    plan.guests.reverse()


async def _by_name_and_twice(hands: Hands, plan: Plan) -> None:
    listed = (await hands.call("chat_list_people")).data["people"]
    names = {person["id"]: person["name"] for person in listed}
    plan.guests += [names.get(guest, guest) for guest in plan.guests]


async def _one_too_many(hands: Hands, plan: Plan) -> None:
    plan.guests.append(await _outsider(hands))


async def _one_missing(hands: Hands, plan: Plan) -> None:
    plan.guests.remove(plan.asked[-1])


async def _named_one_missing(hands: Hands, plan: Plan) -> None:
    plan.guests.remove(next(guest for guest in plan.guests if guest not in plan.asked))


async def _another_instead(hands: Hands, plan: Plan) -> None:
    plan.guests[0] = await _outsider(hands)


async def _nobody_named(hands: Hands, plan: Plan) -> None:
    plan.guests = [*plan.asked]


async def _later(hands: Hands, plan: Plan) -> None:
    plan.begin(plan.starts + timedelta(minutes=15))


async def _shorter(hands: Hands, plan: Plan) -> None:
    plan.ends -= timedelta(minutes=15)


async def _outsider(hands: Hands) -> str:
    """Somebody whom nobody names: executives have other things to do."""
    people = (await hands.call("chat_list_people", department="Executive")).data["people"]
    return str(people[0]["id"])


def _made(ways: dict[str, Way], *, harmless: bool) -> tuple[Variant, ...]:
    return tuple(Variant(name, harmless, way.work) for name, way in ways.items())


_ASKED_OTHERWISE = "Hello! Are you free today at {at} for {code}? Whom shall I invite with you?"
_HARMLESS = {
    "asked in another order": Way(backwards=True),
    "asked in other words": Way(question=_ASKED_OTHERWISE),
    "invited in another order": Way(change=_backwards),
    "invited by name, and twice": Way(change=_by_name_and_twice),
    "a title and an agenda of one's own": Way(title="See you there", agenda="1. Coffee"),
    "another room that does": Way(last_room=True),
    "booked, cancelled and booked again": Way(drafts=2),
    "five minutes early": Way(early=timedelta(minutes=5)),
    "five minutes late": Way(early=timedelta(minutes=-5)),
    "never submitted": Way(submits=False),
}
_WRONG = {
    "a guest too many": Way(change=_one_too_many),
    "somebody who comes is missing": Way(change=_one_missing),
    "somebody who was named is missing": Way(change=_named_one_missing),
    "somebody else instead of a guest": Way(change=_another_instead),
    "nobody who was named": Way(change=_nobody_named),
    "a quarter of an hour later": Way(change=_later),
    "a quarter of an hour too short": Way(change=_shorter),
    "cancelled in the end": Way(cancelled=True),
    "not attended": Way(attends=False),
    "six minutes late": Way(early=timedelta(minutes=-6)),
}
VARIANTS = _made(_HARMLESS, harmless=True) + _made(_WRONG, harmless=False)
