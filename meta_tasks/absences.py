"""The people who are away on a day. Tasks share this, so that none relies on somebody who is not
there.

Tasks are composed one after the other. A task that sends people away records it here, and later
tasks leave them out. For earlier tasks, the finished day is checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from trainee_bench.meta_tasks.meta_task import TaskInstance
from trainee_bench.meta_tasks.task_context import (
    CompositionError,
    DayReservations,
    TaskContext,
)
from trainee_bench.world.apps.chat import ClueHandedOver
from trainee_bench.world.colleagues.availability import AbsenceBegins
from trainee_bench.world.company.org_chart import EXECUTIVE
from trainee_bench.world.company.people import Person
from trainee_bench.world.transaction import WorkingDay


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
    reservations: DayReservations, instance: TaskInstance[Any], days: Sequence[WorkingDay]
) -> None:
    """Record that the people who have something to tell or hear for a task are needed on its
    *days*."""
    for _, holder in _holders(instance):
        if holder:
            reservations.needed[holder] = (*reservations.needed.get(holder, ()), *days)


def free_to_leave(context: TaskContext, people: Iterable[Person], until: datetime) -> list[Person]:
    """Return those of *people* who can be away from the day of the task *until* then: where tasks
    may be alike, those whom no other task needs on these days."""
    needed = context.reservations.needed
    return [
        person
        for person in people
        if not any(context.day.starts <= day.starts < until for day in needed.get(person.id, ()))
    ]
