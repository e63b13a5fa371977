"""The people of the company: their titles, superiors and working hours.

`create_company(seed, size)` derives everyone from the seed and the size alone. At 50 people the
departments and roles are those of the paper's company; other sizes keep its proportions. The
trainee, whose day it is, belongs to the company but does not count towards its size.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from datetime import time
from functools import cached_property, lru_cache
from itertools import chain
from typing import Literal, get_args

from pydantic import BaseModel

from trainee_bench.world.company.name_forms import (
    exact_key,
    first_name,
    is_plain,
    latin_handle,
    loose_key,
    parts_of_name,
)
from trainee_bench.world.company.org_chart import OrgPosition, build_org_chart, position_of_superior
from trainee_bench.world.company.person_names import draw_names
from trainee_bench.world.errors import NotFound
from trainee_bench.world.random_streams import random_stream

COMPANY_NAME = "Tessel Labs"
DOMAIN = "tessel.example"
MIN_COMPANY_SIZE, MAX_COMPANY_SIZE = 10, 500

Manner = Literal["brisk", "warm", "formal", "dry"]
MANNERS: tuple[Manner, ...] = get_args(Manner)


class WorkingHours(BaseModel, frozen=True, extra="forbid"):
    """A person's working hours; everyone works from 09:00 to 17:00 at least."""

    starts: time
    ends: time


WORKING_HOURS = tuple(
    WorkingHours(starts=starts, ends=ends)
    for starts, ends in (
        (time(8, 0), time(17, 0)),
        (time(8, 30), time(17, 30)),
        (time(8, 30), time(18, 0)),
        (time(9, 0), time(17, 30)),
        (time(9, 0), time(18, 0)),
    )
)

TRAINEE_NAME = "Robin Hale"
TRAINEE_POSITION = OrgPosition("Trainee", "Operations", None, leads=False)
TRAINEE_HOURS = WorkingHours(starts=time(8), ends=time(18))


class Person(BaseModel, frozen=True, extra="forbid"):
    """A person who works at the company."""

    id: str
    """The handle, such as "mara.lindt"; unique."""
    name: str
    email: str
    title: str
    department: str
    manager: str | None
    """The id of the person they report to; None for the CEO."""
    is_manager: bool
    """Whether they lead a department or a team in it; executives and staff do not."""
    hours: WorkingHours
    manner: Manner
    delay: int
    """Minutes this colleague usually takes to answer, 1 to 4."""

    @property
    def first_name(self) -> str:
        """The name that colleagues use."""
        return first_name(self.name)


class Department(BaseModel, frozen=True, extra="forbid"):
    """A department and its people, managers first."""

    name: str
    people: tuple[Person, ...]

    @property
    def managers(self) -> tuple[Person, ...]:
        """The people who lead it; in Executive, the executives."""
        leading = tuple(person for person in self.people if person.is_manager)
        return leading or self.people


