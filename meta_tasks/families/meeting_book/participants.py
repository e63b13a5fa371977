"""Who is asked, who may be named by them, and for whom the meeting is set up: all of it open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from trainee_bench.meta_tasks.absences import without_absent
from trainee_bench.meta_tasks.task_context import CompositionError, TaskContext
from trainee_bench.world.company.org_chart import EXECUTIVE
from trainee_bench.world.company.people import Person

UNDECIDED_PEOPLE = 3
"""Of a department so many refer to their manager, as in the original."""
MAX_ASKED = 10
_LARGEST_TEAM = 8
_SMALL_GROUP = (3, 4)
_FEWEST_TO_NAME = 2
"""Each of those asked has at least so many colleagues to name."""


class MeetingKind(StrEnum):
    """Who is invited to what."""

    MANAGER = "manager"
    DEPARTMENT = "department"
    CAPACITY = "capacity"
    MOVED = "moved"


@dataclass(frozen=True)
class Participants:
    """Whom the trainee is to ask, in which words the task says so, and for whom it is done.

    ``leader`` decides about those who refer to them; only a department has one.
    """

    asked: tuple[Person, ...]
    words: str
    host: Person
    leader: Person | None = None


def draw_participants(
    context: TaskContext, kind: MeetingKind, least: int, department: str | None
) -> Participants:
    """Draw who is asked, of managers more than *least*.

    Raises CompositionError in a company that is too small.
    """
    if kind is MeetingKind.MANAGER:
        return _managers(context, least)
    if kind is MeetingKind.DEPARTMENT:
        return _department(context, department)
    (host,) = context.pick("host", context.company.staff(manager=True))
    others = [person for person in available_people(context) if person is not host]
    count = context.stream("size of the group").randint(*_SMALL_GROUP)
    asked = context.pick("asked", others, count)
    return Participants(asked, _names(asked), host)


def available_people(context: TaskContext) -> list[Person]:
    """Everybody at work today but the executives, as far as tasks composed before know."""
    people = (person for person in context.company.people if person.department != EXECUTIVE)
    return without_absent(context, people)


def split_nominees(
    context: TaskContext, party: Participants, count: int, besides: Sequence[str] = ()
) -> list[list[str]]:
    """The names of those not asked, dealt out to *count* who may each name one of theirs, so
    that no two name the same. Raises CompositionError if there are too few."""
    taken = {person.id for person in (*party.asked, party.host)} | set(besides)
    others = [person.name for person in available_people(context) if person.id not in taken]
    if len(others) < _FEWEST_TO_NAME * count:
        raise CompositionError(
            f"{context.task}: the company is too small for a meeting whose {count} guests bring "
            "colleagues along; take a larger one"
        )
    context.stream("whom they may name").shuffle(others)
    return [others[place::count] for place in range(count)]


def _managers(context: TaskContext, least: int) -> Participants:
    (host,) = context.pick("host", context.company.staff(EXECUTIVE))
    managers = context.company.staff(manager=True)
    most = max(least + 1, min(MAX_ASKED, len(available_people(context)) // (1 + _FEWEST_TO_NAME)))
    if len(managers) <= most:
        return Participants(
            managers, "all managers of the company (everybody with Manager in the title)", host
        )
    asked = context.pick("asked", managers, most)
    return Participants(asked, _names(asked), host)


def _department(context: TaskContext, department: str | None) -> Participants:
    teams = [
        (manager, team)
        for manager in context.company.staff(manager=True)
        if len(team := [p for p in available_people(context) if p.manager == manager.id])
        > UNDECIDED_PEOPLE
    ]
    usual = (department,) if department else ("Marketing", "Product")
    wanted = [pair for pair in teams if pair[0].department in usual] or teams
    if not wanted:
        raise CompositionError(
            f"{context.task} finds no team of more than {UNDECIDED_PEOPLE} people"
        )
    leader, team = context.stream("department").choice(wanted)
    asked = (leader, *team[:_LARGEST_TEAM])
    everybody = context.company.department(leader.department).people
    words = f"everybody in {leader.department}" if everybody == asked else _names(asked)
    return Participants(asked, words, leader, leader)


def _names(people: Sequence[Person]) -> str:
    *most, last = [person.name for person in people]
    return f"{', '.join(most)} and {last}"
