"""The JSON of the page "Office": a company with its people, and each task with its certificate.

The page is for the office's author, so it shows facts and right answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from pydantic import BaseModel

from trainee_bench.harness.certification.badges import badge_text
from trainee_bench.harness.certification.claim_words import CLAIM_WORDS
from trainee_bench.harness.records.office_certificates import (
    KeptCertificate,
    KeptClaim,
    read_certificates,
)
from trainee_bench.harness.studio.office_results import RightResult, right_result
from trainee_bench.harness.studio.office_worlds import stated_policy, world_in_words
from trainee_bench.harness.studio.opened_run import shown_path
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.offices.office import Office
from trainee_bench.meta_tasks.offices.opened import open_offices
from trainee_bench.meta_tasks.offices.task_classes import request_text
from trainee_bench.meta_tasks.offices.values import write_value
from trainee_bench.world.company.people import Person


class OfficeLine(BaseModel):
    """An open office in the list; ``broken`` counts its tasks with a broken claim."""

    name: str
    company: str
    tasks: int
    broken: int


class OfficeList(BaseModel):
    """All open offices."""

    offices: tuple[OfficeLine, ...]


class ShownPerson(BaseModel):
    """A person, with the manager's name, hours such as "08:30-18:00", and minutes to an answer."""

    id: str
    name: str
    title: str
    department: str
    manager: str
    hours: str
    answers_in: int
    email: str


class ShownTopic(BaseModel):
    """Something that every colleague tells, and the first question for it."""

    question: str
    says: str


class TaskLine(BaseModel):
    """A task in the list: its kind, its badge, and the claims that broke with its present
    contents."""

    name: str
    title: str
    kind: str
    requester: str
    badge: str
    broken: tuple[str, ...]


class OfficePage(BaseModel):
    """An office: its company, the numbers of its files, mails and meetings, and its tasks.
    ``reference`` has the digest of the folder's contents."""

    name: str
    reference: str
    folder: str
    company: str
    domain: str
    day: date
    trainee: ShownPerson
    people: tuple[ShownPerson, ...]
    rooms: Mapping[str, int]
    topics: tuple[ShownTopic, ...]
    files: int
    mails: int
    meetings: int
    tasks: tuple[TaskLine, ...]


class ShownFlaw(BaseModel):
    """A trial that broke a claim; ``world`` tells its world in words, "" if it was none alone."""

    text: str
    world: str


class ShownClaim(BaseModel):
    """A claim that broke: what it says of the task, and the trials that broke it."""

    name: str
    says: str
    tried: int
    broken: int
    flaws: tuple[ShownFlaw, ...]


class ShownCertificate(BaseModel):
    """The last certificate of a task. ``current`` says whether the contents are still the same."""

    current: bool
    seeds: int
    holding: tuple[str, ...]
    broken: tuple[ShownClaim, ...]
    notes: tuple[str, ...]


class TaskPart(BaseModel):
    """A file of a task: its name, and its path or the subject of the mail; ``app`` opens it."""

    name: str
    path: str
    app: str


class FactLine(BaseModel):
    """A fact that one colleague tells: the first question for it, what is told at this seed, and
    its other values. ``assumed`` is what somebody takes who does not ask."""

    name: str
    who: str
    hours: str
    answers_in: int
    question: str
    told: str
    others: tuple[str, ...]
    assumed: str


class TaskPage(BaseModel):
    """A task on the day of a seed; ``flaw`` says why that day cannot be composed."""

    name: str
    rule: str
    title: str
    kind: str
    badge: str
    requester: str
    seed: int
    due: datetime | None
    request: str
    files: tuple[TaskPart, ...]
    policy: Mapping[str, str]
    facts: tuple[FactLine, ...]
    result: RightResult
    certificate: ShownCertificate | None
    flaw: str


def office_list() -> OfficeList:
    """Return all open offices."""
    lines = []
    for office in open_offices().values():
        broken = sum(bool(task.broken) for task in _task_lines(office))
        lines.append(
            OfficeLine(
                name=office.name,
                company=office.company.name,
                tasks=len(office.tasks),
                broken=broken,
            )
        )
    return OfficeList(offices=tuple(lines))


def office_page(office: Office) -> OfficePage:
    """Return the page of an office."""
    company = office.company
    names = {person.id: person.name for person in company.people}
    return OfficePage(
        name=office.name,
        reference=office.reference,
        folder=shown_path(office.folder),
        company=company.name,
        domain=company.domain,
        day=office.file.day,
        trainee=_person(company.trainee, names),
        people=tuple(_person(person, names) for person in company.people),
        rooms=office.rooms,
        topics=tuple(ShownTopic(question=each.asks[0], says=each.text) for each in office.known),
        files=len(office.drive),
        mails=len(office.mails),
        meetings=len(office.meetings),
        tasks=_task_lines(office),
    )