class Company(BaseModel, frozen=True, extra="forbid"):
    """All people, in a fixed order: executives, then each department, its managers first."""

    name: str
    domain: str
    people: tuple[Person, ...]
    trainee: Person
    roles: Mapping[str, str] = {}
    """The department that has the role of a built-in one, by that one's name in small letters, such
    as {"hr": "People"}."""

    def person(self, who: str) -> Person:
        """Return the person (or trainee) with this handle, full name or address.

        A first or last name alone is enough if only one person has it. Case does not matter, nor do
        accents if nobody's name is written like that. Raises NotFound, naming people with similar
        names.
        """
        wanted = exact_key(who)
        found = self._index.get(wanted) or self._accented.get(loose_key(who), ())
        if len(found) == 1:
            return found[0]
        near = found or self._near(wanted)
        hint = f" Did you mean {_either(near)}?" if near else " Look the name up in the directory."
        raise NotFound(f"Nobody here is called {who!r}.{hint}")

    def staff(
        self,
        department: str | None = None,
        title: str | None = None,
        manager: bool | None = None,
    ) -> tuple[Person, ...]:
        """Return the people, without the trainee, who match all given criteria."""
        if department is not None:
            department = self.roles.get(department.casefold(), department)
        return tuple(
            person
            for person in self.people
            if (department is None or person.department == department)
            and (title is None or person.title == title)
            and (manager is None or person.is_manager == manager)
        )

    @cached_property
    def departments(self) -> tuple[Department, ...]:
        """Every department, Executive first."""
        names = dict.fromkeys(person.department for person in self.people)
        return tuple(Department(name=name, people=self.staff(name)) for name in names)

    def department(self, name: str) -> Department:
        """Return the department with this name, in any case. Raises NotFound, naming all
        departments."""
        wanted = self.roles.get(name.strip().casefold(), name.strip()).casefold()
        for department in self.departments:
            if department.name.casefold() == wanted:
                return department
        names = ", ".join(department.name for department in self.departments)
        raise NotFound(f"There is no department {name!r}. The departments are {names}.")

    @cached_property
    def _index(self) -> dict[str, tuple[Person, ...]]:
        """The people that each folded handle, address, full, first or last name may mean."""
        index: dict[str, tuple[Person, ...]] = {}
        for person in (*self.people, self.trainee):
            called = (person.id, person.email, person.name, *parts_of_name(person.name))
            for key in dict.fromkeys(map(exact_key, called)):
                index[key] = (*index.get(key, ()), person)
        return index

    @cached_property
    def _accented(self) -> dict[str, tuple[Person, ...]]:
        """The people, at least one with a name that is not plain, that each name without accents
        may mean."""
        index: dict[str, tuple[Person, ...]] = {}
        for person in (*self.people, self.trainee):
            called = (person.name, *parts_of_name(person.name))
            for key in dict.fromkeys(map(loose_key, called)):
                index[key] = (*index.get(key, ()), person)
        return {
            key: people
            for key, people in index.items()
            if not all(is_plain(person.name) for person in people)
        }

    def _near(self, wanted: str) -> tuple[Person, ...]:
        """Return at most three people whose handle or name resembles *wanted*."""
        keys = difflib.get_close_matches(wanted, sorted(self._index), n=6, cutoff=0.7)
        people = chain.from_iterable(self._index[key] for key in keys)
        return tuple(dict.fromkeys(people))[:3]


def create_company(seed: str | int, size: int = 50) -> Company:
    """Create the company of this seed with `size` people, 10 to 500, and the trainee.

    Raises ValueError for a size out of bounds.
    """
    if not MIN_COMPANY_SIZE <= size <= MAX_COMPANY_SIZE:
        raise ValueError(
            f"a company has {MIN_COMPANY_SIZE} to {MAX_COMPANY_SIZE} people, not {size}"
        )
    return _draw_company(seed, size)


# Typed, since 1 and "1" are different seeds. Cached, since a day is composed several times.
@lru_cache(maxsize=64, typed=True)
def _draw_company(seed: str | int, size: int) -> Company:
    positions = build_org_chart(size)
    names = draw_names(random_stream("company", seed, "names"), size, taken=TRAINEE_NAME.split())
    habits = random_stream("company", seed, "habits")
    people: list[Person] = []
    for name, position in zip(names, positions, strict=True):
        superior = None if position.superior is None else people[position.superior]
        hours, manner, delay = (
            habits.choice(WORKING_HOURS),
            habits.choice(MANNERS),
            habits.randint(1, 4),
        )
        people.append(_create_person(name, position, superior, hours, manner, delay))
    superior = people[position_of_superior("COO", positions)]
    trainee = _create_person(TRAINEE_NAME, TRAINEE_POSITION, superior, TRAINEE_HOURS, "warm", 1)
    return Company(name=COMPANY_NAME, domain=DOMAIN, people=tuple(people), trainee=trainee)


def _create_person(
    name: str,
    position: OrgPosition,
    superior: Person | None,
    hours: WorkingHours,
    manner: Manner,
    delay: int,
) -> Person:
    """Create a person with this name and position; handle and address follow from the name."""
    handle = latin_handle(name)
    return Person(
        id=handle,
        name=name,
        email=f"{handle}@{DOMAIN}",
        title=position.title,
        department=position.department,
        manager=superior.id if superior else None,
        is_manager=position.leads,
        hours=hours,
        manner=manner,
        delay=delay,
    )


def _either(people: Sequence[Person]) -> str:
    """List the people for a question: "A (a.id), B (b.id) or C (c.id)"."""
    *most, last = [f"{person.name} ({person.id})" for person in people]
    return f"{', '.join(most)} or {last}" if most else last
