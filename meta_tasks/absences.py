"""The people who are away on a day. Tasks share this, so that none relies on somebody who is not
there.

Tasks are composed one after the other. A task that sends people away records it here, and later
tasks leave them out. For earlier tasks, the finished day is checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from trainee_bench.meta_tasks.meta_task import TaskInstance
from trainee_bench.meta_tasks.task_context import (
    CompositionError,
    DayReservations,
    TaskContext,
)
from trainee_bench.world.apps.chat import ClueHandedOver
from trainee_bench.world.colleagues.availability import AbsenceBegins, SlowAnswersBegin
from trainee_bench.world.company.org_chart import EXECUTIVE
from trainee_bench.world.company.people import Person
from trainee_bench.world.transaction import WorkingDay

_TIME_TO_ANSWER = timedelta(minutes=30)
"""The time that an answer takes at most once somebody is back."""


def mark_absent(context: TaskContext, person: Person) -> None:
    """Record that *person* is away today. Raises CompositionError if another task has done so."""
    context.claim(_claim(person))


def without_absent(context: TaskContext, people: Iterable[Person]) -> list[Person]:
    """Return those of *people* who are not known to be away, in their order."""
    return [person for person in people if _claim(person) not in context.reservations.claims]


def present_employees(context: TaskContext) -> list[Person]:
    """Return all employees except executives who are not known to be away, in the company's
    order."""
    people = (person for person in context.company.people if person.department != EXECUTIVE)
    return without_absent(context, people)


def check_holders_present(
    scenes: Sequence[tuple[TaskInstance[Any], Sequence[WorkingDay]]],
) -> None:
    """Raise CompositionError if somebody who has something to tell or hear for a task is away to
    the end of each of its days. *scenes* are all tasks of a world with their days."""
    absences = [
        (planned.event.person, planned.due or days[0].starts, planned.event.until)
        for instance, days in scenes
        for planned in instance.hidden.events
        if isinstance(planned.event, AbsenceBegins)
    ]
    for instance, days in scenes:
        away = {
            person
            for person, begins, until in absences
            if all(begins < day.ends <= until for day in days)
        }
        for id, holder in _holders(instance):
            if holder in away:
                raise CompositionError(
                    f"{holder}, who has to answer for {id}, is away that day; use another seed or "
                    "put the tasks on different days"
                )


def _claim(person: Person) -> str:
    return f"{person.id} is away"


def _holders(instance: TaskInstance[Any]) -> Iterator[tuple[str, str]]:
    """Yield the clues and expectations (ids) of a task, each with the person who has it, at first
    or later."""
    for clue in instance.hidden.clues:
        yield clue.id, clue.holder
    for expected in instance.hidden.expectations:
        yield expected.id, expected.holder
    for planned in instance.hidden.events:
        if isinstance(planned.event, ClueHandedOver):
            yield planned.event.clue, planned.event.holder


def note_needed(
    reservations: DayReservations,
    task: str,
    instance: TaskInstance[Any],
    days: Sequence[WorkingDay],
    by: datetime,
) -> None:
    """Record that the people who have something to tell or hear for a *task* are needed on its
    *days*, and on a single day *by* that time, and who answers late because of it.

    Raises CompositionError if somebody would answer too late for a task because of another one.
    """
    late = [*_late_answers(instance, days)]
    for person, begins, until in late:
        for other, due in reservations.answers.get(person, ()):
            _check_in_time(person, other, due, task, begins, until)
    for holder in {holder: None for _, holder in _holders(instance) if holder}:
        reservations.needed[holder] = (*reservations.needed.get(holder, ()), *days)
        if len(days) > 1:
            continue
        for other, begins, until in reservations.late.get(holder, ()):
            _check_in_time(holder, task, by, other, begins, until)
        reservations.answers[holder] = (*reservations.answers.get(holder, ()), (task, by))
    for person, begins, until in late:
        own = (task, begins, until)
        reservations.late[person] = (*reservations.late.get(person, ()), own)


def _check_in_time(
    person: str, task: str, by: datetime, other: str, begins: datetime, until: datetime
) -> None:
    if begins < by < until + _TIME_TO_ANSWER:
        raise CompositionError(
            f"{person} answers too late for {task} because of {other}; use another seed or put the "
            "tasks on different days"
        )


def _late_answers(
    instance: TaskInstance[Any], days: Sequence[WorkingDay]
) -> Iterator[tuple[str, datetime, datetime]]:
    """Yield the people who are away or slow because of a task, from when and until when."""
    for planned in instance.hidden.events:
        begins, event = planned.due or days[0].starts, planned.event
        if isinstance(event, AbsenceBegins):
            yield event.person, begins, event.until
        if isinstance(event, SlowAnswersBegin):
            yield event.person, begins, begins + timedelta(minutes=event.minutes)


def prompt_people(context: TaskContext, people: Iterable[Person]) -> list[Person]:
    """Return those of *people* who answer at once on the day of the task: where tasks may be alike,
    all but those who are busy because of another one."""
    late, today = context.reservations.late, context.day.starts.date()
    return [
        person
        for person in people
        if all(begins.date() != today for _, begins, _ in late.get(person.id, ()))
    ]


def free_to_leave(context: TaskContext, people: Iterable[Person], until: datetime) -> list[Person]:
    """Return those of *people* who can be away from the day of the task *until* then: where tasks
    may be alike, those whom no other task needs on these days."""
    needed = context.reservations.needed
    return [
        person
        for person in people
        if not any(context.day.starts <= day.starts < until for day in needed.get(person.id, ()))
    ]
