"""Who is asked, who may be named by them, and for whom the meeting is set up: all of it open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from meta_tasks.absences import at_work
from meta_tasks.stage import CompositionError, Stage
from world.org_chart import EXECUTIVE
from world.people import Person

DOUBTFUL = 3
"""Of a department so many refer to their manager, as in the original."""
MOST_ASKED = 10
_LARGEST_TEAM = 8
_SMALL_GROUP = (3, 4)
_FEWEST_TO_NAME = 2
"""Each of those asked has at least so many colleagues to name."""


class Kind(StrEnum):
    """Who is invited to what."""

    MANAGER = "manager"
    DEPARTMENT = "department"
    CAPACITY = "capacity"
    MOVED = "moved"


@dataclass(frozen=True)
class Party:
    """Whom the trainee is to ask, in which words the task says so, and for whom it is done.

    ``leader`` decides about those who refer to them; only a department has one.
    """

    asked: tuple[Person, ...]
    words: str
    host: Person
    leader: Person | None = None


def gather(stage: Stage, kind: Kind, least: int, department: str | None) -> Party:
    """Draw who is asked, of managers more than *least*.

    Raises CompositionError in a company that is too small.
    """
    if kind is Kind.MANAGER:
        return _managers(stage, least)
    if kind is Kind.DEPARTMENT:
        return _department(stage, department)
    (host,) = stage.pick("host", stage.company.staff(manager=True))
    others = [person for person in present(stage) if person is not host]
    count = stage.stream("size of the group").randint(*_SMALL_GROUP)
    asked = stage.pick("asked", others, count)
    return Party(asked, _names(asked), host)


def present(stage: Stage) -> list[Person]:
    """Everybody at work today but the executives, as far as tasks composed before know."""
    people = (person for person in stage.company.people if person.department != EXECUTIVE)
    return at_work(stage, people)


def shares(stage: Stage, party: Party, count: int, besides: Sequence[str] = ()) -> list[list[str]]:
    """The names of those not asked, dealt out to *count* who may each name one of theirs, so
    that no two name the same. Raises CompositionError if there are too few."""
    taken = {person.id for person in (*party.asked, party.host)} | set(besides)
    others = [person.name for person in present(stage) if person.id not in taken]
    if len(others) < _FEWEST_TO_NAME * count:
        raise CompositionError(
            f"{stage.task}: the company is too small for a meeting whose {count} guests bring "
            "colleagues along; take a larger one"
        )
    stage.stream("whom they may name").shuffle(others)
    return [others[place::count] for place in range(count)]


def _managers(stage: Stage, least: int) -> Party:
    (host,) = stage.pick("host", stage.company.staff(EXECUTIVE))
    managers = stage.company.staff(manager=True)
    most = max(least + 1, min(MOST_ASKED, len(present(stage)) // (1 + _FEWEST_TO_NAME)))
    if len(managers) <= most:
        return Party(
            managers, "all managers of the company (everybody with Manager in the title)", host
        )
    asked = stage.pick("asked", managers, most)
    return Party(asked, _names(asked), host)


def _department(stage: Stage, department: str | None) -> Party:
    teams = [
        (manager, team)
        for manager in stage.company.staff(manager=True)
        if len(team := [p for p in present(stage) if p.manager == manager.id]) > DOUBTFUL
    ]
    usual = (department,) if department else ("Marketing", "Product")
    wanted = [pair for pair in teams if pair[0].department in usual] or teams
    if not wanted:
        raise CompositionError(f"{stage.task} finds no team of more than {DOUBTFUL} people")
    leader, team = stage.stream("department").choice(wanted)
    asked = (leader, *team[:_LARGEST_TEAM])
    everybody = stage.company.department(leader.department).people
    words = f"everybody in {leader.department}" if everybody == asked else _names(asked)
    return Party(asked, words, leader, leader)


def _names(people: Sequence[Person]) -> str:
    *most, last = [person.name for person in people]
    return f"{', '.join(most)} and {last}"
