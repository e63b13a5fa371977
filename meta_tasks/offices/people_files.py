"""`people.csv` and `rooms.csv`: the people of a company, and its meeting rooms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from trainee_bench.meta_tasks.offices.office_file import OfficeFile, TraineeFile, parse_hours
from trainee_bench.meta_tasks.offices.source import CsvLine, OfficeError, flaw_at, read_csv
from trainee_bench.world.company.name_forms import latin_handle, tidied_name
from trainee_bench.world.company.people import MANNERS, Company, Manner, Person
from trainee_bench.world.random_streams import random_stream

MIN_PEOPLE, MAX_PEOPLE = 2, 500
MAX_ANSWERS_IN = 480
_REQUIRED = ("name", "title", "department")
_OPTIONAL = ("manager", "hours", "answers_in", "id", "email", "manner")
_HOURS = "09:00-17:00"
_ANSWERS_IN = 2
_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
_ADDRESS = re.compile(r"[a-z0-9][a-z0-9._+-]{0,63}@[a-z0-9][a-z0-9.-]{0,188}\.[a-z]{2,24}")


def read_people(path: Path, office: OfficeFile) -> Company:
    """Return the company of people.csv and of the trainee in office.yaml.

    Raises OfficeError for a missing or doubled person, an unknown manager, or an impossible cell.
    """
    lines = read_csv(path, _REQUIRED, _OPTIONAL)
    if not MIN_PEOPLE <= len(lines) <= MAX_PEOPLE:
        flaw = f"it has {len(lines)} people; an office has {MIN_PEOPLE} to {MAX_PEOPLE}"
        raise OfficeError(path, f"{flaw}, besides the trainee")
    drafts = [_draft(path, line, office.domain, number) for number, line in enumerate(lines, 1)]
    _check_distinct(path, drafts)
    ids = {draft.name: draft.id for draft in drafts}
    leading = {draft.manager for draft in drafts}
    people = tuple(_person(path, draft, ids, draft.name in leading) for draft in drafts)
    departments = {person.department for person in people}
    for role, department in office.roles.items():
        if department not in departments:
            flaw = f"roles.{role}: nobody is in {department!r}; the departments are "
            flaw += ", ".join(sorted(departments))
            raise flaw_at(path.parent / "office.yaml", flaw, "roles", role)
    trainee = _trainee(path.parent / "office.yaml", office, people)
    roles = {role.casefold(): department for role, department in office.roles.items()}
    return Company(
        name=office.company, domain=office.domain, people=people, trainee=trainee, roles=roles
    )


@dataclass(frozen=True)
class _Draft:
    """A line of people.csv, before managers are known."""

    line: CsvLine
    id: str
    name: str
    email: str
    manager: str


def _draft(path: Path, line: CsvLine, domain: str, number: int) -> _Draft:
    cells = line.cells
    try:
        name = tidied_name(cells["name"])
        manager = tidied_name(cells["manager"]) if cells.get("manager") else ""
    except ValueError as error:
        raise OfficeError(path, str(error), line.number) from None
    id = cells.get("id", "") or latin_handle(name) or f"person-{number}"
    if not _ID.fullmatch(id):
        flaw = f"the id {id!r} is refused; use small letters, digits, dots and dashes"
        raise OfficeError(path, flaw, line.number)
    email = (cells.get("email", "") or f"{id}@{domain}").lower()
    if not _ADDRESS.fullmatch(email):
        raise OfficeError(path, f"{email!r} is no mail address", line.number)
    return _Draft(line, id, name, email, manager)


def _check_distinct(path: Path, drafts: list[_Draft]) -> None:
    """Raise OfficeError if two people have the same name, id or address."""
    for what in ("name", "id", "email"):
        seen: dict[str, int] = {}
        for draft in drafts:
            value = str(getattr(draft, what)).casefold()
            if value in seen:
                remedy = {
                    "name": "add a middle name or initial",
                    "id": "add a column id, and give each their own",
                    "email": "give each their own",
                }[what]
                flaw = f"line {seen[value]} has the same {what} ({value}); {remedy}"
                raise OfficeError(path, flaw, draft.line.number)
            seen[value] = draft.line.number


def _person(path: Path, draft: _Draft, ids: Mapping[str, str], leads: bool) -> Person:
    cells, line = draft.line.cells, draft.line.number
    if draft.manager and draft.manager not in ids:
        flaw = f"the manager {draft.manager!r} is not in the file; write the full name"
        raise OfficeError(path, flaw, line)
    if draft.manager == draft.name:
        raise OfficeError(path, f"{draft.name} cannot be their own manager", line)
    if not cells["department"]:
        raise OfficeError(path, f"{draft.name} has no department", line)
    try:
        hours = parse_hours(cells.get("hours", "") or _HOURS)
    except ValueError as error:
        raise OfficeError(path, str(error), line) from None
    answers_in = cells.get("answers_in", "") or str(_ANSWERS_IN)
    if (
        not answers_in.isdecimal()
        or len(answers_in) > 3
        or not 1 <= int(answers_in) <= MAX_ANSWERS_IN
    ):
        flaw = f"answers_in is a number of minutes from 1 to {MAX_ANSWERS_IN}, not {answers_in!r}"
        raise OfficeError(path, flaw, line)
    return Person(
        id=draft.id,
        name=draft.name,
        email=draft.email,
        title=cells["title"] or "Employee",
        department=cells["department"],
        manager=ids[draft.manager] if draft.manager else None,
        is_manager=leads,
        hours=hours,
        manner=_manner(path, draft),
        delay=int(answers_in),
    )


def _manner(path: Path, draft: _Draft) -> Manner:
    """Return how a person writes: as the file says, or drawn from the id."""
    given = draft.line.cells.get("manner", "")
    for manner in MANNERS:
        if manner == given:
            return manner
    if given:
        flaw = f"the manner is one of {', '.join(MANNERS)}, not {given!r}"
        raise OfficeError(path, flaw, draft.line.number)
    return random_stream("own office", "manner", draft.id).choice(MANNERS)


def _trainee(path: Path, office: OfficeFile, people: tuple[Person, ...]) -> Person:
    given: TraineeFile = office.trainee
    try:
        name = tidied_name(given.name)
    except ValueError as error:
        raise flaw_at(path, f"trainee: {error}", "trainee", "name") from None
    id = given.id or latin_handle(name) or "trainee"
    email = given.email.lower() or f"{id}@{office.domain}"
    for person in people:
        if name.casefold() == person.name.casefold() or id == person.id or email == person.email:
            flaw = f"trainee: {person.name} in people.csv has the same name, id or address"
            raise flaw_at(path, f"{flaw}; change one of them", "trainee")
    managers = [person for person in people if person.is_manager] or list(people)
    manager = next((person for person in people if person.name == given.manager), None)
    if given.manager and manager is None:
        flaw = f"trainee.manager: {given.manager!r} is not in people.csv; write the full name"
        raise flaw_at(path, flaw, "trainee", "manager")
    return Person(
        id=id,
        name=name,
        email=email,
        title=given.title,
        department=given.department,
        manager=(manager or managers[0]).id,
        is_manager=False,
        hours=given.hours,
        manner="warm",
        delay=1,
    )


def read_rooms(path: Path) -> Mapping[str, int]:
    """Return the seats of each room, by name, smallest first. Raises OfficeError."""
    rooms: dict[str, int] = {}
    for line in read_csv(path, ("room", "seats")):
        room, seats = line.cells["room"], line.cells["seats"]
        taken = {name.casefold() for name in rooms}
        if not room.isprintable() or not 1 <= len(room) <= 40 or room.casefold() in taken:
            flaw = f"{room[:60]!r} is no room, or there twice; write one line of text for each"
            raise OfficeError(path, flaw, line.number)
        if not seats.isdecimal() or len(seats) > 4 or not 1 <= int(seats) <= 1000:
            raise OfficeError(path, f"seats is a number from 1 to 1000, not {seats!r}", line.number)
        rooms[room] = int(seats)
    if not rooms:
        raise OfficeError(path, "it has no room; add one, or delete the file")
    return dict(sorted(rooms.items(), key=lambda room: room[1]))
