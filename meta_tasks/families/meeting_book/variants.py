"""Other ways to book the meeting than the honest one: some as good, some wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial

from trainee_bench.meta_tasks.authoring import SolverVariant
from trainee_bench.meta_tasks.authoring.asking import Contact
from trainee_bench.meta_tasks.families.meeting_book.plan import BookingPlan, BookingWay
from trainee_bench.meta_tasks.families.meeting_book.work import book_meeting


def _outsider(everybody: Sequence[Contact]) -> str:
    """Somebody whom nobody names: executives have other things to do."""
    return next(person.id for person in everybody if person.department == "Executive")


def _by_name_and_twice(plan: BookingPlan, everybody: Sequence[Contact]) -> list[str]:
    names = {person.id: person.name for person in everybody}
    return [*plan.guests, *(names.get(guest, guest) for guest in plan.guests)]


def _named_one_missing(plan: BookingPlan, everybody: Sequence[Contact]) -> list[str]:
    missing = next(guest for guest in plan.guests if guest not in plan.asked)
    return [guest for guest in plan.guests if guest != missing]


_ASKED_OTHERWISE = "Hello! Are you free today at {starts} for {code}? Whom shall I invite with you?"
_QUARTER = timedelta(minutes=15)
_HARMLESS: Mapping[str, BookingWay] = {
    "asked in another order": BookingWay(backwards=True),
    "asked in other words": BookingWay(question=_ASKED_OTHERWISE),
    "invited in another order": BookingWay(guests=lambda plan, _: plan.guests[::-1]),
    "invited by name, and twice": BookingWay(guests=_by_name_and_twice),
    "a title and an agenda of one's own": BookingWay(title="See you there", agenda="1. Coffee"),
    "another room that does": BookingWay(last_room=True),
    "booked, cancelled and booked again": BookingWay(drafts=2),
    "five minutes early": BookingWay(early=timedelta(minutes=5)),
    "five minutes late": BookingWay(early=timedelta(minutes=-5)),
    "never submitted": BookingWay(submits=False),
}
_WRONG: Mapping[str, BookingWay] = {
    "a guest too many": BookingWay(guests=lambda plan, people: [*plan.guests, _outsider(people)]),
    "somebody who comes is missing": BookingWay(
        guests=lambda plan, _: [guest for guest in plan.guests if guest != plan.asked[-1]]
    ),
    "somebody who was named is missing": BookingWay(guests=_named_one_missing),
    "somebody else instead of a guest": BookingWay(
        guests=lambda plan, people: [_outsider(people), *plan.guests[1:]]
    ),
    "nobody who was named": BookingWay(guests=lambda plan, _: [*plan.asked]),
    "a quarter of an hour later": BookingWay(later=_QUARTER),
    "a quarter of an hour too short": BookingWay(shorter=_QUARTER),
    "cancelled in the end": BookingWay(cancelled=True),
    "not attended": BookingWay(attends=False),
    "six minutes late": BookingWay(early=timedelta(minutes=-6)),
}
SOLVER_VARIANTS = tuple(
    SolverVariant(name, harmless, partial(book_meeting, way=way))
    for ways, harmless in ((_HARMLESS, True), (_WRONG, False))
    for name, way in ways.items()
)