def _person(person: Person, names: Mapping[str, str]) -> ShownPerson:
    return ShownPerson(
        id=person.id,
        name=person.name,
        title=person.title,
        department=person.department,
        manager=names.get(person.manager or "", ""),
        hours=_hours(person),
        answers_in=person.delay,
        email=person.email,
    )


def _hours(person: Person) -> str:
    return f"{person.hours.starts:%H:%M}-{person.hours.ends:%H:%M}"


def _task_lines(office: Office) -> tuple[TaskLine, ...]:
    certificates = read_certificates(office)
    lines = []
    for name, source in office.tasks.items():
        rule = f"{office.name}.{name}"
        kept = certificates.get(rule)
        known = kept is not None and kept.office == office.reference
        lines.append(
            TaskLine(
                name=name,
                title=source.file.title,
                kind=source.file.kind,
                requester=source.file.requester,
                badge=badge_text(office, rule),
                broken=tuple(claim.name for claim in kept.broken) if kept and known else (),
            )
        )
    return tuple(lines)


def task_page(office: Office, name: str, seed: int, day: ComposedDay | str) -> TaskPage:
    """Return the page of a task; *day* is that of the seed, or says why there is none."""
    source = office.tasks[name]
    file, rule = source.file, f"{office.name}.{name}"
    task = day.tasks[0] if isinstance(day, ComposedDay) else None
    told = (
        {clue.id.partition("/")[2]: clue.payload for clue in task.instance.hidden.clues}
        if task is not None
        else {}
    )
    kept = read_certificates(office).get(rule)
    return TaskPage(
        name=name,
        rule=rule,
        title=file.title,
        kind=file.kind,
        badge=badge_text(office, rule),
        requester=file.requester,
        seed=seed,
        due=task.deadline if task is not None else None,
        request=task.instance.told.objective if task is not None else request_text(source),
        files=tuple(_part(office, name, part, path) for part, path in file.files.items()),
        policy=_policy(office, name),
        facts=_facts(office, name, told),
        result=right_result(office, name, task.instance.graded.truth.result if task else None),
        certificate=_certificate(office, kept) if kept is not None else None,
        flaw=day if isinstance(day, str) else "",
    )


def _part(office: Office, task: str, name: str, path: str) -> TaskPart:
    mails = office.tasks[task].mails
    if path in mails:
        return TaskPart(name=name, path=f"mail “{mails[path].subject}”", app="")
    return TaskPart(
        name=name, path=path, app="sheets" if path.endswith((".csv", ".xlsx")) else "files"
    )


def _policy(office: Office, task: str) -> Mapping[str, str]:
    """Return the rules' values that a task's pages or its request state."""
    names = office.task_classes[task]().rule_names
    return {name: text for name, text in stated_policy(office).items() if name in names}


def _facts(office: Office, task: str, told: Mapping[str, str]) -> tuple[FactLine, ...]:
    people = {person.name: person for person in office.company.people}
    return tuple(
        FactLine(
            name=name,
            who=fact.who,
            hours=_hours(people[fact.who]),
            answers_in=people[fact.who].delay,
            question=fact.asked[0],
            told=told.get(name, fact.says.replace("{value}", write_value(fact.value))),
            others=tuple(map(write_value, fact.otherwise)),
            assumed=write_value(fact.shortcut) if fact.shortcut is not None else "",
        )
        for name, fact in office.tasks[task].file.facts.items()
    )


def _certificate(office: Office, kept: KeptCertificate) -> ShownCertificate:
    return ShownCertificate(
        current=kept.office == office.reference,
        seeds=kept.seeds,
        holding=tuple(claim.name for claim in kept.claims if claim.holds),
        broken=tuple(_claim(office, claim) for claim in kept.broken),
        notes=tuple(dict.fromkeys(note for claim in kept.claims for note in claim.notes)),
    )


def _claim(office: Office, claim: KeptClaim) -> ShownClaim:
    return ShownClaim(
        name=claim.name,
        says=CLAIM_WORDS.get(claim.name, ""),
        tried=claim.tried,
        broken=claim.broken,
        flaws=tuple(
            ShownFlaw(
                text=flaw.text,
                world=world_in_words(office, flaw.world) if flaw.world is not None else "",
            )
            for flaw in claim.flaws
        ),
    )
